/* Controls of a case: see compare_controls.h. */
#include "history/compare_controls.h"
#include "statistics/describe.h"
#include <math.h>

enum { MOST_CONTROLS = 64 };

/* Processes were seen to differ by 0.12 us (standard deviation, docs/comparison.md). A shift of more than
 * three times that has another cause, which must show up as a change. */
#define CONTROL_MOST_US 0.35

static int are_of_one_process(const case_runs *runs, const case_runs *other)
{
    return runs->count == other->count && alternated(runs->results[0]->r, other->results[0]->r);
}

/* Where the case is corrected, a control without an overhead would bring all of its own, or its process's
 * difference once more. */
static int can_be_corrected(const case_runs *runs, const value_request *request)
{
    for (int i = 0; request->overhead_us > 0 && i < runs->count; i++)
        if (run_overhead_us(runs->results[i], request->mode) == 0.0)
            return 0;
    return 1;
}

static int is_control(const case_pair *own, const case_pair *other, const value_request *request)
{
    return pair_is_unchanged(other, request->mode) && are_of_one_process(&own->base, &other->base) &&
           are_of_one_process(&own->changed, &other->changed) && can_be_corrected(&other->base, request) &&
           can_be_corrected(&other->changed, request);
}

typedef struct control_list {
    double before[MOST_CONTROLS], changes[MOST_CONTROLS], ratios[MOST_CONTROLS];
    int count;
} control_list;

static void add_control(control_list *list, const case_pair *own, const case_pair *other,
                        const value_request *request, double own_us)
{
    if (list->count == MOST_CONTROLS || !is_control(own, other, request))
        return;
    const double before = side_midmean(&other->base, request);
    const double after = side_midmean(&other->changed, request);
    if (!(before > own_us / 4 && before < own_us * 4) || !isfinite(after))
        return;
    list->before[list->count] = before;
    list->changes[list->count++] = after - before;
}

control_shift find_control_shift(const pair_list *list, int at, timing_mode mode, double overhead_us)
{
    const value_request request = {.mode = mode, .overhead_us = overhead_us};
    const case_pair *own = &list->pairs[at];
    const double own_us = side_midmean(&own->base, &request);
    control_list found = {.count = 0};
    for (int step = -1; step <= 1; step += 2)
        for (int i = at + step; i >= 0 && i < list->count; i += step) {
            if (!same_problem(pair_any(own), pair_any(&list->pairs[i])))
                break;
            add_control(&found, own, &list->pairs[i], &request, own_us);
        }
    control_shift out = {.controls = found.count, .ratio = 1.0};
    if (found.count == 0)
        return out;
    out.us = fmax(-CONTROL_MOST_US, fmin(CONTROL_MOST_US, stats_median(found.changes, found.count)));
    for (int i = 0; i < found.count; i++)
        found.ratios[i] = 1.0 + (found.changes[i] - out.us) / found.before[i];
    out.ratio = stats_median(found.ratios, found.count);
    return out;
}
