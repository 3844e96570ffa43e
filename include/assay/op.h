/* What an op's reference.c gives to the harness: shapes, argument binding, the double reference and cost.
 *
 * Terms: a *problem* is one op with concrete tensors and parameter values. The harness builds it from
 * op.json (or from a golden case), the op's functions below interpret it. All tensors are contiguous and
 * row-major; sizes and indices are 64-bit. Nothing here allocates or keeps pointers beyond a call. */
#ifndef ASSAY_OP_H
#define ASSAY_OP_H

#include <assay/dtype.h>
#include <assay/status.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { ASSAY_MAX_RANK = 8, ASSAY_MAX_TENSORS = 8, ASSAY_MAX_PARAMS = 16, ASSAY_NAME_MAX = 64 };

typedef struct assay_tensor {
    void *data; /* host or device memory, owned by the harness; may be NULL when the tensor is empty */
    assay_dtype dtype;
    int32_t rank; /* 0 is a scalar with one element */
    int64_t shape[ASSAY_MAX_RANK];
} assay_tensor;

/* Number of elements; 0 if any dimension is 0. */
static inline int64_t assay_tensor_count(const assay_tensor *tensor)
{
    int64_t count = 1;
    for (int32_t i = 0; i < tensor->rank; i++)
        count *= tensor->shape[i];
    return count;
}

typedef enum assay_param_type {
    ASSAY_PARAM_REAL,
    ASSAY_PARAM_INTEGER,
    ASSAY_PARAM_BOOLEAN,
    ASSAY_PARAM_TEXT
} assay_param_type;

typedef struct assay_param {
    char name[ASSAY_NAME_MAX];
    assay_param_type type;
    double real;               /* ASSAY_PARAM_REAL */
    int64_t integer;           /* ASSAY_PARAM_INTEGER; 0 or 1 for ASSAY_PARAM_BOOLEAN */
    char text[ASSAY_NAME_MAX]; /* ASSAY_PARAM_TEXT */
} assay_param;

typedef struct assay_problem {
    assay_dtype dtype; /* the dtype of the case; tensors carry their own */
    int32_t input_count, output_count, param_count;
    assay_tensor inputs[ASSAY_MAX_TENSORS];  /* in op.json's order */
    assay_tensor outputs[ASSAY_MAX_TENSORS]; /* in op.json's order */
    assay_param params[ASSAY_MAX_PARAMS];    /* every parameter of op.json, defaults filled in */
    void *workspace; /* device memory, at least workspace_bytes, 256-byte aligned, content undefined */
    int64_t workspace_bytes;
} assay_problem;

static inline const assay_param *assay_problem_param(const assay_problem *problem, const char *name)
{
    for (int32_t i = 0; i < problem->param_count; i++)
        if (strcmp(problem->params[i].name, name) == 0)
            return &problem->params[i];
    return NULL;
}

/* The same for a parameter that must be there: a name that op.json does not declare ends the process with status 2 and a line. A
 * value in its place would reach kernel and reference alike, and a misspelt name would pass for right. */
static inline const assay_param *assay_problem_declared(const assay_problem *problem, const char *name)
{
    const assay_param *param = assay_problem_param(problem, name);
    if (param == NULL) {
        fprintf(stderr, "reference.c asks for the parameter \"%s\", which op.json does not declare\n", name);
        exit(2);
    }
    return param;
}

/* Value of a parameter that op.json declares. */
static inline double assay_problem_real(const assay_problem *problem, const char *name)
{
    const assay_param *param = assay_problem_declared(problem, name);
    return param->type == ASSAY_PARAM_REAL ? param->real : (double)param->integer;
}

static inline int64_t assay_problem_integer(const assay_problem *problem, const char *name)
{
    const assay_param *param = assay_problem_declared(problem, name);
    return param->type == ASSAY_PARAM_REAL ? (int64_t)param->real : param->integer;
}

static inline const char *assay_problem_text(const assay_problem *problem, const char *name)
{
    return assay_problem_declared(problem, name)->text;
}

enum { ASSAY_OP_ABI = 1 };

/* The table that reference.c exports through assay_op_get(). Optional members may be NULL. */
typedef struct assay_op_impl {
    int32_t abi;       /* ASSAY_OP_ABI */
    const char *name;  /* equals op.json's "name" */
    size_t args_bytes; /* sizeof(<op>_args) */

    /* Check the input shapes and parameters and set rank, shape and dtype of every output.
     * Only shapes are read, never data. ASSAY_ERR_INVALID if the shapes do not fit each other. */
    assay_status (*infer)(const assay_problem *problem, assay_tensor *outputs, assay_error *error);

    /* Fill the typed argument struct from a problem whose tensors lie in device memory. */
    assay_status (*bind)(const assay_problem *problem, void *args);

    /* The truth. Inputs are ASSAY_F32 host tensors (the case's values widened exactly), outputs are ASSAY_F64
     * host tensors to be written. All arithmetic is double. `scale` is NULL or holds one double per element of
     * output 0: write there the sum of the absolute values of the terms of that element (|A||B| for a product),
     * which is what the rounding error of a reduction is proportional to. An op without has_scale ignores it. */
    assay_status (*reference)(const assay_problem *problem, double *scale);
    int32_t has_scale;

    double (*flops)(const assay_problem *problem); /* arithmetic operations of the definition */
    double (*bytes)(
        const assay_problem *problem); /* minimal traffic: each input read once, each output written once */
    int64_t (*workspace_bytes)(const assay_problem *problem); /* optional; NULL means 0 */

    /* Optional, for ops whose reference costs far more than their data (products at large sizes):
     * reference_rows writes the `count` given rows (row = index over all but the last dimension of output 0) one after
     * another into `ref` and `scale`; `residual` checks all of output 0 by Freivalds' method: for a sign vector drawn
     * from `seed` it writes, per row, residual[i] = |sum_j x_j (out_ij - ref_ij)| and magnitude[i] = sum_j scale_ij.
     * Where the output is not linear in its factors, x may be sparse, with few entries other than 0 that are +-sqrt(n / their
     * number), so that only the selected ref_ij are computed; every part of the output must be met by some row's x.
     * For these, inputs are widened to ASSAY_F32 and outputs[0] holds the kernel's result widened to ASSAY_F32. */
    assay_status (*reference_rows)(const assay_problem *problem, const int64_t *rows, int64_t count,
                                   double *ref, double *scale);
    assay_status (*residual)(const assay_problem *problem, uint64_t seed, double *residual,
                             double *magnitude);
} assay_op_impl;

/* Exported by every reference.c. Static storage; never NULL. */
const assay_op_impl *assay_op_get(void);

#ifdef __cplusplus
}
#endif
#endif
