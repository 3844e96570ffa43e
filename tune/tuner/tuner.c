/* The search: see tuner.h. */
#include "tune/tuner/tuner.h"
#include "bench/timing/clock.h"
#include "core/process.h"
#include "tune/evaluate/constraints.h"
#include "tune/strategies/strategy.h"
#include "tune/tuner/first_modules.h"
#include "tune/tuner/search.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_BATCH = 4 };

static assay_status find_subject(search *s, workspace *ws, const workspace_op *op, assay_error *error)
{
    tune_outcome *out = s->out;
    assay_device *device = NULL;
    out->subject = (tune_subject){
        .ws = ws, .op = op, .variant = s->o->variant, .dtype = s->o->dtype, .size = s->o->size};
    const opspec_variant_tunables *set = opspec_find_tunables(op->spec, s->o->variant);
    if (!set)
        return assay_error_set(
            error, ASSAY_ERR_INVALID,
            "%s of %s has no tunables in op.json; \"assay list --tunables\" shows which have", s->o->variant,
            op->spec->name);
    assay_status status = tune_space(ws, op, s->o->variant, s->o->dtype, s->o->size, &out->space, error);
    out->subject.space = out->space;
    if (status == ASSAY_OK && space_count(out->space) == 0)
        status = assay_error_set(error, ASSAY_ERR_INVALID,
                                 "%s of %s: no configuration holds all constraints of %s", s->o->variant,
                                 op->spec->name, set->file ? set->file : "op.json");
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
    assay_status status = first_modules_make(s, hash, error);
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
    search_say(s, "tuning %s %s %s %s on %s: %llu valid configurations of %llu, strategy %s, seed %llu\n",
               out->subject.op->spec->name, out->subject.variant, assay_dtype_name(out->subject.dtype),
               out->subject.size, out->subject.device.name, (unsigned long long)valid,
               (unsigned long long)all, out->strategy, (unsigned long long)out->seed);
    if (out->provider_note[0])
        search_say(s, "%s\n", out->provider_note);
    if (s->log.recorded_count > 0)
        search_say(s, "going on with a run that has %d evaluations\n", s->log.recorded_count);
}

/* Over several cards, the mean of what each spent. */
static void add_spent(const search *s)
{
    const tune_cards *cards = s->o->cards;
    evaluator_times *spent = &s->out->spent;
    *spent = evaluator_spent(s->e);
    spent->compiling += s->first_compile_s + s->waited_s;
    spent->verifying += cards ? cards->spent.verifying / cards->count : 0;
    spent->timing += cards ? cards->spent.timing / cards->count : 0;
}

static assay_status search_and_finish(search *s, assay_error *error)
{
    tune_outcome *out = s->out;
    announce(s);
    assay_status status = search_run_batches(s, error);
    out->seconds = search_elapsed_s(s);
    if (status == ASSAY_OK && out->count > 0 && !isnan(tune_default_us(out)))
        status = archive_set_default(s->log.archive, s->log.run.id, tune_default_us(out), error);
    if (status == ASSAY_OK && !s->o->no_finals && strcmp(out->end, "interrupted") != 0)
        status = tune_finals(s->o, s->e, out, error);
    add_spent(s);
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
    outcome->cards = options->cards;
    s.log.window = search_window(options, ws->device);
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
