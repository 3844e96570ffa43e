/* Reference of `conv2d` in double, and its cost. */
#include "conv2d.h"
#include "residual.h"
#include "view.h"
#include <assay/op.h>
#include <math.h>

/* Places that a filter fits into along an axis, 0 if none. */
static int64_t places(int64_t extent, int64_t taps, int64_t stride, int64_t padding, int64_t dilation)
{
    const int64_t room = extent + 2 * padding - dilation * (taps - 1) - 1;
    return room < 0 ? 0 : room / stride + 1;
}

static int64_t rows_of(const conv2d_args *a)
{
    return places(a->h, a->r, a->stride, a->padding, a->dilation);
}

static int64_t columns_of(const conv2d_args *a)
{
    return places(a->w, a->s, a->stride_w, a->padding_w, a->dilation_w);
}

static assay_status infer(const assay_problem *problem, assay_tensor *outputs, assay_error *error)
{
    const assay_tensor *x = &problem->inputs[0], *weight = &problem->inputs[1], *bias = &problem->inputs[2];
    if (x->rank != 4 || weight->rank != 4 || bias->rank != 1)
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "conv2d: x, weight and bias must have ranks 4, 4 and 1, not %d, %d and %d",
                               (int)x->rank, (int)weight->rank, (int)bias->rank);
    const conv2d_args a = view(problem);
    if (a.stride < 1 || a.padding < 0 || a.dilation < 1 || a.groups < 1)
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "conv2d: stride, dilation and groups must be 1 or more and padding 0 or more");
    if (a.stride_w < 1 || a.padding_w < 0 || a.dilation_w < 1)
        return assay_error_set(
            error, ASSAY_ERR_INVALID,
            "conv2d: stride_w and dilation_w must be 1 or more and padding_w 0 or more, or "
            "-1, as along h");
    if (a.channels_last != 0 && a.channels_last != 1)
        return assay_error_set(error, ASSAY_ERR_INVALID, "conv2d: channels_last must be 0 or 1, not %lld",
                               (long long)a.channels_last);
    const axes axis = axes_of(a.channels_last);
    if (a.k % a.groups != 0 || weight->shape[axis.c] * a.groups != a.c || bias->shape[0] != a.k)
        return assay_error_set(
            error, ASSAY_ERR_INVALID,
            "conv2d: %lld groups need weight %s with c = %lld and bias [k], k a multiple of groups",
            (long long)a.groups, a.channels_last ? "[k, r, s, c / groups]" : "[k, c / groups, r, s]",
            (long long)a.c);
    if (a.r < 1 || a.s < 1 || rows_of(&a) < 1 || columns_of(&a) < 1)
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "conv2d: the filter is empty or larger than the padded image");
    outputs[0].dtype = x->dtype;
    outputs[0].rank = 4;
    outputs[0].shape[0] = a.n;
    outputs[0].shape[axis.c] = a.k;
    outputs[0].shape[axis.h] = rows_of(&a);
    outputs[0].shape[axis.w] = columns_of(&a);
    return ASSAY_OK;
}

static assay_status bind(const assay_problem *problem, void *args)
{
    *(conv2d_args *)args = view(problem);
    return ASSAY_OK;
}

/* out[q] += weight * x along one tap of one output row; `row` is NULL above and below the image. */
static void add_tap(const conv2d_args *a, const float *row, int64_t s, double weight, double *out)
{
    int64_t first, end;
    inside_range(a, s, &first, &end);
    if (row == NULL)
        first = end = a->q;
    if (!isfinite(weight)) /* padding takes part: 0 * inf is NaN */
        for (int64_t q = 0; q < a->q; q++)
            out[q] += q >= first && q < end ? 0.0 : 0.0 * weight;
    for (int64_t q = first; q < end; q++)
        out[q] += weight * (double)row[q * a->stride_w + s * a->dilation_w - a->padding_w];
}

static void add_tap_magnitude(const conv2d_args *a, const float *row, int64_t s, double weight, double *scale)
{
    int64_t first, end;
    inside_range(a, s, &first, &end);
    for (int64_t q = first; row != NULL && q < end; q++)
        scale[q] += fabs(weight * (double)row[q * a->stride_w + s * a->dilation_w - a->padding_w]);
}

