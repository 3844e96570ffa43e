/* Reference of `matmul` in double, its shapes, its cost, and the checks for sizes at which the reference
 * is too slow. */
#include "../common/reference_product.h"
#include "matmul.h"
#include <assay/op.h>
#include <assay/random.h>

enum {
    CHUNK_K = 512,
    CHUNK_ROWS = 64
}; /* elements of K and rows of c that are handled at a time, on the stack */

/* What is multiplied: a problem without a batch is one of a single product. */
static int64_t batch_of(const assay_problem *problem)
{
    return assay_problem_integer(problem, "batch");
}

static void drop_batch(assay_tensor *tensor)
{
    if (tensor->rank == 3)
        memmove(tensor->shape, tensor->shape + 1, sizeof tensor->shape - sizeof tensor->shape[0]),
            tensor->rank = 2;
}

/* One product of the batch; tensors still begin at the first one's. */
static assay_problem product_of(const assay_problem *problem)
{
    assay_problem product = *problem;
    drop_batch(&product.inputs[0]);
    drop_batch(&product.inputs[1]);
    drop_batch(&product.outputs[0]);
    return product;
}

static shape product_shape(const assay_problem *problem)
{
    const assay_problem product = product_of(problem);
    return shape_of(&product);
}

/* Elements of each matrix of an input, what lies behind its rows included. */
static int64_t matrix_of(const assay_problem *problem, int input)
{
    const int64_t batch = batch_of(problem);
    return batch > 0 ? assay_tensor_count(&problem->inputs[input]) / batch : 0;
}

static assay_status check_padding(const assay_problem *problem, assay_error *error)
{
    static const char *const names[] = {"padding_a", "padding_b"};
    for (int i = 0; i < 2; i++) {
        const assay_tensor *input = &problem->inputs[i];
        const int64_t padding = padding_of(problem, names[i]),
                      row = input->rank > 0 ? input->shape[input->rank - 1] : 0;
        if (padding < 0 || padding > row)
            return assay_error_set(error, ASSAY_ERR_INVALID,
                                   "matmul: %s is %lld; allowed: 0 to %lld, a row as it lies", names[i],
                                   (long long)padding, (long long)row);
    }
    return ASSAY_OK;
}

static assay_status check_batch(const assay_problem *problem, assay_error *error)
{
    const assay_tensor *a = &problem->inputs[0], *b = &problem->inputs[1];
    const long long batch = (long long)batch_of(problem);
    if (a->rank != b->rank)
        return assay_error_set(error, ASSAY_ERR_INVALID, "matmul: a and b must be of one rank, not %d and %d",
                               (int)a->rank, (int)b->rank);
    if (batch < 0 || (a->rank != 3 && batch != 1) ||
        (a->rank == 3 && (a->shape[0] != batch || b->shape[0] != batch)))
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "matmul: batch is %lld, for which a and b must have %lld matrices each", batch,
                               batch);
    return ASSAY_OK;
}

static assay_status infer(const assay_problem *problem, assay_tensor *outputs, assay_error *error)
{
    const assay_problem product = product_of(problem);
    assay_status status = check_batch(problem, error);
    if (status == ASSAY_OK)
        status = check_padding(problem, error);
    if (status == ASSAY_OK)
        status = infer_product(&product, "matmul", &outputs[0], error);
    if (status == ASSAY_OK && problem->inputs[0].rank == 3) {
        assay_tensor *c = &outputs[0];
        c->rank = 3;
        c->shape[2] = c->shape[1], c->shape[1] = c->shape[0], c->shape[0] = batch_of(problem);
    }
    return status;
}

static matmul_args args_of(const assay_problem *problem)
{
    const shape s = product_shape(problem);
    return (matmul_args){
        .a = problem->inputs[0].data,
        .b = problem->inputs[1].data,
        .c = problem->outputs[0].data,
        .m = batch_of(problem) > 0 ? s.m : 0, /* a kernel that knows no batches has nothing to write then */
        .n = s.n,
        .k = s.k,
        .transpose_a = s.transpose_a,
        .transpose_b = s.transpose_b,
        .workspace = problem->workspace,
        .workspace_bytes = problem->workspace_bytes,
        .batch = batch_of(problem),
        .padding_a = padding_of(problem, "padding_a"),
        .padding_b = padding_of(problem, "padding_b"),
    };
}

static assay_status bind(const assay_problem *problem, void *args)
{
    *(matmul_args *)args = args_of(problem);
    return ASSAY_OK;
}

/* `count` rows of product number `product`, by their numbers in it; `rows` NULL: the first ones. */
static void multiply_in(const assay_problem *problem, int64_t product, const int64_t *rows, int64_t count,
                        double *ref, double *scale)
{
    const shape s = product_shape(problem);
    const float *a = (const float *)problem->inputs[0].data + product * matrix_of(problem, 0),
                *b = (const float *)problem->inputs[1].data + product * matrix_of(problem, 1);
    multiply_rows(a, b, s, rows, count, ref, 0);
    if (scale)
        multiply_rows(a, b, s, rows, count, scale, 1);
}

