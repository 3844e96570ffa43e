/* One problem on a device, in as many copies ("slots") as rotating measurements need: the host's inputs,
 * their copies in device memory, outputs, workspace and the bound argument struct of each slot. All candidates of a
 * group share it; outputs are poisoned before a candidate's repetition, so that what is read afterwards is that candidate's.
 */
#ifndef ASSAY_BENCH_PROBLEM_SET_H
#define ASSAY_BENCH_PROBLEM_SET_H

#include "core/opspec.h"
#include <assay/device.h>

enum { PROBLEM_POISON = 0xFF, PROBLEM_MOST_SLOTS = 512 };

typedef struct problem_set {
    const opspec *spec;
    const assay_op_impl *impl;
    assay_device *device;
    uint64_t seed;
    assay_problem host; /* inputs filled, in the case's dtype; outputs have shapes and no data */
    void *originals
        [ASSAY_MAX_TENSORS]; /* the inputs once more in device memory; NULL: no room (problem_contents.h) */
    int64_t *contents;       /* of each slot's inputs (problem_contents.h) */
    int slot_count;
    assay_problem *slots; /* device memory */
    void **args;          /* <op>_args of each slot */
    int64_t slot_bytes;
    double flops, bytes; /* of the definition */
} problem_set;

/* Build, fill (verify/inputs.h) and upload. `least_total_bytes` is what all slots together should reach at
 * least (twice the L2 cache for hot times; 0: one slot), as far as free memory allows.
 * ASSAY_ERR_UNSUPPORTED with need and have if not even one slot fits the device. On failure nothing is left
 * allocated. */
assay_status problem_set_create(assay_device *device, const opspec *spec, const assay_op_impl *impl,
                                assay_dtype dtype, const opspec_dims *dims, uint64_t seed,
                                int64_t least_total_bytes, problem_set **set, assay_error *error);
void problem_set_release(problem_set *set);

/* Fill every output of every slot with PROBLEM_POISON; asynchronous. */
assay_status problem_set_poison(problem_set *set, assay_error *error);

int64_t tensor_bytes(const assay_tensor *tensor);

#endif
