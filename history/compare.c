/* Verdicts: see compare.h and docs/comparison.md. */
#include "history/compare.h"
#include "core/list.h"
#include "history/compare_controls.h"
#include "history/compare_floors.h"
#include "history/compare_match.h"
#include "history/compare_peer.h"
#include "history/compare_values.h"
#include "history/compare_verdict.h"
#include "core/json_file.h"
#include "core/utf8.h"
#include "statistics/describe.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *compare_verdict_name(compare_verdict verdict)
{
    static const char *const names[COMPARE_VERDICTS] = {"slower",  "faster", "same",    "inconclusive",
                                                        "refused", "not ok", "missing", "new"};
    return names[verdict];
}

void compare_report_release(compare_report *report)
{
    free(report->cases);
    *report = (compare_report){0};
}

/* Names and reasons come from files, labels from the command line: cut or hostile, they must not break a table, JSON or XML. */
static void make_lines(compare_report *report)
{
    utf8_make_line(report->base_label);
    utf8_make_line(report->new_label);
    for (int i = 0; i < report->count; i++) {
        compare_case *c = &report->cases[i];
        char *const texts[] = {c->op,     c->variant, c->dtype,  c->size,
                               c->figure, c->slug,    c->reason, c->normalised_by};
        for (size_t t = 0; t < sizeof texts / sizeof *texts; t++)
            utf8_make_line(texts[t]);
    }
}

typedef struct compare_job {
    const result_set *base, *changed;
    const compare_options *options;
    match_list list;
} compare_job;

static compare_case *add_case(compare_report *report, const json_t *result, const char *figure,
                              int figure_length, assay_error *error)
{
    if (report->count == report->capacity) {
        const int capacity = report->capacity ? 2 * report->capacity : 64;
        compare_case *grown = realloc(report->cases, (size_t)capacity * sizeof *grown);
        if (!grown) {
            assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for %d cases", capacity);
            return NULL;
        }
        report->cases = grown;
        report->capacity = capacity;
    }
    compare_case *c = &report->cases[report->count++];
    *c = (compare_case){.base_us = NAN,
                        .new_us = NAN,
                        .base_relative = NAN,
                        .new_relative = NAN,
                        .p = NAN,
                        .p_adjusted = NAN};
    c->ratio = (ratio_interval){NAN, NAN, NAN, NAN, NAN, NAN};
    c->test.p = NAN;
    snprintf(c->op, sizeof c->op, "%s", json_get_text(result, "op", ""));
    snprintf(c->variant, sizeof c->variant, "%s", json_get_text(result, "variant", ""));
    snprintf(c->dtype, sizeof c->dtype, "%s", json_get_text(result, "dtype", ""));
    snprintf(c->size, sizeof c->size, "%s", json_get_text(result, "size", ""));
    snprintf(c->slug, sizeof c->slug, "%s", json_get_text(json_object_get(result, "device"), "slug", ""));
    snprintf(c->figure, sizeof c->figure, "%.*s", figure_length, figure);
    return c;
}

/* Where a peer's times are divided by, or the power cap rules, the shift of a few dozen nanoseconds is neither here nor there. */
static void apply_controls(compare_case *c, const compare_job *job, int at, double floor_us,
                           side_values *changed)
{
    if (job->options->no_controls || c->normalised_by[0] || c->power_cap)
        return;
    const control_shift shift = find_control_shift(&job->list, at, c->figure, floor_us);
    if (shift.controls == 0)
        return;
    c->controls = shift.controls;
    c->shift_us = shift.us;
    side_values_shift(changed, shift.us);
}

/* What is done to both sides' values. A ratio to a peer of the same process has the floor above and below. */
static value_request choose_request(compare_case *c, const compare_job *job, const match_pair *pair,
                                    const peer_choice *choice)
{
    value_request request = {.figure = c->figure};
    const floor_pair floors = find_floors(pair, c->figure);
    snprintf(c->normalised_by, sizeof c->normalised_by, "%s", choice->name);
    request.peer = c->normalised_by[0] ? c->normalised_by : NULL;
    c->base_floor_us = floors.base_us, c->new_floor_us = floors.new_us;
    c->floors_levelled = floors.differ && !request.peer && !job->options->keep_floors;
    request.floor_us = c->floors_levelled ? floors.base_us : 0.0;
    return request;
}

