// f16 and bf16 attention with Hopper's warpgroup instructions (sm_90a), after FlashAttention-3 (Shah et al., 2024).
//
// A block owns BM = 64 * CONSUMERS queries of one head. Its warpgroups have fixed roles:
//   producer   one thread starts the copies (TMA): q once, then tile after tile of BN keys and of their values, each into a
//              ring of STAGES places, as far ahead as these allow;
//   consumers  64 queries each. A tile's scores are one product straight from shared memory (wgmma); the probabilities stay
//              in the registers in which that leaves them, which are those of the left operand for the product with v.
// The two products of different tiles overlap with the softmax: the scores of a tile are begun before the product of the last
// tile's probabilities with v, and the softmax runs while that is still under way. Between warpgroups a turn of named barriers
// keeps their products from being begun at the same time, so that one multiplies while another takes exponentials.
// `full` barriers count the bytes that landed, `empty` ones the consumer warps that are done with a place.
// The copy engine sees the rows of all heads as one matrix and brings rows of the next head behind the last key. Their scores
// are masked, and their values are overwritten with zeros, because 0 times a NaN would be NaN.
#ifndef ASSAY_OPS_MHA_V4_HOPPER_CUH
#define ASSAY_OPS_MHA_V4_HOPPER_CUH

#include <assay/hopper.h>
#include "v4_common.cuh"

namespace hopper
{

template <int DP_, int BN_, int CONSUMERS_, int STAGES_, bool TURNS_>
struct config {
    static constexpr int DP = DP_, BN = BN_, CONSUMERS = CONSUMERS_, STAGES = STAGES_;
    static constexpr bool TURNS = TURNS_;
    static constexpr int BM = 64 * CONSUMERS, CONSUMER_THREADS = 128 * CONSUMERS,
                         THREADS = CONSUMER_THREADS + 128;
    static constexpr int REGISTERS = CONSUMERS == 3 ? 160 : 240,
                         PRODUCER_REGISTERS = CONSUMERS == 3 ? 32 : 24;
    static constexpr int Q_ELEMENTS = BM * DP, TILE_ELEMENTS = BN * DP;
    static constexpr int BARRIER_BYTES = 1024;
    static constexpr int SHARED_BYTES = BARRIER_BYTES + 2 * (Q_ELEMENTS + 2 * STAGES * TILE_ELEMENTS);
    static_assert(DP % 64 == 0 && BN % 64 == 0 && 4 * STAGES + 1 <= BARRIER_BYTES / 8, "see the kernel");
    static_assert(SHARED_BYTES <= 232448, "a block's shared memory");
};

// Shared memory: barriers, q, the ring of k, the ring of v. Tiles lie in boxes of 64 columns, rows of 128 bytes each.
template <class C>
struct shared_memory {
    uint64_t *full_q, *full_k, *full_v, *empty_k, *empty_v;
    scalar_t *q, *k, *v;

