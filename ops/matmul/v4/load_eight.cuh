// Eight 2-byte elements of a row straight to registers, in two steps, so that many loads are under way at the same time.
//
// Rows that do not start at multiples of 16 bytes are loaded by the two aligned chunks across which the eight elements
// lie; the second one comes from the L1 cache.
#ifndef ASSAY_OPS_MATMUL_V4_LOAD_EIGHT_CUH
#define ASSAY_OPS_MATMUL_V4_LOAD_EIGHT_CUH

#include <assay/kernel.h>
#include "../../common/chunk_across.h"

struct eight_elements {
    uint32_t pairs[4];
};

// Eight elements of a row that are being loaded: two chunks of 16 bytes, or only the first where rows are aligned.
struct eight_under_way {
    uint4 first, next;
    bool whole; // both chunks lie before the operand's end
};

// Elements from `from` on, of which `left` are inside; if rows are aligned, all or none. `end`: of the operand.
template <bool ALIGNED>
__device__ __forceinline__ eight_under_way load_eight(const scalar_t *from, const scalar_t *end, int left)
{
    const int offset = ALIGNED ? 0 : static_cast<int>(reinterpret_cast<uintptr_t>(from) / 2 % 8);
    const uint4 *chunk = reinterpret_cast<const uint4 *>(from - offset);
    eight_under_way eight = {};
    eight.whole = left > 0 && (ALIGNED || end - from >= 16 - offset);
    if (eight.whole)
        eight.first = __ldg(chunk);
    if (eight.whole && !ALIGNED)
        eight.next = __ldg(chunk + 1);
    return eight;
}

// The elements, with zeros for those that are not inside. Near the operand's end they are loaded one by one.
template <bool ALIGNED>
__device__ __forceinline__ eight_elements take_eight(const eight_under_way &eight, const scalar_t *from,
                                                     int left)
{
    if (ALIGNED)
        return {{eight.first.x, eight.first.y, eight.first.z, eight.first.w}};
    eight_elements v;
    if (eight.whole) {
        const uint4 across = chunk_across(eight.first, eight.next,
                                          static_cast<int>(reinterpret_cast<uintptr_t>(from) / 2 % 8));
        v = {{across.x, across.y, across.z, across.w}};
#pragma unroll
        for (int i = 0; i < 4; i++)
            v.pairs[i] &= left >= 2 * i + 2 ? 0xffffffffu : left == 2 * i + 1 ? 0xffffu : 0u;
    } else {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            assay::vec<scalar_t, 2> pair = {};
#pragma unroll
            for (int j = 0; j < 2; j++)
                if (2 * i + j < left)
                    pair[j] = from[2 * i + j];
            memcpy(&v.pairs[i], &pair, 4);
        }
    }
    return v;
}

#endif
