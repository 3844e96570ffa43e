/* A comparison from two sets to counted verdicts: see compare.h and docs/comparison.md. */
#include "history/compare.h"
#include "core/utf8.h"
#include "history/compare_baseline.h"
#include "history/compare_controls.h"
#include "history/compare_counts.h"
#include "history/compare_pairs.h"
#include "history/compare_values.h"
#include "history/compare_verdict.h"
#include "statistics/describe.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *compare_verdict_name(compare_verdict verdict)
{
    static const char *const names[COMPARE_VERDICTS] = {
        "slower", "faster", "same", "inconclusive", "machine", "refused", "not ok", "missing", "new"};
    return names[verdict];
}

void compare_report_release(compare_report *report)
{
    free(report->cases);
    *report = (compare_report){0};
}

/* Reasons hold texts of files, labels come from the command line: cut or hostile, they must not break a
 * table, JSON or XML. */
static void make_lines(compare_report *report)
{
    utf8_make_line(report->base_label);
    utf8_make_line(report->new_label);
    for (int i = 0; i < report->count; i++) {
        utf8_make_line(report->cases[i].slug);
        utf8_make_line(report->cases[i].reason);
    }
}

typedef struct compare_job {
    const result_set *base, *changed;
    const compare_options *options;
    pair_list list;
    compare_report *report;
} compare_job;

static compare_case *add_case(compare_report *report, const result *r, timing_mode mode, assay_error *error)
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
    *c = (compare_case){.id = r->id,
                        .mode = mode,
                        .base_us = NAN,
                        .new_us = NAN,
                        .base_relative = NAN,
                        .new_relative = NAN,
                        .controls_ratio = 1.0,
                        .p = NAN,
                        .p_adjusted = NAN,
                        .ratio = {NAN, NAN, NAN, NAN, NAN, NAN},
                        .test.p = NAN};
    c->base_machine = c->new_machine = (machine_state){NAN, NAN};
    snprintf(c->slug, sizeof c->slug, "%s", r->device.slug);
    return c;
}

/* ---- one pair ------------------------------------------------------------------------------------------ */

static machine_state find_state(const case_runs *runs, timing_mode mode)
{
    double load = 0.0, sm_mhz = 0.0;
    int loads = 0, clocks = 0;
    for (int i = 0; i < runs->count; i++) {
        const result *r = runs->results[i]->r;
        loads += isfinite(r->host.load);
        load += isfinite(r->host.load) ? r->host.load : 0.0;
        for (int k = 0; result_has(r, mode) && k < r->times[mode].repetition_count; k++) {
            const result_repetition *repetition = &r->times[mode].repetitions[k];
            const double ends[] = {repetition->before.sm_mhz, repetition->after.sm_mhz};
            for (int end = 0; end < 2; end++) {
                clocks += ends[end] > 0;
                sm_mhz += ends[end] > 0 ? ends[end] : 0.0;
            }
        }
    }
    return (machine_state){loads ? load / loads : NAN, clocks ? sm_mhz / clocks : NAN};
}

/* Where times are divided by a baseline's, or the power cap rules, the shift of a few dozen nanoseconds is
 * neither here nor there. */
static void apply_controls(compare_case *c, const compare_job *job, int at, double overhead_us,
                           side_values *changed)
{
    if (c->relative_to[0] || c->power_cap)
        return;
    const control_shift shift = find_control_shift(&job->list, at, c->mode, overhead_us);
    c->controls = shift.controls;
    c->shift_us = shift.us;
    c->controls_ratio =
        c->unchanged ? 1.0 : shift.ratio; /* of a control the machine is the cause in any case */
    side_values_shift(changed, shift.us);
}

/* What is done to both sides' values. A ratio to a baseline of the same process has the overhead above and
 * below. */
static value_request choose_request(compare_case *c, const case_pair *pair, const baseline_choice *choice)
{
    const overhead_pair overheads = find_overheads(pair, c->mode);
    c->base_overhead_us = overheads.base_us, c->new_overhead_us = overheads.new_us;
    c->overhead_corrected = overheads.differ && !choice->name[0];
    return (value_request){.mode = c->mode,
                           .baseline = choice->name[0] ? choice->name : NULL,
                           .overhead_us = c->overhead_corrected ? overheads.base_us : 0.0};
}

static void note_relative(compare_case *c, const baseline_choice *choice, const side_values *base,
                          const side_values *changed)
{
    if (!choice->name[0])
        return;
    snprintf(c->relative_to, sizeof c->relative_to, "%s", choice->name);
    c->base_relative = stats_midmean(base->side.values, base->side.count);
    c->new_relative = stats_midmean(changed->side.values, changed->side.count);
}