static void note_relative(compare_case *c, const side_values *base, const side_values *changed)
{
    if (!c->normalised_by[0])
        return;
    c->base_relative = stats_midmean(base->side.values, base->side.count);
    c->new_relative = stats_midmean(changed->side.values, changed->side.count);
}

static assay_status compare_pair(compare_case *c, const compare_job *job, int at, assay_error *error)
{
    side_values before = {0}, after = {0};
    const match_pair *pair = &job->list.pairs[at];
    c->same_card = pair->same_card;
    c->power_cap = met_power_cap(pair, c->figure);
    const peer_choice choice = choose_peer(pair, c->figure, job->options->normalise, job->base, job->changed);
    value_request request = choose_request(c, job, pair, &choice);
    request.set = job->base;
    assay_status status = side_values_make(&pair->base, &request, &before, error);
    request.set = job->changed;
    if (status == ASSAY_OK)
        status = side_values_make(&pair->changed, &request, &after, error);
    if (status == ASSAY_OK && before.side.count > 0 && after.side.count > 0) {
        c->verdict = COMPARE_INCONCLUSIVE;
        apply_controls(c, job, at, request.floor_us, &after);
        note_relative(c, &before, &after);
        status = verdict_test(c, &before, &after, job->options, error);
    } else if (status == ASSAY_OK) {
        c->verdict = COMPARE_NOT_OK;
        c->floors_levelled = 0;
        c->base_us = before.us, c->new_us = after.us;
        snprintf(c->reason, sizeof c->reason, "%s: %s", before.side.count > 0 ? "new" : "base",
                 before.side.count > 0 ? after.lack : before.lack);
    }
    side_values_release(&before);
    side_values_release(&after);
    return status;
}

static int has_figure(const match_runs *runs, const char *figure)
{
    for (int i = 0; i < runs->count; i++)
        if (json_object_get(json_object_get(runs->results[i], "figures"), figure))
            return 1;
    return 0;
}

static int has_any_figure(const match_pair *pair)
{
    for (int side = 0; side < 2; side++) {
        const match_runs *runs = side ? &pair->changed : &pair->base;
        for (int i = 0; i < runs->count; i++)
            if (json_object_size(json_object_get(runs->results[i], "figures")) > 0)
                return 1;
    }
    return 0;
}

/* A figure that neither side has says nothing, unless the case has no figures at all: then its status does, under the first. */
static int is_worth_a_row(const match_pair *pair, const char *figure, int first)
{
    return has_figure(&pair->base, figure) || has_figure(&pair->changed, figure) ||
           (first && !has_any_figure(pair));
}

static assay_status compare_figure(compare_report *report, const compare_job *job, int at, const char *figure,
                                   int length, int first, assay_error *error)
{
    char name[32];
    const match_pair *pair = &job->list.pairs[at];
    snprintf(name, sizeof name, "%.*s", length, figure);
    if (!is_worth_a_row(pair, name, first))
        return ASSAY_OK;
    const json_t *any = pair->base.count > 0 ? pair->base.results[0] : pair->changed.results[0];
    compare_case *c = add_case(report, any, figure, length, error);
    if (!c)
        return ASSAY_ERR_NO_MEMORY;
    if (pair->base.count > 0 && pair->changed.count > 0) {
        if (!match_conflict(pair, job->options->allow, c->reason, sizeof c->reason))
            return compare_pair(c, job, at, error);
        c->verdict = COMPARE_REFUSED;
        return ASSAY_OK;
    }
    c->verdict = pair->base.count > 0 ? COMPARE_MISSING : COMPARE_NEW;
    return ASSAY_OK;
}

