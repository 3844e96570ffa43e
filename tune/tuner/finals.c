/* The end of a tuning run: the best few and the default are verified at all sizes and edge cases, timed together in one process with their
 * repetitions interleaved, and compared with the default by the rules of `assay compare`. */
#include "core/process.h"
#include "history/compare.h"
#include "tune/tuner/tuner.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_default(const tune_outcome *out, const tune_candidate *c)
{
    configuration d;
    space_default(out->space, &d);
    return configuration_equals(&c->configuration, &d);
}

/* The fastest success that is no finalist yet. */
static tune_candidate *next_best(const tune_outcome *out)
{
    tune_candidate *found = NULL;
    for (int i = 0; i < out->count; i++) {
        tune_candidate *c = &out->candidates[i];
        int taken = c->status != EVALUATION_SUCCESS || is_default(out, c);
        for (int f = 0; f < out->finalist_count; f++)
            taken |= out->finalists[f].candidate == c;
        if (!taken && (!found || c->time_us < found->time_us))
            found = c;
    }
    return found;
}

static void add_finalist(tune_outcome *out, tune_candidate *c)
{
    out->finalists[out->finalist_count++] = (tune_finalist){.candidate = c,
                                                            .search_us = c->time_us,
                                                            .us = NAN,
                                                            .low_us = NAN,
                                                            .high_us = NAN,
                                                            .verdict = COMPARE_MISSING,
                                                            .ratio = {.ratio = NAN}};
}

/* The default first, if it is right at the size that was tuned. */
static void choose(tune_outcome *out)
{
    for (int i = 0; i < out->count; i++)
        if (out->candidates[i].status == EVALUATION_SUCCESS && is_default(out, &out->candidates[i]))
            add_finalist(out, &out->candidates[i]);
    for (tune_candidate *c; out->finalist_count < TUNE_FINALISTS && (c = next_best(out)) != NULL;)
        add_finalist(out, c);
}

/* Copies of the finalists' candidates: the search's own times stay in the outcome. */
typedef struct final_batch {
    tune_candidate items[TUNE_FINALISTS];
    int finalist[TUNE_FINALISTS], count;
} final_batch;

static void make_batch(const tune_outcome *out, final_batch *b)
{
    b->count = 0;
    for (int f = 0; f < out->finalist_count; f++) {
        if (out->finalists[f].wrong)
            continue;
        b->finalist[b->count] = f;
        b->items[b->count++] = *out->finalists[f].candidate;
    }
}

static assay_status verify_all(evaluator *e, tune_outcome *out, assay_error *error)
{
    final_batch b;
    int wrong[TUNE_FINALISTS] = {0};
    make_batch(out, &b);
    const assay_status status = evaluate_everywhere(e, b.items, b.count, wrong, error);
    for (int i = 0; i < b.count && status == ASSAY_OK; i++) {
        tune_finalist *f = &out->finalists[b.finalist[i]];
        f->wrong = wrong[i];
        snprintf(f->why, sizeof f->why, "%s", wrong[i] ? b.items[i].reason : "");
    }
    return status;
}

/* A set with the one result, under a name that all finalists share: they are then one case. */
static assay_status load(const tune_subject *subject, const tune_candidate *c, result_set *set,
                         assay_error *error)
{
    char path[4400];
    result *r = NULL;
    evaluate_result_path(subject, c, path, sizeof path);
    *set = (result_set){.count = 0};
    snprintf(set->label, sizeof set->label, "%s", c->tuned.name);
    const assay_status status = result_read_file(path, RESULT_LOAD_SAMPLES, &r, error);
    if (status != ASSAY_OK)
        return status;
    snprintf(r->id.name, sizeof r->id.name, "%s", c->tuned.variant);
    return result_set_add(set, r, error);
}

static void take_case(const compare_report *report, timing_mode mode, tune_finalist *f)
{
    for (int i = 0; i < report->count; i++) {
        const compare_case *c = &report->cases[i];
        if (c->counted || c->mode != mode)
            continue;
        f->verdict = c->verdict;
        f->ratio = c->ratio;
        snprintf(f->why, sizeof f->why, "%.*s", (int)sizeof f->why - 1, c->reason);
    }
}

static assay_status compare(const tune_options *o, const tune_outcome *out, tune_finalist *f,
                            assay_error *error)
{
    result_set base, changed = {0};
    compare_report report = {0};
    const compare_options options = {.modes = timing_mode_bit(o->evaluate.mode)};
    assay_error refused = {0};
    assay_status status = load(&out->subject, out->finalists[0].candidate, &base, error);
    if (status == ASSAY_OK)
        status = load(&out->subject, f->candidate, &changed, error);
    if (status == ASSAY_OK) {
        (void)compare_sets(&base, &changed, &options, &report, &refused); /* refusals are verdicts here */
        take_case(&report, o->evaluate.mode, f);
    }
    compare_report_release(&report);
    result_set_release(&base);
    result_set_release(&changed);
    return status;
}

static void take_interval(const tune_options *o, const tune_outcome *out, tune_finalist *f)
{
    char path[4400];
    result *r = NULL;
    evaluate_result_path(&out->subject, f->candidate, path, sizeof path);
    if (result_read_file(path, RESULT_LOAD_SUMMARY, &r, NULL) == ASSAY_OK &&
        result_has(r, o->evaluate.mode)) {
        const result_times *times = result_get(r, o->evaluate.mode);
        f->us = times->mean_us;
        f->low_us = times->low_us;
        f->high_us = times->high_us;
    }
    result_free(r);
}

