/* The problem of a convolution as its kernels see it, and where a tap finds its elements: for the reference and for its
 * checks. */
#ifndef ASSAY_OPS_CONV2D_VIEW_H
#define ASSAY_OPS_CONV2D_VIEW_H

#include "conv2d.h"
#include <assay/op.h>

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

/* Rows of the output: what runs along its last axis. */
static int64_t row_count(const conv2d_args *a)
{
    return a->channels_last ? a->n * a->p * a->q : a->n * a->k * a->p;
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

/* Row h of channel c of image n; NULL outside. */
static const float *image_row(const conv2d_args *a, int64_t n, int64_t c, int64_t h)
{
    return h < 0 || h >= a->h ? NULL : (const float *)a->x + ((n * a->c + c) * a->h + h) * a->w;
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

#endif
