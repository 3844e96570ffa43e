/* A results folder, walked once for everyone: which files are results, which are verdicts, and reading
 * them, several at a time.
 *
 * Results are OP.NAME.DTYPE.SIZE.json anywhere below, and every .json in a folder `bench`; verdicts are
 * every .json in a folder `verify`. ceilings.json and env.json are snapshots, reported by path. Names that
 * begin with a point are passed over.
 *
 * An archive, OP.jsonl in such a folder, has a result or a verdict a line and is read like so many files
 * (results_archive.h). Archives come before files, so that of two results of a case a file, which is
 * written by a measurement, is visited last. */
#ifndef ASSAY_RESULTS_RESULTS_FOLDER_H
#define ASSAY_RESULTS_RESULTS_FOLDER_H

#include "results/result_file.h"
#include <jansson.h>

typedef enum results_item_kind {
    RESULTS_RESULT,   /* `result` */
    RESULTS_VERDICT,  /* `verdict` */
    RESULTS_SNAPSHOT, /* `path` alone: ceilings.json or env.json */
    RESULTS_FAULT     /* `path` and `reason`: a file that cannot be used */
} results_item_kind;

typedef struct results_item {
    results_item_kind kind;
    const char *path; /* whole */
    /* Below the folder that was given: "bench/add.v1.f32.small.json", "bench/softmax.jsonl:7". */
    const char *name;
    const char *reason; /* of a fault: what is wrong, without the path */
    int is_verdict;     /* of a fault: it lies where verdicts lie */
    result *result;     /* the visitor's from now on: result_free() */
    json_t *verdict;    /* the visitor's from now on: json_decref(); of schema 1, with a status */
} results_item;

/* Anything but ASSAY_OK ends the walk and is its outcome. */
typedef assay_status (*results_visitor)(void *context, results_item *item, assay_error *error);

enum { RESULTS_WITH_RESULTS = 1, RESULTS_WITH_VERDICTS = 2, RESULTS_WITH_SNAPSHOTS = 4 };

/* Visits in the order of paths. `path` may be a single file, which counts as a result whatever its name.
 * Files are read in batches, so memory holds never more than some hundred besides what the visitor keeps.
 * ASSAY_ERR_INVALID: nothing there, or a folder that cannot be read. */
assay_status results_each(const char *path, unsigned which, result_load load, results_visitor visit,
                          void *context, assay_error *error);

#endif
