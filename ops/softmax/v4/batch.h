// softmax, step 4: the vectors of a row that a thread holds; exponentials and stores.
#ifndef ASSAY_OPS_SOFTMAX_V4_BATCH_H
#define ASSAY_OPS_SOFTMAX_V4_BATCH_H

#include "../../common/rows.h"

template <int VECTORS>
struct softmax_batch : row_batch<VECTORS> {
    using row_batch<VECTORS>::e;

    __device__ __forceinline__ float max() const
    {
        float max = -INFINITY;
#pragma unroll
        for (int k = 0; k < VECTORS; k++) {
            float of_vector = e[k][0]; // one short chain a vector, side by side
#pragma unroll
            for (int lane = 1; lane < WIDE; lane++)
                of_vector = fmaxf(of_vector, e[k][lane]);
            max = fmaxf(max, of_vector);
        }
        return max;
    }

    // Replace the elements by their exponentials relative to `from`; returns the sum.
    __device__ __forceinline__ float exponentiate(float from)
    {
        float sum = 0.0f;
#pragma unroll
        for (int k = 0; k < VECTORS; k++) {
            float of_vector = 0.0f;
#pragma unroll
            for (int lane = 0; lane < WIDE; lane++)
                of_vector += e[k][lane] = __expf(e[k][lane] - from);
            sum += of_vector;
        }
        return sum;
    }

    // Write the elements times `factor`.
    __device__ __forceinline__ void store(scalar_t *out, int t, int threads, int count, float factor)
    {
#pragma unroll
        for (int k = 0; k < VECTORS; k++) {
#pragma unroll
            for (int lane = 0; lane < WIDE; lane++)
                e[k][lane] *= factor;
            const uint4 raw = pack(e[k]);
            if (t + k * threads < count)
                reinterpret_cast<uint4 *>(out)[t + k * threads] = raw;
        }
    }
};

#endif
