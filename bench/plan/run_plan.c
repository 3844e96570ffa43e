/* Running the plan: a worker process a group, progress, retries, interrupts. See bench.h. */
#include "bench/run/candidate.h"
#include "bench/plan/bench.h"
#include "bench/timing/clock.h"
#include "bench/environment/clock_lock.h"
#include "bench/environment/environment.h"
#include "core/json_file.h"
#include "core/list.h"
#include "core/output_folder.h"
#include "core/process.h"
#include "core/run_lock.h"
#include "bench/plan/run_worker.h"
#include "bench/plan/benchmark_list.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { MOST_SHOWN = 3 }; /* groups whose candidates have a line each */

typedef struct run {
    plan plan;
    torch_server *torch;
    group_process shared; /* of options->shared */
    benchmark_out out;
    FILE *shown; /* where a line a candidate goes; NULL: there are too many for a screen */
    bench_summary *summary;
    double start_ms;
    double work_done, work_left; /* in candidates, for the remaining time */
    double measured_ms;
} run;

static void say(const run *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(const run *r, const char *format, ...)
{
    FILE *out = r->plan.options->progress;
    if (!out)
        return;
    va_list arguments;
    va_start(arguments, format);
    vfprintf(out, format, arguments);
    va_end(arguments);
    fflush(out);
}

static int count_candidates(const planned_group *g)
{
    int candidates = 0;
    for (int i = 0; i < g->baseline_count; i++)
        candidates += !g->baselines[i].kept;
    for (int i = 0; i < g->variant_count; i++)
        candidates += g->variants[i].verified && !g->variants[i].kept;
    return candidates;
}

/* Far above what a group needs, so that only a hang meets it: twice the bound of each candidate and mode, and
 * something for loading, references and torch's compiler. */
static double time_limit_s(const planned_group *g)
{
    const bench_method *m = &g->method;
    const double usual_s = m->repetitions * (m->warmup_ms + m->sample_ms) * 1e-3;
    const double torch_s = g->baseline_count > 0 ? 420.0 : 0.0;
    return 180.0 + torch_s +
           2.0 * count_candidates(g) * timing_modes_count(m->modes) * fmax(m->bound_s, usual_s);
}

static void format_seconds(double seconds, char out[32])
{
    const long s = lround(seconds);
    if (s >= 3600)
        snprintf(out, 32, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
    else
        snprintf(out, 32, "%ld:%02ld", s / 60, s % 60);
}

/* From the candidates measured so far; before the first, from the method. */
static double remaining_s(const run *r, const planned_group *next)
{
    if (r->work_done > 0.0)
        return r->measured_ms * 1e-3 / r->work_done * r->work_left;
    const bench_method *m = &next->method;
    return r->work_left * (1.0 + 1.2e-3 * m->repetitions * (m->warmup_ms + m->sample_ms)) *
           timing_modes_count(m->modes);
}

static void announce(const run *r, const planned_group *g, int number, int total)
{
    char elapsed[32], remaining[32];
    format_seconds((clock_now_ms() - r->start_ms) * 1e-3, elapsed);
    format_seconds(remaining_s(r, g), remaining);
    int verified = 0;
    for (int i = 0; i < g->variant_count; i++)
        verified += g->variants[i].verified;
    say(r, "[%d/%d] %s %s %s: %d variant%s, %d baseline%s  (elapsed %s, about %s to go)\n", number, total,
        g->op->spec->name, assay_dtype_name(g->dtype), g->size, verified, verified == 1 ? "" : "s",
        g->baseline_count, g->baseline_count == 1 ? "" : "s", elapsed, remaining);
}

static const char *torch_socket(run *r, const planned_group *g)
{
    for (int i = 0; i < g->baseline_count; i++)
        if (candidate_is_remote(g->baselines[i].name) && strcmp(r->plan.device.kind, "cuda") == 0)
            return torch_server_start(r->torch, r->plan.ws, r->plan.options->python);
    return NULL;
}

/* Written by the worker that just ran: fresh and not older than its start. */
static int has_result(const run *r, const planned_group *g, const char *name, const struct timespec *since)
{
    struct stat info;
    char path[4400];
    const result_group common = {.ws = r->plan.ws, .op = g->op, .dtype = g->dtype, .size = g->size};
    result_path(&common, name, path, sizeof path);
    if (stat(path, &info) != 0)
        return 0;
    return info.st_mtim.tv_sec > since->tv_sec ||
           (info.st_mtim.tv_sec == since->tv_sec && info.st_mtim.tv_nsec >= since->tv_nsec);
}

/* The file system's clock may lag the system's by a tick. */
static void now_for_files(struct timespec *now)
{
    clock_gettime(CLOCK_REALTIME_COARSE, now);
    now->tv_nsec -= now->tv_nsec >= 20000000 ? 20000000 : now->tv_nsec;
}

/* `only`: one candidate alone, or NULL. */
static assay_status measure_candidates(run *r, const planned_group *g, const char *only, worker_end *end,
                                       assay_error *error)
{
    described_group described;
    const char *socket = torch_socket(r, g);
    plan_describe_group(&r->plan, g, only, socket, r->torch->reason, &described);
    const bench_options *o = r->plan.options;
    group_process *shared = o->shared && !only && !o->confined && !o->benchmark_options ? &r->shared : NULL;
    return run_worker(&r->plan, &described, shared, &r->out, time_limit_s(g), o->progress, end, error);
}

/* A candidate without a result after its group's worker ended: measured alone, and if that fails, too, it is the
 * culprit. */
static assay_status retry_alone(run *r, const planned_group *g, const char *name, assay_error *error)
{
    worker_end end;
    struct timespec since;
    now_for_files(&since);
    say(r, "  %s: measured again alone\n", name);
    const assay_status status = measure_candidates(r, g, name, &end, error);
    if (status != ASSAY_OK || end.end == PROCESS_INTERRUPTED || has_result(r, g, name, &since))
        return status;
    say(r, "  %s: not timed: %s\n", name, end.why);
    return untimed_result_write(&r->plan, g, name, result_baseline_in(name) ? "unavailable" : "not timed",
                                end.why, error);
}

static assay_status retry_missing(run *r, const planned_group *g, const struct timespec *since,
                                  assay_error *error)
{
    assay_status status = ASSAY_OK;
    char full[RESULT_FULL_NAME_MAX];
    for (int i = 0; i < g->variant_count && status == ASSAY_OK && !process_interrupted(); i++) {
        const planned_variant *v = &g->variants[i];
        if (v->verified && v->selected && !v->kept && !has_result(r, g, v->name, since))
            status = retry_alone(r, g, v->name, error);
    }
    for (int i = 0; i < g->baseline_count && status == ASSAY_OK && !process_interrupted(); i++) {
        snprintf(full, sizeof full, RESULT_BASELINE_PREFIX "%.63s", g->baselines[i].name);
        if (g->baselines[i].selected && !g->baselines[i].kept && !has_result(r, g, full, since))
            status = retry_alone(r, g, full, error);
    }
    return status;
}

/* What was written counts, also of a group that was interrupted. Of a whole group a file may say what it said before, and is then not
 * written again. */
static void note_measured(const run *r, planned_group *g, int whole, const struct timespec *since)
{
    char full[RESULT_FULL_NAME_MAX];
    for (int i = 0; i < g->variant_count; i++) {
        planned_variant *v = &g->variants[i];
        v->measured = !v->kept && ((whole && v->selected) || has_result(r, g, v->name, since));
    }
    for (int i = 0; i < g->baseline_count; i++) {
        snprintf(full, sizeof full, RESULT_BASELINE_PREFIX "%.63s", g->baselines[i].name);
        planned_baseline *b = &g->baselines[i];
        b->measured = !b->kept && ((whole && b->selected) || has_result(r, g, full, since));
    }
}

static assay_status measure_group(run *r, planned_group *g, assay_error *error)
{
    worker_end end;
    struct timespec since;
    now_for_files(&since);
    const double start_ms = clock_now_ms();
    assay_status status = measure_candidates(r, g, NULL, &end, error);
    if (status == ASSAY_OK && end.end != PROCESS_INTERRUPTED)
        status = retry_missing(r, g, &since, error);
    const int whole = status == ASSAY_OK && end.end != PROCESS_INTERRUPTED && !process_interrupted();
    note_measured(r, g, whole, &since);
    r->measured_ms += clock_now_ms() - start_ms;
    r->work_done += count_candidates(g);
    r->work_left -= count_candidates(g);
    r->summary->groups_measured += whole;
    return status;
}

static assay_status refuse_unverified(const run *r, const planned_group *g, assay_error *error)
{
    assay_status status = ASSAY_OK;
    for (int i = 0; i < g->variant_count && status == ASSAY_OK; i++)
        if (!g->variants[i].verified)
            status = untimed_result_refuse(&r->plan, g, g->variants[i].name, error);
    return status;
}

static void print_command(const run *r, const planned_group *g)
{
    described_group described;
    plan_describe_group(&r->plan, g, NULL, NULL, r->torch->reason, &described);
    if (r->plan.options->progress)
        print_worker_command(&r->plan, &described, r->plan.options->progress);
}

/* Why cases that have a result are measured again; what is the same of the one before is not said again. */
static void say_what_differs(const run *r, const planned_group *g)
{
    const char *before = "";
    for (int i = 0; i < g->variant_count; i++) {
        const planned_variant *v = &g->variants[i];
        if (v->verified && !v->fresh && v->differs[0] && strcmp(v->differs, before) != 0)
            say(r, "  %s: its result is of another %s\n", v->name, before = v->differs);
    }
}

static assay_status run_groups(run *r, assay_error *error)
{
    assay_status status = ASSAY_OK;
    int stale = 0, number = 0;
    for (int i = 0; i < r->plan.group_count; i++) {
        stale += r->plan.groups[i].stale;
        r->work_left += r->plan.groups[i].stale ? count_candidates(&r->plan.groups[i]) : 0;
    }
    r->summary->groups = r->plan.group_count;
    r->shown = stale <= MOST_SHOWN || r->plan.options->benchmark_options ? r->plan.options->progress : NULL;
    for (int i = 0; i < r->plan.group_count && status == ASSAY_OK && !process_interrupted(); i++) {
        planned_group *g = &r->plan.groups[i];
        if (r->plan.options->dry_run) {
            if (g->stale)
                print_command(r, g);
            continue;
        }
        status = refuse_unverified(r, g, error);
        if (status != ASSAY_OK || !g->stale)
            continue;
        announce(r, g, ++number, stale);
        say_what_differs(r, g);
        status = measure_group(r, g, error);
    }
    return status;
}

/* Two benchmarks at once would measure each other. The lock dies with the process that holds it. */
static assay_status take_lock(const workspace *ws, int *lock, assay_error *error)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/.bench.lock", ws->path);
    const assay_status status = run_lock_try(path, lock, error);
    return status != ASSAY_OK || *lock >= 0
               ? status
               : assay_error_set(error, ASSAY_ERR_ENVIRONMENT,
                                 "another benchmark is running in %s; wait for it to end", ws->path);
}

/* Before hours of measuring: is there a place for the results? */
static assay_status prepare_results(const workspace *ws, assay_error *error)
{
    char folder[4200];
    snprintf(folder, sizeof folder, "%s/bench", ws->results);
    output_folder_sweep(ws->results); /* the ceilings lie there */
    return output_folder_prepare(folder, error);
}

/* What may distort the times is said before they are taken, and kept beside them. */
static assay_status write_environment(const run *r, assay_error *error)
{
    json_t *findings = environment_check(&r->plan.device);
    const assay_status status = environment_write(r->plan.ws->results, &r->plan.device, findings, error);
    for (size_t i = 0; i < json_array_size(findings); i++) {
        const json_t *f = json_array_get(findings, i);
        if (strcmp(json_get_text(f, "verdict", ""), "warning") == 0)
            say(r, "warning: %s: %s: %s\n", json_get_text(f, "name", ""), json_get_text(f, "value", ""),
                json_get_text(f, "effect", ""));
    }
    json_decref(findings);
    return status;
}

static assay_status lock_clocks(const run *r, clock_lock **lock, assay_error *error)
{
    char guard[4300];
    const int mhz = r->plan.options->lock_clocks_mhz;
    if (mhz <= 0)
        return ASSAY_OK;
    if (strcmp(r->plan.device.kind, "cuda") != 0)
        return assay_error_set(error, ASSAY_ERR_INVALID, "only a GPU's clocks can be locked, not those of %s",
                               r->plan.device.name);
    snprintf(guard, sizeof guard, "%s/assay-clock-guard", r->plan.ws->libexec);
    return clock_lock_take(guard, r->plan.device.uuid, mhz, lock, error);
}

static void count_results(run *r)
{
    for (int i = 0; i < r->plan.group_count; i++)
        plan_count(&r->plan, &r->plan.groups[i], r->summary);
    r->summary->interrupted = process_interrupted();
    r->summary->seconds = (clock_now_ms() - r->start_ms) * 1e-3;
}

assay_status bench_list(workspace *ws, const case_filter *filter, const bench_options *options,
                        assay_error *error)
{
    plan p = {.ws = ws, .options = options};
    assay_status status = plan_read_device(&p, error);
    if (status == ASSAY_OK)
        status = plan_make(&p, filter, error);
    for (int i = 0; i < p.group_count && status == ASSAY_OK; i++) {
        described_group described;
        benchmark_list benchmarks;
        for (int v = 0; v < p.groups[i].variant_count; v++)
            p.groups[i].variants[v].verified = 1;
        plan_describe_group(&p, &p.groups[i], NULL, NULL, "", &described);
        status = benchmark_list_make(&described.plan, &benchmarks, error);
        if (status == ASSAY_OK)
            gbench_list(benchmarks.items, benchmarks.count);
        benchmark_list_release(&benchmarks);
    }
    plan_release(&p);
    return status;
}

assay_status bench_run(workspace *ws, const case_filter *filter, const bench_options *options,
                       bench_summary *summary, assay_error *error)
{
    static const bench_options defaults = BENCH_OPTIONS_INIT;
    *summary = (bench_summary){0};
    torch_server own = {.pid = 0};
    run r = {.plan = {.ws = ws, .options = options ? options : &defaults},
             .torch = options && options->torch ? options->torch : &own,
             .summary = summary,
             .start_ms = clock_now_ms()};
    int lock = -1;
    clock_lock *clocks = NULL;
    process_watch_interrupts();
    assay_status status = plan_read_device(&r.plan, error);
    if (status == ASSAY_OK && !r.plan.options->dry_run)
        status = take_lock(ws, &lock, error);
    if (status == ASSAY_OK && !r.plan.options->dry_run)
        status = prepare_results(ws, error);
    if (status == ASSAY_OK && !r.plan.options->dry_run)
        status = write_environment(&r, error);
    if (status == ASSAY_OK && !r.plan.options->dry_run)
        status = lock_clocks(&r, &clocks, error);
    if (status == ASSAY_OK)
        status = plan_make(&r.plan, filter, error);
    if (status == ASSAY_OK)
        status = plan_select(&r.plan, error);
    benchmark_out_begin(&r.out, ws->results);
    if (status == ASSAY_OK)
        status = run_groups(&r, error);
    group_process_end(&r.shared);
    memcpy(summary->phases_s, r.shared.phases_s, sizeof summary->phases_s);
    const assay_status reported = benchmark_out_end(&r.out, status == ASSAY_OK ? error : NULL);
    status = status == ASSAY_OK ? reported : status;
    torch_server_stop(r.torch);
    assay_error still_locked = {0};
    const assay_status unlocked = clock_lock_release(clocks, &still_locked);
    if (unlocked != ASSAY_OK && status != ASSAY_OK)
        fprintf(stderr, "assay bench: %s\n",
                still_locked.message); /* must be known besides what else failed */
    else if (unlocked != ASSAY_OK)
        status = assay_error_set(error, unlocked, "%s", still_locked.message);
    count_results(&r);
    if (status == ASSAY_OK && summary->failed > 0 && !r.plan.options->dry_run)
        status = assay_error_set(error, ASSAY_ERR_CHECK, "%d verified case%s failed while being timed",
                                 summary->failed, summary->failed == 1 ? "" : "s");
    plan_release(&r.plan);
    run_lock_release(lock);
    return status;
}
