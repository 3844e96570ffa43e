// f16 and bf16 attention on tensor cores: mma.sync m16n8k16 with fp32 sums, from compute capability 8.0 on.
//
// The kernel of step 3b, after FlashAttention-2 (Dao, 2023), with these additions:
//   - The maximum of a row follows only when it has grown by 2^8; the exponentials of 16 keys are taken under
//     the products of the 16 before them.
//   - q stays in registers where there is room for it.
//   - SLICES groups of warps may share the keys of one tile of queries where there are too few tiles to fill
//     a card. Their parts are merged at the end, in a fixed order.
//   - Rows with huge scores are computed again at the end (exact_rows.cuh).
//   - Keys may be split over blocks (parts.cuh).
// Tiles that no query of a warp sees are skipped; only tiles on the mask's edge are masked. Masked keys and
// infinite values: as in step 3b.
#ifndef ASSAY_OPS_MHA_V4_FLASH_CUH
#define ASSAY_OPS_MHA_V4_FLASH_CUH

#include "flash_tile.cuh"

// Change the sign of q's tile, for a negative factor on the scores; all threads, between barriers.
template <class C>
__device__ __forceinline__ void negate(scalar_t *tile)
{
    for (int i = static_cast<int>(threadIdx.x); i < C::Q_ELEMENTS; i += C::THREADS)
        tile[i] = assay::from_float<scalar_t>(-assay::to_float(tile[i]));
    __syncthreads();
}

// PARTS: the block has a part of the keys only (parts.cuh).
template <class C, bool ALIGNED, bool PARTS>
static __global__ void __launch_bounds__(C::THREADS, C::MIN_BLOCKS) mha_flash(mha_shape s, mha_parts parts)
{
    ASSAY_DYNAMIC_SHARED(scalar_t, tile_q);
    scalar_t *stages = tile_q + C::Q_ELEMENTS;
    if (PARTS)
        announce_parts();
    const int slice = static_cast<int>(threadIdx.x) / C::SLICE_THREADS,
              t = static_cast<int>(threadIdx.x) % C::SLICE_THREADS, warp = t / 32;
    const mha_block block = block_of(s, blockIdx.x, C::BM);
    const int64_t q_start = static_cast<int64_t>(block.head) * s.queries * s.dim;
    const int64_t k_start = key_start(s, block.head);
    const scalar_t *k = s.k + k_start, *v = s.v + k_start;
    const int last_seen = block.query + warp * 16 * C::MI + s.causal_shift; // key of this warp's first query
    const int block_limit = keys_before(s, block.query + C::BM),
              warp_limit = keys_up_to(s, last_seen + 16 * C::MI);
    const int all_tiles = (block_limit + C::KEYS - 1) / C::KEYS;
    const tile_range range = PARTS ? part_tiles(parts, all_tiles) : tile_range{0, all_tiles};
    const int tiles = range.end;
    const flash_offsets at = first_offsets<C>(slice, warp);

    const auto copy_keys = [&](int tile) {
        if (tile < tiles) {
            scalar_t *stage = stages + tile % C::STAGES * C::STAGE_ELEMENTS;
            copy_tile<C, C::KEYS, ALIGNED>(stage, k, tile * C::KEYS, s.keys, s.dim);
            copy_tile<C, C::KEYS, ALIGNED>(stage + C::TILE_ELEMENTS, v, tile * C::KEYS, s.keys, s.dim);
        }
        assay::cp_async_commit();
    };
    copy_tile<C, C::BM, ALIGNED>(tile_q, s.q + q_start, block.query, s.queries, s.dim);
#pragma unroll
    for (int i = 0; i < C::STAGES - 1; i++)
        copy_keys(range.first + i);

    flash_state<C> state;
#pragma unroll
    for (int i = 0; i < C::MI; i++) {
        state.rows[i][0] = state.rows[i][1] = kNoKeys;
#pragma unroll
        for (int d = 0; d < C::DI; d++)
#pragma unroll
            for (int e = 0; e < 4; e++)
                state.out[i][d][e] = 0.0f;
    }

    for (int tile = range.first; tile < tiles; tile++) {
        assay::cp_async_wait<C::STAGES - 2>();
        __syncthreads(); // this tile has landed, and everyone is through with the one that the next replaces
        copy_keys(tile + C::STAGES - 1);
        if (tile == range.first) {
            if (s.negative)
                negate<C>(tile_q);
            if (C::Q_IN_REGISTERS)
#pragma unroll
                for (int d = 0; d < C::DP / 16; d++)
#pragma unroll
                    for (int i = 0; i < C::MI; i++)
                        assay::ldmatrix_x4(state.q[C::Q_IN_REGISTERS ? d : 0][i],
                                           tile_q + (at.q ^ d * 16) + i * 16 * C::DP);
        }
        const int key = tile * C::KEYS + slice * C::BN; // this slice's first
        if (key >= warp_limit)
            continue;
        const scalar_t *stage = stages + tile % C::STAGES * C::STAGE_ELEMENTS;
        float scores[C::MI][C::NI][4];
        multiply_keys<C>(scores, state, tile_q, stage, at);
        if (key + C::BN > s.keys || (s.causal && key + C::BN - 1 > last_seen))
            mask<C>(scores, s, key, last_seen);
        update_maxima<C>(scores, state, s.scale);
        multiply_values<C>(state, scores, stage + C::TILE_ELEMENTS, at, s.scale);
    }

    if (C::SLICES > 1 || tiles <= 0) {
        assay::cp_async_wait<0>();
        __syncthreads(); // all memory is free from here on; without keys q may still have been on its way
    }
    if (C::SLICES > 1) {
        merge_slices<C>(state, reinterpret_cast<float *>(stages), slice, t);
        if (slice > 0)
            return;
    }
    const int query = last_seen - s.causal_shift; // this warp's first
    if constexpr (PARTS) {
        store_part<C>(state, s, parts, block.head, query);
        return;
    }
    store_rows<C, ALIGNED>(state, s, s.out + q_start, tile_q, warp, query);
    bool exact = false;
#pragma unroll
    for (int i = 0; i < C::MI; i++)
        exact = exact || needs_exact(state.rows[i][0]) || needs_exact(state.rows[i][1]);
    if (__any_sync(0xffffffff, exact)) {
        int number = static_cast<int>(blockIdx.x), thread = static_cast<int>(threadIdx.x);
        value_barrier(number); // the loop has no register to spare
        value_barrier(thread);
        const mha_block again = block_of(s, static_cast<unsigned>(number), C::BM);
        exact_rows<C::DP, ALIGNED>(s, again.head, again.query + thread % C::SLICE_THREADS / 32 * 16 * C::MI,
                                   16 * C::MI);
    }
}

template <class C, bool ALIGNED>
static assay_status flash_launch(const mha_args *args, assay_stream stream)
{
    return launch_whole<C>(mha_flash<C, ALIGNED, false>, args, stream);
}

// False if the keys are better not split; otherwise *status is what the launches returned.
template <class C>
static bool flash_parts(const mha_args *args, int forced, assay_stream stream, assay_status *status)
{
    return launch_parts<C>(mha_flash<C, true, true>, args, forced, stream, status);
}

#endif
