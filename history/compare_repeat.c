/* Repeating suspicious cases: see compare_repeat.h. */
#include "history/compare_repeat.h"
#include "core/list.h"
#include "core/process.h"
#include "core/utf8.h"
#include "results/result_file.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REPEAT_LIMIT_S = 1800, MOST_WORDS = 40, WORD_BYTES = 32 };

static int same_case(const result_case *a, const result_case *b)
{
    return strcmp(a->op, b->op) == 0 && a->kind == b->kind && strcmp(a->name, b->name) == 0 &&
           a->dtype == b->dtype && strcmp(a->size, b->size) == 0;
}

static const result *find_result(const result_set *set, const compare_case *c)
{
    for (int i = 0; i < set->count; i++)
        if (same_case(&set->results[i].r->id, &c->id))
            return set->results[i].r;
    return NULL;
}

/* What the repeat would time is what the result is of. */
static int is_of_workspace(const workspace *ws, const result *r)
{
    char path[4400];
    module_record record;
    snprintf(path, sizeof path, "%s/%s.%s.%s.json", ws->modules, r->id.op, r->id.name,
             assay_dtype_name(r->id.dtype));
    if (module_record_read(path, &record, NULL) != ASSAY_OK)
        return 0;
    const int same = strcmp(record.source_sha256, r->hashes.kernel) == 0;
    module_record_release(&record);
    return same;
}

typedef struct bench_call {
    char assay[4300];
    char words[MOST_WORDS][WORD_BYTES];   /* numbers as texts */
    char variants[4096], baselines[2048]; /* lists; the case's process with all that alternated in it, which
                                             are its controls */
    const char *argv[MOST_WORDS];
    int count, word_count;
} bench_call;

static void add(bench_call *call, const char *option, const char *value)
{
    call->argv[call->count++] = option;
    if (value)
        call->argv[call->count++] = value;
    call->argv[call->count] = NULL;
}

static void add_number(bench_call *call, const char *option, double value)
{
    char *word = call->words[call->word_count++];
    snprintf(word, WORD_BYTES, "%.10g", value);
    add(call, option, word);
}

static void append(char *list, size_t bytes, const char *name)
{
    snprintf(list + strlen(list), bytes - strlen(list), "%s%s", list[0] ? "," : "", name);
}

/* Candidates that need a Python of the right kind are left out, unless times are divided by theirs. */
static void list_candidates(const compare_case *c, const result *r, bench_call *call)
{
    append(call->variants, sizeof call->variants, c->id.name);
    for (int i = 0; i < r->method.other_count; i++) {
        result_case other;
        result_split_name(r->method.others[i], 0, &other);
        if (other.kind == RESULT_VARIANT)
            append(call->variants, sizeof call->variants, other.name);
        else if (strcmp(other.name, c->relative_to) == 0 ||
                 (strncmp(other.name, "torch", 5) != 0 && strncmp(other.name, "triton", 6) != 0))
            append(call->baselines, sizeof call->baselines, other.name);
    }
    if (call->baselines[0] == '\0')
        append(call->baselines, sizeof call->baselines, "none");
}

/* By the method of the result, so that the repeat is another run of the same measurement. */
static void make_call(const workspace *ws, const compare_case *c, const result *r, bench_call *call)
{
    const result_method *m = &r->method;
    *call = (bench_call){0};
    list_candidates(c, r, call);
    process_executable_folder(call->assay, sizeof call->assay - 8);
    strcat(call->assay, "/assay");
    add(call, call->assay, "bench");
    add(call, "--build", ws->path);
    add(call, "--op", c->id.op);
    add(call, "--variant", call->variants);
    add(call, "--dtype", assay_dtype_name(c->id.dtype));
    add(call, "--size", c->id.size);
    add(call, "--baselines", call->baselines);
    add(call, "--modes", timing_mode_name(c->mode));
    add(call, "--flush", m->flush);
    add_number(call, "--repetitions", m->repetitions);
    add_number(call, "--warmup-ms", m->warmup_ms);
    add_number(call, "--sample-ms", m->sample_ms);
    add_number(call, "--bound-s", m->bound_s);
    if (m->locked_mhz > 0)
        add_number(call, "--lock-clocks", m->locked_mhz);
    add(call, "--force", NULL);
}

/* Results of the names in a list. A candidate that could not run has a result that says so, or none: then it
 * is no control. */
static assay_status load_repeats(const workspace *ws, const compare_case *c, const char *list,
                                 result_kind kind, result_set *repeats, assay_error *error)
{
    assay_status status = ASSAY_OK;
    for (list_item item = {0}; status == ASSAY_OK && list_next(list, &item);) {
        char path[4700], file[512];
        result_case id = c->id;
        result *r = NULL;
        id.kind = kind;
        snprintf(id.name, sizeof id.name, "%.*s", item.length, item.text);
        result_file_name(&id, file, sizeof file);
        snprintf(path, sizeof path, "%s/%s/bench/%s", ws->results_base, c->slug, file);
        if (result_read_file(path, RESULT_LOAD_SAMPLES, &r, NULL) == ASSAY_OK)
            status = result_set_add(repeats, r, error);
    }
    return status;
}

/* What a program said last, which is why it ended; ends `output` there. */
static const char *last_line(char *output)
{
    size_t length = output ? strlen(output) : 0;
    while (length > 0 && output[length - 1] == '\n')
        output[--length] = '\0';
    const char *newline = output ? strrchr(output, '\n') : NULL;
    return newline ? newline + 1 : output ? output : "it said nothing";
}

