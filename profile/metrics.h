/* The metrics that profile/ knows: a number each of one kernel's launch, by an id. The table is metrics.def.
 *
 * A value carries its origin, because a sampled, a counted and a compiled number are not the same evidence. Values are in base units:
 * bytes, nanoseconds, hertz, percent (0 to 100), counts. What is not known is NAN. */
#ifndef ASSAY_PROFILE_METRICS_H
#define ASSAY_PROFILE_METRICS_H

typedef enum metric_id {
#define SECTION(name)
#define METRIC(id, origin, raw, others, section, label, unit, meaning) METRIC_##id,
#define STALL(id, name, meaning)                                       METRIC_STALL_##id,
#include "profile/metrics.def"
#undef SECTION
#undef METRIC
#undef STALL
    METRIC_COUNT
} metric_id;

enum { FIRST_STALL = METRIC_STALL_LONG_SCOREBOARD, LAST_STALL = METRIC_STALL_MISC };

typedef enum metric_unit {
    METRIC_IN_COUNT,
    METRIC_IN_PERCENT,
    METRIC_IN_BYTES,
    METRIC_IN_NANOSECONDS,
    METRIC_IN_HERTZ
} metric_unit;

typedef enum metric_origin {
    METRIC_UNKNOWN,
    METRIC_PROFILED, /* a hardware counter, read by ncu */
    METRIC_COUNTED,  /* exact, by a device that executes the kernel's instructions */
    METRIC_COMPILED, /* the compiler's report, or arithmetic on it */
    METRIC_ORIGINS
} metric_origin;

typedef struct metric_info {
    const char *key;             /* "LOAD_SECTORS", "STALL_BARRIER"; metric_key() makes a JSON key of it */
    const char *raw, *others;    /* ncu's names: today's, and others between blanks; "" where ncu has none */
    const char *section, *label; /* on ncu's details page; "" where it is not shown there */
    int asked;                   /* to be asked for by name: no section brings it */
    metric_unit unit;
    const char *meaning;
} metric_info;

typedef struct metric_set {
    double value[METRIC_COUNT];
    unsigned char origin[METRIC_COUNT]; /* metric_origin */
} metric_set;

/* Never NULL for an id below METRIC_COUNT. */
const metric_info *metric_get(metric_id id);
/* "stall_barrier", in `out`. */
void metric_key(metric_id id, char out[48]);
/* "sampled by ncu", "counted", "compiler" */
const char *metric_origin_name(metric_origin origin);

/* By ncu's name, or by section and label of its details page; METRIC_COUNT if it is none of ours. */
metric_id metric_find(const char *raw);
metric_id metric_find_label(const char *section, const char *label);

/* Names of ncu's sections, NULL-terminated; all names to ask for, comma-separated (static). */
extern const char *const metric_sections[];
const char *metric_asked_names(void);

/* All unknown. */
void metric_set_clear(metric_set *set);
/* Set a value unless it is not finite. */
void metric_put(metric_set *set, metric_id id, double value, metric_origin origin);
/* NAN where it is not known. */
double metric_value(const metric_set *set, metric_id id);
int metric_known(const metric_set *set, metric_id id);

/* Quantities derived from two or more metrics; NAN where one is missing. */
double metric_stall_share(const metric_set *set, metric_id stall); /* part of a warp's time, 0 to 1 */
metric_id
metric_top_stall(const metric_set *set); /* of the reasons that are waste; METRIC_COUNT: none known */
double metric_sectors_per_request(const metric_set *set, metric_id requests, metric_id sectors);
double metric_conflict_share(const metric_set *set); /* bank conflicts of shared-memory wavefronts */
double metric_local_share(const metric_set *set);    /* local of local and global sectors */
double metric_sm_active_share(
    const metric_set *set); /* cycles with a warp of all cycles, mean of the multiprocessors */

/* The busiest pipe of the multiprocessor; METRIC_COUNT: none known. */
metric_id metric_top_pipe(const metric_set *set);
/* The busiest side of memory in percent of its peak: ncu's own number, or the largest of its levels; NAN unknown. */
double metric_memory_side(const metric_set *set);
/* The level that this number is of: METRIC_DRAM_SOL, METRIC_L2_SOL or METRIC_L1_SOL; METRIC_COUNT unknown. A level's own number may be
 * larger, because it also counts what is no part of the path to the multiprocessors, such as the fabric between the halves of the L2. */
metric_id metric_memory_level(const metric_set *set);
/* What keeps more blocks from fitting: "registers", "shared memory", "warps", "blocks", "" unknown. */
const char *metric_occupancy_limit(const metric_set *set);

#endif
