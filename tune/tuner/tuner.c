/* The search: see tuner.h. */
#include "tune/tuner/tune_log.h"
#include "bench/timing/clock.h"
#include "core/process.h"
#include "tune/evaluate/constraints.h"
#include "tune/strategies/strategy.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL_BYTES = TUNED_VARIANT_TEXT_MAX, DEFAULT_BATCH = 4 };

typedef struct tune_batch {
    tune_candidate items[EVALUATE_MOST];
    int recorded[EVALUATE_MOST]; /* taken from the archive */
    int count;
} tune_batch;

typedef struct search {
    const tune_options *o;
    tune_outcome *out;
    evaluator *e;
    strategy *st;
    tune_log log;
    double start_ms, first_compile_s;
    int best_at; /* evaluations told when the best was found */
    long asked;
} search;

static void __attribute__((format(printf, 2, 3))) say(const search *s, const char *format, ...)
{
    va_list arguments;
    if (!s->o->progress)
        return;
    va_start(arguments, format);
    vfprintf(s->o->progress, format, arguments);
    va_end(arguments);
    fflush(s->o->progress);
}

static double elapsed_s(const search *s)
{
    return s->log.earlier_s + (clock_now_ms() - s->start_ms) * 1e-3;
}

double tune_default_us(const tune_outcome *outcome)
{
    configuration c;
    space_default(outcome->space, &c);
    for (int i = 0; i < outcome->count; i++)
        if (configuration_equals(&outcome->candidates[i].configuration, &c))
            return outcome->candidates[i].time_us;
    return NAN;
}

/* ---- batches ---- */

/* The next batch of the strategy; its compiling starts. A count of 0: the search is over, and outcome->end says why. */
static assay_status ask(search *s, tune_batch *b, assay_error *error)
{
    configuration asked[EVALUATE_MOST];
    char values[LABEL_BYTES];
    const long left = s->o->evaluations > 0 ? s->o->evaluations - s->asked : s->log.batch;
    const int wanted = left < s->log.batch ? (int)left : s->log.batch;
    *b = (tune_batch){.count = 0};
    if (process_interrupted())
        snprintf(s->out->end, sizeof s->out->end, "interrupted");
    else if (wanted <= 0)
        snprintf(s->out->end, sizeof s->out->end, "evaluations");
    else if (s->o->budget_s > 0 && elapsed_s(s) >= s->o->budget_s && s->asked >= s->log.recorded_count)
        snprintf(s->out->end, sizeof s->out->end, "budget");
    else if (s->o->target_us > 0 && s->out->best >= 0 &&
             s->out->candidates[s->out->best].time_us <= s->o->target_us)
        snprintf(s->out->end, sizeof s->out->end, "target");
    else if (s->o->patience > 0 && s->out->count - s->best_at >= s->o->patience)
        snprintf(s->out->end, sizeof s->out->end, "patience");
    if (s->out->end[0])
        return ASSAY_OK;
    const int count = strategy_ask(s->st, asked, wanted);
    if (count == 0)
        snprintf(s->out->end, sizeof s->out->end, "exhausted");
    assay_status status = ASSAY_OK;
    for (int i = 0; i < count && status == ASSAY_OK; i++) {
        tune_candidate *c = &b->items[b->count++];
        status = tune_candidate_make(&s->out->subject, &asked[i], c, error);
        tuned_variant_text(&c->tuned, values);
        const recorded_candidate *known = tune_log_find(&s->log, values);
        if (known)
            tune_log_take(known, c);
        b->recorded[i] = known != NULL;
    }
    s->asked += count;
    return status == ASSAY_OK && b->count > 0 ? evaluate_begin(s->e, b->items, b->count, error) : status;
}

