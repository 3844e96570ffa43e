// f16 and bf16 attention with Hopper's warpgroup products (sm_90a), after FlashAttention-3 (Shah et al.,
// 2024).
//
// The kernel of step 3d, with these additions:
//   - Blocks are persistent: a block takes one tile of BM = 64 * CONSUMERS queries after the other, and its
//     producer warp copies ahead across the boundary between them.
//   - Only a row's first tile looks for the maximum. Later exponents use it, and the scores are kept until
//     the sum of their exponentials has shown that none has outgrown it. Where one has, which is rare, the
//     tile is done again with a new maximum.
//   - PING_PONG: named barriers let the consumers begin their products in turn, so that one multiplies while
//     another takes exponentials.
//   - Rows with huge scores are computed again at the end (exact_rows.cuh).
//   - Under a causal mask many heads are taken in sections (sections.cuh).
// `full` barriers count the bytes that have landed, `empty` ones the consumer warps that are done with a
// stage. TMA fills rows behind a head's last query or key with zeros; the scores of such keys are masked.
#ifndef ASSAY_OPS_MHA_V4_HOPPER_CUH
#define ASSAY_OPS_MHA_V4_HOPPER_CUH

#include "hopper_loads.cuh"

namespace hopper
{

#if ASSAY_HOPPER_CODE

// Begin scores = q * k^T: 64 queries by BN keys.
template <class C>
__device__ __forceinline__ void begin_scores(float (&scores)[C::BN / 2], uint64_t q, uint64_t k)
{
#pragma unroll
    for (int d = 0; d < C::DP; d += 16)
        assay::wgmma_m64k16<scalar_t, C::BN, false>::run(scores, behind(q, d / 64 * 64 * C::BM + d % 64),
                                                         behind(k, d / 64 * 64 * C::BN + d % 64), d > 0);
    assay::wgmma_commit();
}

// Begin out += p * v.
template <class C>
__device__ __forceinline__ void begin_output(float (&out)[C::DP / 2], const uint32_t (&p)[C::BN / 16][4],
                                             uint64_t v)
{
#pragma unroll
    for (int j = 0; j < C::BN / 16; j++)
        assay::wgmma_m64k16<scalar_t, C::DP>::run_registers(out, p[j], behind(v, j * 16 * 64), 1);
    assay::wgmma_commit();
}

// The exponentials of scores, rounded to the module's type as left operands for the product with v, and their
// sums.
template <class C>
__device__ __forceinline__ void exponentials(uint32_t (&p)[C::BN / 16][4], float (&sum)[2],
                                             const float (&scores)[C::BN / 2], const row_state (&rows)[2],
                                             float scale)
{
    sum[0] = sum[1] = 0.0f;
#pragma unroll
    for (int j = 0; j < C::BN / 8; j++)
#pragma unroll
        for (int h = 0; h < 2; h++) {
            float pair[2];
#pragma unroll
            for (int e = 0; e < 2; e++)
                pair[e] = exp2_fast(fmaf(scores[j * 4 + h * 2 + e], scale, -rows[h].max));
            sum[h] += pair[0];
            sum[h] += pair[1];
            p[j / 2][j % 2 * 2 + h] = pack(pair[0], pair[1]);
        }
#if defined(__CUDA_ARCH__) && \
    !defined(ASSAY_CPU_DEVICE) // the compiler would move all this behind the wait for the product
#pragma unroll
    for (int j = 0; j < C::BN / 16; j++)
        asm volatile("" : "+r"(p[j][0]), "+r"(p[j][1]), "+r"(p[j][2]), "+r"(p[j][3])::"memory");
#endif
}

// A thread's sum of exponentials over a tile may come up to this, which f16 can hold, before the row follows
// its maximum.
static constexpr float kOutgrown = 1024.0f;

// A tile's scores to exponentials; sums are brought up to date. `follow`: look for the rows' maxima first.
// Returns whether the maxima were looked for; factor[] is set then.
template <class C>
__device__ __forceinline__ bool softmax_tile(uint32_t (&p)[C::BN / 16][4], const float (&scores)[C::BN / 2],
                                             row_state (&rows)[2], float (&factor)[2], float scale,
                                             bool follow)
{
    float sum[2];
    for (;;) {
        if (follow)
            follow_scores<C, 0>(scores, rows, factor, scale);
        exponentials<C>(p, sum, scores, rows, scale);
        if (follow || !__any_sync(0xffffffff, !(sum[0] <= kOutgrown && sum[1] <= kOutgrown)))
            break;
        follow = true;
    }
    rows[0].sum += sum[0];
    rows[1].sum += sum[1];
    return follow;
}

// Divide by the sums and write the warp's 16 rows, through shared memory so that whole 16-byte chunks are
// written. `row`: the warp's first in the tile; `query`: the same, counted in the head.
template <class C>
__device__ __forceinline__ void store_rows(const float (&out)[C::DP / 2], const row_state (&rows)[2],
                                           const mha_shape &s, scalar_t *to, scalar_t *tile, int row,
                                           int query)
{
    int lane = static_cast<int>(threadIdx.x) % 32;
    value_barrier(lane);
    const auto chunk_at = [&](int in_warp, int chunk) {
        const int r = row + in_warp;
        return tile + chunk / 8 * 64 * C::BM + r * 64 + (chunk % 8 ^ r % 8) * 8;
    };
#pragma unroll
    for (int h = 0; h < 2; h++) {
        float sum = rows[h].sum; // of this thread's columns; four threads share a row
        sum += __shfl_xor_sync(0xffffffff, sum, 1);
        sum += __shfl_xor_sync(0xffffffff, sum, 2);
        const float inverse = inverse_of(s, query + h * 8 + lane / 4, sum);
#pragma unroll
        for (int d = 0; d < C::DP / 8; d++) {
            const uint32_t bits = pack(out[d * 4 + h * 2] * inverse, out[d * 4 + h * 2 + 1] * inverse);
            memcpy(chunk_at(h * 8 + lane / 4, d) + lane % 4 * 2, &bits, sizeof bits);
        }
    }
    __syncwarp();
#pragma unroll
    for (int i = lane; i < 16 * C::DP / 8; i += 32) {
        const int in_warp = i / (C::DP / 8), chunk = i % (C::DP / 8);
        if (query + in_warp < s.queries && chunk * 8 < s.dim)
            assay::store_vec(to + static_cast<int64_t>(query + in_warp) * s.dim + chunk * 8,
                             assay::load_vec<8>(chunk_at(in_warp, chunk)));
    }
}

template <class C>
__device__ __forceinline__ void consume(const shared_memory<C> &shared, const mha_shape &s)
{
    const int consumer = static_cast<int>(threadIdx.x) / 128 - 1,
              warp = static_cast<int>(threadIdx.x) % 128 / 32;
    const int row = consumer * 64 + warp * 16, lane_row = static_cast<int>(threadIdx.x) % 32 / 4;
    pipeline_position<C> at, last; // of the next k, and of the next v
    const uint64_t first_q = assay::wgmma_descriptor(shared.q, 16, 1024),
                   first_k = assay::wgmma_descriptor(shared.k, 16, 1024),
                   first_v = assay::wgmma_descriptor(shared.v, C::BN * 128, 1024);
    const auto q = [&] {
        int offset = consumer * 64 * 64;
        value_barrier(offset);
        return behind(first_q, offset);
    };
    const auto next_k = [&] { return behind(first_k, at.stage * C::TILE_ELEMENTS); };
    const auto next_v = [&] { return behind(first_v, last.stage * C::TILE_ELEMENTS); };
    // Named barriers 2 to 4: whose products come next.
    const int my_turn = 2 + consumer, next_turn = 2 + (consumer + 1) % C::CONSUMERS;
    int turns_left = 0; // products of two tiles that this consumer still begins
    work w;
    if (C::PING_PONG) {
        for (int turn = 0; find_work<C>(s, turn, w); turn++)
            turns_left += w.tiles - 1;
        if (consumer == C::CONSUMERS - 1 && turns_left > 0)
            assay::named_barrier_arrive(2, 256); // the first consumer begins
    }

    float out[C::DP / 2], scores[C::BN / 2], factor[2];
    uint32_t p[2][C::BN / 16][4];
    row_state rows[2];
    int last_seen; // key of the warp's first query
    const auto mask_tile = [&](int tile) {
        const int key = tile * C::BN;
        if (key + C::BN > s.keys || (s.causal && key + C::BN - 1 > last_seen))
            mask<C>(scores, s, key, last_seen + lane_row);
    };
    const auto multiply_values = [&](const uint32_t(&from)[C::BN / 16][4]) {
        assay::mbarrier_wait(&shared.full_v[last.stage], last.parity);
        assay::wgmma_fence_operands(out);
        assay::wgmma_fence();
        begin_output<C>(out, from, next_v());
        assay::wgmma_wait<0>();
        assay::wgmma_fence_operands(out);
        release(&shared.empty_v[last.stage]);
        last.advance();
    };
    // The scores and exponentials of a tile, while the exponentials of the tile before it are multiplied with
    // their values.
    const auto step = [&](uint32_t(&to)[C::BN / 16][4], const uint32_t(&from)[C::BN / 16][4], int tile) {
        // Both waits come before both products: a branch between the products would make the compiler wait
        // for the first.
        assay::mbarrier_wait(&shared.full_v[last.stage], last.parity);
        if (C::PING_PONG)
            assay::named_barrier_sync(my_turn, 256);
        assay::wgmma_fence_operands(scores);
        assay::wgmma_fence_operands(out);
        assay::wgmma_fence();
        begin_scores<C>(scores, q(), next_k());
        begin_output<C>(out, from, next_v());
        if (C::PING_PONG &&
            (--turns_left > 0 || consumer + 1 < C::CONSUMERS)) // nobody comes after the last one
            assay::named_barrier_arrive(next_turn, 256);
        assay::wgmma_wait<1>();
        assay::wgmma_fence_operands(scores);
        release(&shared.empty_k[at.stage]);
        at.advance();
        mask_tile(tile);
        const bool followed = softmax_tile<C>(to, scores, rows, factor, s.scale, false);
        // Here the branch of this wait keeps the compiler from moving the next wait up, before the
        // exponentials.
        if (tile + 1 < w.tiles)
            assay::mbarrier_wait(&shared.full_k[at.stage], at.parity);
        assay::wgmma_wait<0>();
        assay::wgmma_fence_operands(out);
        release(&shared.empty_v[last.stage]);
        last.advance();
        if (followed) {
#pragma unroll
            for (int i = 0; i < C::DP / 2; i++)
                out[i] *= factor[i % 4 / 2];
        }
    };

    for (int turn = 0; find_work<C>(s, turn, w); turn++) {
        last_seen = w.block.query + row + s.causal_shift;
        value_barrier(last_seen); // instead of the query
        rows[0] = rows[1] = kNoKeys;
#pragma unroll
        for (int i = 0; i < C::DP / 2; i++)
            out[i] = 0.0f;
        assay::mbarrier_wait(shared.full_q, turn & 1);
        assay::mbarrier_wait(&shared.full_k[at.stage], at.parity);
        assay::wgmma_fence();
        begin_scores<C>(scores, q(), next_k());
        assay::wgmma_wait<0>();
        assay::wgmma_fence_operands(scores);
        release(&shared.empty_k[at.stage]);
        at.advance();
        mask_tile(0);
        softmax_tile<C>(p[0], scores, rows, factor, s.scale, true);
        if (w.tiles > 1)
            assay::mbarrier_wait(&shared.full_k[at.stage], at.parity);
        for (int tile = 1;;) {
            if (tile == w.tiles) {
                if (!C::OUT_IN_Q)
                    release(shared.empty_q);
                multiply_values(p[0]);
                break;
            }
            step(p[1], p[0], tile++);
            if (tile == w.tiles) {
                if (!C::OUT_IN_Q)
                    release(shared.empty_q);
                multiply_values(p[1]);
                break;
            }
            step(p[0], p[1], tile++);
        }
        if (C::OUT_IN_Q)
            assay::named_barrier_sync(5 + consumer, 128); // no warp of this consumer reads q any more
        store_rows<C>(out, rows, s, s.out + static_cast<int64_t>(w.block.head) * s.queries * s.dim,
                      shared.out, row, last_seen - s.causal_shift);
        if (C::OUT_IN_Q) {
            assay::fence_async_shared(); // before TMA writes the next q there
            __syncwarp();
            release(shared.empty_q);
        }
        if (needs_exact(rows[0]) || needs_exact(rows[1]))
            note_again<C>(shared.again, turn);
    }
    exact_turns<C>(s, shared.again);
}

#endif

template <class C>
static __global__ void __launch_bounds__(C::THREADS, 1)
    mha_hopper(const __grid_constant__ assay::tensor_map map_q,
               const __grid_constant__ assay::tensor_map map_k,
               const __grid_constant__ assay::tensor_map map_v, const mha_shape s)
{
#if ASSAY_HOPPER_CODE
    ASSAY_DYNAMIC_SHARED(unsigned char, memory);
    const shared_memory<C> shared(memory);
    if (threadIdx.x == 0) {
        assay::tma_prefetch_map(&map_q);
        assay::tma_prefetch_map(&map_k);
        assay::tma_prefetch_map(&map_v);
        assay::mbarrier_init(shared.full_q, 1);
        assay::mbarrier_init(shared.empty_q, 4 * C::CONSUMERS);
        for (int i = 0; i < C::STAGES; i++) {
            assay::mbarrier_init(&shared.full_k[i], 1);
            assay::mbarrier_init(&shared.full_v[i], 1);
            assay::mbarrier_init(&shared.empty_k[i], 4 * C::CONSUMERS);
            assay::mbarrier_init(&shared.empty_v[i], 4 * C::CONSUMERS);
        }
        for (int i = 0; i < 4 * C::CONSUMERS; i++)
            shared.again[i] = 0;
        assay::mbarrier_fence_init();
    }
    __syncthreads();
    if (threadIdx.x < 128) {
        assay::registers_decrease<C::PRODUCER_REGISTERS>();
        if (threadIdx.x == 0)
            produce<C>(shared, &map_q, &map_k, &map_v, s);
    } else {
        assay::registers_increase<C::REGISTERS>();
        consume<C>(shared, s);
    }
#endif
}

// A map of [heads, rows, dim] in boxes of 64 columns.
static inline assay_status map_rows(assay::tensor_map *map, const scalar_t *base, int heads, int64_t rows,
                                    int64_t in_memory, int dim, int box_rows)
{
    return assay::tensor_map_nd<scalar_t, 3>(map, base, {dim, rows, heads}, {dim, in_memory * dim},
                                             {64, box_rows, 1}, true);
}

// Rows must be aligned to 16 bytes, and there must be keys. The scale must be positive.
template <class C>
static assay_status launch(const mha_args *args, assay_stream stream)
{
    mha_shape s = shape_of(args, C::BM);
    choose_section(&s);
    assay::tensor_map map_q = {}, map_k = {}, map_v = {};
    assay_status status = map_rows(&map_q, s.q, s.heads, s.queries, s.queries, s.dim, C::BM);
    if (status == ASSAY_OK)
        status = map_rows(&map_k, s.k, s.heads / s.group, s.keys, s.key_rows, s.dim, C::BN);
    if (status == ASSAY_OK)
        status = map_rows(&map_v, s.v, s.heads / s.group, s.keys, s.key_rows, s.dim, C::BN);
    if (status != ASSAY_OK)
        return status;
    const int tiles = s.heads * s.query_tiles, room = assay::multiprocessor_count();
    const int blocks = tiles < room ? tiles : room;
    return assay::launch(mha_hopper<C>, dim3(static_cast<unsigned>(blocks)), dim3(C::THREADS),
                         C::SHARED_BYTES, stream, map_q, map_k, map_v, s);
}

} // namespace hopper

#endif