static assay_status time_all(const tune_options *o, evaluator *e, tune_outcome *out, assay_error *error)
{
    final_batch b;
    bench_options bench = o->finals;
    bench.baselines = "";
    bench.force = 1; /* interleaved with each other, and not with whatever they were timed beside before */
    bench.modes = timing_mode_bit(o->evaluate.mode);
    make_batch(out, &b);
    assay_status status = evaluate_together(e, b.items, b.count, &bench, error);
    for (int i = 0; i < b.count && status == ASSAY_OK && !process_interrupted(); i++) {
        tune_finalist *f = &out->finalists[b.finalist[i]];
        if (b.items[i].status == EVALUATION_SUCCESS)
            take_interval(o, out, f);
        else
            snprintf(f->why, sizeof f->why, "%s", b.items[i].reason);
    }
    return status;
}

/* The fastest that is right everywhere. Without a default to be held against it has no verdict; one that cannot be told from the default
 * leaves the default in its place. */
static void name_winner(tune_outcome *out)
{
    int fastest = -1;
    for (int i = 0; i < out->finalist_count; i++)
        if (!out->finalists[i].wrong && !isnan(out->finalists[i].us) &&
            (fastest < 0 || out->finalists[i].us < out->finalists[fastest].us))
            fastest = i;
    out->winner = fastest;
    if (fastest > 0 && is_default(out, out->finalists[0].candidate) && !out->finalists[0].wrong &&
        out->finalists[fastest].verdict != COMPARE_FASTER)
        out->winner = 0;
}

/* One module serves all sizes: is what is faster at the tuned one faster at the others? */
static assay_status time_other_sizes(const tune_options *o, evaluator *e, tune_outcome *out,
                                     assay_error *error)
{
    const opspec *spec = out->subject.op->spec;
    bench_options bench = o->evaluate.bench;
    assay_status status = ASSAY_OK;
    bench.baselines = "";
    bench.modes = timing_mode_bit(o->evaluate.mode);
    for (int i = 0; i < spec->size_count && status == ASSAY_OK && !process_interrupted(); i++) {
        const opspec_size *size = &spec->sizes[i];
        const int on_cpu = strcmp(out->subject.ws->device, "cpu") == 0;
        if (strcmp(size->name, out->subject.size) == 0 || opspec_is_shape(size->name) ||
            !opspec_has_case(spec, out->subject.dtype, size->name) || (on_cpu && size->cuda_only))
            continue;
        tune_candidate both[] = {*out->finalists[0].candidate, *out->finalists[out->winner].candidate};
        double us[2];
        status = evaluate_at_size(e, both, 2, size->name, &bench, us, error);
        tune_at_size *at = &out->at_sizes[out->at_size_count++];
        *at = (tune_at_size){.default_us = us[0], .winner_us = us[1]};
        snprintf(at->size, sizeof at->size, "%s", size->name);
    }
    return status;
}

/* A finalist whose evaluation an earlier run recorded was not compiled in this one; without its source's hash no verdict or result is
 * known to be its own. */
static assay_status compile_recorded(evaluator *e, tune_outcome *out, assay_error *error)
{
    final_batch b = {.count = 0};
    for (int f = 0; f < out->finalist_count; f++) {
        if (out->finalists[f].candidate->source_sha256[0])
            continue;
        b.finalist[b.count] = f;
        b.items[b.count] = *out->finalists[f].candidate;
        b.items[b.count].report = NULL;
        b.items[b.count++].done = 0;
    }
    assay_status status = b.count > 0 ? evaluate_begin(e, b.items, b.count, error) : ASSAY_OK;
    if (status == ASSAY_OK && b.count > 0)
        status = evaluate_compiled(e, b.items, error);
    for (int i = 0; i < b.count; i++) {
        tune_finalist *f = &out->finalists[b.finalist[i]];
        snprintf(f->candidate->source_sha256, sizeof f->candidate->source_sha256, "%s",
                 b.items[i].source_sha256);
        if (b.items[i].status == EVALUATION_FAILED_COMPILE) {
            f->wrong = 1;
            snprintf(f->why, sizeof f->why, "%s", b.items[i].reason);
        }
        free(b.items[i].report);
    }
    return status;
}

assay_status tune_finals(const tune_options *o, evaluator *e, tune_outcome *out, assay_error *error)
{
    choose(out);
    if (out->finalist_count == 0)
        return ASSAY_OK;
    if (o->progress)
        fprintf(o->progress, "finals: %d configurations, all sizes and edge cases, then timed together\n",
                out->finalist_count);
    assay_status status = compile_recorded(e, out, error);
    if (status == ASSAY_OK)
        status = verify_all(e, out, error);
    if (status == ASSAY_OK && !process_interrupted())
        status = time_all(o, e, out, error);
    const int has_default = is_default(out, out->finalists[0].candidate) && !isnan(out->finalists[0].us);
    for (int i = 0; i < out->finalist_count && status == ASSAY_OK && has_default; i++) {
        if (isnan(out->finalists[i].us))
            continue;
        if (i == 0)
            out->finalists[0].verdict = COMPARE_SAME;
        else
            status = compare(o, out, &out->finalists[i], error);
    }
    if (status == ASSAY_OK && !process_interrupted())
        name_winner(out);
    if (status == ASSAY_OK && !process_interrupted() && out->winner > 0 && has_default)
        status = time_other_sizes(o, e, out, error);
    return status;
}
