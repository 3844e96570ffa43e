/* Floors of a pair: see compare_floors.h. */
#include "history/compare_floors.h"
#include "history/compare_values.h"
#include "core/floor_rule.h"
#include "core/json_file.h"
#include <math.h>
#include <string.h>

/* The floor that a figure's times contain, as a key of `floor_us`. */
static const char *floor_key(const char *figure)
{
    if (strcmp(figure, "cold") == 0 || strcmp(figure, "cold_read") == 0)
        return "cold";
    return strcmp(figure, "host") == 0 ? "host" : NULL;
}

int figure_has_no_floor(const char *figure)
{
    return floor_key(figure) == NULL;
}

static double least_location(const json_t *result, const char *figure)
{
    const json_t *value;
    size_t i;
    double least = INFINITY;
    json_array_foreach(result_locations(result, figure), i, value)
    {
        if (json_is_number(value))
            least = fmin(least, json_number_value(value));
    }
    return least;
}

double result_floor(const json_t *result, const char *figure)
{
    const char *key = floor_key(figure), *arm = json_get_text(result, "variant", "");
    const int is_remote = strncmp(arm, "peer_torch", 10) == 0 || strncmp(arm, "peer_triton", 11) == 0;
    if (is_remote && !floor_is_of_own_process(json_object_get(result, "method")))
        return 0.0; /* floor_rule.h says what became of that floor */
    if (!key || strcmp(json_get_text(json_object_get(result, "device"), "kind", ""), "cuda") != 0)
        return 0.0;
    const double us = json_get_number(json_object_get(result, "floor_us"), key, 0.0);
    return us > 0 && us < least_location(result, figure) ? us : 0.0;
}

/* Mean over the runs that have times; 0 if one of them does not tell its floor. */
static double mean_floor(const match_runs *runs, const char *figure, double *least, double *most)
{
    double sum = 0.0;
    int count = 0;
    for (int i = 0; i < runs->count; i++) {
        if (!isfinite(least_location(runs->results[i], figure)))
            continue;
        const double us = result_floor(runs->results[i], figure);
        if (us == 0.0)
            return 0.0;
        *least = fmin(*least, us), *most = fmax(*most, us);
        sum += us;
        count++;
    }
    return count > 0 ? sum / count : 0.0;
}

floor_pair find_floors(const match_pair *pair, const char *figure)
{
    double least = INFINITY, most = 0.0;
    floor_pair out = {.base_us = mean_floor(&pair->base, figure, &least, &most),
                      .new_us = mean_floor(&pair->changed, figure, &least, &most)};
    out.differ = out.base_us > 0 && out.new_us > 0 && floor_shift_us(least, most, FLOOR_NOISE_US) != 0.0;
    return out;
}