static assay_status compare_pair(compare_case *c, const compare_job *job, int at, assay_error *error)
{
    side_values before = {0}, after = {0};
    const case_pair *pair = &job->list.pairs[at];
    c->same_card = pair->same_card;
    c->unchanged = pair_is_unchanged(pair, c->mode);
    c->power_cap = met_power_cap(pair, c->mode);
    c->base_machine = find_state(&pair->base, c->mode);
    c->new_machine = find_state(&pair->changed, c->mode);
    const baseline_choice choice = choose_baseline(pair, c->mode, job->base, job->changed);
    value_request request = choose_request(c, pair, &choice);
    request.set = job->base;
    assay_status status = side_values_make(&pair->base, &request, &before, error);
    request.set = job->changed;
    if (status == ASSAY_OK)
        status = side_values_make(&pair->changed, &request, &after, error);
    if (status == ASSAY_OK && before.side.count > 0 && after.side.count > 0) {
        c->verdict = COMPARE_INCONCLUSIVE;
        note_relative(c, &choice, &before, &after);
        apply_controls(c, job, at, request.overhead_us, &after);
        status = verdict_test(c, &before, &after, job->options, error);
    } else if (status == ASSAY_OK) {
        c->verdict = COMPARE_NOT_OK;
        c->overhead_corrected = 0;
        c->base_us = before.us, c->new_us = after.us;
        snprintf(c->reason, sizeof c->reason, "%s: %s", before.side.count > 0 ? "new" : "base",
                 before.side.count > 0 ? after.lack : before.lack);
    }
    side_values_release(&before);
    side_values_release(&after);
    return status;
}

/* Modes that the runs of a side have, as bits. */
static timing_modes modes_of(const case_runs *runs)
{
    timing_modes modes = 0;
    for (int i = 0; i < runs->count; i++)
        for (int mode = 0; mode < TIMING_MODES; mode++)
            if (result_has(runs->results[i]->r, (timing_mode)mode))
                modes |= timing_mode_bit((timing_mode)mode);
    return modes;
}

static assay_status compare_mode(const compare_job *job, int at, timing_mode mode, assay_error *error)
{
    const case_pair *pair = &job->list.pairs[at];
    compare_case *c = add_case(job->report, pair_any(pair), mode, error);
    if (!c)
        return ASSAY_ERR_NO_MEMORY;
    c->gates = strcmp(pair_any(pair)->device.kind, "cpu") != 0;
    if (pair->base.count == 0 || pair->changed.count == 0) {
        c->verdict = pair->base.count > 0 ? COMPARE_MISSING : COMPARE_NEW;
        return ASSAY_OK;
    }
    if (!pair_conflict(pair, mode, job->options->allow, c->reason, sizeof c->reason))
        return compare_pair(c, job, at, error);
    c->verdict = COMPARE_REFUSED;
    return ASSAY_OK;
}

/* Counted work stands in no need of statistics, and of no method of timing. */
static assay_status compare_counts(const compare_job *job, int at, assay_error *error)
{
    const case_pair *pair = &job->list.pairs[at];
    const double matters = pair_is_counted(pair) ? job->options->minimum_effect : -1; /* 0 unless asked for */
    for (int i = 0; i < count_kinds(); i++) {
        double base, changed;
        if (!find_count(pair, i, &base, &changed))
            continue;
        compare_case *c = add_case(job->report, pair_any(pair), TIMING_COLD, error);
        if (!c)
            return ASSAY_ERR_NO_MEMORY;
        c->gates = 1;
        judge_count(c, i, matters, base, changed);
    }
    return ASSAY_OK;
}

/* A mode that neither side has says nothing, unless the case has no times at all: then its status does, under
 * the first. */
static assay_status compare_case_of(const compare_job *job, int at, assay_error *error)
{
    const case_pair *pair = &job->list.pairs[at];
    char reason[400];
    if (pair_is_counted(pair) && pair->base.count > 0 && pair->changed.count > 0 &&
        !pair_conflict(pair, TIMING_COLD, job->options->allow, reason, sizeof reason))
        return compare_counts(job, at, error);
    const timing_modes asked = job->options->modes ? job->options->modes : timing_mode_bit(TIMING_COLD);
    const timing_modes there = modes_of(&pair->base) | modes_of(&pair->changed);
    timing_modes listed = asked & there;
    assay_status status = ASSAY_OK;
    if (there == 0)
        listed = asked & (~asked + 1); /* the lowest bit */
    for (int mode = 0; status == ASSAY_OK && mode < TIMING_MODES; mode++)
        if (listed & timing_mode_bit((timing_mode)mode))
            status = compare_mode(job, at, (timing_mode)mode, error);
    return status == ASSAY_OK ? compare_counts(job, at, error) : status;
}