static void say_candidate(const search *s, const tune_candidate *c)
{
    const tune_outcome *out = s->out;
    char values[LABEL_BYTES], best[LABEL_BYTES] = "", limit[32] = "";
    const long seconds = lround(out->elapsed_s[out->count - 1]);
    tuned_variant_text(&c->tuned, values);
    if (s->o->evaluations > 0)
        snprintf(limit, sizeof limit, "/%ld", s->o->evaluations);
    say(s, "[%3d%s  %ld:%02ld] %s  ", out->count, limit, seconds / 60, seconds % 60, values);
    if (c->status == EVALUATION_SUCCESS)
        say(s, "%.4g us", c->time_us);
    else
        say(s, "%s: %.100s", evaluation_status_name(c->status), c->reason);
    if (out->best >= 0) {
        const tune_candidate *leader = &out->candidates[out->best];
        const double speedup = tune_default_us(out) / leader->time_us;
        tuned_variant_text(&leader->tuned, best);
        if (out->best == out->count - 1)
            say(s, "  best so far");
        else
            say(s, "  best %.4g us", leader->time_us);
        if (!isnan(speedup))
            say(s, ", %.3fx the default", speedup);
    }
    say(s, "\n");
}

static assay_status add_outcome(search *s, const tune_candidate *c, double at_s, assay_error *error)
{
    tune_outcome *out = s->out;
    if (out->count == out->capacity) {
        const int capacity = out->capacity ? 2 * out->capacity : 64;
        tune_candidate *grown = realloc(out->candidates, (size_t)capacity * sizeof *grown);
        out->candidates = grown ? grown : out->candidates;
        double *times = grown ? realloc(out->elapsed_s, (size_t)capacity * sizeof *times) : NULL;
        out->elapsed_s = times ? times : out->elapsed_s;
        if (!grown || !times)
            return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
        out->capacity = capacity;
    }
    out->candidates[out->count] = *c;
    out->elapsed_s[out->count++] = at_s;
    out->counts[c->status]++;
    if (c->status == EVALUATION_SUCCESS &&
        (out->best < 0 || c->time_us < out->candidates[out->best].time_us)) {
        out->best = out->count - 1;
        s->best_at = out->count;
    }
    return ASSAY_OK;
}

/* Keep what is decided, first in the archive; then tell the strategy, in the order asked. */
static assay_status take_batch(search *s, tune_batch *b, assay_error *error)
{
    assay_status status = ASSAY_OK;
    char values[LABEL_BYTES];
    for (int i = 0; i < b->count; i++) {
        tune_candidate *c = &b->items[i];
        if (!c->done || status != ASSAY_OK) {
            tune_candidate_release(c);
            continue;
        }
        tuned_variant_text(&c->tuned, values);
        const recorded_candidate *known = b->recorded[i] ? tune_log_find(&s->log, values) : NULL;
        status = add_outcome(s, c, known ? known->elapsed_s : elapsed_s(s), error);
        if (status == ASSAY_OK && !known)
            status = tune_log_add(&s->log, c, error);
        s->out->resumed += known != NULL;
        const evaluation e = {c->configuration, c->status, c->time_us};
        strategy_tell(s->st, &e);
        if (status == ASSAY_OK)
            say_candidate(s, c);
    }
    return status;
}

static double best_us(const search *s)
{
    return s->out->best >= 0 ? s->out->candidates[s->out->best].time_us : NAN;
}

/* On a GPU the next batch is compiled while this one is measured; on the CPU device compilers would be what is measured. */
static assay_status run_batches(search *s, assay_error *error)
{
    const int ahead = strcmp(s->out->subject.ws->device, "cuda") == 0;
    tune_batch *batches = calloc(2, sizeof *batches), *now = batches, *next = batches + 1;
    if (!batches)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    assay_status status = ask(s, now, error);
    while (status == ASSAY_OK && now->count > 0) {
        next->count = 0;
        if (ahead)
            status = ask(s, next, error);
        if (status == ASSAY_OK)
            status = evaluate_finish(s->e, now->items, now->count, best_us(s), error);
        const assay_status taken = take_batch(s, now, status == ASSAY_OK ? error : NULL);
        status = status == ASSAY_OK ? taken : status;
        if (process_interrupted())
            snprintf(s->out->end, sizeof s->out->end, "interrupted");
        if (status == ASSAY_OK && !ahead)
            status = ask(s, next, error);
        tune_batch *swap = now;
        now = next;
        next = swap;
    }
    free(batches);
    return status;
}

