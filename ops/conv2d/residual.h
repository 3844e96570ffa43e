/* The checks of `conv2d` for sizes at which the reference is too slow: see residual(). */
#ifndef ASSAY_OPS_CONV2D_RESIDUAL_H
#define ASSAY_OPS_CONV2D_RESIDUAL_H

#include "view.h"
#include <assay/random.h>
#include <math.h>
#include <stdlib.h>

/* The signed sum of one tap over an output row, the same for every output channel, and the sum of magnitudes. */
static void tap_sums(const conv2d_args *a, const float *row, int64_t s, uint64_t seed, double *sum,
                     double *magnitude)
{
    int64_t first, end;
    inside_range(a, s, &first, &end);
    *sum = *magnitude = 0.0;
    for (int64_t q = first; row != NULL && q < end; q++) {
        const double x = (double)row[q * a->stride_w + s * a->dilation_w - a->padding_w];
        *sum += assay_random_sign(seed, q) * x;
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
            difference[row] += assay_random_sign(seed, q) * ((double)out[row * a.q + q] - b);
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
            sum[k / outputs * terms + i] += assay_random_sign(seed, k) * (double)*weight;
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
            found += assay_random_sign(seed, k) * ((double)*out - (double)bias[k]);
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

#endif
