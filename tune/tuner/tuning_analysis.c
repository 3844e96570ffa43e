/* What the evaluations of a run say: see tuning_analysis.h. */
#include "tune/tuner/tuning_analysis.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void find_impact(const tune_outcome *out, int p, parameter_impact *impact)
{
    double best = INFINITY, worst = 0;
    *impact = (parameter_impact){.parameter = space_parameter_at(out->space, p), .impact = 1};
    const int count = impact->parameter->value_count < OPSPEC_MAX_VALUES ? impact->parameter->value_count
                                                                         : OPSPEC_MAX_VALUES;
    for (int v = 0; v < count; v++) {
        impact->best_us[v] = NAN;
        for (int i = 0; i < out->count; i++) {
            const tune_candidate *c = &out->candidates[i];
            if (c->status == EVALUATION_SUCCESS && c->configuration.index[p] == v &&
                !(c->time_us >= impact->best_us[v]))
                impact->best_us[v] = c->time_us;
        }
        if (isnan(impact->best_us[v]))
            continue;
        best = fmin(best, impact->best_us[v]);
        worst = fmax(worst, impact->best_us[v]);
    }
    if (worst > 0)
        impact->impact = worst / best;
}

static int by_impact(const void *a, const void *b)
{
    const double x = ((const parameter_impact *)a)->impact, y = ((const parameter_impact *)b)->impact;
    return (x < y) - (x > y);
}

int tuning_impact(const tune_outcome *out, parameter_impact *impacts, int most)
{
    const int all = space_parameter_count(out->space), count = all < most ? all : most;
    for (int p = 0; p < count; p++)
        find_impact(out, p, &impacts[p]);
    qsort(impacts, (size_t)count, sizeof *impacts, by_impact);
    return count;
}

double tuning_regret(const tune_outcome *out)
{
    if (out->winner < 0 || (uint64_t)out->count < space_count(out->space))
        return NAN;
    double least = INFINITY;
    for (int i = 0; i < out->finalist_count; i++)
        if (!out->finalists[i].wrong && out->finalists[i].us < least)
            least = out->finalists[i].us;
    return out->finalists[out->winner].us / least - 1;
}

int tuning_top(const tune_outcome *out, const tune_candidate **top, int most)
{
    int count = 0;
    for (int i = 0; i < out->count; i++) {
        const tune_candidate *c = &out->candidates[i];
        if (c->status != EVALUATION_SUCCESS)
            continue;
        int at = count;
        while (at > 0 && top[at - 1]->time_us > c->time_us)
            at--;
        if (at == most)
            continue;
        const int moved = (count < most ? count : most - 1) - at;
        memmove(&top[at + 1], &top[at], (size_t)moved * sizeof *top);
        top[at] = c;
        count += count < most;
    }
    return count;
}

/* Numbers in a reason differ from candidate to candidate; its beginning up to the first of them is what they share. */
static int same_reason(const char *a, const char *b)
{
    const size_t length = strcspn(a, "0123456789");
    return length == strcspn(b, "0123456789") && strncmp(a, b, length) == 0;
}

static int by_count(const void *a, const void *b)
{
    return ((const failure_group *)b)->count - ((const failure_group *)a)->count;
}

int tuning_failures(const tune_outcome *out, failure_group *groups, int most)
{
    int count = 0;
    for (int i = 0; i < out->count; i++) {
        const tune_candidate *c = &out->candidates[i];
        int at = 0;
        if (c->status == EVALUATION_SUCCESS)
            continue;
        while (at < count &&
               (groups[at].status != c->status || !same_reason(groups[at].first->reason, c->reason)))
            at++;
        if (at == most)
            continue;
        if (at == count)
            groups[count++] = (failure_group){.status = c->status, .first = c};
        groups[at].count++;
    }
    qsort(groups, (size_t)count, sizeof *groups, by_count);
    return count;
}

/* How many candidates have the value, and how many of them succeeded; the first failure. */
static const tune_candidate *count_value(const tune_outcome *out, int p, int v, int *all, int *right)
{
    const tune_candidate *failed = NULL;
    *all = *right = 0;
    for (int i = 0; i < out->count; i++) {
        const tune_candidate *c = &out->candidates[i];
        if (c->configuration.index[p] != v)
            continue;
        (*all)++;
        *right += c->status == EVALUATION_SUCCESS;
        if (c->status != EVALUATION_SUCCESS && !failed)
            failed = c;
    }
    return failed;
}

int tuning_propose_constraints(const tune_outcome *out, char (*proposals)[PROPOSAL_BYTES], int most)
{
    int count = 0;
    char text[TUNED_VARIANT_TEXT_MAX];
    for (int p = 0; p < space_parameter_count(out->space) && out->counts[EVALUATION_SUCCESS] > 0; p++) {
        const space_parameter *parameter = space_parameter_at(out->space, p);
        for (int v = 0; v < parameter->value_count && count < most; v++) {
            int all, right;
            const tune_candidate *failed = count_value(out, p, v, &all, &right);
            if (all < 2 || right > 0)
                continue;
            value_format(&parameter->values[v], text, sizeof text);
            snprintf(proposals[count++], PROPOSAL_BYTES,
                     "`%s != %.60s`: all %d candidates with this value failed (%s: %.200s)", parameter->name,
                     text, all, evaluation_status_name(failed->status), failed->reason);
        }
    }
    for (int i = 0; i < out->finalist_count && count < most; i++) {
        const tune_finalist *f = &out->finalists[i];
        if (!f->wrong)
            continue;
        tuned_variant_text(&f->candidate->tuned, text);
        snprintf(proposals[count++], PROPOSAL_BYTES,
                 "`%.200s` is right at the size %s and wrong elsewhere (%.200s): what sets it apart is a "
                 "constraint on the "
                 "dimensions",
                 text, out->subject.size, f->why);
    }
    return count;
}