/* ---- the whole ---- */

/* The default configuration's module: its hash says which kernel the run is of. */
static assay_status hash_kernel(search *s, char hash[65], assay_error *error)
{
    enum { LIMIT_S = 900 };
    const tune_subject *subject = &s->out->subject;
    configuration c;
    tune_candidate candidate;
    char path[4400];
    module_record record;
    space_default(s->out->space, &c);
    assay_status status = tune_candidate_make(subject, &c, &candidate, error);
    const tuned_module module = {subject->ws, subject->op, &candidate.tuned, subject->dtype};
    const double start_ms = clock_now_ms();
    if (status == ASSAY_OK)
        status = tuned_module_make(&module, LIMIT_S, error);
    s->first_compile_s = (clock_now_ms() - start_ms) * 1e-3;
    if (status != ASSAY_OK)
        return status;
    assay_case which = {.op = subject->op, .dtype = subject->dtype};
    snprintf(which.variant, sizeof which.variant, "%s", candidate.tuned.name);
    case_module_path(subject->ws, &which, path, sizeof path);
    status = module_record_read(path, &record, error);
    if (status == ASSAY_OK) {
        snprintf(hash, 65, "%s", record.source_sha256);
        module_record_release(&record);
    }
    return status;
}

static assay_status find_subject(search *s, workspace *ws, const workspace_op *op, assay_error *error)
{
    tune_outcome *out = s->out;
    assay_device *device = NULL;
    out->subject = (tune_subject){
        .ws = ws, .op = op, .variant = s->o->variant, .dtype = s->o->dtype, .size = s->o->size};
    if (!opspec_find_tunables(op->spec, s->o->variant))
        return assay_error_set(
            error, ASSAY_ERR_INVALID,
            "%s of %s has no tunables in op.json; \"assay list --tunables\" shows which have", s->o->variant,
            op->spec->name);
    assay_status status = tune_space(ws, op, s->o->variant, s->o->dtype, s->o->size, &out->space, error);
    out->subject.space = out->space;
    if (status == ASSAY_OK && space_count(out->space) == 0)
        status = assay_error_set(error, ASSAY_ERR_INVALID,
                                 "%s of %s: no configuration holds all constraints of op.json", s->o->variant,
                                 op->spec->name);
    if (status == ASSAY_OK)
        status = assay_device_open(ws->device, s->o->evaluate.bench.device_ordinal, &device, error);
    if (status == ASSAY_OK)
        out->subject.device = *assay_device_get_info(device);
    assay_device_close(device);
    return status;
}

static assay_status make_strategy(search *s, assay_error *error)
{
    configuration seeds[TUNE_MOST_SEEDS];
    for (int i = 0; i < s->log.seeds.count; i++)
        seeds[i] = s->log.seeds.items[i].configuration;
    const strategy_options options = {
        .seed = s->o->seed, .budget = s->o->evaluations, .seeds = seeds, .seed_count = s->log.seeds.count};
    return strategy_create(s->out->strategy, s->out->space, &options, &s->st, error);
}

/* A wrong name is named before anything is compiled. */
static assay_status check_strategy(const search *s, assay_error *error)
{
    strategy *probe = NULL;
    const assay_status status = strategy_create(s->out->strategy, s->out->space, NULL, &probe, error);
    strategy_free(probe);
    return status;
}

static assay_status begin_log(search *s, assay_error *error)
{
    char hash[65] = "";
    assay_status status = hash_kernel(s, hash, error);
    if (status == ASSAY_OK)
        status = tune_log_open(&s->log, hash, error);
    if (status == ASSAY_OK && !s->log.goes_on)
        status = tune_seeds_collect(s->o, s->out, s->log.archive, &s->log.run.problem, &s->log.seeds, error);
    if (status == ASSAY_OK && !s->log.goes_on)
        status = tune_log_begin(&s->log, error);
    snprintf(s->out->run, sizeof s->out->run, "%s", s->log.run.uid);
    return status;
}

