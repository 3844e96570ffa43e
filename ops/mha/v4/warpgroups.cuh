// What hopper.cuh and split_hopper.cuh share: pipeline positions, the order of work, masks, and maxima in the
// registers in which wgmma leaves its sums.
#ifndef ASSAY_OPS_MHA_V4_WARPGROUPS_CUH
#define ASSAY_OPS_MHA_V4_WARPGROUPS_CUH

#include <assay/hopper.h>
#include "../../common/value_barrier.h"
#include "exact_rows.cuh"
#include "sections.cuh"

namespace hopper
{

// A stage of a pipeline and the parity of the phase that is awaited there.
template <class C>
struct pipeline_position {
    int stage = 0, parity = 0;
    __device__ __forceinline__ void advance()
    {
        if (++stage == C::STAGES)
            stage = 0, parity ^= 1;
    }
};

// The block's tile of queries number `turn` and how many tiles of keys it sees; false behind the last. Under
// a causal mask tiles are ordered from the longest to the shortest: every other turn goes the other way, so
// that all blocks get about the same work. A block that finds none in the last turn of a section (sections.cuh)
// gets rows behind the last query, with one tile of keys: turns are counted alike by all blocks.
struct work {
    mha_block block;
    int tiles;
};
template <class C>
__device__ __forceinline__ bool find_work(const mha_shape &shape, int turn, work &w)
{
    mha_shape s = shape;
    value_barrier(s.heads);
    value_barrier(s.query_tiles);
    const unsigned place = turn % 2 ? gridDim.x - 1 - blockIdx.x : blockIdx.x;
    int first = 0, turn_of_section = turn;
    bool last = true;
    if (C::SECTIONS) {
        value_barrier(s.section);
        value_barrier(s.section_turns);
        first = turn / s.section_turns * s.section, turn_of_section = turn % s.section_turns;
        last = s.heads - first <= s.section;
        s.heads = last ? s.heads - first : s.section; // from here on, those of the section
        if (s.heads <= 0)
            return false;
    }
    const unsigned number = static_cast<unsigned>(turn_of_section) * gridDim.x + place;
    if (number >= static_cast<unsigned>(s.heads) * static_cast<unsigned>(s.query_tiles)) {
        w = {{first, s.query_tiles * C::BM}, 1};
        return !last;
    }
    w.block = block_of(s, number, C::BM);
    w.block.head += first;
    const int limit = keys_before(s, w.block.query + C::BM);
    w.tiles = limit > 1 ? (limit + C::BN - 1) / C::BN : 1; // a masked one where no query sees a key
    return true;
}

// A descriptor `elements` of two bytes further on. Its lower half counts 16 bytes; the upper half stays as it
// is.
__device__ __forceinline__ uint64_t behind(uint64_t descriptor, int elements)
{
    return (descriptor & 0xffffffff00000000u) |
           (static_cast<uint32_t>(descriptor) + static_cast<uint32_t>(elements / 8));
}

// A consumer warp is done with a stage.
__device__ __forceinline__ void release(uint64_t *empty)
{
    if (threadIdx.x % 32 == 0)
        assay::mbarrier_arrive(empty);
}

// Scores of keys that a query does not see become -infinity. `key`: the tile's first; `last_seen`: key of the
// thread's first query.
template <class C>
__device__ __forceinline__ void mask(float (&scores)[C::BN / 2], const mha_shape &s, int key, int last_seen)
{
#pragma unroll
    for (int h = 0; h < 2; h++) {
        const int limit = keys_up_to(s, last_seen + h * 8 + 1) - key - static_cast<int>(threadIdx.x) % 4 * 2;
#pragma unroll
        for (int j = 0; j < C::BN / 8; j++)
#pragma unroll
            for (int e = 0; e < 2; e++)
                if (j * 8 + e >= limit)
                    scores[j * 4 + h * 2 + e] = -INFINITY;
    }
}

// Let the rows follow their largest score, whose exponential becomes 2^LEAD. factor[]: for what has been
// summed so far. Without a lead the maximum is rounded upwards, so that no exponential of a huge score is
// above 1. It may be 0; needs_exact() knows such rows by their maximum at the end.
template <class C, int LEAD>
__device__ __forceinline__ void follow_scores(const float (&scores)[C::BN / 2], row_state (&rows)[2],
                                              float (&factor)[2], float scale)
{
#pragma unroll
    for (int h = 0; h < 2; h++) {
        float max = fmaxf(scores[h * 2], scores[h * 2 + 1]);
#pragma unroll
        for (int j = 1; j < C::BN / 8; j++)
            max = fmaxf(max, fmaxf(scores[j * 4 + h * 2], scores[j * 4 + h * 2 + 1]));
        max = fmaxf(max, __shfl_xor_sync(0xffffffff, max, 1));
        max = fmaxf(max, __shfl_xor_sync(0xffffffff, max, 2));
        const float origin = LEAD == 0 ? __fmul_ru(max, scale) : fmaf(max, scale, -static_cast<float>(LEAD));
        factor[h] = 1.0f;
        if (origin > rows[h].max) {
            factor[h] = exp2_fast(rows[h].max - origin);
            rows[h].max = origin;
            rows[h].sum *= factor[h];
        }
    }
}

// Rows to be computed again (exact_rows.cuh) are noted in shared memory, the turn modulo 32 as a bit of their
// consumer warp's word, and computed at the end: within the loop over turns the compiler would give up
// uniform registers in the whole loop.
template <class C>
__device__ __forceinline__ uint32_t *rows_again(uint32_t *again) // of this warp's rows
{
    return again + (threadIdx.x / 32 - 4) % (C::BM / 16);
}
template <class C>
__device__ __forceinline__ void note_again(uint32_t *again, int turn)
{
    atomicOr(rows_again<C>(again), 1u << turn % 32);
}

template <class C>
__device__ __forceinline__ void exact_turns(const mha_shape &s, uint32_t *again)
{
    __syncwarp();
    const uint32_t turns = *rows_again<C>(again);
    work w;
    for (int turn = 0; turns != 0 && find_work<C>(s, turn, w); turn++)
        if (turns >> turn % 32 & 1)
            exact_rows<C::DP, true>(
                s, w.block.head, w.block.query + (static_cast<int>(threadIdx.x) / 32 - 4) * 16 % C::BM, 16);
}

} // namespace hopper

#endif
