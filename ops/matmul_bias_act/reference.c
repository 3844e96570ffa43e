/* Reference of `matmul_bias_act` in double, its shapes, its cost, and the checks for sizes at which the
 * reference is too slow. */
#include "../common/reference_product.h"
#include "../matmul/matmul.h" /* for the workspace of its kernels, which are this op's step 4 */
#include "matmul_bias_act.h"
#include <assay/op.h>
#include <assay/random.h>

enum {
    PATCH = 64,       /* residual() looks at one element in each PATCH columns of */
    SPREAD = 16,      /* each SPREAD rows */
    SAMPLE_ROWS = 64, /* rows (a multiple of 4) and */
    SAMPLE_K = 512    /* elements of K that it handles at a time, on its stack */
};

static const char *const activations[] = {
    [MATMUL_BIAS_ACT_NONE] = "none",
    [MATMUL_BIAS_ACT_RELU] = "relu",
    [MATMUL_BIAS_ACT_LEAKY_RELU] = "leaky_relu",
    [MATMUL_BIAS_ACT_GELU] = "gelu",
};
enum { ACTIVATION_COUNT = sizeof activations / sizeof *activations };

/* ACTIVATION_COUNT if the name is not known. */
static int activation_of(const assay_problem *problem)
{
    const char *name = assay_problem_text(problem, "activation");
    int i = 0;
    while (i < ACTIVATION_COUNT && strcmp(name, activations[i]) != 0)
        i++;
    return i;
}

static assay_status infer(const assay_problem *problem, assay_tensor *outputs, assay_error *error)
{
    const assay_tensor *bias = &problem->inputs[2];
    const assay_status status = infer_product(problem, "matmul_bias_act", &outputs[0], error);
    if (status != ASSAY_OK)
        return status;
    if (bias->rank != 1)
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "matmul_bias_act: bias must be a vector, not of rank %d", (int)bias->rank);
    if (bias->shape[0] != outputs[0].shape[1])
        return assay_error_set(
            error, ASSAY_ERR_INVALID,
            "matmul_bias_act: bias has %lld elements, b has %lld columns; the two must be equal",
            (long long)bias->shape[0], (long long)outputs[0].shape[1]);
    if (activation_of(problem) == ACTIVATION_COUNT)
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "matmul_bias_act: activation is \"%s\"; allowed: none, relu, leaky_relu, gelu",
                               assay_problem_text(problem, "activation"));
    return ASSAY_OK;
}

static assay_status bind(const assay_problem *problem, void *args)
{
    const shape s = shape_of(problem);
    *(matmul_bias_act_args *)args = (matmul_bias_act_args){
        .a = problem->inputs[0].data,
        .b = problem->inputs[1].data,
        .bias = problem->inputs[2].data,
        .out = problem->outputs[0].data,
        .m = s.m,
        .n = s.n,
        .k = s.k,
        .transpose_a = s.transpose_a,
        .transpose_b = s.transpose_b,
        .activation = activation_of(problem),
        .negative_slope = (float)assay_problem_real(problem, "negative_slope"),
        .workspace = problem->workspace,
        .workspace_bytes = problem->workspace_bytes,
    };
    return ASSAY_OK;
}

/* -inf * 0 is NaN in gelu, as in torch; the comparisons let a NaN through. erfc keeps its digits where 1 +
 * erf cancels. */
static double activate(const assay_problem *problem, double x)
{
    switch (activation_of(problem)) {
    case MATMUL_BIAS_ACT_RELU:
        return x < 0.0 ? 0.0 : x;
    case MATMUL_BIAS_ACT_LEAKY_RELU:
        return x < 0.0 ? x * assay_problem_real(problem, "negative_slope") : x;
    case MATMUL_BIAS_ACT_GELU:
        return x * 0.5 * erfc(-x * 0.70710678118654752440);
    default:
        return x;
    }
}

/* How much an activation can enlarge an error of its argument. The slope of gelu is at most 1.13; that
 * much is left to the tolerances. */