static void announce(const search *s)
{
    const tune_outcome *out = s->out;
    const uint64_t all = space_cartesian_count(out->space), valid = space_count(out->space);
    say(s, "tuning %s %s %s %s on %s: %llu valid configurations of %llu, strategy %s, seed %llu\n",
        out->subject.op->spec->name, out->subject.variant, assay_dtype_name(out->subject.dtype),
        out->subject.size, out->subject.device.name, (unsigned long long)valid, (unsigned long long)all,
        out->strategy, (unsigned long long)out->seed);
    if (out->provider_note[0])
        say(s, "%s\n", out->provider_note);
    if (s->log.recorded_count > 0)
        say(s, "going on with a run that has %d evaluations\n", s->log.recorded_count);
}

static assay_status search_and_finish(search *s, assay_error *error)
{
    tune_outcome *out = s->out;
    announce(s);
    assay_status status = run_batches(s, error);
    out->seconds = elapsed_s(s);
    if (status == ASSAY_OK && out->count > 0 && !isnan(tune_default_us(out)))
        status = archive_set_default(s->log.archive, s->log.run.id, tune_default_us(out), error);
    if (status == ASSAY_OK && strcmp(out->end, "interrupted") != 0)
        status = tune_finals(s->o, s->e, out, error);
    out->spent = evaluator_spent(s->e);
    out->spent.compiling += s->first_compile_s;
    out->own_seconds = (clock_now_ms() - s->start_ms) * 1e-3;
    if (status == ASSAY_OK && process_interrupted())
        snprintf(out->end, sizeof out->end, "interrupted");
    if (status == ASSAY_OK && strcmp(out->end, "interrupted") != 0)
        status = archive_end_run(s->log.archive, s->log.run.id, out->end, error);
    json_t *row = status == ASSAY_OK && s->o->save ? tune_winner_row(s->o, out) : NULL;
    if (row)
        status = tune_put_winner(out->subject.ws, out->subject.op, row, out->saved, error);
    json_decref(row);
    if (status == ASSAY_OK)
        status = tune_report_write(s->o, out, error);
    return status;
}

assay_status tune_run(workspace *ws, const workspace_op *op, const tune_options *options,
                      tune_outcome *outcome, assay_error *error)
{
    search s = {.o = options,
                .out = outcome,
                .log = {.options = options, .outcome = outcome},
                .start_ms = clock_now_ms()};
    *outcome = (tune_outcome){.best = -1, .winner = -1, .seed = options->seed};
    snprintf(outcome->strategy, sizeof outcome->strategy, "%s",
             options->strategy ? options->strategy : "bayesian");
    s.log.batch = options->batch > 0 && options->batch <= EVALUATE_MOST ? options->batch : DEFAULT_BATCH;
    assay_status status = find_subject(&s, ws, op, error);
    if (status == ASSAY_OK)
        status = check_strategy(&s, error);
    if (status == ASSAY_OK)
        status = begin_log(&s, error);
    if (status == ASSAY_OK)
        status = make_strategy(&s, error);
    if (status == ASSAY_OK)
        status = evaluator_create(&outcome->subject, &options->evaluate, &s.e, error);
    if (status == ASSAY_OK)
        status = search_and_finish(&s, error);
    tune_log_close(&s.log);
    strategy_free(s.st);
    evaluator_free(s.e);
    return status;
}

void tune_outcome_release(tune_outcome *outcome)
{
    for (int i = 0; i < outcome->count; i++)
        tune_candidate_release(&outcome->candidates[i]);
    free(outcome->candidates);
    free(outcome->elapsed_s);
    space_free(outcome->space);
    *outcome = (tune_outcome){.best = -1, .winner = -1};
}
