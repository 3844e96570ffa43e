/* An op and kernels made of plain C for tests of the checks: out[i] = 2 x[i], rows of a matrix. The kernels run in a worker, on
 * its host and at once; on the CPU device the host can reach device memory. */
#ifndef ASSAY_TEST_FAKE_OP_H
#define ASSAY_TEST_FAKE_OP_H

#include "verify/check.h"
#include <stdatomic.h>

typedef struct fake_args {
    const float *x;
    float *out;
    int64_t rows, columns;
    char *workspace;
    int64_t workspace_bytes;
} fake_args;

/* Costly: `flops` says so much that the checks sample. */
extern int fake_is_costly;
extern atomic_int fake_references; /* calls of its reference, or of that of some rows */
extern int fake_residuals;         /* calls of its Freivalds' check */
extern const assay_op_impl fake_impl;

/* A subject whose worker, a fork of this process, has the CPU device and the kernel; with f32 tolerances. Release with fake_close. */
void fake_open(check_subject *subject, assay_run_fn run);
void fake_close(check_subject *subject);
assay_problem fake_problem(int64_t rows, int64_t columns);

/* What a right kernel does. */
assay_status fake_double(const fake_args *args);

#endif