static assay_status repeat_group(const workspace *ws, const compare_case *c, const result *r,
                                 result_set *repeats, assay_error *error)
{
    bench_call call;
    process_result end;
    char how[200];
    make_call(ws, c, r, &call);
    process_run(call.argv, REPEAT_LIMIT_S, 1, &end);
    process_describe(&end, how, sizeof how);
    assay_status status = ASSAY_OK;
    if (end.end != PROCESS_EXITED || end.code != 0)
        status = assay_error_set(
            error, ASSAY_ERR_ENVIRONMENT, "%s.%s.%s.%s could not be repeated: assay bench %s: %.300s",
            c->id.op, c->id.name, assay_dtype_name(c->id.dtype), c->id.size, how, last_line(end.output));
    process_result_release(&end);
    if (status == ASSAY_OK)
        status = load_repeats(ws, c, call.variants, RESULT_VARIANT, repeats, error);
    if (status == ASSAY_OK && strcmp(call.baselines, "none") != 0)
        status = load_repeats(ws, c, call.baselines, RESULT_BASELINE, repeats, error);
    return status;
}

/* A group's process measures all its cases, so it runs once however many of them are suspicious. */
static int was_measured(const compare_report *report, int at, const char *done)
{
    const compare_case *c = &report->cases[at];
    for (int i = 0; i < at; i++) {
        const compare_case *other = &report->cases[i];
        if (done[i] && strcmp(other->id.op, c->id.op) == 0 && other->id.dtype == c->id.dtype &&
            strcmp(other->id.size, c->id.size) == 0 && other->mode == c->mode &&
            strcmp(other->slug, c->slug) == 0)
            return 1;
    }
    return 0;
}

assay_status repeat_suspicious(const workspace *ws, const compare_report *report, const result_set *changed,
                               FILE *progress, result_set *repeats, int *cases, assay_error *error)
{
    assay_status status = ASSAY_OK;
    char *done = calloc((size_t)report->count + 1, 1);
    snprintf(repeats->label, sizeof repeats->label, "repeats");
    *cases = 0;
    if (!done)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for repeats");
    for (int i = 0; status == ASSAY_OK && i < report->count; i++) {
        const compare_case *c = &report->cases[i];
        const result *r = compare_is_suspicious(c) ? find_result(changed, c) : NULL;
        if (!r || r->id.kind != RESULT_VARIANT)
            continue;
        const int can = is_of_workspace(ws, r);
        if (progress)
            clean_printf(progress, "%s %s.%s.%s.%s %s\n", can ? "repeating" : "not repeated:", c->id.op,
                         c->id.name, assay_dtype_name(c->id.dtype), c->id.size,
                         can ? timing_mode_name(c->mode) : "the build folder has another source of it");
        if (!can)
            continue;
        done[i] = 1;
        ++*cases;
        if (!was_measured(report, i, done))
            status = repeat_group(ws, c, r, repeats, error);
    }
    free(done);
    return status;
}

static const compare_case *find_case(const compare_report *report, const compare_case *c)
{
    for (int i = 0; i < report->count; i++) {
        const compare_case *other = &report->cases[i];
        if (same_case(&other->id, &c->id) && other->mode == c->mode && !other->counted && !c->counted &&
            strcmp(other->slug, c->slug) == 0)
            return other;
    }
    return NULL;
}

static void withdraw_case(compare_report *report, compare_case *c, const char *what, const char *more)
{
    report->verdicts[c->verdict]--;
    report->failed -= c->fails;
    c->fails = 0;
    c->verdict = COMPARE_INCONCLUSIVE;
    report->verdicts[c->verdict]++;
    snprintf(c->reason, sizeof c->reason, "%s%.300s", what, more);
}

/* Slower with all runs together, but not in the repeats alone, is no confirmed slowdown. */
static void withdraw(compare_report *report, const compare_report *alone)
{
    for (int i = 0; i < report->count; i++) {
        compare_case *c = &report->cases[i];
        const compare_case *again = find_case(alone, c);
        if (again && again->verdict == COMPARE_NOT_OK && c->verdict == COMPARE_SLOWER)
            withdraw_case(report, c, "looked slower at first, and could not be repeated: ", again->reason);
        if (!again || again->verdict > COMPARE_MACHINE)
            continue;
        c->repeated = again->new_runs;
        if (c->verdict != COMPARE_SLOWER || again->verdict == COMPARE_SLOWER)
            continue;
        char how[120];
        snprintf(how, sizeof how, "%+.2f%% when repeated, 95%% interval %+.1f%% to %+.1f%%",
                 100 * (again->ratio.ratio - 1), 100 * (again->ratio.low95 - 1),
                 100 * (again->ratio.high95 - 1));
        withdraw_case(report, c, "looked slower at first; ", how);
    }
}

assay_status compare_confirm(const result_set *base, const result_set *changed, const result_set *repeats,
                             const compare_options *options, compare_report *report, assay_error *error)
{
    result_set all = {0};
    compare_report alone = {0}, together = {0};
    assay_status status = result_set_join(changed, repeats, &all, error);
    if (status == ASSAY_OK)
        status = compare_sets(base, repeats, options, &alone, error);
    if (status == ASSAY_ERR_INVALID && alone.verdicts[COMPARE_NOT_OK] > 0)
        status = ASSAY_OK; /* no repeat can be judged, which withdraw() says case by case */
    if (status == ASSAY_OK)
        status = compare_sets(base, &all, options, &together, error);
    if (status == ASSAY_OK) {
        withdraw(&together, &alone);
        compare_report_release(report);
        *report = together;
    } else
        compare_report_release(&together);
    compare_report_release(&alone);
    result_set_release(&all);
    return status;
}
