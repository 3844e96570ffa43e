// f32 attention at f32's accuracy with Hopper's warpgroup products (sm_90a).
//
// k and v come split into pairs of binary16 numbers (split.cuh); the consumers split q. A product of two
// pairs is three products of tensor cores (split_tile.cuh), at five times the rate of multiply-add units.
// Tensor cores truncate when they add, so a long sum drifts. Therefore every tile of keys has sums of its
// own, small products first, which are added, correctly rounded and times the tile's factor, to those of the
// row.
// The rest is that of hopper.cuh: a producer warp, pipelines of k and v, 64 queries a consumer warpgroup,
// maxima looked for once a row. Three products take longer than the exponentials, so the exponentials need
// not run under a product of the same warpgroup: it is enough that the other one multiplies meanwhile
// (PING_PONG).
#ifndef ASSAY_OPS_MHA_V4_SPLIT_HOPPER_CUH
#define ASSAY_OPS_MHA_V4_SPLIT_HOPPER_CUH

#include "split.cuh"
#include "split_tile.cuh"

namespace split
{

using hopper::exact_turns, hopper::find_work, hopper::note_again, hopper::release, hopper::pipeline_position,
    hopper::work;

template <int DP_, int BN_, int CONSUMERS_, int STAGES_, bool PING_PONG_>
struct config {
    static constexpr int DP = DP_, BN = BN_, CONSUMERS = CONSUMERS_, STAGES = STAGES_;
    static constexpr bool PING_PONG = PING_PONG_,
                          SECTIONS = false; // products take three times as long as copies
    // Sums of rows of more than 128 elements do not fit the registers: two consumers then have the same queries,
    // and each the half of the output's columns.
    static constexpr bool WIDE = DP > 128;
    static constexpr int BM = WIDE ? 64 : 64 * CONSUMERS, COLUMNS = WIDE ? DP / 2 : DP; // of a consumer
    static constexpr int THREADS = 128 * CONSUMERS + 128;
    static constexpr int REGISTERS = CONSUMERS == 1 ? 248 : 240, PRODUCER_REGISTERS = 24;
    static constexpr int WIDTH = (DP + 63) / 64 * 64; // of a row in shared memory: whole boxes
    static constexpr int Q_ELEMENTS = BM * WIDTH, TILE_ELEMENTS = BN * WIDTH; // of one part
    static constexpr int BARRIER_BYTES = 1024;
    static constexpr int SHARED_BYTES = BARRIER_BYTES + 2 * 2 * (Q_ELEMENTS + 2 * STAGES * TILE_ELEMENTS);
    static_assert(DP % 32 == 0 && BN % 16 == 0 && 4 * STAGES + 2 * CONSUMERS <= BARRIER_BYTES / 8,
                  "see the kernel");
    static_assert(CONSUMERS <= 2 && (!WIDE || CONSUMERS == 2), "named barriers, and registers");
    static_assert(!WIDE || COLUMNS % 64 == 0, "a half of the columns is whole boxes");
    static_assert(SHARED_BYTES <= 232448, "a block's shared memory");
};

// Shared memory: barriers, q, the stages of k, those of v. A tile is its high parts, then its low parts, each
// in boxes of 64 columns, rows of 128 bytes.
template <class C>
struct shared_memory {
    uint64_t *full_k, *full_v, *empty_k, *empty_v;
    uint32_t *again; // see note_again()
    __half *q, *k, *v;

