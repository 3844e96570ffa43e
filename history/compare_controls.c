/* Controls of a case: see compare_controls.h. */
#include "history/compare_controls.h"
#include "history/compare_floors.h"
#include "history/compare_values.h"
#include "core/json_file.h"
#include "statistics/describe.h"
#include <math.h>
#include <string.h>

enum { MOST_CONTROLS = 64 };

/* Processes were seen to differ by 0.12 us (standard deviation, docs/comparison.md). A shift of more than three times that has another
 * cause, which must show up as a change. */
#define CONTROL_MOST_US 0.35

static int is_same_group(const json_t *a, const json_t *b)
{
    static const char *const keys[] = {"op", "dtype", "size"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(json_get_text(a, keys[i], ""), json_get_text(b, keys[i], "")) != 0)
            return 0;
    return 1;
}

static const char *code_of(const json_t *result)
{
    const int variant = strcmp(json_get_text(result, "kind", ""), "variant") == 0;
    return json_get_text(result, variant ? "source_sha256" : "version", "");
}

static int is_unchanged(const match_pair *pair)
{
    const char *code = code_of(pair->base.results[0]);
    if (code[0] == '\0' && strcmp(json_get_text(pair->base.results[0], "kind", ""), "variant") == 0)
        return 0;
    for (int side = 0; side < 2; side++) {
        const match_runs *runs = side ? &pair->changed : &pair->base;
        for (int i = 0; i < runs->count; i++)
            if (strcmp(code_of(runs->results[i]), code) != 0)
                return 0;
    }
    return 1;
}

static int took_turns(const match_runs *runs, const match_runs *other)
{
    return runs->count == other->count && result_is_neighbour(runs->results[0], other->results[0]);
}

/* Location of one side in microseconds; NAN without times. */
static double locate_side(const match_runs *runs, const value_request *request)
{
    side_values values = {0};
    const assay_status made = side_values_make(runs, request, &values, NULL);
    const double us = made == ASSAY_OK ? stats_midmean(values.side.values, values.side.count) : NAN;
    side_values_release(&values);
    return us;
}

/* Where the case is levelled, a control without a floor would bring all of its floor, or its process's difference once more. */
static int can_be_levelled(const match_runs *runs, const value_request *request)
{
    for (int i = 0; request->floor_us > 0 && i < runs->count; i++)
        if (result_floor(runs->results[i], request->figure) == 0.0)
            return 0;
    return 1;
}

/* Change of a control in microseconds; NAN if it is none. */
static double control_change(const match_pair *own, const match_pair *other, const value_request *request,
                             double own_us)
{
    if (other->base.count == 0 || other->changed.count == 0 || !is_unchanged(other) ||
        !took_turns(&own->base, &other->base) || !took_turns(&own->changed, &other->changed) ||
        !can_be_levelled(&other->base, request) || !can_be_levelled(&other->changed, request))
        return NAN;
    const double before = locate_side(&other->base, request);
    return before > own_us / 4 && before < own_us * 4 ? locate_side(&other->changed, request) - before : NAN;
}

control_shift find_control_shift(const match_list *list, int at, const char *figure, double floor_us)
{
    const value_request request = {.figure = figure, .floor_us = floor_us};
    const match_pair *own = &list->pairs[at];
    const double own_us = locate_side(&own->base, &request);
    double changes[MOST_CONTROLS];
    control_shift out = {0};
    for (int step = -1; step <= 1; step += 2)
        for (int i = at + step; i >= 0 && i < list->count && out.controls < MOST_CONTROLS; i += step) {
            const match_pair *other = &list->pairs[i];
            const match_runs *any = other->base.count ? &other->base : &other->changed;
            if (!is_same_group(own->base.results[0], any->results[0]))
                break;
            const double change = control_change(own, other, &request, own_us);
            if (isfinite(change))
                changes[out.controls++] = change;
        }
    if (out.controls > 0)
        out.us = fmax(-CONTROL_MOST_US, fmin(CONTROL_MOST_US, stats_median(changes, out.controls)));
    return out;
}
