// A thread's tile of a depthwise convolution: its sizes, and the products of a row of x.
#ifndef ASSAY_OPS_CONV2D_V4_DEPTHWISE_TILE_CUH
#define ASSAY_OPS_CONV2D_V4_DEPTHWISE_TILE_CUH

#include "../conv_shape.cuh"

template <int R_, int STRIDE_>
struct depthwise_config {
    static constexpr int R = R_, STRIDE = STRIDE_, TAPS = R * R, TP = 4, TQ = 4;        // outputs of a thread
    static constexpr int ROWS = (TP - 1) * STRIDE + R, COLUMNS = (TQ - 1) * STRIDE + R; // of x that they see
};

// Add row `i` of what the tile sees: it is row i - p * STRIDE of the filter for output row p.
template <class C>
static __device__ __forceinline__ void add_depthwise_row(float (&sums)[C::TP][C::TQ], int i,
                                                         const float (&row)[C::COLUMNS],
                                                         const float (&filter)[C::TAPS])
{
#pragma unroll
    for (int p = 0; p < C::TP; p++) {
        const int r = i - p * C::STRIDE;
        if (r < 0 || r >= C::R)
            continue;
#pragma unroll
        for (int t = 0; t < C::R; t++)
#pragma unroll
            for (int q = 0; q < C::TQ; q++)
                sums[p][q] += row[q * C::STRIDE + t] * filter[r * C::R + t];
    }
}

#endif
