// layernorm, step 4: mean and variance of a row in one pass about a pivot, and how elements are normalised.
#ifndef ASSAY_OPS_LAYERNORM_V4_MEASURE_H
#define ASSAY_OPS_LAYERNORM_V4_MEASURE_H

#include "../../common/overflow.h"
#include "../../common/rows.h"

// How far the pivot may be from a row's mean, as the square of the distance over the variance. The sum of
// squares then holds at most 1 + FAR times what remains of it when the pivot's own distance is taken off.
constexpr float FAR = 16.0f;

// Sums over part of a row: of the distances from the row's pivot, and of their squares.
struct sums {
    float distances, squares;
};

struct sums_reduction {
    using state = sums;
    static __device__ __forceinline__ sums nothing() { return {0.0f, 0.0f}; }

    template <int LANES>
    static __device__ __forceinline__ sums lanes(sums part)
    {
#pragma unroll
        for (int offset = LANES / 2; offset > 0; offset /= 2) {
            part.distances += __shfl_xor_sync(0xffffffffu, part.distances, offset);
            part.squares += __shfl_xor_sync(0xffffffffu, part.squares, offset);
        }
        return part;
    }
    template <int PARTS>
    static __device__ __forceinline__ sums all(const sums *parts)
    {
        sums whole = parts[0];
#pragma unroll
        for (int k = 1; k < PARTS; k++) {
            whole.distances += parts[k].distances;
            whole.squares += parts[k].squares;
        }
        return whole;
    }
};

// How a row is normalised: from its elements times `scale`, which is 1 or SCALED_DOWN, and their distances
// from `pivot`.
struct row_measure {
    float scale, pivot, mean, variance; // of the distances
};

// `measure(scale, pivot)` are the sums over a row; they are asked for again where squares overflow, and where
// the pivot, at first `first_x`, turns out to be far from the mean. `inverse` is one over the row's length.
template <int WIDTH, class Measure>
static __device__ __forceinline__ row_measure measure_row(float first_x, float inverse, Measure measure)
{
    float scale = 1.0f, pivot = first_x, mean, variance;
    for (bool moved = false;;) {
        const sums whole = measure(scale, pivot);
        mean = whole.distances * inverse;
        variance = fmaf(-mean, mean, whole.squares * inverse);
        const bool overflowed = !is_finite(whole.squares) && scale == 1.0f;
        const bool far = is_finite(whole.squares) && !moved && mean * mean > FAR * variance;
        if (__all_sync(0xffffffffu, !overflowed && !far)) // one answer for a block, as it has one row
            break;
        if (overflowed) {
            scale = SCALED_DOWN;
            pivot *= SCALED_DOWN;
        } else if (far) {
            moved = true;
            pivot += mean;
        }
        if (WIDTH > WARP)
            __syncthreads(); // the exchange may now be used again
    }
    return {scale, pivot, mean, variance};
}

// What the distances from the mean are multiplied with.
static __device__ __forceinline__ float factor_of(const row_measure &row, float eps)
{
    return rsqrtf((row.variance < 0.0f ? 0.0f : row.variance) + eps * row.scale * row.scale);
}

static __device__ __forceinline__ float normalise(float e, const row_measure &row, float factor, float weight,
                                                  float bias)
{
    return fmaf((fmaf(e, row.scale, -row.pivot) - row.mean) * factor, weight, bias);
}

template <int VECTORS>
struct layernorm_batch : packed_batch<VECTORS> {
    using packed_batch<VECTORS>::get;

    // Add the vectors that are there, their elements times `scale`.
    __device__ __forceinline__ void add_to(sums &mine, int t, int threads, int count, float scale,
                                           float pivot) const
    {
#pragma unroll
        for (int k = 0; k < VECTORS; k++) {
            float e[WIDE];
            get(k, e);
            sums of_vector = {0.0f, 0.0f}; // short chains, side by side
#pragma unroll
            for (int lane = 0; lane < WIDE; lane++) {
                const float distance = fmaf(e[lane], scale, -pivot);
                of_vector.distances += distance;
                of_vector.squares = fmaf(distance, distance, of_vector.squares);
            }
            if (t + k * threads < count) {
                mine.distances += of_vector.distances;
                mine.squares += of_vector.squares;
            }
        }
    }
};

#endif
