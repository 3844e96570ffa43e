/* Exact counts of what the kernels of a case do in one launch: instructions by class, requests and sectors of global memory, wavefronts of
 * shared memory, divergence, barriers. The device ptx executes the case and counts; the same kernel, compiler and inputs give the same
 * numbers on every machine, at any load. Nothing here is a time, and nothing here needs a GPU. */
#ifndef ASSAY_COUNTS_COUNTS_H
#define ASSAY_COUNTS_COUNTS_H

#include "core/workspace.h"
#include "device/ptx/runtime/control.h"
#include "results/result.h"
#include <assay/device.h>
#include <jansson.h>

/* Of one kernel, over all its launches in one call of the module. `of` has the kernel's name as in the source, "softmax_v3_rows<4>", and
 * lines whose files are named from the root of the source tree; of a toolkit's header "cuda/NAME". Texts and lines are owned. */
typedef struct counts_kernel {
    ptx_counted_kernel of;
    ptx_line total, *lines;
} counts_kernel;

typedef struct case_counts {
    counts_kernel *kernels;
    int count;
    ptx_line total; /* over kernels */
    uint64_t blocks, warps;
    int64_t elements;        /* of the problem's largest tensor */
    double flops, bytes;     /* of the op's definition */
    const opspec_dims *dims; /* that were counted; borrowed from the op */
    const char *dims_of;     /* "ptx" or "cuda", as given to counts_take() */
    uint64_t seed;           /* of the inputs: counts of kernels that look at their data depend on it */
} case_counts;

/* Figures that a budget of op.json may limit. */
typedef enum counts_figure {
    COUNTS_INSTRUCTIONS_PER_ELEMENT, /* 32 a warp instruction, by `elements` */
    COUNTS_SECTORS_PER_REQUEST,      /* of global memory: 32 bytes each */
    COUNTS_SHARED_CONFLICTS,         /* wavefronts of shared memory beyond the least */
    COUNTS_BARRIERS_PER_WARP,        /* where a block has one tile: barriers a tile */
    COUNTS_DIVERGENT_BRANCHES,
    COUNTS_FIGURES
} counts_figure;
extern const char *const counts_figure_names[COUNTS_FIGURES];
/* NAN where it says nothing: sectors a request of a kernel without requests. */
double counts_figure_of(const case_counts *counts, counts_figure figure);

/* What one warp executes, launch after launch: the mean of a launch's warps, summed over launches. */
typedef struct counts_warp {
    double instructions, requests, barriers; /* requests of global memory */
} counts_warp;
counts_warp counts_warp_of(const case_counts *counts);

/* Launch the module once on `device` (a "ptx" device that counts: device_ptx_count()) with the inputs of COUNTS_SEED. `dims_of` is
 * "ptx", for the dimensions of the CPU device where the size has smaller ones there, or "cuda", for those of a card. Release *out also
 * after a failure. */
enum { COUNTS_SEED = 1 };
assay_status counts_take(assay_device *device, const workspace_op *op, const module_record *module,
                         const char *size, const char *dims_of, case_counts *out, assay_error *error);
/* The folder that lines' files are below, with a slash at its end. `root` has PATH_MAX bytes. */
void counts_root(const workspace_op *op, char *root);
/* "M=1024 N=4096" */
void counts_dims_text(const case_counts *counts, char *out, size_t bytes);
void counts_release(case_counts *counts);

/* Name and value of a line's counter `i`, from 0; NULL after the last. */
const char *counts_counter(const ptx_line *line, int i, uint64_t *value);

/* The members of `assay count --json` (docs/counts.md): "figures", "total", "kernels". New reference. */
json_t *counts_json(const case_counts *counts);

/* As a result without times, for `assay compare` and the history: identity of the case, and the counts as its counters. *out is the
 * caller's. */
assay_status counts_result(const case_counts *counts, const workspace *ws, const workspace_op *op,
                           const module_record *module, const char *size, const assay_device_info *info,
                           result **out, assay_error *error);

#endif
