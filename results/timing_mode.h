/* The timing modes: one table of names and properties. A mode is a way to time a kernel.
 *
 * Texts are compared with names here alone. Most of the code goes by the properties; where one mode is meant
 * (cold ranks, sustained is taken last), it goes by the value of the enum. docs/where-to-change.md lists these
 * places, which a new mode may have to join. */
#ifndef ASSAY_RESULTS_TIMING_MODE_H
#define ASSAY_RESULTS_TIMING_MODE_H

#include <assay/status.h>
#include <stddef.h>

/* In the order in which results and tables list them. TIMING_COLD is the main one. */
typedef enum timing_mode {
    TIMING_COLD,
    TIMING_HOT,
    TIMING_BURST,
    TIMING_SUSTAINED,
    TIMING_COLD_READ,
    TIMING_HOST,
    TIMING_MODES /* how many there are */
} timing_mode;

typedef enum timing_flush {
    TIMING_FLUSH_NONE,   /* the cache is left as the launch before left it */
    TIMING_FLUSH_METHOD, /* as the method says: by a memset, or by reading */
    TIMING_FLUSH_READ    /* by reading, whatever the method says */
} timing_flush;

/* What is timed: one launch between two events, a graph of many launches, or one call by the host's clock. */
typedef enum timing_launch { TIMING_ONE_LAUNCH, TIMING_GRAPH, TIMING_HOST_CALL } timing_launch;

typedef struct timing_mode_info {
    const char *name;  /* in results, options and tables: "cold_read" */
    const char *title; /* at the head of a column: "cold, read flush" */
    timing_flush flush;
    timing_launch launch;
    int has_overhead; /* results carry what an empty kernel takes by this mode */
    int has_bound;    /* a time below the roofline bound is a measuring error: no cache can hold the data */
    int version;      /* of the way this mode measures; another version's times are not comparable */
    const char *answers; /* the question that it answers, one line for docs and logs */
} timing_mode_info;

/* Never NULL for a mode of the enum. */
const timing_mode_info *timing_mode_get(timing_mode mode);
const char *timing_mode_name(timing_mode mode);

/* 1 and *mode if `name` is the name of a mode, else 0. */
int timing_mode_parse(const char *name, timing_mode *mode);

/* A set of modes: bit 1 << mode. */
typedef unsigned timing_modes;
static inline timing_modes timing_mode_bit(timing_mode mode)
{
    return 1u << mode;
}

static inline int timing_modes_count(timing_modes modes)
{
    return __builtin_popcount(modes);
}

/* "cold,hot": ASSAY_ERR_INVALID unless each name is known and there once; the message lists the modes. */
assay_status timing_modes_parse(const char *list, timing_modes *out, assay_error *error);
/* The reverse, in the order of the enum, names between commas; cut to `bytes`. */
void timing_modes_text(timing_modes modes, char *out, size_t bytes);

#endif
