/* A workspace is what CMake (or a bundle) lays out: ops, modules, results and toolchains, described by assay.json.
 * The paths in assay.json are absolute or relative to its own folder. No other place knows where things are.
 *
 * Also here: case enumeration. A case is op x variant x dtype x size; names and filters are derived from data only. */
#ifndef ASSAY_CORE_WORKSPACE_H
#define ASSAY_CORE_WORKSPACE_H

#include "core/opspec.h"
#include <assay/module.h>
#include <jansson.h>

enum { WORKSPACE_MAX_VARIANTS = 32, WORKSPACE_MAX_TUNED = 32 };

typedef struct workspace_op {
    opspec *spec;
    char reference[4096]; /* shared object exporting assay_op_get() */
    char generated[4096]; /* folder of the kernel files that the build wrote (docs/triton.md); "": none */
    int variant_count;
    /* Sorted file stems of v*.cu in the op's folder and in `generated`; behind them configurations that were added (core/tuned_variant.h). */
    char variants[WORKSPACE_MAX_VARIANTS + WORKSPACE_MAX_TUNED][ASSAY_NAME_MAX];
} workspace_op;

typedef struct workspace {
    char path[4096];   /* folder of assay.json, absolute */
    char device[8];    /* "cpu", "cuda" or "ptx": the device this workspace builds for */
    char source[4096]; /* source tree, "" in a bundle */
    char modules[4096], baselines[4096], libexec[4096]; /* folders */
    char results_base[4096];                            /* results of all cards */
    char results[4096]; /* results_base/SLUG once workspace_use_slug() was called, "" before */
    char logs[4096], plots[4096], templates[4096]; /* where reports go; where templates lie */
    int op_count;
    workspace_op *ops;
    json_t *manifest; /* assay.json as read */
} workspace;

/* Find and load: `path` if not NULL, else $ASSAY_BUILD, else the running executable's folder and its parents, else the
 * current folder. Free with workspace_close. */
assay_status workspace_open(const char *path, workspace **ws, assay_error *error);
void workspace_close(workspace *ws);
/* 1 if workspace_open(path) would find an assay.json, whether or not it can be loaded. */
int workspace_is_there(const char *path);
/* Results belong to one card: set the folder by the slug of assay_device_info ("cpu-simt", "nvidia-h100-80gb-hbm3"). */
void workspace_use_slug(workspace *ws, const char *slug);
const workspace_op *workspace_find_op(const workspace *ws, const char *name);
/* The kernel file of a variant: in the op's folder, or where the build wrote it. */
void workspace_variant_source(const workspace_op *op, const char *variant, char *path, size_t path_bytes);

/* The commit of the source tree and whether it is dirty, asked of git now, or as recorded in assay.json (bundles).
 * `commit` gets "unknown" where neither is there. */
void workspace_commit(const workspace *ws, char commit[64], int *dirty);

typedef struct
    case_filter { /* NULL or empty means all; each may be a comma-separated list; variants also match by prefix ("v4") */
    const char *ops, *variants, *dtypes, *sizes;
} case_filter;

typedef struct assay_case {
    const workspace_op *op;
    char variant[ASSAY_NAME_MAX];
    assay_dtype dtype;
    char size[ASSAY_NAME_MAX]; /* a size of op.json, "edge" or "huge" */
} assay_case;

/* All matching cases in a fixed order (op, dtype, size, variant as written in op.json and sorted by stem). Names in the filter that
 * match nothing are an error that lists what there is. *cases is malloc'ed. `with_edge` adds the pseudo-size "edge", and
 * "huge" where the filter names it: huge cases need most of a card's memory, so nothing runs them unasked. */
assay_status workspace_list_cases(const workspace *ws, const case_filter *filter, int with_edge,
                                  assay_case **cases, int *count, assay_error *error);

/* "softmax.v4_optimized.bf16.large" */
void case_name(const assay_case *c, char *out, size_t out_bytes);
/* MODULES/softmax.v4_optimized.bf16.json; RESULTS/verify/NAME.json; RESULTS/bench/NAME.json. Of a configuration or a shape below
 * WORKSPACE/configurations/ and RESULTS/configurations/. */
void case_module_path(const workspace *ws, const assay_case *c, char *out, size_t out_bytes);
void case_verdict_path(const workspace *ws, const assay_case *c, char *out, size_t out_bytes);
void case_result_path(const workspace *ws, const assay_case *c, char *out, size_t out_bytes);

/* Load the shared object of an op's reference.c. Stays loaded until the process ends. */
assay_status workspace_load_impl(const workspace_op *op, const assay_op_impl **impl, assay_error *error);

/* A compiled module as its record describes it. */
typedef struct module_record {
    char status[32]; /* "ok" or "does not compile" */
    char library[4096];
    char source[4096], source_sha256[65], compiler[256], flags[2048], log[4096];
    json_t *json; /* the whole record */
} module_record;
assay_status module_record_read(const char *path, module_record *record, assay_error *error);
void module_record_release(module_record *record);
/* The compiler's first line about an error in the record's log, or the log's first line; without the newline, cut to `out`. */
void module_first_error(const module_record *record, char *out, size_t out_bytes);
/* ASSAY_ERR_CHECK with what the record says of it where the module did not compile. */
assay_status module_check(const module_record *record, assay_error *error);
/* dlopen a library and find `<op>_run`. The error says which symbol is missing. Stays loaded. */
assay_status module_open_library(const char *path, const char *op, assay_run_fn *run, assay_error *error);
/* Both. */
assay_status module_load(const module_record *record, const char *op, assay_run_fn *run, assay_error *error);

#endif
