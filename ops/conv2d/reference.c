/* Reference of `conv2d` in double, its shapes, its cost, and the checks for sizes at which the reference is too slow. */
#include "conv2d.h"
#include <assay/op.h>
#include <math.h>
#include <stdlib.h>

/* Where channels, rows and columns are among the axes of x, weight and out. */
typedef struct axes {
    int c, h, w;
} axes;

static axes axes_of(int64_t channels_last)
{
    return channels_last ? (axes){.c = 3, .h = 1, .w = 2} : (axes){.c = 1, .h = 2, .w = 3};
}

/* What counts along w: -1 in NAME_w stands for the value along h. */
static int64_t along_w(const assay_problem *problem, const char *name, const char *name_w)
{
    const int64_t value = assay_problem_integer(problem, name_w);
    return value == -1 ? assay_problem_integer(problem, name) : value;
}

static conv2d_args view_sizes(const assay_problem *problem)
{
    const assay_tensor *x = &problem->inputs[0], *weight = &problem->inputs[1], *out = &problem->outputs[0];
    const int64_t channels_last = assay_problem_integer(problem, "channels_last");
    const axes axis = axes_of(channels_last);
    return (conv2d_args){
        .x = x->data,
        .weight = weight->data,
        .bias = problem->inputs[2].data,
        .out = out->data,
        .n = x->shape[0],
        .c = x->shape[axis.c],
        .h = x->shape[axis.h],
        .w = x->shape[axis.w],
        .k = weight->shape[0],
        .r = weight->shape[axis.h],
        .s = weight->shape[axis.w],
        .p = out->shape[axis.h],
        .q = out->shape[axis.w],
        .stride = assay_problem_integer(problem, "stride"),
        .padding = assay_problem_integer(problem, "padding"),
        .dilation = assay_problem_integer(problem, "dilation"),
        .groups = assay_problem_integer(problem, "groups"),
        .workspace = problem->workspace,
        .workspace_bytes = problem->workspace_bytes,
        .channels_last = channels_last,
        .stride_w = along_w(problem, "stride", "stride_w"),
        .padding_w = along_w(problem, "padding", "padding_w"),
        .dilation_w = along_w(problem, "dilation", "dilation_w"),
    };
}

static conv2d_args view(const assay_problem *problem)
{
    conv2d_args a = view_sizes(problem);
    a.by_direction = a.stride_w != a.stride || a.padding_w != a.padding || a.dilation_w != a.dilation;
    return a;
}

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

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