static double steepness(const assay_problem *problem)
{
    const double slope = fabs(assay_problem_real(problem, "negative_slope"));
    return activation_of(problem) == MATMUL_BIAS_ACT_LEAKY_RELU && slope > 1.0 ? slope : 1.0;
}

static assay_status reference_rows(const assay_problem *problem, const int64_t *rows, int64_t count,
                                   double *ref, double *scale)
{
    const float *a = problem->inputs[0].data, *b = problem->inputs[1].data, *bias = problem->inputs[2].data;
    const shape s = shape_of(problem);
    const double factor = steepness(problem);
    multiply_rows(a, b, s, rows, count, ref, 0);
    if (scale)
        multiply_rows(a, b, s, rows, count, scale, 1);
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = 0; j < s.n; j++) {
            const int64_t at = i * s.n + j;
            const double biased = ref[at] + (double)bias[j];
            ref[at] = activate(problem, biased);
            if (scale)
                scale[at] = factor * (scale[at] + fabs((double)bias[j]));
            if (scale && isinf(biased) && isfinite(ref[at]))
                scale[at] = 0.0; /* relu of -infinity is 0 and nothing else, however large the terms */
        }
    return ASSAY_OK;
}

static assay_status reference(const assay_problem *problem, double *scale)
{
    return reference_rows(problem, NULL, shape_of(problem).m, problem->outputs[0].data, scale);
}

/* magnitude[i] = sum over j of scale_ij = (|A| (|B| 1))_i + |bias| 1, without the steepness. */
static void sum_magnitudes(const assay_problem *problem, double *magnitude)
{
    const shape s = shape_of(problem);
    const float *a = problem->inputs[0].data, *b = problem->inputs[1].data, *bias = problem->inputs[2].data;
    double of_bias = 0.0;
    for (int64_t j = 0; j < s.n; j++)
        of_bias += fabs((double)bias[j]);
    for (int64_t i = 0; i < s.m; i++)
        magnitude[i] = of_bias;
    for (int64_t first = 0; first < s.k; first += SAMPLE_K) {
        const int64_t depth = min_of(SAMPLE_K, s.k - first);
        double sums[SAMPLE_K] = {0};
        for (int64_t k = 0; k < depth; k++)
            for (int64_t j = 0; j < s.n; j++)
                sums[k] += fabs((double)b[at_b(&s, first + k, j)]);
        for (int64_t i = 0; i < s.m; i++)
            for (int64_t k = 0; k < depth; k++)
                magnitude[i] += fabs((double)a[at_a(&s, i, first + k)]) * sums[k];
    }
}

/* sums[r] = the product's element at row first + r * step and column `column`, for r < count <=
 * SAMPLE_ROWS. Rows are handled by fours, whose additions do not wait for each other; a short last group
 * repeats its last row. */
static void sum_sampled(const assay_problem *problem, int64_t first, int64_t step, int64_t count,
                        int64_t column, double sums[SAMPLE_ROWS])
{
    const shape s = shape_of(problem);
    const float *a = problem->inputs[0].data, *b = problem->inputs[1].data;
    const int64_t step_k = s.transpose_a ? s.m : 1;
    for (int64_t r = 0; r < SAMPLE_ROWS; r++)
        sums[r] = 0.0;
    for (int64_t k0 = 0; k0 < s.k; k0 += SAMPLE_K) {
        const int64_t depth = min_of(SAMPLE_K, s.k - k0);
        double part[SAMPLE_K];
        for (int64_t k = 0; k < depth; k++)
            part[k] = (double)b[at_b(&s, k0 + k, column)];
        for (int64_t r = 0; r < count; r += 4) {
            const float *rows[4];
            double four[4] = {0};
            for (int q = 0; q < 4; q++)
                rows[q] = a + at_a(&s, first + min_of(r + q, count - 1) * step, k0);
            for (int64_t k = 0; k < depth; k++)
                for (int q = 0; q < 4; q++)
                    four[q] += (double)rows[q][k * step_k] * part[k];
            for (int q = 0; q < 4; q++)
                sums[r + q] += four[q];
        }
    }
}

