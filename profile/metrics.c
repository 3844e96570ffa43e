/* See metrics.h. */
#include "profile/metrics.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ASKED = 1, SECTIONED = 0, COUNTED = 0, COMPILED = 0 };
enum {
    COUNT = METRIC_IN_COUNT,
    PERCENT = METRIC_IN_PERCENT,
    BYTES = METRIC_IN_BYTES,
    NANOSECONDS = METRIC_IN_NANOSECONDS,
    HERTZ = METRIC_IN_HERTZ
};

static const metric_info table[METRIC_COUNT] = {
#define SECTION(name)
#define METRIC(id, origin, raw, others, section, label, unit, meaning) \
    [METRIC_##id] = {#id, raw, others, section, label, origin, (metric_unit)(unit), meaning},
#define STALL(id, name, meaning)                                                                 \
    [METRIC_STALL_##id] = {"STALL_" #id,                                                         \
                           "smsp__average_warps_issue_stalled_" #name "_per_issue_active.ratio", \
                           "smsp__average_warp_latency_issue_stalled_" #name ".ratio",           \
                           "Warp State Statistics",                                              \
                           "",                                                                   \
                           SECTIONED,                                                            \
                           METRIC_IN_COUNT,                                                      \
                           meaning},
#include "profile/metrics.def"
#undef SECTION
#undef METRIC
#undef STALL
};

const char *const metric_sections[] = {
#define SECTION(name) #name,
#define METRIC(id, origin, raw, others, section, label, unit, meaning)
#define STALL(id, name, meaning)
#include "profile/metrics.def"
#undef SECTION
#undef METRIC
#undef STALL
    NULL};

const metric_info *metric_get(metric_id id)
{
    return &table[id];
}

void metric_key(metric_id id, char out[48])
{
    size_t length = 0;
    for (const char *at = table[id].key; *at && length + 1 < 48; at++)
        out[length++] = (char)tolower((unsigned char)*at);
    out[length] = '\0';
}

const char *metric_origin_name(metric_origin origin)
{
    static const char *const names[METRIC_ORIGINS] = {"unknown", "sampled by ncu", "counted", "compiler"};
    return origin < METRIC_ORIGINS ? names[origin] : names[0];
}

/* 1 if `name` is one of the words of `words`. */
static int has_word(const char *words, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = words; length > 0 && (at = strstr(at, name)) != NULL; at += length)
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return 1;
    return 0;
}

metric_id metric_find(const char *raw)
{
    if (!*raw)
        return METRIC_COUNT;
    for (int id = 0; id < METRIC_COUNT; id++)
        if (strcmp(table[id].raw, raw) == 0)
            return (metric_id)id;
    for (int id = 0; id < METRIC_COUNT; id++)
        if (has_word(table[id].others, raw))
            return (metric_id)id;
    return METRIC_COUNT;
}

metric_id metric_find_label(const char *section, const char *label)
{
    for (int id = 0; id < METRIC_COUNT; id++)
        if (table[id].label[0] && strcmp(table[id].label, label) == 0 &&
            strcmp(table[id].section, section) == 0)
            return (metric_id)id;
    return metric_find(label); /* under "Command line profiler metrics" the label is the name */
}

const char *metric_asked_names(void)
{
    static char names[4096];
    size_t length = 0;
    for (int id = 0; id < METRIC_COUNT; id++)
        if (table[id].asked && length < sizeof names)
            length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", length ? "," : "",
                                       table[id].raw);
    return names;
}

void metric_set_clear(metric_set *set)
{
    for (int id = 0; id < METRIC_COUNT; id++) {
        set->value[id] = NAN;
        set->origin[id] = METRIC_UNKNOWN;
    }
}

void metric_put(metric_set *set, metric_id id, double value, metric_origin origin)
{
    if (id >= METRIC_COUNT || !isfinite(value))
        return;
    set->value[id] = value;
    set->origin[id] = (unsigned char)origin;
}

double metric_value(const metric_set *set, metric_id id)
{
    return id < METRIC_COUNT ? set->value[id] : NAN;
}

int metric_known(const metric_set *set, metric_id id)
{
    return id < METRIC_COUNT && !isnan(set->value[id]);
}

