/* The history: one SQLite file with every result ever ingested, read by `assay compare`, `assay export`,
 * `assay history` and `assay dashboard`. This header is the whole read interface; rows are written by
 * ingest.h only. docs/history.md has the tables.
 *
 * Strings in rows are borrowed and live until the callback returns. Numbers that are not known are NAN, texts
 * "". Times of day are Unix seconds UTC, 0 where unknown; durations are microseconds. The file is in WAL
 * mode: readers never block the writers, and a writer waits up to 30 s for another one. */
#ifndef ASSAY_HISTORY_HISTORY_H
#define ASSAY_HISTORY_HISTORY_H

#include "results/method.h"
#include "results/result_file.h"
#include <jansson.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { HISTORY_SCHEMA = 4 }; /* PRAGMA user_version of the files that this program reads and writes */

typedef struct history history;
typedef enum history_mode {
    HISTORY_READ, /* the file must be there */
    HISTORY_WRITE /* made if missing */
} history_mode;

/* ASSAY_ERR_IO: cannot be opened; ASSAY_ERR_FORMAT: not a history, or one of another schema, which is left as
 * it is; ASSAY_ERR_ENVIRONMENT: this program was built without SQLite. *out is NULL on failure. */
assay_status history_open(const char *path, history_mode mode, history **out, assay_error *error);
void history_close(history *h);

/* NULL or empty: all. Lists are comma-separated. */
typedef struct history_filter {
    const char *ops, *variants, *dtypes,
        *sizes;           /* a variant matches in full or up to a "_": v4 means v4_... */
    const char *kinds;    /* result_kind_name(): variant, baseline, unranked baseline */
    const char *cards;    /* slugs or UUIDs */
    const char *commits;  /* full hashes or unambiguous beginnings of them */
    const char *statuses; /* result_status_name(): ok, unstable, not timed, unavailable */
    timing_modes modes;   /* only these modes' rows; 0: all */
    int64_t since, until; /* of the run, 0: open; both ends belong */
    int clean_only;       /* leave out results of trees with uncommitted changes */
    int latest_only;      /* of a case, card, commit and method (identity.h) only the last result */
} history_filter;

/* One timing mode of one result; a result without times (not timed, unavailable) gives one row without a
 * mode. */
typedef struct history_row {
    int64_t result_id, case_id, card_id, revision_id;
    /* the case: two results belong to the same case if all of these are equal */
    const char *op, *variant, *dtype, *size, *kind, *math_mode, *distribution;
    const char *dims, *params; /* JSON objects, keys sorted */
    /* the card: one row a slug, UUID, driver and runtime */
    const char *device_kind, *card_name, *slug, *uuid, *driver, *runtime;
    /* the revision */
    const char *commit, *subject; /* "unknown" where there was no git; subject "" where git could not tell */
    int64_t commit_time;
    int dirty;
    /* the run */
    int64_t time;
    const char *status, *reason, *verdict, *output_check, *kernel_hash;
    const char *method; /* JSON object: how it was timed (result_method_parse()) */
    double flops, bytes;
    /* the mode */
    int has_times;
    timing_mode mode; /* TIMING_COLD without times */
    /* How it was timed, only what is not usual (method.h). Rows of one mode of a case belong to one trend
     * only where this is equal. */
    const char *method_label;
    double overhead_us; /* of a launch by this mode */
    double mean_us, median_us, min_us, p95_us, stddev_us, low_us,
        high_us; /* low, high: 95% interval of the mean */
    double gbs, tflops, percent_of_roofline;
    int above_roofline, samples, repetitions, repeated;
} history_row;

/* Return 0 to go on; anything else ends the walk, which is no failure. */
typedef int (*history_row_fn)(void *context, const history_row *row);

/* Walk rows ordered by op, dtype, size, variant, case_id, mode, card_id and then in the order of history
 * (below), one query for all. */
assay_status history_each_row(history *h, const history_filter *filter, history_row_fn each, void *context,
                              assay_error *error);

/* The results themselves, in the order of their ids; `filter`'s modes do not count. The visitor owns `r`;
 * anything but ASSAY_OK ends the walk and is its outcome. */
assay_status history_each_result(history *h, const history_filter *filter, result_load load,
                                 assay_status (*each)(void *context, result *r, assay_error *error),
                                 void *context, assay_error *error);

/* Revisions in the order of history: by the commit's time where git could tell it, else by the first run's.
 */
typedef struct history_revision {
    int64_t revision_id, commit_time, first_run, last_run, results;
    const char *commit, *subject;
} history_revision;
assay_status history_each_revision(history *h, const history_filter *filter,
                                   int (*each)(void *context, const history_revision *revision),
                                   void *context, assay_error *error);

typedef struct history_card {
    int64_t card_id, first_run, last_run, results;
    const char *device_kind, *name, *slug, *uuid, *driver, *runtime;
    int sm_count;
    const char *compute;
} history_card;
assay_status history_each_card(history *h, int (*each)(void *context, const history_card *card),
                               void *context, assay_error *error);

/* Facts of results (registers, spills, code size ..., counted bytes), under the names of the result with
 * their group before it
 * ("resources.registers"). `text` is "" where the value is a number, `number` NAN where it is a text. */
typedef struct history_fact {
    int64_t result_id, case_id, revision_id;
    const char *key, *text;
    double number;
} history_fact;
assay_status history_each_fact(history *h, const history_filter *filter,
                               int (*each)(void *context, const history_fact *value), void *context,
                               assay_error *error);

/* One result, owned by the caller. ASSAY_ERR_INVALID: there is none. */
assay_status history_result(history *h, int64_t result_id, result_load load, result **out,
                            assay_error *error);

/* The newest snapshot of a card's `ceilings.json` ("ceilings") or `env.json` ("env") taken at or before
 * `time` (0: the newest), or the oldest if there is none before. *out is NULL, and the status ASSAY_OK, if
 * there is none. New reference. */
assay_status history_snapshot(history *h, const char *slug, const char *kind, int64_t time, json_t **out,
                              assay_error *error);

/* Full hash of a revision that begins with `text`. ASSAY_ERR_INVALID: none, or several (named in the
 * message). */
assay_status history_find_revision(history *h, const char *text, char commit[64], assay_error *error);

#ifdef __cplusplus
}
#endif
#endif
