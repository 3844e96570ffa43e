/* Values of runs: see compare_values.h. */
#include "history/compare_values.h"
#include "history/compare_floors.h"
#include "core/json_file.h"
#include "history/result_file.h"
#include "statistics/describe.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_US 1e12 /* eleven days: no time, and sums of such numbers overflow */

static const char *text_of(const json_t *result, const char *key)
{
    return json_get_text(result, key, "");
}

const json_t *result_locations(const json_t *result, const char *figure)
{
    return json_object_get(json_object_get(json_object_get(result, "figures"), figure), "locations");
}

/* NAN where the repetition has no value, and past the end. */
static double location_at(const json_t *locations, size_t i)
{
    const json_t *value = json_array_get(locations, i);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* Location and its relative standard error, that of a mean of the middle half being a tenth above that of a mean. */
static double locate_peer(const json_t *locations, double *error)
{
    const size_t count = json_array_size(locations);
    double *values = count > 0 ? malloc(count * sizeof *values) : NULL;
    int found = 0;
    for (size_t i = 0; values && i < count; i++) {
        const double value = location_at(locations, i);
        if (value > 0 && value < LONGEST_US)
            values[found++] = value;
    }
    const stats_side side = {.values = values, .count = found};
    const double location = stats_midmean(values, found);
    *error = found > 0 ? fmax(*error, 1.1 * side_values_spread(&side) / sqrt(found)) : *error;
    free(values);
    return location;
}

static int is_ok(const json_t *result)
{
    return strcmp(text_of(result, "status"), "ok") == 0 &&
           strcmp(text_of(result, "output_check"), "fail") != 0;
}

int result_is_neighbour(const json_t *result, const json_t *peer)
{
    static const char *const keys[] = {"op", "dtype", "size"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(text_of(result, keys[i]), text_of(peer, keys[i])) != 0)
            return 0;
    const json_t *with = json_object_get(json_object_get(result, "method"), "interleaved_with"), *name;
    size_t i;
    int listed = 0;
    json_array_foreach(with, i, name) listed |=
        json_is_string(name) && strcmp(json_string_value(name), text_of(peer, "variant")) == 0;
    return listed && strcmp(json_get_text(json_object_get(result, "device"), "uuid", ""),
                            json_get_text(json_object_get(peer, "device"), "uuid", "")) == 0;
}

static int64_t time_between(const json_t *a, const json_t *b)
{
    return llabs(result_time(text_of(a, "time")) - result_time(text_of(b, "time")));
}

const json_t *result_find_peer(const json_t *result, const char *name, const result_set *set)
{
    const json_t *best = NULL;
    for (int i = 0; i < set->count; i++) {
        const json_t *peer = set->results[i];
        if (strcmp(text_of(peer, "variant"), name) != 0 || !result_is_neighbour(result, peer) || !is_ok(peer))
            continue;
        if (!best || time_between(peer, result) < time_between(best, result))
            best = peer;
    }
    return best;
}

typedef struct value_list {
    double *values, *raw;
    int *run_counts, *turns;
    const json_t **used;
    int count, runs;
    double peer_error;
} value_list;

/* Values of one run; 0 if it has none. `by`: the peer's result, NULL without. */
static int add_run(value_list *list, const json_t *result, const json_t *by, const value_request *request)
{
    const json_t *locations = result_locations(result, request->figure);
    const json_t *peer_locations = by ? result_locations(by, request->figure) : NULL;
    const size_t count = json_array_size(locations);
    const int by_turn = by && count == json_array_size(peer_locations);
    const double peer = by && !by_turn ? locate_peer(peer_locations, &list->peer_error) : NAN;
    const double shift =
        request->floor_us > 0 ? result_floor(result, request->figure) - request->floor_us : 0;
    const json_t *turns =
        json_object_get(json_object_get(json_object_get(result, "figures"), request->figure), "turns");
    const int before = list->count;
    for (size_t i = 0; i < count; i++) {
        const double own = location_at(locations, i);
        const double divisor = !by ? 1.0 : by_turn ? location_at(peer_locations, i) : peer;
        if (!(own > 0 && own < LONGEST_US) || !(divisor > 0))
            continue;
        const json_t *turn = json_array_get(turns, i);
        list->turns[list->count] = turn ? (int)json_integer_value(turn) : -1;
        list->raw[list->count] = own;
        list->values[list->count++] = fmax(own - shift, 0.5 * own) / divisor;
    }
    if (list->count == before)
        return 0;
    list->used[list->runs] = result;
    list->run_counts[list->runs++] = list->count - before;
    return 1;
}

static void note_lack(side_values *out, const char *what, const char *more)
{
    snprintf(out->lack, sizeof out->lack, "%s%s%s", what, more[0] ? ": " : "", more);
}

static size_t count_room(const match_runs *runs, const char *figure)
{
    size_t room = 1;
    for (int i = 0; i < runs->count; i++)
        room += json_array_size(result_locations(runs->results[i], figure));
    return room;
}

assay_status side_values_make(const match_runs *runs, const value_request *request, side_values *out,
                              assay_error *error)
{
    const size_t room = count_room(runs, request->figure);
    value_list list = {.values = malloc(room * sizeof(double)),
                       .raw = malloc(room * sizeof(double)),
                       .run_counts = malloc(((size_t)runs->count + 1) * sizeof(int)),
                       .turns = malloc(room * sizeof(int)),
                       .used = malloc(((size_t)runs->count + 1) * sizeof(json_t *))};
    *out = (side_values){.us = NAN};
    out->side.values = list.values;
    out->side.run_counts = list.run_counts;
    out->turns = list.turns;
    out->used = list.used;
    const int ok = list.values && list.raw && list.run_counts && list.turns && list.used;
    for (int i = 0; ok && i < runs->count; i++) {
        const json_t *result = runs->results[i];
        const json_t *by = request->peer ? result_find_peer(result, request->peer, request->set) : NULL;
        if (strcmp(text_of(result, "output_check"), "fail") == 0)
            note_lack(out, "wrong output while timed", "");
        else if (!is_ok(result))
            note_lack(out, text_of(result, "status"), text_of(result, "reason"));
        else if (request->peer && !by)
            note_lack(out, "no times of the peer in the same run", request->peer);
        else if (!add_run(&list, result, by, request))
            note_lack(out, "no times of figure", request->figure);
    }
    out->side.count = list.count;
    out->side.runs = list.runs;
    out->peer_error = list.peer_error;
    out->us = stats_midmean(list.raw, list.count);
    free(list.raw);
    return ok ? ASSAY_OK : assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for a comparison");
}

void side_values_shift(side_values *values, double us)
{
    double *out = (double *)values->side.values; /* made by side_values_make(), so not really constant */
    for (int i = 0; i < values->side.count; i++)
        out[i] = fmax(out[i] - us, 0.5 * out[i]);
}

void side_values_release(side_values *values)
{
    free((void *)values->side.values);
    free((void *)values->side.run_counts);
    free(values->turns);
    free(values->used);
    *values = (side_values){0};
}

double side_values_spread(const stats_side *side)
{
    const double spread =
        stats_robust_deviation(side->values, side->count) / stats_median(side->values, side->count);
    return isfinite(spread) ? spread : INFINITY;
}

static const json_t *arms_beside(const json_t *result)
{
    return json_object_get(json_object_get(result, "method"), "interleaved_with");
}

static int took_the_same_turns(const side_values *a, const side_values *b)
{
    if (a->side.runs != b->side.runs || a->side.count != b->side.count)
        return 0;
    for (int i = 0; i < a->side.runs; i++)
        if (a->side.run_counts[i] != b->side.run_counts[i] ||
            !json_equal(arms_beside(a->used[i]), arms_beside(b->used[i])))
            return 0;
    for (int i = 0; i < a->side.count; i++)
        if (a->turns[i] < 0 || a->turns[i] != b->turns[i])
            return 0;
    return a->side.count > 0;
}

int side_values_pair(const side_values *base, const side_values *changed, stats_side *ratios)
{
    *ratios = (stats_side){0};
    if (!took_the_same_turns(base, changed))
        return 0;
    const int count = base->side.count, runs = base->side.runs;
    double *values = malloc((size_t)count * sizeof *values);
    int *run_counts = malloc((size_t)runs * sizeof *run_counts);
    for (int i = 0; values && i < count; i++)
        values[i] = changed->side.values[i] / base->side.values[i];
    if (run_counts)
        memcpy(run_counts, base->side.run_counts, (size_t)runs * sizeof *run_counts);
    *ratios = (stats_side){.values = values, .count = count, .run_counts = run_counts, .runs = runs};
    if (values && run_counts)
        return 1;
    pairs_release(ratios);
    return 0;
}

void pairs_release(stats_side *ratios)
{
    free((void *)ratios->values);
    free((void *)ratios->run_counts);
    *ratios = (stats_side){0};
}
