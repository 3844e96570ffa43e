/* Values of runs: see compare_values.h. */
#include "compare_values.h"
#include "json_file.h"
#include "result_file.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REASON_POWER_CAP = 0x4 };
#define LONGEST_US   1e12 /* eleven days: no time, and sums of such numbers overflow */
#define CLEARLY_LESS 0.7  /* spreads of ten values differ by a third by chance */

static const char *text_of(const json_t *result, const char *key)
{
    return json_get_text(result, key, "");
}

static const json_t *locations_of(const json_t *result, const char *figure)
{
    return json_object_get(json_object_get(json_object_get(result, "figures"), figure), "locations");
}

/* NAN where the repetition has no value, and past the end. */
static double location_at(const json_t *locations, size_t i)
{
    const json_t *value = json_array_get(locations, i);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static double median_location(const json_t *locations)
{
    const size_t count = json_array_size(locations);
    double *values = count > 0 ? malloc(count * sizeof *values) : NULL;
    for (size_t i = 0; values && i < count; i++)
        values[i] = location_at(locations, i);
    const double median = values ? stats_median_of(values, (int)count) : NAN;
    free(values);
    return median;
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

/* The named peer's result nearest in time among the neighbours, or NULL. */
static const json_t *find_peer(const json_t *result, const char *name, const result_set *set)
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
    int *run_counts;
    int count, runs;
} value_list;

/* Values of one run; 0 if it has none. */
static int add_run(value_list *list, const json_t *locations, const json_t *peer_locations, int relative)
{
    const size_t count = json_array_size(locations);
    const int by_turn = count == json_array_size(peer_locations);
    const double peer_median = relative && !by_turn ? median_location(peer_locations) : NAN;
    const int before = list->count;
    for (size_t i = 0; i < count; i++) {
        const double own = location_at(locations, i);
        const double by = !relative ? 1.0 : by_turn ? location_at(peer_locations, i) : peer_median;
        if (!(own > 0 && own < LONGEST_US) || !(by > 0))
            continue;
        list->raw[list->count] = own;
        list->values[list->count++] = own / by;
    }
    if (list->count == before)
        return 0;
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
        room += json_array_size(locations_of(runs->results[i], figure));
    return room;
}

assay_status side_values_make(const match_runs *runs, const char *figure, const char *peer,
                              const result_set *set, side_values *out, assay_error *error)
{
    const size_t room = count_room(runs, figure);
    value_list list = {.values = malloc(room * sizeof(double)),
                       .raw = malloc(room * sizeof(double)),
                       .run_counts = malloc(((size_t)runs->count + 1) * sizeof(int))};
    *out = (side_values){.us = NAN};
    out->side.values = list.values;
    out->side.run_counts = list.run_counts;
    const int ok = list.values && list.raw && list.run_counts;
    for (int i = 0; ok && i < runs->count; i++) {
        const json_t *result = runs->results[i];
        const json_t *by = peer ? find_peer(result, peer, set) : NULL;
        if (strcmp(text_of(result, "output_check"), "fail") == 0)
            note_lack(out, "wrong output while timed", "");
        else if (!is_ok(result))
            note_lack(out, text_of(result, "status"), text_of(result, "reason"));
        else if (peer && !by)
            note_lack(out, "no times of the peer in the same run", peer);
        else if (!add_run(&list, locations_of(result, figure), locations_of(by, figure), peer != NULL))
            note_lack(out, "no times of figure", figure);
    }
    out->side.count = list.count;
    out->side.runs = list.runs;
    out->us = stats_location_of(list.raw, list.count);
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
    *values = (side_values){0};
}

int met_power_cap(const match_pair *pair, const char *figure)
{
    for (int side = 0; side < 2; side++) {
        const match_runs *runs = side ? &pair->changed : &pair->base;
        for (int i = 0; i < runs->count; i++) {
            const json_t *of = json_object_get(json_object_get(runs->results[i], "figures"), figure);
            if ((int)json_get_number(of, "reasons", 0) & REASON_POWER_CAP)
                return 1;
        }
    }
    return 0;
}

/* Every run of both sides has the peer, in one version, with the figure. */
static int serves(const match_pair *pair, const char *name, const char *figure, const result_set *base,
                  const result_set *changed)
{
    const json_t *first = NULL;
    for (int side = 0; side < 2; side++) {
        const match_runs *runs = side ? &pair->changed : &pair->base;
        for (int i = 0; i < runs->count; i++) {
            const json_t *peer = find_peer(runs->results[i], name, side ? changed : base);
            if (!peer || strcmp(text_of(peer, "kind"), "peer") != 0 ||
                strcmp(text_of(peer, "math_mode"), text_of(runs->results[i], "math_mode")) != 0 ||
                json_array_size(locations_of(peer, figure)) == 0)
                return 0;
            first = first ? first : peer;
            if (strcmp(text_of(first, "version"), text_of(peer, "version")) != 0)
                return 0;
        }
    }
    return first != NULL;
}

/* Relative median absolute deviation of one side's values. */
static double spread_of_side(const stats_side *side)
{
    const double median = stats_median_of(side->values, side->count);
    double *distances = side->count > 0 ? malloc((size_t)side->count * sizeof *distances) : NULL;
    for (int i = 0; distances && i < side->count; i++)
        distances[i] = fabs(side->values[i] / median - 1.0);
    const double spread = distances ? stats_median_of(distances, side->count) : INFINITY;
    free(distances);
    return spread;
}

/* The larger spread of the two sides; INFINITY if there is nothing. */
static double find_spread(const match_pair *pair, const char *figure, const char *peer,
                          const result_set *base, const result_set *changed)
{
    double spread = 0.0;
    for (int side = 0; side < 2; side++) {
        side_values values = {0};
        const assay_status made = side_values_make(side ? &pair->changed : &pair->base, figure, peer,
                                                   side ? changed : base, &values, NULL);
        spread = made == ASSAY_OK ? fmax(spread, spread_of_side(&values.side)) : INFINITY;
        side_values_release(&values);
    }
    return spread;
}

static int is_named(const char *name, const char *wanted)
{
    return strcmp(name, wanted) == 0 || (strncmp(name, "peer_", 5) == 0 && strcmp(name + 5, wanted) == 0);
}

void choose_peer(const match_pair *pair, const char *figure, const char *normalise, const result_set *base,
                 const result_set *changed, char *peer, size_t bytes)
{
    const int automatic = !normalise || strcmp(normalise, "auto") == 0;
    const json_t *result = pair->base.results[0], *name;
    size_t i;
    peer[0] = '\0';
    if ((normalise && strcmp(normalise, "none") == 0) || strcmp(text_of(result, "kind"), "peer") == 0)
        return;
    if (automatic && !met_power_cap(pair, figure))
        return;
    double best = automatic ? CLEARLY_LESS * find_spread(pair, figure, NULL, base, changed) : INFINITY;
    json_array_foreach(json_object_get(json_object_get(result, "method"), "interleaved_with"), i, name)
    {
        const char *text = json_is_string(name) ? json_string_value(name) : "";
        const int wanted = automatic ? strncmp(text, "peer_", 5) == 0 : is_named(text, normalise);
        if (!wanted || !serves(pair, text, figure, base, changed))
            continue;
        const double spread = find_spread(pair, figure, text, base, changed);
        if (!(spread < best))
            continue;
        best = spread;
        snprintf(peer, bytes, "%s", text);
    }
}
