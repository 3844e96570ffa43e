/* Tuning, and what the archive has: see include/assay/assay.h. */
#include "api/session_timing.h"
#include "history/compare.h"
#include "tune/tuner/tuner.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static assay_status make_options(const assay_tuning_options *given, const chosen_kernel *k, tune_options *out,
                                 assay_error *error)
{
    bench_options quick, full;
    timing_modes modes;
    const assay_status status = session_timing_mode(&given->timing, &modes, error);
    if (status != ASSAY_OK)
        return status;
    if (given->evaluations <= 0 && !(given->budget_s > 0))
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "a number of evaluations or a budget in seconds is expected");
    session_bench_options(&given->timing, &full);
    quick = full;
    quick.quick = 1;
    if (quick.repetitions > 3)
        quick.repetitions = 3;
    *out = (tune_options){.variant = k->variant,
                          .size = k->size,
                          .dtype = k->dtype,
                          .strategy = given->strategy,
                          .seed = given->seed,
                          .evaluations = given->evaluations,
                          .budget_s = given->budget_s,
                          .save = given->save,
                          .evaluate = {.compile_limit_s = 300,
                                       .verify_limit_s = 120,
                                       .most_spill_bytes = 1024,
                                       .give_up_factor = 1.5,
                                       .bench = quick},
                          .finals = full};
    for (int m = 0; m < TIMING_MODES; m++)
        if (modes & timing_mode_bit((timing_mode)m))
            out->evaluate.mode = (timing_mode)m;
    return ASSAY_OK;
}

static void take_outcome(const tune_outcome *from, assay_tuning *out)
{
    char text[TUNED_VARIANT_TEXT_MAX];
    out->evaluations = from->count;
    out->succeeded = from->counts[EVALUATION_SUCCESS];
    out->has_winner = from->winner >= 0;
    snprintf(out->run, sizeof out->run, "%s", from->run);
    snprintf(out->report, sizeof out->report, "%.4095s", from->report);
    if (from->finalist_count > 0)
        out->default_us = from->finalists[0].us;
    if (!out->has_winner)
        return;
    const tune_finalist *winner = &from->finalists[from->winner];
    tuned_variant_text(&winner->candidate->tuned, text);
    snprintf(out->winner, sizeof out->winner, "%.1023s", text);
    snprintf(out->verdict, sizeof out->verdict, "%s", compare_verdict_name(winner->verdict));
    out->winner_us = winner->us;
}

assay_status assay_session_tune(assay_session *s, const assay_selection *which,
                                const assay_tuning_options *options, assay_tuning *out, assay_error *error)
{
    chosen_kernel k;
    tune_options chosen;
    tune_outcome outcome;
    assay_selection plain = *which;
    plain.configuration = NULL;
    *out = (assay_tuning){.winner_us = NAN, .default_us = NAN};
    assay_status status = session_choose(s, &plain, &k, error);
    if (status == ASSAY_OK)
        status = make_options(options, &k, &chosen, error);
    if (status != ASSAY_OK)
        return status;
    status = tune_run(s->ws, k.op, &chosen, &outcome, error);
    if (status == ASSAY_OK)
        take_outcome(&outcome, out);
    tune_outcome_release(&outcome);
    return status;
}

typedef struct best_context {
    int (*each)(void *context, const assay_archived *row);
    void *context;
    int ended;
} best_context;

static assay_status give_row(void *context, const archive_run *run, const archive_candidate *c,
                             assay_error *error)
{
    best_context *b = context;
    (void)error;
    const assay_archived row = {.op = run->problem.op,
                                .variant = run->problem.variant,
                                .dtype = run->problem.dtype,
                                .size = run->problem.size,
                                .configuration = c->values,
                                .run = run->uid,
                                .us = c->time_us,
                                .speedup = c->speedup};
    b->ended = b->each(b->context, &row) != 0;
    return b->ended ? ASSAY_ERR_CHECK : ASSAY_OK;
}

assay_status assay_session_best(assay_session *s, const assay_selection *which, int limit,
                                int (*each)(void *context, const assay_archived *row), void *context,
                                assay_error *error)
{
    char path[4400];
    archive *a = NULL;
    best_context b = {.each = each, .context = context};
    const archive_filter filter = {
        .op = which->op, .variant = which->variant, .dtype = which->dtype, .size = which->size};
    snprintf(path, sizeof path, "%s/tuning.db", s->ws->results);
    if (access(path, F_OK) != 0)
        return ASSAY_OK; /* nothing was tuned here */
    assay_status status = archive_open(path, ARCHIVE_READ, &a, error);
    if (status == ASSAY_OK)
        status = archive_best(a, &filter, limit, give_row, &b, b.ended ? NULL : error);
    archive_close(a);
    return b.ended ? ASSAY_OK : status;
}