/* The q for which tap s lies inside the image: [*first, *end). */
static void inside_range(const conv2d_args *a, int64_t s, int64_t *first, int64_t *end)
{
    const int64_t at = s * a->dilation_w - a->padding_w; /* column of q = 0 */
    *first = clamp(at < 0 ? (-at + a->stride_w - 1) / a->stride_w : 0, 0, a->q);
    *end = at >= a->w ? *first : clamp((a->w - 1 - at) / a->stride_w + 1, *first, a->q);
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

/* Row h of channel c of image n; NULL outside. */
static const float *image_row(const conv2d_args *a, int64_t n, int64_t c, int64_t h)
{
    return h < 0 || h >= a->h ? NULL : (const float *)a->x + ((n * a->c + c) * a->h + h) * a->w;
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

/* The channels of pixel (h, w) of image n, channels last; NULL outside. */
static const float *pixel(const conv2d_args *a, int64_t n, int64_t h, int64_t w)
{
    const int inside = h >= 0 && h < a->h && w >= 0 && w < a->w;
    return inside ? (const float *)a->x + ((n * a->h + h) * a->w + w) * a->c : NULL;
}

/* What tap `tap` (r * s + column) of place `place` ((n * p + row) * q + column) sees. */
static const float *seen_pixel(const conv2d_args *a, int64_t place, int64_t tap)
{
    const int64_t q = place % a->q, p = place / a->q % a->p, n = place / a->q / a->p;
    return pixel(a, n, p * a->stride - a->padding + tap / a->s * a->dilation,
                 q * a->stride_w - a->padding_w + tap % a->s * a->dilation_w);
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

static int64_t row_count(const conv2d_args *a)
{
    return a->channels_last ? a->n * a->p * a->q : a->n * a->k * a->p;
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

/* +1 or -1 for index i: a bit of a 64-bit mixing function of (seed, i), so any element is known without the others. */
static double sign_of(uint64_t seed, int64_t i)
{
    uint64_t x = seed + (uint64_t)i * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
    return (x >> 63) ? -1.0 : 1.0;
}

/* The signed sum of one tap over an output row, the same for every output channel, and the sum of magnitudes. */
static void tap_sums(const conv2d_args *a, const float *row, int64_t s, uint64_t seed, double *sum,
                     double *magnitude)
{
    int64_t first, end;
    inside_range(a, s, &first, &end);
    *sum = *magnitude = 0.0;
    for (int64_t q = first; row != NULL && q < end; q++) {
        const double x = (double)row[q * a->stride_w + s * a->dilation_w - a->padding_w];
        *sum += sign_of(seed, q) * x;
        *magnitude += fabs(x);
    }
}

/* Both sums of each tap over each output line, of channel c of image n: taps x p values each. */
static void channel_sums(const conv2d_args *a, int64_t n, int64_t c, uint64_t seed, double *sum,
                         double *absolute)
{
    for (int64_t r = 0; r < a->r; r++)
        for (int64_t s = 0; s < a->s; s++)
            for (int64_t p = 0; p < a->p; p++, sum++, absolute++)
                tap_sums(a, image_row(a, n, c, p * a->stride - a->padding + r * a->dilation), s, seed, sum,
                         absolute);
}

/* Take what channel c of image n gives to all output channels of its group off their rows. Lines lie side by side everywhere, so that the
 * innermost loop, which is nearly all of the work, runs along memory. */
static void subtract_channel(const conv2d_args *a, int64_t n, int64_t c, const double *sum,
                             const double *absolute, double *difference, double *magnitude)
{
    const int64_t inputs = a->c / a->groups, outputs = a->k / a->groups, taps = a->r * a->s;
    const int64_t first_k = c / inputs * outputs;
    for (int64_t k = first_k; k < first_k + outputs; k++) {
        const float *weight = (const float *)a->weight + (k * inputs + c % inputs) * taps;
        double *restrict to = difference + (n * a->k + k) * a->p, *restrict size =
                                                                      magnitude + (n * a->k + k) * a->p;
        for (int64_t tap = 0; tap < taps; tap++) {
            const double w = (double)weight[tap], w_size = fabs(w);
            const double *from = sum + tap * a->p, *from_size = absolute + tap * a->p;
            for (int64_t p = 0; p < a->p; p++) {
                to[p] -= w * from[p];
                size[p] += w_size * from_size[p];
            }
        }
    }
}

/* Freivalds along q: a convolution is linear in x, so the signed sum of an output row follows from signed sums of
 * image rows, which all output channels of a group share. */
static assay_status residual_along_q(const conv2d_args *args, uint64_t seed, double *difference,
                                     double *magnitude)
{
    const conv2d_args a = *args;
    const float *bias = a.bias, *out = a.out;
    const int64_t lines = a.r * a.s * a.p;
    double *sums = malloc(2 * sizeof *sums * (size_t)(lines + 1));
    if (sums == NULL)
        return ASSAY_ERR_NO_MEMORY;
    for (int64_t row = 0; row < a.n * a.k * a.p; row++) {
        const double b = (double)bias[row / a.p % a.k];
        difference[row] = magnitude[row] = 0.0;
        for (int64_t q = 0; q < a.q; q++) {
            difference[row] += sign_of(seed, q) * ((double)out[row * a.q + q] - b);
            magnitude[row] += fabs(b);
        }
    }
    for (int64_t n = 0; n < a.n; n++)
        for (int64_t c = 0; c < a.c; c++) {
            channel_sums(&a, n, c, seed, sums, sums + lines);
            subtract_channel(&a, n, c, sums, sums + lines, difference, magnitude);
        }
    for (int64_t row = 0; row < a.n * a.k * a.p; row++)
        difference[row] = fabs(difference[row]);
    free(sums);
    return ASSAY_OK;
}

/* The signed sum over a group's output channels of each weight, and of magnitudes: [groups][r * s][c / groups]. */
static void sum_filters(const conv2d_args *a, uint64_t seed, double *sum, double *absolute)
{
    const int64_t outputs = a->k / a->groups, terms = a->r * a->s * (a->c / a->groups);
    const float *weight = a->weight;
    for (int64_t i = 0; i < a->groups * terms; i++)
        sum[i] = absolute[i] = 0.0;
    for (int64_t k = 0; k < a->k; k++)
        for (int64_t i = 0; i < terms; i++, weight++) {
            sum[k / outputs * terms + i] += sign_of(seed, k) * (double)*weight;
            absolute[k / outputs * terms + i] += fabs((double)*weight);
        }
}

/* What the summed filters give at a place. */
static void convolve_place(const conv2d_args *a, int64_t place, const double *filter,
                           const double *filter_size, double *sum, double *magnitude)
{
    const int64_t inputs = a->c / a->groups;
    for (int64_t group = 0; group < a->groups; group++)
        for (int64_t tap = 0; tap < a->r * a->s; tap++, filter += inputs, filter_size += inputs) {
            const float *from = seen_pixel(a, place, tap);
            for (int64_t c = 0; from != NULL && c < inputs; c++) {
                const double x = (double)from[group * inputs + c];
                *sum += filter[c] * x;
                *magnitude += filter_size[c] * fabs(x);
            }
        }
}

/* Freivalds along k, channels last: a convolution is linear in weight, so the signed sum of a place's channels is what one
 * filter, the signed sum of all, gives there. */
static assay_status residual_along_k(const conv2d_args *a, uint64_t seed, double *difference,
                                     double *magnitude)
{
    const int64_t terms = a->r * a->s * a->c;
    const float *bias = a->bias, *out = a->out;
    double *filters = malloc(2 * sizeof *filters * (size_t)(terms + 1));
    if (filters == NULL)
        return ASSAY_ERR_NO_MEMORY;
    sum_filters(a, seed, filters, filters + terms);
    for (int64_t place = 0; place < row_count(a); place++) {
        double sum = 0.0, found = 0.0;
        magnitude[place] = 0.0;
        for (int64_t k = 0; k < a->k; k++, out++) {
            found += sign_of(seed, k) * ((double)*out - (double)bias[k]);
            magnitude[place] += fabs((double)bias[k]);
        }
        convolve_place(a, place, filters, filters + terms, &sum, &magnitude[place]);
        difference[place] = fabs(found - sum);
    }
    free(filters);
    return ASSAY_OK;
}

static assay_status residual(const assay_problem *problem, uint64_t seed, double *difference,
                             double *magnitude)
{
    const conv2d_args a = view(problem);
    return a.channels_last ? residual_along_k(&a, seed, difference, magnitude)
                           : residual_along_q(&a, seed, difference, magnitude);
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