/* Rows are counted over all products. Those that follow each other in one product are multiplied together. */
static assay_status reference_rows(const assay_problem *problem, const int64_t *rows, int64_t count,
                                   double *ref, double *scale)
{
    const shape s = product_shape(problem);
    for (int64_t first = 0; first < count;) {
        int64_t of_product[CHUNK_ROWS], found = 0;
        const int64_t product = rows[first] / s.m;
        for (; found < CHUNK_ROWS && first + found < count && rows[first + found] / s.m == product; found++)
            of_product[found] = rows[first + found] % s.m;
        multiply_in(problem, product, of_product, found, ref + first * s.n,
                    scale ? scale + first * s.n : NULL);
        first += found;
    }
    return ASSAY_OK;
}

static assay_status reference(const assay_problem *problem, double *scale)
{
    const shape s = product_shape(problem);
    double *ref = problem->outputs[0].data;
    for (int64_t product = 0; product < batch_of(problem); product++) {
        const int64_t at = product * s.m * s.n;
        multiply_in(problem, product, NULL, s.m, ref + at, scale ? scale + at : NULL);
    }
    return ASSAY_OK;
}

/* Freivalds: with x a vector of random signs, C x must equal A (B x) in every row. A wrong row escapes
 * with probability at most 1/2 for each seed, and errors that are not tiny against the row's magnitude
 * practically never do. */
static void product_residual(const shape *of, const float *a, const float *b, const float *c, uint64_t seed,
                             double *difference, double *magnitude)
{
    const shape s = *of;
    for (int64_t i = 0; i < s.m; i++) {
        difference[i] = magnitude[i] = 0.0;
        for (int64_t j = 0; j < s.n; j++)
            difference[i] += assay_random_sign(seed, j) * (double)c[i * s.n + j];
    }
    for (int64_t k0 = 0; k0 < s.k; k0 += CHUNK_K) {
        double bx[CHUNK_K], b_sum[CHUNK_K]; /* B x and |B| 1 for these rows of b */
        const int64_t depth = min_of(CHUNK_K, s.k - k0);
        for (int64_t k = 0; k < depth; k++) {
            bx[k] = b_sum[k] = 0.0;
            for (int64_t j = 0; j < s.n; j++) {
                const double element = (double)b[at_b(&s, k0 + k, j)];
                bx[k] += assay_random_sign(seed, j) * element;
                b_sum[k] += fabs(element);
            }
        }
        for (int64_t i = 0; i < s.m; i++)
            for (int64_t k = 0; k < depth; k++) {
                const double element = (double)a[at_a(&s, i, k0 + k)];
                difference[i] -= element * bx[k];
                magnitude[i] += fabs(element) * b_sum[k];
            }
    }
    for (int64_t i = 0; i < s.m; i++)
        difference[i] = fabs(difference[i]);
}

static assay_status residual(const assay_problem *problem, uint64_t seed, double *difference,
                             double *magnitude)
{
    const shape s = product_shape(problem);
    const float *a = problem->inputs[0].data, *b = problem->inputs[1].data, *c = problem->outputs[0].data;
    for (int64_t i = 0; i < batch_of(problem); i++)
        product_residual(&s, a + i * matrix_of(problem, 0), b + i * matrix_of(problem, 1), c + i * s.m * s.n,
                         seed, difference + i * s.m, magnitude + i * s.m);
    return ASSAY_OK;
}

static double flops(const assay_problem *problem)
{
    const shape s = product_shape(problem);
    return 2.0 * (double)batch_of(problem) * (double)s.m * (double)s.n * (double)s.k;
}

static double bytes(const assay_problem *problem)
{
    const shape s = product_shape(problem);
    const double m = (double)s.m, n = (double)s.n, k = (double)s.k;
    return (double)batch_of(problem) * (m * k + k * n + m * n) * (double)assay_dtype_bytes(problem->dtype);
}

static int64_t workspace_bytes(const assay_problem *problem)
{
    const matmul_args args = args_of(problem);
    if (problem->dtype == ASSAY_TF32) { /* multiplied as it lies, but for a transposed a */
        const matmul_args part = matmul_first_products(&args, 4);
        return matmul_transposed_bytes(&part, 4) + matmul_partial_bytes(part.batch, part.m, part.n, part.k);
    }
    return matmul_workspace_bytes(&args, (int64_t)assay_dtype_bytes(problem->dtype));
}

const assay_op_impl *assay_op_get(void)
{
    static const assay_op_impl impl = {
        .abi = ASSAY_OP_ABI,
        .name = "matmul",
        .args_bytes = sizeof(matmul_args),
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