static assay_status compare_all(compare_report *report, const compare_job *job, assay_error *error)
{
    const char *figures = job->options->figures && job->options->figures[0] ? job->options->figures : "cold";
    assay_status status = ASSAY_OK;
    for (int i = 0; status == ASSAY_OK && i < job->list.count; i++) {
        int first = 1;
        for (list_item item = {0}; status == ASSAY_OK && list_next(figures, &item); first = 0)
            if (item.length > 0 && match_is_wanted(&job->list.pairs[i], job->options))
                status = compare_figure(report, job, i, item.text, item.length, first, error);
    }
    return status;
}

static assay_status adjust(compare_report *report, assay_error *error)
{
    double *p = malloc(((size_t)report->count + 1) * sizeof *p);
    int tests = 0;
    if (!p)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for a correction");
    for (int i = 0; i < report->count; i++)
        if (report->cases[i].verdict == COMPARE_INCONCLUSIVE)
            p[tests++] = report->cases[i].p;
    const assay_status status = stats_benjamini_hochberg(p, tests, error);
    for (int i = 0, at = 0; status == ASSAY_OK && i < report->count; i++)
        if (report->cases[i].verdict == COMPARE_INCONCLUSIVE)
            report->cases[i].p_adjusted = p[at++];
    free(p);
    return status;
}

/* Nothing was compared: say what stood in the way, of the first case that had both sides. */
static assay_status explain_nothing(const compare_report *report, const char *figures, assay_error *error)
{
    const compare_case *refused = NULL, *bad = NULL;
    for (int i = report->count - 1; i >= 0; i--) {
        const compare_case *c = &report->cases[i];
        refused = c->verdict == COMPARE_REFUSED ? c : refused;
        bad = c->verdict == COMPARE_NOT_OK ? c : bad;
    }
    if (bad)
        return assay_error_set(
            error, ASSAY_ERR_INVALID,
            "nothing could be judged: %d of %d cases are not ok, among them %s.%s.%s.%s: %s",
            report->verdicts[COMPARE_NOT_OK], report->count, bad->op, bad->variant, bad->dtype, bad->size,
            bad->reason);
    if (refused)
        return assay_error_set(error, ASSAY_ERR_INVALID, "nothing can be compared: %s.%s.%s.%s: %s",
                               refused->op, refused->variant, refused->dtype, refused->size, refused->reason);
    return assay_error_set(
        error, ASSAY_ERR_INVALID, "nothing can be compared: %s and %s have no case in common%s%s",
        report->base_label, report->new_label, figures ? " with figure " : "", figures ? figures : "");
}

static assay_status count_verdicts(compare_report *report, double significance, const char *figures,
                                   assay_error *error)
{
    for (int i = 0; i < report->count; i++) {
        compare_case *c = &report->cases[i];
        if (c->verdict == COMPARE_INCONCLUSIVE)
            verdict_judge(c, significance);
        report->verdicts[c->verdict]++;
        report->compared += c->verdict <= COMPARE_INCONCLUSIVE;
    }
    return report->compared > 0 ? ASSAY_OK : explain_nothing(report, figures, error);
}

assay_status compare_sets(const result_set *base, const result_set *changed, const compare_options *options,
                          compare_report *report, assay_error *error)
{
    compare_job job = {.base = base, .changed = changed, .options = options};
    *report = (compare_report){0};
    snprintf(report->base_label, sizeof report->base_label, "%s", base->label);
    snprintf(report->new_label, sizeof report->new_label, "%s", changed->label);
    report->unusable = base->unreadable + changed->unreadable;
    assay_status status = match_sets(base, changed, options, &job.list, error);
    if (status == ASSAY_OK)
        status = compare_all(report, &job, error);
    if (status == ASSAY_OK)
        status = adjust(report, error);
    if (status == ASSAY_OK)
        status =
            count_verdicts(report, options->significance > 0 ? options->significance : DEFAULT_SIGNIFICANCE,
                           options->figures, error);
    make_lines(report);
    match_release(&job.list);
    return status;
}

int compare_is_suspicious(const compare_case *c)
{
    return c->verdict == COMPARE_SLOWER ||
           (c->verdict == COMPARE_INCONCLUSIVE && c->ratio.ratio >= 1.0 + c->minimum_effect);
}
