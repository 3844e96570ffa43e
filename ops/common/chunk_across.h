// Rows that do not start at multiples of 16 bytes, moved 16 bytes at a time all the same:
// what one side has in one aligned chunk lies across two neighbouring ones of the other side.
#ifndef ASSAY_OPS_COMMON_CHUNK_ACROSS_H
#define ASSAY_OPS_COMMON_CHUNK_ACROSS_H

#include <assay/kernel.h>

// The eight 2-byte elements from number `from` (0 to 7) on of the sixteen in `first` and `next`; an element of
// 4 bytes counts as two. Whole words are selected in two steps, and shifted by half a word last, so no element
// is moved by itself and nothing is indexed that lies in registers.
static __device__ __forceinline__ uint4 chunk_across(const uint4 &first, const uint4 &next, int from)
{
    const bool by_2_words = from & 4, by_1_word = from & 2;
    const uint32_t words[8] = {first.x, first.y, first.z, first.w, next.x, next.y, next.z, next.w};
    uint32_t six[6], five[5];
#pragma unroll
    for (int i = 0; i < 6; i++)
        six[i] = by_2_words ? words[i + 2] : words[i];
#pragma unroll
    for (int i = 0; i < 5; i++)
        five[i] = by_1_word ? six[i + 1] : six[i];
    const unsigned bits = from % 2 * 16;
    return make_uint4(__funnelshift_r(five[0], five[1], bits), __funnelshift_r(five[1], five[2], bits),
                      __funnelshift_r(five[2], five[3], bits), __funnelshift_r(five[3], five[4], bits));
}

// 16 bytes from p on, which is `off` elements behind a boundary. Where off is 0, nothing behind them is read.
template <class T>
static __device__ __forceinline__ uint4 load_across(const T *p, int off)
{
    const uint4 *chunk = reinterpret_cast<const uint4 *>(p - off);
    return chunk_across(__ldg(chunk), __ldg(chunk + (off > 0 ? 1 : 0)), off * (int)sizeof(T) / 2);
}

#endif