/* All of a warp's time for an instruction: ncu's own number, or the sum of the reasons. */
static double warp_time(const metric_set *set)
{
    double sum = 0.0;
    if (set->value[METRIC_WARP_CYCLES] > 0.0)
        return set->value[METRIC_WARP_CYCLES];
    for (int id = FIRST_STALL; id <= LAST_STALL; id++)
        sum += isnan(set->value[id]) ? 0.0 : set->value[id];
    return sum > 0.0 ? sum : NAN;
}

double metric_stall_share(const metric_set *set, metric_id stall)
{
    const double share = metric_value(set, stall) / warp_time(set);
    return share > 1.0 ? 1.0 : share;
}

metric_id metric_top_stall(const metric_set *set)
{
    metric_id top = METRIC_COUNT;
    for (int id = FIRST_STALL; id <= LAST_STALL; id++) {
        if (id == METRIC_STALL_SELECTED || id == METRIC_STALL_NOT_SELECTED ||
            !metric_known(set, (metric_id)id))
            continue;
        if (top == METRIC_COUNT || set->value[id] > set->value[top])
            top = (metric_id)id;
    }
    return top;
}

static double ratio(double part, double whole)
{
    return whole > 0.0 ? part / whole : NAN;
}

double metric_sectors_per_request(const metric_set *set, metric_id requests, metric_id sectors)
{
    return ratio(metric_value(set, sectors), metric_value(set, requests));
}

double metric_conflict_share(const metric_set *set)
{
    return ratio(set->value[METRIC_SHARED_CONFLICTS], set->value[METRIC_SHARED_WAVEFRONTS]);
}

double metric_local_share(const metric_set *set)
{
    const double local = set->value[METRIC_LOCAL_LOAD_SECTORS] + set->value[METRIC_LOCAL_STORE_SECTORS];
    return ratio(local, local + set->value[METRIC_LOAD_SECTORS] + set->value[METRIC_STORE_SECTORS]);
}

double metric_sm_active_share(const metric_set *set)
{
    return ratio(set->value[METRIC_SM_ACTIVE_CYCLES], set->value[METRIC_ELAPSED_CYCLES]);
}

const char *metric_occupancy_limit(const metric_set *set)
{
    static const struct {
        metric_id id;
        const char *name;
    } limits[] = {{METRIC_LIMIT_REGISTERS, "registers"},
                  {METRIC_LIMIT_SHARED, "shared memory"},
                  {METRIC_LIMIT_WARPS, "warps"},
                  {METRIC_LIMIT_BLOCKS, "blocks"}};
    const char *name = "";
    double least = INFINITY;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (metric_value(set, limits[i].id) < least) {
            least = metric_value(set, limits[i].id);
            name = limits[i].name;
        }
    return name;
}

metric_id metric_top_pipe(const metric_set *set)
{
    metric_id top = METRIC_COUNT;
    for (int id = METRIC_PIPE_TENSOR; id <= METRIC_PIPE_LSU; id++)
        if (metric_known(set, (metric_id)id) &&
            (top == METRIC_COUNT || metric_value(set, (metric_id)id) > metric_value(set, top)))
            top = (metric_id)id;
    return top;
}

double metric_memory_side(const metric_set *set)
{
    const double whole = set->value[METRIC_MEMORY_SOL];
    /* fmax passes over a NAN */
    return isnan(whole)
               ? fmax(fmax(set->value[METRIC_L1_SOL], set->value[METRIC_L2_SOL]), set->value[METRIC_DRAM_SOL])
               : whole;
}

metric_id metric_memory_level(const metric_set *set)
{
    static const metric_id levels[] = {METRIC_DRAM_SOL, METRIC_L2_SOL, METRIC_L1_SOL};
    const double side = metric_memory_side(set);
    metric_id nearest = METRIC_COUNT;
    for (int i = 0; i < 3; i++)
        if (metric_known(set, levels[i]) && (nearest == METRIC_COUNT || fabs(set->value[levels[i]] - side) <
                                                                            fabs(set->value[nearest] - side)))
            nearest = levels[i];
    return nearest;
}