/* ---- all of them --------------------------------------------------------------------------------------- */

/* p-values of what changed are adjusted for each other, and those of what did not: a control cannot be called
 * slower. */
static assay_status adjust(compare_report *report, int unchanged, assay_error *error)
{
    double *p = malloc(((size_t)report->count + 1) * sizeof *p);
    int tests = 0;
    if (!p)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for a correction");
    for (int i = 0; i < report->count; i++)
        if (report->cases[i].verdict == COMPARE_INCONCLUSIVE && report->cases[i].unchanged == unchanged)
            p[tests++] = report->cases[i].p;
    const assay_status status = stats_benjamini_hochberg(p, tests, error);
    for (int i = 0, at = 0; status == ASSAY_OK && i < report->count; i++)
        if (report->cases[i].verdict == COMPARE_INCONCLUSIVE && report->cases[i].unchanged == unchanged)
            report->cases[i].p_adjusted = p[at++];
    free(p);
    return status;
}

static const compare_case *first_of(const compare_report *report, compare_verdict verdict)
{
    for (int i = 0; i < report->count; i++)
        if (report->cases[i].verdict == verdict)
            return &report->cases[i];
    return NULL;
}

/* Nothing was compared: say what stood in the way, of the first case that had both sides. */
static assay_status explain_nothing(const compare_report *report, timing_modes modes, assay_error *error)
{
    const compare_case *bad = first_of(report, COMPARE_NOT_OK), *refused = first_of(report, COMPARE_REFUSED);
    const compare_case *c = bad ? bad : refused;
    char name[400], list[160];
    if (!c) {
        timing_modes_text(modes, list, sizeof list);
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "nothing can be compared: %s and %s have no case in common%s%s",
                               report->base_label, report->new_label, modes ? " with mode " : "", list);
    }
    result_file_name(&c->id, name, sizeof name);
    name[strlen(name) - strlen(".json")] = '\0';
    if (bad)
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "nothing could be judged: %d of %d cases are not ok, among them %s: %s",
                               report->verdicts[COMPARE_NOT_OK], report->count, name, c->reason);
    return assay_error_set(error, ASSAY_ERR_INVALID, "nothing can be compared: %s: %s", name, c->reason);
}

static assay_status count_verdicts(compare_report *report, const compare_options *options, assay_error *error)
{
    for (int i = 0; i < report->count; i++) {
        compare_case *c = &report->cases[i];
        if (c->verdict == COMPARE_INCONCLUSIVE)
            verdict_judge(c);
        report->verdicts[c->verdict]++;
        report->compared += c->verdict <= COMPARE_MACHINE;
        const int slower =
            c->verdict == COMPARE_SLOWER ||
            (c->verdict == COMPARE_MACHINE && options->gate_environment && c->ratio.ratio > 1.0);
        c->fails = c->gates && slower;
        report->failed += c->fails;
    }
    return report->compared > 0 ? ASSAY_OK : explain_nothing(report, options->modes, error);
}

assay_status compare_sets(const result_set *base, const result_set *changed, const compare_options *options,
                          compare_report *report, assay_error *error)
{
    compare_job job = {.base = base, .changed = changed, .options = options, .report = report};
    *report = (compare_report){.unusable = base->unreadable + changed->unreadable};
    snprintf(report->base_label, sizeof report->base_label, "%s", base->label);
    snprintf(report->new_label, sizeof report->new_label, "%s", changed->label);
    assay_status status = pair_sets(base, changed, options, &job.list, error);
    for (int i = 0; status == ASSAY_OK && i < job.list.count; i++)
        if (pair_is_wanted(&job.list.pairs[i], options))
            status = compare_case_of(&job, i, error);
    for (int unchanged = 0; status == ASSAY_OK && unchanged < 2; unchanged++)
        status = adjust(report, unchanged, error);
    if (status == ASSAY_OK)
        status = count_verdicts(report, options, error);
    make_lines(report);
    pair_list_release(&job.list);
    return status;
}

int compare_is_suspicious(const compare_case *c)
{
    return !c->counted &&
           (c->verdict == COMPARE_SLOWER || (c->verdict == COMPARE_INCONCLUSIVE && !c->unchanged &&
                                             c->ratio.ratio >= 1.0 + c->minimum_effect));
}