    __device__ __forceinline__ explicit shared_memory(unsigned char *base)
        : full_k(reinterpret_cast<uint64_t *>(base)), full_v(full_k + C::STAGES), empty_k(full_v + C::STAGES),
          empty_v(empty_k + C::STAGES), again(reinterpret_cast<uint32_t *>(empty_v + C::STAGES)),
          q(reinterpret_cast<__half *>(base + C::BARRIER_BYTES)), k(q + 2 * C::Q_ELEMENTS),
          v(k + 2 * C::STAGES * C::TILE_ELEMENTS)
    {
    }
};

#if ASSAY_HOPPER_CODE

// Both parts of a tile of keys or values.
template <class C>
__device__ __forceinline__ void load_parts(__half *to, const assay::tensor_map *map, uint64_t *full, int tile,
                                           int head, int heads)
{
    assay::mbarrier_arrive_expect(full, 2 * C::TILE_ELEMENTS * 2);
#pragma unroll
    for (int part = 0; part < 2; part++)
#pragma unroll
        for (int column = 0; column < C::DP; column += 64)
            assay::tma_load_3d(to + part * C::TILE_ELEMENTS + column * C::BN, map, full, column, tile * C::BN,
                               part * heads + head);
}

template <class C>
__device__ __forceinline__ void produce(const shared_memory<C> &shared, const assay::tensor_map *map_k,
                                        const assay::tensor_map *map_v, const mha_shape &s)
{
    pipeline_position<C> at;
    work w;
    const int key_heads = s.heads / s.group;
    for (int turn = 0; find_work<C>(s, turn, w); turn++)
        for (int tile = 0, key_head = key_head_of(s, w.block.head); tile < w.tiles; tile++, at.advance()) {
            const int place = at.stage * 2 * C::TILE_ELEMENTS;
            assay::mbarrier_wait(&shared.empty_k[at.stage], at.parity ^ 1);
            load_parts<C>(shared.k + place, map_k, &shared.full_k[at.stage], tile, key_head, key_heads);
            assay::mbarrier_wait(&shared.empty_v[at.stage], at.parity ^ 1);
            load_parts<C>(shared.v + place, map_v, &shared.full_v[at.stage], tile, key_head, key_heads);
        }
}

// How often a consumer begins the products of two tiles.
template <class C>
__device__ __forceinline__ int count_turns(const mha_shape &s)
{
    int turns = 0;
    work w;
    for (int turn = 0; find_work<C>(s, turn, w); turn++)
        turns += w.tiles - 1;
    return turns;
}

template <class C>
__device__ __forceinline__ void consume(const shared_memory<C> &shared, const mha_shape &s,
                                        const float *factors)
{
    const int consumer = static_cast<int>(threadIdx.x) / 128 - 1,
              warp = static_cast<int>(threadIdx.x) % 128 / 32;
    const int first_row = C::WIDE ? 0 : consumer * 64, first_column = C::WIDE ? consumer * C::COLUMNS : 0;
    const int row = first_row + warp * 16, lane_row = static_cast<int>(threadIdx.x) % 32 / 4;
    pipeline_position<C> at; // of the next k; the next v lies one stage before
    const uint64_t first_q = assay::wgmma_descriptor(shared.q, 16, 1024),
                   first_k = assay::wgmma_descriptor(shared.k, 16, 1024),
                   first_v = assay::wgmma_descriptor(shared.v + first_column * C::BN, C::BN * 128, 1024);
    const auto q = [&] {
        int offset = first_row * 64;
        value_barrier(offset);
        return behind(first_q, offset);
    };
    // A single stage would have the descriptors of all products kept through the loop, in local memory.
    const auto stage_offset = [&](int stage) {
        int offset = stage * 2 * C::TILE_ELEMENTS;
        if (C::STAGES == 1)
            value_barrier(offset);
        return offset;
    };
    const auto next_k = [&] { return behind(first_k, stage_offset(at.stage)); };
    const auto last_stage = [&] { return at.stage == 0 ? C::STAGES - 1 : at.stage - 1; };
    const auto last_parity = [&] { return at.stage == 0 ? at.parity ^ 1 : at.parity; };
    const auto next_v = [&] { return behind(first_v, stage_offset(last_stage())); };
    // Named barriers 2 and 3: whose products come next; 4 and 5: the warps that have the same queries.
    const auto meet = [&] {
        if (C::WIDE)
            assay::named_barrier_sync(4, 256);
        else
            assay::named_barrier_sync(4 + consumer, 128);
    };
    const int my_turn = 2 + consumer, next_turn = 2 + (consumer + 1) % C::CONSUMERS;
    int turns_left = 0; // of this consumer
    if (C::PING_PONG) {
        turns_left = count_turns<C>(s);
        if (consumer == C::CONSUMERS - 1 && turns_left > 0)
            assay::named_barrier_arrive(2, 256); // the first consumer begins
    }

    float out[C::COLUMNS / 2], sums[C::COLUMNS / 2], scores[C::BN / 2], factor[2];
    probabilities<C> p;
    row_state rows[2];
    work w = {};
    int last_seen, key_head;        // by the warp's first query; the head of k and v
    float scale_q, scale, factor_v; // of the queries; of the tile's scores; of its values
    float ahead[2];                 // the factors of the next tile
    const auto look_ahead = [&](int tile) {
        if (tile < w.tiles) {
            const int units = (s.keys + C::BN - 1) / C::BN;
            const assay::vec<float, 2> both =
                assay::load_vec<2>(factors + 2 * (static_cast<int64_t>(key_head) * units + tile));
            ahead[0] = both[0], ahead[1] = both[1];
        }
    };
    // Use the factors of a tile, and load the next ones.
    const auto next_factors = [&](int tile) {
        scale = scale_q * ahead[0];
        scale = scale < 0x1p-126f ? 0x1p-126f : scale; // not 0, which times -infinity is NaN; NaN stays
        factor_v = ahead[1];
        look_ahead(tile + 1);
    };
    const auto mask_tile = [&](int tile) {
        const int key = tile * C::BN;
        if (key + C::BN > s.keys || (s.causal && key + C::BN - 1 > last_seen))
            hopper::mask<C>(scores, s, key, last_seen + lane_row);
    };
    const auto begin_values = [&] {
        assay::wgmma_fence_operands(sums);
        assay::wgmma_fence();
        begin_output<C>(sums, p, next_v());
    };
    const auto add_sums = [&] {
        assay::wgmma_fence_operands(sums);
        release(&shared.empty_v[last_stage()]);
#pragma unroll
        for (int i = 0; i < C::COLUMNS / 2; i++)
            out[i] += sums[i] * factor_v;
    };
    const auto begin_next_scores = [&] {
        assay::wgmma_fence_operands(scores);
        assay::wgmma_fence();
        begin_scores<C>(scores, q(), next_k());
    };
    const auto begin_turn = [&] {
        if (C::PING_PONG)
            assay::named_barrier_sync(my_turn, 256);
    };
    const auto end_turn = [&] {
        if (C::PING_PONG &&
            (--turns_left > 0 || consumer + 1 < C::CONSUMERS)) // nobody comes after the last one
            assay::named_barrier_arrive(next_turn, 256);
    };
    const auto take_scores = [&](int tile) {
        assay::wgmma_fence_operands(scores);
        release(&shared.empty_k[at.stage]);
        mask_tile(tile);
    };
    const auto rescale = [&](bool followed) {
        if (followed) {
#pragma unroll
            for (int i = 0; i < C::COLUMNS / 2; i++)
                out[i] *= factor[i % 4 / 2];
        }
    };
    const auto await_keys = [&](int tile) {
        if (tile < w.tiles)
            assay::mbarrier_wait(&shared.full_k[at.stage], at.parity);
    };
    const auto await_values = [&] { assay::mbarrier_wait(&shared.full_v[last_stage()], last_parity()); };
    // The product of a tile's exponentials with its values, and the scores and exponentials of the next one.
    // All waits for copies come before both products: a branch between these would make the compiler wait for
    // the first.
    const auto step = [&](int tile) {
        await_values();
        begin_turn();
        begin_values();
        begin_next_scores();
        end_turn();
        assay::wgmma_wait<1>();
        add_sums();
        next_factors(tile);
        assay::wgmma_wait<0>();
        take_scores(tile);
        rescale(softmax_tile<C>(p, scores, rows, factor, scale, false));
        at.advance();
        await_keys(tile + 1);
    };

    for (int turn = 0; find_work<C>(s, turn, w); turn++) {
        key_head = key_head_of(s, w.block.head);
        last_seen = w.block.query + row + s.causal_shift;
        value_barrier(last_seen);
        // Between these barriers no warp that reads these queries multiplies.
        meet();
        scale_q = s.scale * split_queries<C>(s, shared.q, row, w.block.head, w.block.query + row,
                                             !C::WIDE || consumer == 0);
        assay::fence_async_shared();
        meet();
        if (turn == 0)
            assay::wait_for_previous(); // which splits k and v
        if (work next; find_work<C>(s, turn + 1, next))
            prefetch_queries<C>(s, next.block.head, next.block.query + row);
        rows[0] = rows[1] = kNoKeys;
#pragma unroll
        for (int i = 0; i < C::COLUMNS / 2; i++)
            out[i] = 0.0f;
        look_ahead(0);
        next_factors(0);
        await_keys(0);
        begin_next_scores();
        assay::wgmma_wait<0>();
        take_scores(0);
        softmax_tile<C>(p, scores, rows, factor, scale, true);
        at.advance();
        await_keys(1);
        for (int tile = 1; tile < w.tiles; tile++)
            step(tile);
        await_values();
        begin_values();
        assay::wgmma_wait<0>();
        add_sums();
        find_work<C>(s, turn, w); // once more: the loop has no register for what it does not need
        if (!write_rows<C>(out, rows, s, w.block.head, w.block.query + row, first_column))
            note_again<C>(shared.again, turn);
    }
    if (C::WIDE) { // a consumer's columns of a row may be good and the other's not: both have written
        meet();
        if (consumer > 0)
            return;
    }
    exact_turns<C>(s, shared.again);
}

#endif

// Registers are handed out as for three warpgroups, also where there are two: registers_increase() gives the
// consumers what they need.
template <class C>
static __global__ void __launch_bounds__(384, 1)
    mha_split_hopper(const __grid_constant__ assay::tensor_map map_k,
                     const __grid_constant__ assay::tensor_map map_v, const mha_shape s, const float *factors)
{
#if ASSAY_HOPPER_CODE
    ASSAY_DYNAMIC_SHARED(unsigned char, memory);
    const shared_memory<C> shared(memory);
    if (threadIdx.x == 0) {
        assay::tma_prefetch_map(&map_k);
        assay::tma_prefetch_map(&map_v);
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
        if (threadIdx.x == 0) {
            assay::wait_for_previous(); // which splits k and v
            produce<C>(shared, &map_k, &map_v, s);
        }
    } else {
        assay::registers_increase<C::REGISTERS>();
        consume<C>(shared, s, factors);
    }
#endif
}

// A map of [2 parts * heads, rows, padded] in boxes of 64 columns.
static inline assay_status map_parts(assay::tensor_map *map, const __half *parts, const keys_and_values &all,
                                     int box_rows)
{
    return assay::tensor_map_nd<__half, 3>(map, parts, {all.padded, all.rows, 2 * all.heads},
                                           {all.padded, static_cast<int64_t>(all.rows) * all.padded},
                                           {64, box_rows, 1}, true);
}

// Rows must be aligned to 16 bytes, and there must be keys and the workspace that mha_split_bytes() asks for.
template <class C>
static assay_status launch(const mha_args *args, assay_stream stream)
{
    const mha_shape s = shape_of(args, C::BM);
    const keys_and_values all = lay_out<C::BN>(args, s);
    assay::tensor_map map_k = {}, map_v = {};
    assay_status status = map_parts(&map_k, all.k_parts, all, C::BN);
    if (status == ASSAY_OK)
        status = map_parts(&map_v, all.v_parts, all, C::BN);
    if (status == ASSAY_OK)
        status =
            assay::launch(mha_split<C::WIDTH, C::BN>, dim3(static_cast<unsigned>(all.heads * all.units), 2),
                          dim3(kThreads), 0, stream, all);
    if (status != ASSAY_OK)
        return status;
    const int tiles = s.heads * s.query_tiles, room = assay::multiprocessor_count();
    return assay::launch_early(mha_split_hopper<C>, dim3(static_cast<unsigned>(tiles < room ? tiles : room)),
                               dim3(C::THREADS), C::SHARED_BYTES, stream, map_k, map_v, s, all.factors);
}

} // namespace split

#endif