/* One row of the output: index (n * k + channel) * p + line. */
static void reference_row(const conv2d_args *a, int64_t row, double *out, double *scale)
{
    const int64_t p = row % a->p, k = row / a->p % a->k, n = row / a->p / a->k;
    const int64_t inputs = a->c / a->groups, first_c = k / (a->k / a->groups) * inputs;
    const float *weight = (const float *)a->weight + k * inputs * a->r * a->s;
    const double bias = (double)((const float *)a->bias)[k];
    for (int64_t q = 0; q < a->q; q++) {
        out[q] = bias;
        if (scale)
            scale[q] = fabs(bias);
    }
    for (int64_t c = 0; c < inputs; c++)
        for (int64_t r = 0; r < a->r; r++) {
            const float *line = image_row(a, n, first_c + c, p * a->stride - a->padding + r * a->dilation);
            for (int64_t s = 0; s < a->s; s++, weight++) {
                add_tap(a, line, s, (double)*weight, out);
                if (scale)
                    add_tap_magnitude(a, line, s, (double)*weight, scale);
            }
        }
}

/* One row of the output, channels last: all channels of a place. */
static void reference_place(const conv2d_args *a, int64_t place, double *out, double *scale)
{
    const int64_t inputs = a->c / a->groups, outputs = a->k / a->groups;
    const float *weight = a->weight;
    for (int64_t k = 0; k < a->k; k++) {
        double sum = (double)((const float *)a->bias)[k], size = fabs(sum);
        for (int64_t tap = 0; tap < a->r * a->s; tap++, weight += inputs) {
            const float *from = seen_pixel(a, place, tap);
            for (int64_t c = 0; c < inputs; c++) {
                const double x = from ? (double)from[k / outputs * inputs + c] : 0.0; /* padding takes part */
                sum += (double)weight[c] * x;
                size += from ? fabs((double)weight[c] * x) : 0.0;
            }
        }
        out[k] = sum;
        if (scale)
            scale[k] = size;
    }
}

/* A row is what runs along the last axis of out. */
static int64_t row_length(const conv2d_args *a)
{
    return a->channels_last ? a->k : a->q;
}

static void reference_any(const conv2d_args *a, int64_t row, double *out, double *scale)
{
    if (a->channels_last)
        reference_place(a, row, out, scale);
    else
        reference_row(a, row, out, scale);
}

static assay_status reference_rows(const assay_problem *problem, const int64_t *rows, int64_t count,
                                   double *ref, double *scale)
{
    const conv2d_args a = view(problem);
    const int64_t n = row_length(&a);
    for (int64_t i = 0; i < count; i++)
        reference_any(&a, rows[i], ref + i * n, scale ? scale + i * n : NULL);
    return ASSAY_OK;
}

static assay_status reference(const assay_problem *problem, double *scale)
{
    const conv2d_args a = view(problem);
    const int64_t n = row_length(&a);
    double *out = problem->outputs[0].data;
    for (int64_t row = 0; row < row_count(&a); row++)
        reference_any(&a, row, out + row * n, scale ? scale + row * n : NULL);
    return ASSAY_OK;
}

static double flops(const assay_problem *problem)
{
    const conv2d_args a = view(problem);
    return 2.0 * (double)assay_tensor_count(&problem->outputs[0]) * (double)(a.c / a.groups) *
           (double)(a.r * a.s);
}

static double bytes(const assay_problem *problem)
{
    double count = (double)assay_tensor_count(&problem->outputs[0]);
    for (int32_t i = 0; i < problem->input_count; i++)
        count += (double)assay_tensor_count(&problem->inputs[i]);
    return count * (double)assay_dtype_bytes(problem->dtype);
}

static int64_t workspace_bytes(const assay_problem *problem)
{
    const conv2d_args a = view(problem);
    return conv2d_workspace_bytes(&a, (int64_t)assay_dtype_bytes(problem->dtype));
}

const assay_op_impl *assay_op_get(void)
{
    static const assay_op_impl impl = {
        .abi = ASSAY_OP_ABI,
        .name = "conv2d",
        .args_bytes = sizeof(conv2d_args),
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