/* With an activation the output is not linear in b, and Freivalds' method does not apply as it stands.
 * Here the random vector x is sparse, another for every row, so that the few elements it selects can be
 * computed: in each SPREAD x PATCH of the output one. A column is drawn from each PATCH columns; row i
 * takes those of group i modulo the number of groups, which is at most SPREAD. The selected x_j are
 * +-sqrt(n / selected), so that sum_j x_j^2 b_ij^2 is about ||b_i||^2 as with random signs everywhere, and
 * so is the threshold. A tile that is missing or misplaced meets several of them. */
static assay_status residual(const assay_problem *problem, uint64_t seed, double *difference,
                             double *magnitude)
{
    const shape s = shape_of(problem);
    const float *bias = problem->inputs[2].data, *out = problem->outputs[0].data;
    const int64_t patches = (s.n + PATCH - 1) / PATCH, group_size = (patches + SPREAD - 1) / SPREAD;
    const int64_t groups = group_size ? (patches + group_size - 1) / group_size : 0;
    const double factor = steepness(problem);
    sum_magnitudes(problem, magnitude);
    for (int64_t i = 0; i < s.m; i++) {
        difference[i] = 0.0;
        magnitude[i] *= factor;
    }
    for (int64_t patch = 0; patch < patches; patch++) {
        const int64_t group = patch / group_size, width = min_of(PATCH, s.n - patch * PATCH);
        const uint64_t random = assay_random_bits(seed, patch);
        const int64_t column = patch * PATCH + (int64_t)(random % (uint64_t)width);
        const int64_t selected = min_of(group_size, patches - group * group_size);
        const double x = (random >> 63 ? -1.0 : 1.0) * sqrt((double)s.n / (double)selected);
        for (int64_t first = group; first < s.m; first += groups * SAMPLE_ROWS) {
            const int64_t count = min_of(SAMPLE_ROWS, (s.m - first + groups - 1) / groups);
            double sums[SAMPLE_ROWS];
            sum_sampled(problem, first, groups, count, column, sums);
            for (int64_t r = 0; r < count; r++) {
                const int64_t i = first + r * groups;
                difference[i] +=
                    x * ((double)out[i * s.n + column] - activate(problem, sums[r] + (double)bias[column]));
            }
        }
    }
    for (int64_t i = 0; i < s.m; i++)
        difference[i] = fabs(difference[i]);
    return ASSAY_OK;
}

/* An erf counts as one operation: scale, erf, add, halve, multiply. */
static double flops(const assay_problem *problem)
{
    static const double of_activation[] = {0.0, 1.0, 2.0, 5.0};
    const shape s = shape_of(problem);
    const int activation = activation_of(problem);
    const double extra = 1.0 + (activation < ACTIVATION_COUNT ? of_activation[activation] : 0.0);
    return (2.0 * (double)s.k + extra) * (double)s.m * (double)s.n;
}

static double bytes(const assay_problem *problem)
{
    const shape s = shape_of(problem);
    const double m = (double)s.m, n = (double)s.n, k = (double)s.k;
    return (m * k + k * n + n + m * n) * (double)assay_dtype_bytes(problem->dtype);
}

static int64_t workspace_bytes(const assay_problem *problem)
{
    const shape s = shape_of(problem);
    const matmul_args product = {
        .m = s.m, .n = s.n, .k = s.k, .transpose_a = s.transpose_a, .transpose_b = s.transpose_b, .batch = 1};
    return matmul_workspace_bytes(&product, (int64_t)assay_dtype_bytes(problem->dtype));
}

const assay_op_impl *assay_op_get(void)
{
    static const assay_op_impl impl = {
        .abi = ASSAY_OP_ABI,
        .name = "matmul_bias_act",
        .args_bytes = sizeof(matmul_bias_act_args),
        .infer = infer,
        .bind = bind,
        .reference = reference,
        .has_scale = 1,
        .flops = flops,
        .bytes = bytes,
        .workspace_bytes = workspace_bytes,
        .reference_rows = reference_rows,
        .residual = residual,
    };
    return &impl;
}
