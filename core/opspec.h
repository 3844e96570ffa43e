/* op.json as C: one loader, strict against ops/op.schema.json. */
#ifndef ASSAY_CORE_OPSPEC_H
#define ASSAY_CORE_OPSPEC_H

#include <assay/op.h>
#include <jansson.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    OPSPEC_MAX_SIZES = 32,
    OPSPEC_MAX_SHAPES = 128, /* of users, beside op.json's sizes */
    OPSPEC_MAX_DIMS = 8,
    OPSPEC_MAX_SIZE_PARAMS = 8,
    OPSPEC_MAX_EDGES = 224,
    OPSPEC_MAX_HUGE = 8,
    OPSPEC_MAX_BASELINES = 12,
    OPSPEC_MAX_TUNABLES = 16,
    OPSPEC_MAX_VARIANT_TUNABLES = 16,
    OPSPEC_MAX_VARIANT_DTYPES = 32,
    OPSPEC_MAX_VALUES = 32,
    OPSPEC_MAX_CONSTRAINTS = 8,
    OPSPEC_MAX_EXTRAS = 8,
    OPSPEC_MAX_CLAIMS = 24
};

typedef struct opspec_dim {
    char name[16];
    int64_t value;
} opspec_dim;

/* The axes of an input where a size has others than op.json's "inputs" (a memory layout that a parameter stands for). */
typedef struct opspec_axes {
    int given; /* 0: as in opspec.inputs */
    int rank;
    char axis[ASSAY_MAX_RANK][16]; /* a dimension's name or a number, in text */
} opspec_axes;

/* What makes a size a problem: dimensions, values for parameters that differ from their defaults, and inputs with other axes. */
typedef struct opspec_dims {
    int count;
    opspec_dim dim[OPSPEC_MAX_DIMS];
    int param_count;
    assay_param params[OPSPEC_MAX_SIZE_PARAMS];
    opspec_axes axes[ASSAY_MAX_TENSORS]; /* of each input */
} opspec_dims;

/* One size class, or a named shape. On the CPU device `cpu_dims` replaces `dims` where op.json gives them. */
typedef struct opspec_size {
    char name[ASSAY_NAME_MAX];
    opspec_dims dims;
    opspec_dims cpu_dims;
    int has_cpu_dims;
    int cuda_only;       /* 1: skipped on the CPU device */
    unsigned dtype_mask; /* bit 1 << assay_dtype: the dtypes that have this size */
    char source[256];    /* where a real-world shape comes from; "" for the square ones */
} opspec_size;

typedef struct opspec_tensor {
    char name[ASSAY_NAME_MAX];
    int rank;
    char shape[ASSAY_MAX_RANK][16]; /* a dimension name or a number, in text */
    char distribution[16];          /* "normal" or "uniform" (inputs only) */
} opspec_tensor;

typedef struct opspec_param {
    assay_param value; /* name, type and default */
    int choice_count;  /* ASSAY_PARAM_TEXT: allowed values */
    char choices[8][ASSAY_NAME_MAX];
    int has_range; /* ASSAY_PARAM_REAL: values from min to max are allowed, and verify draws some */
    double min, max;
} opspec_param;

/* The error of the arithmetic: atol + rtol |ref| + stol * scale; scale as in assay_op_impl.reference (0 where the op has none). The rounding
 * of the result to its dtype comes on top (verify/compare.h). rms * scale: the root of its mean square over many elements; 0: not known. */
typedef struct opspec_tolerance {
    double atol, rtol, stol, rms;
} opspec_tolerance;

/* An extra problem for the correctness run: dimensions, or shapes input by input, and parameter overrides. An edge case, or a huge
 * case: one with more than 2^31 elements in a tensor. */
typedef struct opspec_edge {
    char name[ASSAY_NAME_MAX];
    opspec_dims dims;
    int has_shapes;
    assay_tensor shapes[ASSAY_MAX_TENSORS]; /* rank and shape only */
    int param_count;
    assay_param params[ASSAY_MAX_PARAMS];
    char special
        [ASSAY_NAME_MAX]; /* "", or a pattern of special values put into the inputs: see verify/inputs.h */
    unsigned dtype_mask;  /* as in opspec_size */
    int once;             /* 1: a single run, for what the launch itself shows */
    char variants[160];   /* list of the variants whose code paths the case is for; "": all */
    int extra; /* 0: required of every kernel; else 1 + the index of the extra that it belongs to */
} opspec_edge;

/* Edge cases that a right kernel may fail, by what they ask beyond the definition: run and reported for every kernel, required only of
 * those that claim the extra. */
typedef struct opspec_extra {
    char name[ASSAY_NAME_MAX], about[320];
    int claim_count;
    char claimed_by[OPSPEC_MAX_CLAIMS][ASSAY_NAME_MAX]; /* variants of the tree */
} opspec_extra;

