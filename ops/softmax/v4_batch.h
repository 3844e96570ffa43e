// The part of v4_optimized.cu that holds vectors of a row in the registers of a thread.
//
// A 16-byte vector is moved as four 32-bit words and taken apart and put together in words too: pairs of 2-byte elements are
// converted by one instruction, and the store stays one of 16 bytes. (Put together element by element it is split by the
// compiler into stores of 2 or 4 bytes wherever control flow surrounds it.)
#ifndef ASSAY_OPS_SOFTMAX_V4_BATCH_H
#define ASSAY_OPS_SOFTMAX_V4_BATCH_H

#include <assay/kernel.h>
#include <cstring>

constexpr int WIDE = assay::vec16<scalar_t>::size; // elements of a 16-byte vector

#if ASSAY_DTYPE_F32
constexpr uint32_t MINUS_INFINITY = 0xff800000u;

static __device__ __forceinline__ void unpack(uint32_t word, float *e)
{
    e[0] = __uint_as_float(word);
}
static __device__ __forceinline__ uint32_t pack(const float *e)
{
    return __float_as_uint(e[0]);
}
#elif ASSAY_DTYPE_F16
constexpr uint32_t MINUS_INFINITY = 0xfc00fc00u;

static __device__ __forceinline__ void unpack(uint32_t word, float *e)
{
    __half2 pair;
    memcpy(&pair, &word, sizeof pair);
    const float2 f = __half22float2(pair);
    e[0] = f.x;
    e[1] = f.y;
}
static __device__ __forceinline__ uint32_t pack(const float *e)
{
    const __half2 pair = __floats2half2_rn(e[0], e[1]);
    uint32_t word;
    memcpy(&word, &pair, sizeof word);
    return word;
}
#else
constexpr uint32_t MINUS_INFINITY = 0xff80ff80u;

// bfloat16 is the upper half of binary32.
static __device__ __forceinline__ void unpack(uint32_t word, float *e)
{
    e[0] = __uint_as_float(word << 16);
    e[1] = __uint_as_float(word & 0xffff0000u);
}
static __device__ __forceinline__ uint32_t pack(const float *e)
{
    const __nv_bfloat162 pair = __floats2bfloat162_rn(e[0], e[1]);
    uint32_t word;
    memcpy(&word, &pair, sizeof word);
    return word;
}
#endif

// VECTORS vectors of a row: number k of thread t is t + k * threads of `count`. x and out are 16-byte aligned.
template <int VECTORS>
struct batch {
    float e[VECTORS][WIDE];

    // Missing vectors are filled with -infinity, which adds nothing to a row.
    __device__ __forceinline__ void load(const scalar_t *x, int t, int threads, int count)
    {
        const uint4 *from = reinterpret_cast<const uint4 *>(x);
        uint4 raw[VECTORS];
#pragma unroll
        for (int k = 0; k < VECTORS; k++) {
            raw[k] = {MINUS_INFINITY, MINUS_INFINITY, MINUS_INFINITY, MINUS_INFINITY};
            if (t + k * threads < count)
                raw[k] = from[t + k * threads];
        }
#pragma unroll
        for (int k = 0; k < VECTORS; k++) {
            unpack(raw[k].x, e[k]);
            unpack(raw[k].y, e[k] + WIDE / 4);
            unpack(raw[k].z, e[k] + WIDE / 2);
            unpack(raw[k].w, e[k] + WIDE / 4 * 3);
        }
    }

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
            const uint4 raw = {pack(e[k]), pack(e[k] + WIDE / 4), pack(e[k] + WIDE / 2),
                               pack(e[k] + WIDE / 4 * 3)};
            if (t + k * threads < count)
                reinterpret_cast<uint4 *>(out)[t + k * threads] = raw;
        }
    }
};

#endif