    __device__ __forceinline__ explicit shared_memory(unsigned char *base)
        : full_q(reinterpret_cast<uint64_t *>(base)), full_k(full_q + 1), full_v(full_k + C::STAGES),
          empty_k(full_v + C::STAGES), empty_v(empty_k + C::STAGES),
          q(reinterpret_cast<scalar_t *>(base + C::BARRIER_BYTES)), k(q + C::Q_ELEMENTS),
          v(k + C::STAGES * C::TILE_ELEMENTS)
    {
    }
};

// A place in a ring and the parity of the phase that is awaited there.
template <class C>
struct ring_place {
    int stage = 0, parity = 0;
    __device__ __forceinline__ void advance()
    {
        if (++stage == C::STAGES)
            stage = 0, parity ^= 1;
    }
};

#if ASSAY_HOPPER_CODE

template <class C, int ROWS>
__device__ __forceinline__ void load_boxes(scalar_t *to, const assay::tensor_map *map, uint64_t *full,
                                           int row)
{
    assay::mbarrier_arrive_expect(full, ROWS * C::DP * 2);
#pragma unroll
    for (int column = 0; column < C::DP; column += 64)
        assay::tma_load_2d(to + column * ROWS, map, full, column, row);
}

template <class C>
__device__ __forceinline__ void produce(const shared_memory<C> &shared, const assay::tensor_map *map_q,
                                        const assay::tensor_map *map_k, const assay::tensor_map *map_v,
                                        int q_row, int k_row, int tiles)
{
    load_boxes<C, C::BM>(shared.q, map_q, shared.full_q, q_row);
    ring_place<C> at;
    for (int tile = 0; tile < tiles; tile++, at.advance()) {
        assay::mbarrier_wait(&shared.empty_k[at.stage], at.parity ^ 1);
        load_boxes<C, C::BN>(shared.k + at.stage * C::TILE_ELEMENTS, map_k, &shared.full_k[at.stage],
                             k_row + tile * C::BN);
        assay::mbarrier_wait(&shared.empty_v[at.stage], at.parity ^ 1);
        load_boxes<C, C::BN>(shared.v + at.stage * C::TILE_ELEMENTS, map_v, &shared.full_v[at.stage],
                             k_row + tile * C::BN);
    }
}

// Begin scores = q * k^T: 64 queries by BN keys. `q`: the warpgroup's first row.
template <class C>
__device__ __forceinline__ void begin_scores(float (&scores)[C::BN / 2], const scalar_t *q, const scalar_t *k)
{
#pragma unroll
    for (int d = 0; d < C::DP; d += 16)
        assay::wgmma_m64k16<scalar_t, C::BN, false>::run(
            scores, assay::wgmma_descriptor(q + d / 64 * 64 * C::BM + d % 64, 16, 1024),
            assay::wgmma_descriptor(k + d / 64 * 64 * C::BN + d % 64, 16, 1024), d > 0);
    assay::wgmma_commit();
}

// Begin out += p * v.
template <class C>
__device__ __forceinline__ void begin_output(float (&out)[C::DP / 2], const uint32_t (&p)[C::BN / 16][4],
                                             const scalar_t *v)
{
#pragma unroll
    for (int j = 0; j < C::BN / 16; j++)
        assay::wgmma_m64k16<scalar_t, C::DP>::run_registers(
            out, p[j], assay::wgmma_descriptor(v + j * 16 * 64, C::BN * 128, 1024), 1);
    assay::wgmma_commit();
}

// A consumer warp is done with a place of the ring.
__device__ __forceinline__ void release(uint64_t *empty)
{
    if (threadIdx.x % 32 == 0)
        assay::mbarrier_arrive(empty);
}

// Scores of keys that a query does not see become -infinity. `key`: the tile's first.
template <class C>
__device__ __forceinline__ void mask(float (&scores)[C::BN / 2], const mha_shape &s, int key, int query)
{
#pragma unroll
    for (int h = 0; h < 2; h++) {
        const int seen = query + h * 8 + 1;
        const int limit =
            (s.causal && seen < s.keys ? seen : s.keys) - key - static_cast<int>(threadIdx.x) % 4 * 2;
#pragma unroll
        for (int j = 0; j < C::BN / 8; j++)
#pragma unroll
            for (int e = 0; e < 2; e++)
                if (j * 8 + e >= limit)
                    scores[j * 4 + h * 2 + e] = -INFINITY;
    }
}

// Scores to exponentials, with maxima and sums brought up to date. factor[] is what the rows' output is to be rescaled with.
template <class C>
__device__ __forceinline__ void softmax_tile(float (&scores)[C::BN / 2], row_state (&rows)[2],
                                             float (&factor)[2], float scale)
{
    float max[2];
#pragma unroll
    for (int h = 0; h < 2; h++) {
        max[h] = fmaxf(scores[h * 2], scores[h * 2 + 1]);
#pragma unroll
        for (int j = 1; j < C::BN / 8; j++)
            max[h] = fmaxf(max[h], fmaxf(scores[j * 4 + h * 2], scores[j * 4 + h * 2 + 1]));
        max[h] = fmaxf(max[h], __shfl_xor_sync(0xffffffff, max[h], 1));
        max[h] = fmaxf(max[h], __shfl_xor_sync(0xffffffff, max[h], 2));
    }
#pragma unroll
    for (int h = 0; h < 2; h++) {
        factor[h] = follow(max[h], rows[h], scale);
        float sum = 0.0f;
#pragma unroll
        for (int j = 0; j < C::BN / 8; j++)
#pragma unroll
            for (int e = 0; e < 2; e++) {
                float &score = scores[j * 4 + h * 2 + e];
                score = exp2_fast(score * scale - rows[h].max);
                sum += score;
            }
        rows[h].sum += sum;
    }
}

// Where a maximum has moved, for any of the warp's rows; after the first tiles that is rare.
template <class C>
__device__ __forceinline__ void rescale(float (&out)[C::DP / 2], const float (&factor)[2])
{
    if (!__any_sync(0xffffffff, factor[0] != 1.0f || factor[1] != 1.0f))
        return;
#pragma unroll
    for (int i = 0; i < C::DP / 2; i++)
        out[i] *= factor[i % 4 / 2];
}

// Round the exponentials to the module's type, as left operands for 16 keys at a time.
template <class C>
__device__ __forceinline__ void pack_all(uint32_t (&p)[C::BN / 16][4], const float (&scores)[C::BN / 2])
{
#pragma unroll
    for (int j = 0; j < C::BN / 16; j++)
#pragma unroll
        for (int r = 0; r < 4; r++)
            p[j][r] = pack(scores[j * 8 + r * 2], scores[j * 8 + r * 2 + 1]);
}

// Zeros for the values behind the last key, by all consumers.
template <class C>
__device__ __forceinline__ void clear_behind(scalar_t *v, int valid)
{
    const scalar_t zero = assay::from_float<scalar_t>(0.0f);
    const int elements = (C::BN - valid) * 64;
    for (int i = static_cast<int>(threadIdx.x) - 128; i < elements; i += C::CONSUMER_THREADS)
#pragma unroll
        for (int column = 0; column < C::DP; column += 64)
            v[column * C::BN + valid * 64 + i] = zero;
    assay::fence_async_shared();
    assay::named_barrier_sync(1, C::CONSUMER_THREADS);
}

// Divide by the sums and write the warp's 16 rows, through its own rows of q's tile so that whole 16-byte chunks are written.
// `row`: the warp's first in the tile; `query`: the same, counted in the head.
template <class C>
__device__ __forceinline__ void store_rows(const float (&out)[C::DP / 2], const row_state (&rows)[2],
                                           const mha_shape &s, scalar_t *to, scalar_t *tile, int row,
                                           int query)
{
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const auto chunk_at = [&](int in_warp, int chunk) {
        const int r = row + in_warp;
        return tile + chunk / 8 * 64 * C::BM + r * 64 + (chunk % 8 ^ r % 8) * 8;
    };
#pragma unroll
    for (int h = 0; h < 2; h++) {
        float sum = rows[h].sum; // of this thread's columns; four threads share a row
        sum += __shfl_xor_sync(0xffffffff, sum, 1);
        sum += __shfl_xor_sync(0xffffffff, sum, 2);
        const float inverse = 1.0f / sum;
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
__device__ __forceinline__ void consume(const shared_memory<C> &shared, const mha_shape &s, mha_block block,
                                        int tiles)
{
    const int consumer = static_cast<int>(threadIdx.x) / 128 - 1,
              warp = static_cast<int>(threadIdx.x) % 128 / 32;
    const int row = consumer * 64 + warp * 16, query = block.query + row;
    const int thread_query = query + static_cast<int>(threadIdx.x) % 32 / 4;
    const scalar_t *q = shared.q + consumer * 64 * 64;
    // Named barriers: 1 all consumers, 2 to 4 their turns, 5 to 7 one for each.
    const int my_turn = 2 + consumer, next_turn = 2 + (consumer + 1) % C::CONSUMERS;
    row_state rows[2] = {kNoKeys, kNoKeys};
    float out[C::DP / 2], scores[C::BN / 2], factor[2];
    uint32_t p[C::BN / 16][4];
#pragma unroll
    for (int i = 0; i < C::DP / 2; i++)
        out[i] = 0.0f;
    if (C::TURNS && consumer == C::CONSUMERS - 1 && tiles > 1)
        assay::named_barrier_arrive(2, 256); // the first consumer begins

    ring_place<C> at, last;
    // What is done with a tile's scores once they are there; the product that is under way at the same time does not matter.
    const auto softmax = [&](int key) {
        assay::wgmma_fence_operands(scores);
        release(&shared.empty_k[at.stage]);
        if (key + C::BN > s.keys || (s.causal && key + C::BN - 1 > query))
            mask<C>(scores, s, key, thread_query);
        softmax_tile<C>(scores, rows, factor, s.scale);
        at.advance();
    };
    assay::mbarrier_wait(shared.full_q, 0);
    assay::mbarrier_wait(&shared.full_k[0], 0);
    assay::wgmma_fence();
    begin_scores<C>(scores, q, shared.k);
    assay::wgmma_wait<0>();
    softmax(0);
    pack_all<C>(p, scores);
    for (int tile = 1; tile < tiles; tile++, last.advance()) {
        assay::mbarrier_wait(&shared.full_k[at.stage], at.parity);
        // Both waits come before both products: a branch between them would make the compiler wait for the first.
        assay::mbarrier_wait(&shared.full_v[last.stage], last.parity);
        if (C::TURNS)
            assay::named_barrier_sync(my_turn, 256);
        assay::wgmma_fence_operands(scores);
        assay::wgmma_fence_operands(out);
        assay::wgmma_fence();
        begin_scores<C>(scores, q, shared.k + at.stage * C::TILE_ELEMENTS);
        begin_output<C>(out, p, shared.v + last.stage * C::TILE_ELEMENTS);
        if (C::TURNS && (tile + 1 < tiles || consumer + 1 < C::CONSUMERS)) // the very last turn is nobody's
            assay::named_barrier_arrive(next_turn, 256);
        assay::wgmma_wait<1>();
        softmax(tile * C::BN);
        assay::wgmma_wait<0>();
        assay::wgmma_fence_operands(out);
        release(&shared.empty_v[last.stage]);
        rescale<C>(out, factor);
        pack_all<C>(p, scores);
    }
    assay::mbarrier_wait(&shared.full_v[last.stage], last.parity);
    if (tiles * C::BN > s.keys)
        clear_behind<C>(shared.v + last.stage * C::TILE_ELEMENTS, s.keys - (tiles - 1) * C::BN);
    assay::wgmma_fence_operands(out);
    assay::wgmma_fence();
    begin_output<C>(out, p, shared.v + last.stage * C::TILE_ELEMENTS);
    assay::wgmma_wait<0>();
    assay::wgmma_fence_operands(out);
    assay::named_barrier_sync(5 + consumer, 128); // q has been read by the whole warpgroup
    store_rows<C>(out, rows, s, s.out + static_cast<int64_t>(block.head) * s.queries * s.dim, shared.q, row,
                  query);
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
        for (int i = 0; i < C::STAGES; i++) {
            assay::mbarrier_init(&shared.full_k[i], 1);
            assay::mbarrier_init(&shared.full_v[i], 1);
            assay::mbarrier_init(&shared.empty_k[i], 4 * C::CONSUMERS);
            assay::mbarrier_init(&shared.empty_v[i], 4 * C::CONSUMERS);
        }
        assay::mbarrier_fence_init();
    }
    __syncthreads();
    const mha_block block = block_of(s, blockIdx.x, C::BM);
    const int limit = s.causal && block.query + C::BM < s.keys ? block.query + C::BM : s.keys;
    const int tiles = (limit + C::BN - 1) / C::BN;
    if (threadIdx.x < 128) {
        assay::registers_decrease<C::PRODUCER_REGISTERS>();
        if (threadIdx.x == 0)
            produce<C>(shared, &map_q, &map_k, &map_v, block.head * s.queries + block.query,
                       block.head * s.keys, tiles);
    } else {
        assay::registers_increase<C::REGISTERS>();
        consume<C>(shared, s, block, tiles);
    }
#endif
}

// Rows must be aligned to 16 bytes, and there must be keys. The scale must be positive.
template <class C>
static assay_status launch(const mha_args *args, assay_stream stream)
{
    const mha_shape s = shape_of(args, C::BM);
    const int64_t q_rows = static_cast<int64_t>(s.heads) * s.queries,
                  k_rows = static_cast<int64_t>(s.heads) * s.keys;
    assay::tensor_map map_q = {}, map_k = {}, map_v = {};
    assay_status status = assay::tensor_map_2d(&map_q, s.q, q_rows, s.dim, s.dim, C::BM, 64);
    if (status == ASSAY_OK)
        status = assay::tensor_map_2d(&map_k, s.k, k_rows, s.dim, s.dim, C::BN, 64);
    if (status == ASSAY_OK)
        status = assay::tensor_map_2d(&map_v, s.v, k_rows, s.dim, s.dim, C::BN, 64);
    if (status != ASSAY_OK)
        return status;
    return assay::launch(mha_hopper<C>,
                         dim3(static_cast<unsigned>(s.heads) * static_cast<unsigned>(s.query_tiles)),
                         dim3(C::THREADS), C::SHARED_BYTES, stream, map_q, map_k, map_v, s);
}

} // namespace hopper

#endif
