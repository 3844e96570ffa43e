// The configuration of hopper.cuh, its shared memory, and the producer warp, which loads q, k and v.
#ifndef ASSAY_OPS_MHA_V4_HOPPER_LOADS_CUH
#define ASSAY_OPS_MHA_V4_HOPPER_LOADS_CUH

#include "warpgroups.cuh"

namespace hopper
{

template <int DP_, int BN_, int CONSUMERS_, int STAGES_, bool PING_PONG_>
struct config {
    static constexpr int DP = DP_, BN = BN_, CONSUMERS = CONSUMERS_, STAGES = STAGES_;
    static constexpr bool PING_PONG = PING_PONG_, SECTIONS = true;
    static constexpr int BM = 64 * CONSUMERS, CONSUMER_THREADS = 128 * CONSUMERS,
                         THREADS = CONSUMER_THREADS + 128;
    static constexpr int REGISTERS = CONSUMERS == 3 ? 160 : 240,
                         PRODUCER_REGISTERS = CONSUMERS == 3 ? 32 : 24;
    static constexpr int WIDTH = (DP + 63) / 64 * 64; // of a row in shared memory: whole boxes
    static constexpr int Q_ELEMENTS = BM * WIDTH, TILE_ELEMENTS = BN * WIDTH;
    static constexpr int BARRIER_BYTES = 1024, SHARED_LIMIT = 232448;
    static constexpr int WITHOUT_OUT = BARRIER_BYTES + 2 * (Q_ELEMENTS + 2 * STAGES * TILE_ELEMENTS);
    // Long rows leave no room for a finished tile beside q: it takes the place of q.
    static constexpr bool OUT_IN_Q = WITHOUT_OUT + 2 * Q_ELEMENTS > SHARED_LIMIT;
    static constexpr int SHARED_BYTES = WITHOUT_OUT + (OUT_IN_Q ? 0 : 2 * Q_ELEMENTS);
    static_assert(DP % 32 == 0 && BN % 16 == 0 && 4 * STAGES + 2 + 2 * CONSUMERS <= BARRIER_BYTES / 8,
                  "see the kernel");
    static_assert(SHARED_BYTES <= SHARED_LIMIT, "a block's shared memory");
};

// Shared memory: barriers, q, the finished tile, the stages of k, those of v. Tiles lie in boxes of 64
// columns, rows of 128 bytes.
template <class C>
struct shared_memory {
    uint64_t *full_q, *empty_q, *full_k, *full_v, *empty_k, *empty_v;
    uint32_t *again; // see note_again()
    scalar_t *q, *out, *k, *v;

    __device__ __forceinline__ explicit shared_memory(unsigned char *base)
        : full_q(reinterpret_cast<uint64_t *>(base)), empty_q(full_q + 1), full_k(full_q + 2),
          full_v(full_k + C::STAGES), empty_k(full_v + C::STAGES), empty_v(empty_k + C::STAGES),
          again(reinterpret_cast<uint32_t *>(empty_v + C::STAGES)),
          q(reinterpret_cast<scalar_t *>(base + C::BARRIER_BYTES)), out(C::OUT_IN_Q ? q : q + C::Q_ELEMENTS),
          k(out + C::Q_ELEMENTS), v(k + C::STAGES * C::TILE_ELEMENTS)
    {
    }
};

#if ASSAY_HOPPER_CODE

template <class C, int ROWS>
__device__ __forceinline__ void load_boxes(scalar_t *to, const assay::tensor_map *map, uint64_t *full,
                                           int row, int head)
{
    assay::mbarrier_arrive_expect(full, ROWS * C::WIDTH * 2);
#pragma unroll
    for (int column = 0; column < C::DP; column += 64)
        assay::tma_load_3d(to + column * ROWS, map, full, column, row, head);
}

template <class C>
__device__ __forceinline__ void produce(const shared_memory<C> &shared, const assay::tensor_map *map_q,
                                        const assay::tensor_map *map_k, const assay::tensor_map *map_v,
                                        const mha_shape &s)
{
    pipeline_position<C> at;
    work w;
    for (int turn = 0; find_work<C>(s, turn, w); turn++) {
        assay::mbarrier_wait(shared.empty_q, (turn & 1) ^ 1);
        load_boxes<C, C::BM>(shared.q, map_q, shared.full_q, w.block.query, w.block.head);
        const int key_head = key_head_of(s, w.block.head);
        for (int tile = 0; tile < w.tiles; tile++, at.advance()) {
            assay::mbarrier_wait(&shared.empty_k[at.stage], at.parity ^ 1);
            load_boxes<C, C::BN>(shared.k + at.stage * C::TILE_ELEMENTS, map_k, &shared.full_k[at.stage],
                                 tile * C::BN, key_head);
            assay::mbarrier_wait(&shared.empty_v[at.stage], at.parity ^ 1);
            load_boxes<C, C::BN>(shared.v + at.stage * C::TILE_ELEMENTS, map_v, &shared.full_v[at.stage],
                                 tile * C::BN, key_head);
        }
    }
}

#endif

} // namespace hopper

#endif
