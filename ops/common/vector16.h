// A 16-byte vector of the module's dtype: unpacked to floats in registers, and packed again.
//
// Vectors are moved as four 32-bit words and converted word by word: a pair of 2-byte elements takes one
// instruction, and the store stays one of 16 bytes. (Assembled element by element, the compiler splits the
// store into 2 or 4 bytes each wherever control flow surrounds it.)
#ifndef ASSAY_OPS_COMMON_VECTOR16_H
#define ASSAY_OPS_COMMON_VECTOR16_H

#include <assay/kernel.h>
#include <cstring>

constexpr int WIDE = assay::vec16<scalar_t>::size; // elements of a 16-byte vector: 4 or 8

#if ASSAY_DTYPE_F32
constexpr uint32_t MINUS_INFINITY = 0xff800000u; // as many elements as a word holds

static __device__ __forceinline__ void unpack_word(uint32_t word, float *e)
{
    e[0] = __uint_as_float(word);
}
static __device__ __forceinline__ uint32_t pack_word(const float *e)
{
    return __float_as_uint(e[0]);
}
#elif ASSAY_DTYPE_F16
constexpr uint32_t MINUS_INFINITY = 0xfc00fc00u;

static __device__ __forceinline__ void unpack_word(uint32_t word, float *e)
{
    __half2 pair;
    memcpy(&pair, &word, sizeof pair);
    const float2 f = __half22float2(pair);
    e[0] = f.x;
    e[1] = f.y;
}
static __device__ __forceinline__ uint32_t pack_word(const float *e)
{
    const __half2 pair = __floats2half2_rn(e[0], e[1]);
    uint32_t word;
    memcpy(&word, &pair, sizeof word);
    return word;
}
#else
constexpr uint32_t MINUS_INFINITY = 0xff80ff80u;

// bfloat16 is the upper half of binary32.
static __device__ __forceinline__ void unpack_word(uint32_t word, float *e)
{
    e[0] = __uint_as_float(word << 16);
    e[1] = __uint_as_float(word & 0xffff0000u);
}
static __device__ __forceinline__ uint32_t pack_word(const float *e)
{
    const __nv_bfloat162 pair = __floats2bfloat162_rn(e[0], e[1]);
    uint32_t word;
    memcpy(&word, &pair, sizeof word);
    return word;
}
#endif

static __device__ __forceinline__ void unpack(const uint4 &raw, float *e)
{
    unpack_word(raw.x, e);
    unpack_word(raw.y, e + WIDE / 4);
    unpack_word(raw.z, e + WIDE / 2);
    unpack_word(raw.w, e + WIDE / 4 * 3);
}

static __device__ __forceinline__ uint4 pack(const float *e)
{
    return {pack_word(e), pack_word(e + WIDE / 4), pack_word(e + WIDE / 2), pack_word(e + WIDE / 4 * 3)};
}

// WIDE neighbouring elements from or to any address; one access if it is aligned to 16 bytes. That one is an
// intrinsic: an assignment is to the compiler the same as the elements one by one, of which it then makes
// both branches.
static __device__ __forceinline__ void load_wide(const scalar_t *p, bool aligned, float *e)
{
    if (aligned) {
        unpack(__ldg(reinterpret_cast<const uint4 *>(p)), e);
        return;
    }
#pragma unroll
    for (int lane = 0; lane < WIDE; lane++)
        e[lane] = assay::to_float(p[lane]);
}

static __device__ __forceinline__ void store_wide(scalar_t *p, bool aligned, const float *e)
{
    if (aligned) {
        __stwb(reinterpret_cast<uint4 *>(p), pack(e));
        return;
    }
#pragma unroll
    for (int lane = 0; lane < WIDE; lane++)
        p[lane] = assay::from_float<scalar_t>(e[lane]);
}

static __host__ __device__ __forceinline__ bool is_aligned(const void *p)
{
    return (uintptr_t)p % 16 == 0;
}

#endif
