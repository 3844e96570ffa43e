/* Single changes of tunables: see tunable_changes.h. */
#include "optimize/tunable_changes.h"
#include "optimize/single_change.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const opspec_tunable *find_tunable(const opspec *spec, const char *name)
{
    for (int v = 0; v < spec->tunables_count; v++)
        for (int t = 0; t < spec->tunables[v].count; t++)
            if (strcmp(spec->tunables[v].tunables[t].name, name) == 0)
                return &spec->tunables[v].tunables[t];
    return NULL;
}

/* The nearest value above (step 1) or below (step -1); 0: there is none. */
static long long neighbour(const opspec_tunable *known, long long now, int step)
{
    long long best = 0;
    if (!known)
        return step > 0 ? 2 * now : now / 2;
    for (int i = 0; i < known->value_count; i++) {
        const long long value = known->values[i];
        if ((value - now) * step > 0 && (best == 0 || (best - value) * step > 0))
            best = value;
    }
    return best;
}

static int was_tried(const json_t *tried, const char *change)
{
    size_t i;
    const json_t *item;
    json_array_foreach(tried, i, item)
    {
        if (strcmp(json_string_value(item), change) == 0)
            return 1;
    }
    return 0;
}

static json_t *make_answer(const char *source, const char *name, long long now, long long value)
{
    char change[128];
    char *text = single_change_set(source, name, value);
    snprintf(change, sizeof change, "%s=%lld", name, value);
    json_t *answer =
        text ? json_pack("{s:s, s:o, s:o, s:s, s:s, s:s}", "source", text, "hypothesis",
                         json_sprintf("%s is %lld instead of %lld.", name, value, now), "rationale",
                         json_sprintf("%s is a tunable of this kernel; its best value depends on the device "
                                      "and is found by trying the neighbours of the present one.",
                                      name),
                         "expected", "faster", "provider", "tunables", "change", change)
             : NULL;
    free(text);
    return answer;
}

json_t *tunable_changes_next(const opspec *spec, const char *source, const json_t *tried)
{
    json_t *tunables = single_change_tunables(source), *item, *answer = NULL;
    const char *name;
    json_object_foreach(tunables, name, item)
    {
        const long long now = json_integer_value(item);
        for (int step = 1; step >= -1 && !answer && now > 0; step -= 2) {
            char change[128];
            const long long value = neighbour(find_tunable(spec, name), now, step);
            snprintf(change, sizeof change, "%s=%lld", name, value);
            if (value > 0 && value <= (1 << 22) && !was_tried(tried, change))
                answer = make_answer(source, name, now, value);
        }
        if (answer)
            break;
    }
    json_decref(tunables);
    return answer;
}
