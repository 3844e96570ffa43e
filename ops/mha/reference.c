/* Reference of `mha` in double, and its cost. */
#include "mha.h"
#include "residual.h"
#include "rows.h"
#include <assay/op.h>
#include <math.h>

static assay_status infer(const assay_problem *problem, assay_tensor *outputs, assay_error *error)
{
    const assay_tensor *q = &problem->inputs[0], *k = &problem->inputs[1], *v = &problem->inputs[2];
    if (q->rank != 4 || k->rank != 4 || v->rank != 4)
        return assay_error_set(
            error, ASSAY_ERR_INVALID,
            "mha: q, k and v must have rank 4 (batch, heads, length, dim), not %d, %d and %d", (int)q->rank,
            (int)k->rank, (int)v->rank);
    if (memcmp(k->shape, v->shape, 4 * sizeof k->shape[0]) != 0)
        return assay_error_set(error, ASSAY_ERR_INVALID, "mha: k and v must have the same shape");
    for (int i = 0; i < 4; i += 3)
        if (q->shape[i] != k->shape[i])
            return assay_error_set(
                error, ASSAY_ERR_INVALID,
                "mha: q and k may differ in heads and length only, but dimension %d is %lld and %lld", i,
                (long long)q->shape[i], (long long)k->shape[i]);
    const int64_t group = assay_problem_integer(problem, "group_size");
    if (group < 1 || q->shape[1] % group != 0 || k->shape[1] != q->shape[1] / group)
        return assay_error_set(
            error, ASSAY_ERR_INVALID,
            "mha: group_size = %lld heads share a key head, so q has %lld times the heads of k; they have "
            "%lld and %lld",
            (long long)group, (long long)group, (long long)q->shape[1], (long long)k->shape[1]);
    const int64_t padding = assay_problem_integer(problem, "key_padding");
    if (padding < 0 || padding > k->shape[2])
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "mha: key_padding is %lld; allowed: 0 to %lld, the rows of a head of k",
                               (long long)padding, (long long)k->shape[2]);
    outputs[0] = *q;
    return ASSAY_OK;
}

static assay_status bind(const assay_problem *problem, void *args)
{
    const shape s = shape_of(problem);
    *(mha_args *)args = (mha_args){
        .q = problem->inputs[0].data,
        .k = problem->inputs[1].data,
        .v = problem->inputs[2].data,
        .out = problem->outputs[0].data,
        .batch = problem->inputs[0].shape[0],
        .heads = problem->inputs[0].shape[1],
        .group = assay_problem_integer(problem, "group_size"),
        .queries = s.queries,
        .keys = s.keys,
        .dim = s.dim,
        .scale = s.scale,
        .causal = s.causal,
        .causal_shift = s.causal_shift,
        .workspace = problem->workspace,
        .workspace_bytes = problem->workspace_bytes,
        .key_padding = s.key_rows - s.keys,
    };
    return ASSAY_OK;
}

/* Row `row` of the output (counted over all heads) into ref[dim], and its scale into scale[dim] unless that is NULL. */
static void compute_row(const assay_problem *problem, const shape *s, int64_t row, double *ref, double *scale)
{
    const int64_t head = row / s->queries, limit = visible_keys(s, row % s->queries);
    const float *q = (const float *)problem->inputs[0].data + row * s->dim;
    const float *k = head_rows(s, &problem->inputs[1], head), *v = head_rows(s, &problem->inputs[2], head);
    row_state state = {-INFINITY, 0.0};
    for (int64_t d = 0; d < s->dim; d++)
        ref[d] = 0.0;
    for (int64_t d = 0; d < s->dim && scale; d++)
        scale[d] = 0.0;
    for (int64_t j = 0; j < limit; j += CHUNK) {
        chunk c;
        next_chunk(s, q, k + j * s->dim, min_of(CHUNK, limit - j), scale != NULL, &state, &c);
        for (int64_t d = 0; d < s->dim; d++)
            ref[d] *= c.rescale;
        for (int64_t i = 0; i < c.count; i++)
            for (int64_t d = 0; d < s->dim; d++)
                ref[d] += c.p[i] * (double)v[(j + i) * s->dim + d];
        for (int64_t d = 0; d < s->dim && scale; d++) {
            scale[d] *= c.rescale * c.rescale;
            for (int64_t i = 0; i < c.count; i++) {
                const double term = c.weighted[i] * (double)v[(j + i) * s->dim + d];
                scale[d] += term * term;
            }
        }
    }
    for (int64_t d = 0; d < s->dim && limit > 0; d++) /* without keys the row stays zero, as torch has it */
        ref[d] /= state.sum;
    for (int64_t d = 0; d < s->dim && limit > 0 && scale; d++)
        scale[d] = sqrt(scale[d]) / state.sum;
}

static assay_status reference_rows(const assay_problem *problem, const int64_t *rows, int64_t count,
                                   double *ref, double *scale)
{
    const shape s = shape_of(problem);
    for (int64_t i = 0; i < count; i++)
        compute_row(problem, &s, rows ? rows[i] : i, ref + i * s.dim, scale ? scale + i * s.dim : NULL);
    return ASSAY_OK;
}

static assay_status reference(const assay_problem *problem, double *scale)
{
    const shape s = shape_of(problem);
    return reference_rows(problem, NULL, s.heads * s.queries, problem->outputs[0].data, scale);
}

/* Sum of the smaller of i and `keys` for i from 1 to `last`. */
static double triangle(int64_t last, int64_t keys)
{
    const double n = (double)max_of(0, min_of(last, keys)), rest = (double)max_of(0, last - keys);
    return n * (n + 1.0) / 2.0 + rest * (double)keys;
}

/* Pairs of a query and a key that it sees, in one head. */
static double visible_pairs(const shape *s)
{
    if (!s->causal)
        return (double)s->queries * (double)s->keys;
    return triangle(s->queries + s->causal_shift, s->keys) - triangle(s->causal_shift, s->keys);
}

/* The two products; the softmax is not counted, as is usual for attention. */
static double flops(const assay_problem *problem)
{
    const shape s = shape_of(problem);
    return 4.0 * (double)s.heads * visible_pairs(&s) * (double)s.dim;
}

static double bytes(const assay_problem *problem)
{
    const shape s = shape_of(problem);
    return 2.0 * ((double)s.heads * (double)s.queries + (double)(s.heads / s.group) * (double)s.keys) *
           (double)s.dim * (double)assay_dtype_bytes(problem->dtype);
}

static int64_t workspace_bytes(const assay_problem *problem)
{
    const shape s = shape_of(problem);
    const int64_t scores = mha_workspace_bytes(s.heads * s.queries, s.keys);
    const int64_t parts = problem->dtype == ASSAY_F32 ? mha_split_bytes(s.heads / s.group, s.keys, s.dim) : 0;
    return scores > parts ? scores : parts;
}

const assay_op_impl *assay_op_get(void)
{
    static const assay_op_impl impl = {
        .abi = ASSAY_OP_ABI,
        .name = "mha",
        .args_bytes = sizeof(mha_args),
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
