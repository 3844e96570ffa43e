/* Does a candidate of a library compute what another one does? Candidates that transform their operands (Winograd, FFT) may be much faster,
 * and some are much less accurate, which no name or note of the library says.
 *
 * Compared are the first elements of the output, by their relative Frobenius error. The bound is 64 roundoffs in f32, which sums of 1000s of
 * terms stay below and tf32 does not, and one roundoff in 16-bit types, of which every correct output has half a one. No single element may be
 * off by more than a few times that bound of the elements' root mean square: a few wrong ones among a million do not show in a norm. In f32
 * the factor is 3: the largest of a million errors is some 5 deviations of them, while ops allow 1e-6 to 2e-6 of the sum of magnitudes, which is
 * 0.64 sqrt(n) times the root mean square for n normal terms. */
#ifndef ASSAY_BENCH_OUTPUT_AGREEMENT_H
#define ASSAY_BENCH_OUTPUT_AGREEMENT_H

#include "bench/baselines/baseline_common.h"
#include <assay/dtype.h>
#include <math.h>
#include <stdlib.h>

enum { AGREEMENT_MOST_ELEMENTS = 1 << 20 };

static inline int64_t agreement_elements(int64_t count)
{
    return count < AGREEMENT_MOST_ELEMENTS ? count : AGREEMENT_MOST_ELEMENTS;
}

/* The first elements of `out` when the stream has come so far, malloc'ed; NULL on failure. */
static inline void *agreement_take(const void *out, int64_t count, assay_stream stream)
{
    const size_t bytes = (size_t)agreement_elements(count) * BASELINE_ELEMENT_BYTES;
    void *copy = malloc(bytes + 1);
    if (copy && (cudaStreamSynchronize(stream) != cudaSuccess ||
                 cudaMemcpy(copy, out, bytes, cudaMemcpyDeviceToHost) != cudaSuccess)) {
        free(copy);
        return NULL;
    }
    return copy;
}

static inline double agreement_value(const void *values, int64_t i)
{
#if ASSAY_DTYPE_F32
    return ((const float *)values)[i];
#elif ASSAY_DTYPE_F16
    return assay_f16_to_float(((const uint16_t *)values)[i]);
#else
    return assay_bf16_to_float(((const uint16_t *)values)[i]);
#endif
}

/* 1 if two outputs of `count` elements, as agreement_take() gives them, agree. NULL agrees with nothing. */
static inline int agreement_holds(const void *expected, const void *got, int64_t count)
{
    const assay_dtype dtype = ASSAY_DTYPE_F32 ? ASSAY_F32 : ASSAY_DTYPE_F16 ? ASSAY_F16 : ASSAY_BF16;
    const double bound = (ASSAY_DTYPE_F32 ? 64.0 : 1.0) * assay_dtype_roundoff(dtype);
    double error = 0.0, norm = 0.0, largest = 0.0;
    int64_t n = 0;
    for (; expected && got && n < agreement_elements(count); n++) {
        const double value = agreement_value(expected, n), difference = agreement_value(got, n) - value;
        /* A rounding to 16 bits is relative to its own element. */
        const double beyond = fabs(difference) - 2.0 * assay_dtype_roundoff(dtype) * fabs(value);
        error += difference * difference;
        norm += value * value;
        largest = beyond > largest ? beyond : largest;
    }
    const double element_bound =
        (ASSAY_DTYPE_F32 ? 3.0 : 16.0) * bound * sqrt(n > 0 ? norm / (double)n : 0.0);
    return expected && got && error <= bound * bound * norm && largest <= element_bound; /* false for NaN */
}

#endif