typedef struct opspec_tunable {
    char name[ASSAY_NAME_MAX];
    int at_run_time; /* 1: the kernel may also take it from a table by the shape (include/assay/tuned.h) */
    int64_t def;
    int value_count;
    int64_t values[OPSPEC_MAX_VALUES];
} opspec_tunable;
typedef struct opspec_variant_tunables {
    char variant[ASSAY_NAME_MAX];
    int count;
    opspec_tunable tunables[OPSPEC_MAX_TUNABLES];
    int constraint_count;
    char constraints[OPSPEC_MAX_CONSTRAINTS][128];
    const char *file; /* that values and constraints come from, borrowed; NULL: op.json */
} opspec_variant_tunables;

/* A variant that is for some of the op's dtypes only. */
typedef struct opspec_variant_dtypes {
    char variant[ASSAY_NAME_MAX];
    unsigned dtype_mask; /* as in opspec_size */
} opspec_variant_dtypes;

typedef struct opspec {
    char name[ASSAY_NAME_MAX], family[ASSAY_NAME_MAX], torch[128], formula[256];
    char complexity[512], access[1024]; /* prose for the log's first phase */
    char directory[4096];               /* the op's folder */
    int dtype_count;
    assay_dtype dtypes[ASSAY_DTYPE_COUNT];
    int input_count, output_count, param_count, size_count, edge_count, huge_count, extra_count,
        baseline_count, tunables_count, variant_dtypes_count;
    opspec_tensor inputs[ASSAY_MAX_TENSORS], outputs[ASSAY_MAX_TENSORS];
    opspec_param params[ASSAY_MAX_PARAMS];
    opspec_size sizes[OPSPEC_MAX_SIZES + OPSPEC_MAX_SHAPES];
    opspec_tolerance tolerances[ASSAY_DTYPE_COUNT]; /* indexed by assay_dtype */
    opspec_edge edges[OPSPEC_MAX_EDGES];
    opspec_edge huge_cases[OPSPEC_MAX_HUGE];
    opspec_extra extras[OPSPEC_MAX_EXTRAS];
    char baselines[OPSPEC_MAX_BASELINES][ASSAY_NAME_MAX];
    opspec_variant_tunables tunables[OPSPEC_MAX_VARIANT_TUNABLES];
    opspec_variant_dtypes variant_dtypes[OPSPEC_MAX_VARIANT_DTYPES];
    struct opspec_sweep
        *sweep; /* owned: how shapes are drawn (core/opspec_sweep.h); NULL where op.json says nothing of it */
} opspec;

/* Load and check DIRECTORY/op.json. On success *spec is malloc'ed; free with opspec_free. The error names file, key and
 * allowed values. */
assay_status opspec_load(const char *directory, opspec **spec, assay_error *error);
void opspec_free(opspec *spec);

const opspec_size *opspec_find_size(const opspec *spec, const char *name);
/* 1 if the variant claims the extra. */
int opspec_claims(const opspec_extra *extra, const char *variant);
/* 1 if the op has the case (dtype, size); size may be "edge" or "huge". */
int opspec_has_case(const opspec *spec, assay_dtype dtype, const char *size);
int opspec_has_dtype(const opspec *spec, assay_dtype dtype);
/* 1 if a kernel of this dtype runs the case: all do but variants of the tree that its "variants" leave out. `variant` NULL: a kernel
 * from outside the tree. */
int opspec_edge_applies(const opspec_edge *edge, assay_dtype dtype, const char *variant);

/* 1 if the op has the dtype and the variant is for it: "variant_dtypes" of op.json, all dtypes where a variant is not in it. */
int opspec_variant_has_dtype(const opspec *spec, const char *variant, assay_dtype dtype);
const opspec_variant_tunables *opspec_find_tunables(const opspec *spec, const char *variant);

/* Build a problem (shapes, dtypes and parameters; data pointers NULL) for given dimensions. `edge` may be NULL. A dimension
 * that has an integer parameter's name sets that parameter, unless the dimensions' own parameters or `edge` do. Output shapes come from impl->infer. */
assay_status opspec_build_problem(const opspec *spec, const assay_op_impl *impl, assay_dtype dtype,
                                  const opspec_dims *dims, const opspec_edge *edge, assay_problem *problem,
                                  assay_error *error);

/* A shape: a problem that op.json does not list, as one more size of the op. `dims` is "M=777,N=4096,K=4096", with every dimension of the op;
 * `params` (may be NULL) is "causal=true,scale=0.5". *shape, a new reference, is as a size of op.json; it is not checked against the op's
 * bounds yet. */
assay_status opspec_parse_shape(const opspec *spec, const char *dims, const char *params, json_t **shape,
                                assay_error *error);
/* Add it, unless it is there, by the rules of a size in op.json. The name has the values: "M=777+N=4096+K=4096"; *size is the op's. */
assay_status opspec_add_shape(opspec *spec, const json_t *shape, const opspec_size **size,
                              assay_error *error);
/* Take all shapes away again. */
void opspec_forget_shapes(opspec *spec);
/* 1 if the name is a shape's. */
int opspec_is_shape(const char *size);
/* The reverse of opspec_add_shape(). New reference. */
json_t *opspec_shape_json(const opspec_size *size);

/* The dimensions of a size on a device kind ("cpu" and "ptx", which take the smaller ones, or "cuda"). */
const opspec_dims *opspec_size_dims(const opspec_size *size, const char *device_kind);

#ifdef __cplusplus
}
#endif
#endif
