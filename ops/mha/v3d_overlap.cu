// mha, step 3d: warps with roles, and exponentials under the products. f16 and bf16, sm_90a.
//
// After FlashAttention-3 (Shah et al., 2024). A block owns 128 queries of one head.
//   producer   one warp starts the TMA copies of q, and of k and v tile after tile, each into a pipeline of
//              its own;
//   consumers  two warpgroups of 64 queries each. The scores of a tile are begun before the last tile's
//              probabilities are multiplied with v, and the exponentials are taken while that product still
//              runs.
// mbarriers pass the stages on: `full` ones count the bytes that have landed, `empty` ones the consumer warps
// that are done with a stage. The producer's registers go to the consumers (setmaxnreg). Tiles, softmax and
// edges are those of step 3c.
// Expected effect: a quarter more than step 3c with rows of 128 elements; less with 64, whose exponentials
// weigh twice as much.
// Next: step 4 chooses the tile by the shape, keeps blocks for several tiles of queries, looks for a row's
// maximum only once, and has kernels for few queries and for f32.
// Tunables: none.
#include "warpgroup_tiles.cuh"

static constexpr int CONSUMERS = BM / 64, THREADS = 128 * (1 + CONSUMERS);

#if ASSAY_HOPPER_CODE

template <class C>
struct shared_memory {
    uint64_t *full_q, *full_k, *full_v, *empty_k, *empty_v; // k and v: of each stage
    scalar_t *q, *k, *v;
    __device__ __forceinline__ explicit shared_memory(unsigned char *base)
        : full_q(reinterpret_cast<uint64_t *>(base)), full_k(full_q + 1), full_v(full_k + STAGES),
          empty_k(full_v + STAGES), empty_v(empty_k + STAGES),
          q(reinterpret_cast<scalar_t *>(base + C::BARRIER_BYTES)), k(q + BM * C::DP), v(k + STAGES * C::TILE)
    {
    }
    __device__ __forceinline__ void begin() const // by one thread
    {
        assay::mbarrier_init(full_q, 1);
        for (int i = 0; i < STAGES; i++) {
            assay::mbarrier_init(&full_k[i], 1);
            assay::mbarrier_init(&full_v[i], 1);
            assay::mbarrier_init(&empty_k[i], 4 * CONSUMERS);
            assay::mbarrier_init(&empty_v[i], 4 * CONSUMERS);
        }
        assay::mbarrier_fence_init();
    }
};

// By the producer warp: bring a tile; `full` completes when it is there.
template <class C, int ROWS>
static __device__ __forceinline__ void bring(scalar_t *to, const assay::tensor_map *map, uint64_t *full,
                                             const scalar_t *from, int first, int count, int in_memory,
                                             int64_t head, const attention_shape &s)
{
    if (!s.aligned) {
        copy_rows<C, ROWS>(to, from + head * in_memory * s.dim, first, count, s.dim, 32);
        __syncwarp();
        if (threadIdx.x == 0)
            assay::mbarrier_arrive(full);
    } else if (threadIdx.x == 0) {
        assay::mbarrier_arrive_expect(full, ROWS * C::DP * 2);
        load_rows<C, ROWS>(to, map, full, first, head);
    }
}

template <class C>
static __device__ __forceinline__ void produce(const shared_memory<C> &shared, const tile_maps &maps,
                                               const attention_shape &s, const attention_tile &at, int tiles)
{
    if (tiles > 0)
        bring<C, BM>(shared.q, &maps.q, shared.full_q, s.q, at.first, s.queries, s.queries, at.head, s);
    for (int tile = 0; tile < tiles; tile++) {
        const int stage = tile % STAGES, parity = (tile / STAGES & 1) ^ 1, key = tile * C::BN;
        assay::mbarrier_wait(&shared.empty_k[stage], parity); // a stage's first use finds it empty
        bring<C, C::BN>(shared.k + stage * C::TILE, &maps.k, &shared.full_k[stage], s.k, key, s.keys,
                        s.key_rows, at.key_head, s);
        assay::mbarrier_wait(&shared.empty_v[stage], parity);
        bring<C, C::BN>(shared.v + stage * C::TILE, &maps.v, &shared.full_v[stage], s.v, key, s.keys,
                        s.key_rows, at.key_head, s);
    }
}

// A consumer warp is done with a stage.
static __device__ __forceinline__ void release(uint64_t *empty)
{
    if (threadIdx.x % 32 == 0)
        assay::mbarrier_arrive(empty);
}

template <class C>
static __device__ __forceinline__ void consume(const shared_memory<C> &shared, const attention_shape &s,
                                               const attention_tile &at, int tiles)
{
    const int consumer = static_cast<int>(threadIdx.x) / 128 - 1,
              row = static_cast<int>(threadIdx.x) / 32 * 16 - 64,
              query = at.first + row + static_cast<int>(threadIdx.x) % 32 / 4;
    const uint64_t q = assay::wgmma_descriptor(shared.q + consumer * 64 * 64, 16, 1024);
    const auto k = [&](int tile) {
        return assay::wgmma_descriptor(shared.k + tile % STAGES * C::TILE, 16, 1024);
    };
    const auto v = [&](int tile) {
        return assay::wgmma_descriptor(shared.v + tile % STAGES * C::TILE, C::BN * 128, 1024);
    };
    const auto wait = [&](uint64_t *full, int tile) {
        assay::mbarrier_wait(&full[tile % STAGES], tile / STAGES & 1);
    };
    float out[C::DP / 2] = {}, scores[C::BN / 2], factor[2];
    uint32_t p[C::BN / 16][4];
    row_state rows;
    if (tiles > 0) { // the first tile's scores have no product to run under
        assay::mbarrier_wait(shared.full_q, 0);
        wait(shared.full_k, 0);
        assay::wgmma_fence_operands(scores);
        assay::wgmma_fence();
        begin_scores<C>(scores, q, k(0));
        assay::wgmma_wait<0>();
        assay::wgmma_fence_operands(scores);
        release(&shared.empty_k[0]);
        softmax_tile<C>(scores, rows, factor, s, 0, query);
        round_and_rescale<C>(p, out, scores, factor);
        if (tiles > 1)
            wait(shared.full_k, 1);
    }
    for (int tile = 1; tile < tiles; tile++) {
        wait(shared.full_v,
             tile -
                 1); // before both products: a branch between them would make the compiler wait for the first
        assay::wgmma_fence_operands(scores);
        assay::wgmma_fence_operands(out);
        assay::wgmma_fence();
        begin_scores<C>(scores, q, k(tile));
        begin_output<C>(out, p, v(tile - 1));
        assay::wgmma_wait<1>();
        assay::wgmma_fence_operands(scores);
        release(&shared.empty_k[tile % STAGES]);
        softmax_tile<C>(scores, rows, factor, s, tile * C::BN, query);
        assay::wgmma_fence_operands(scores);
        // This wait has to come sometime. Here its branch keeps the compiler from moving the next one up,
        // before the exponentials.
        if (tile + 1 < tiles)
            wait(shared.full_k, tile + 1);
        assay::wgmma_wait<0>();
        assay::wgmma_fence_operands(out);
        release(&shared.empty_v[(tile - 1) % STAGES]);
        round_and_rescale<C>(p, out, scores, factor);
    }
    if (tiles > 0) {
        wait(shared.full_v, tiles - 1);
        assay::wgmma_fence_operands(out);
        assay::wgmma_fence();
        begin_output<C>(out, p, v(tiles - 1));
        assay::wgmma_wait<0>();
        assay::wgmma_fence_operands(out);
    }
    assay::named_barrier_sync(1 + consumer, 128); // the warpgroup is through with its part of q
    store_rows<C>(out, rows, shared.q, s, at, row);
}

#endif

template <class C>
static __global__ void __launch_bounds__(THREADS, 1)
    mha_v3d(const __grid_constant__ tile_maps maps, const attention_shape s)
{
#if ASSAY_HOPPER_CODE
    ASSAY_DYNAMIC_SHARED(unsigned char, memory);
    const shared_memory<C> shared(memory);
    const attention_tile at = attention_tile_of<BM>(s);
    const int tiles = (at.limit + C::BN - 1) / C::BN;
    if (threadIdx.x == 0)
        shared.begin();
    __syncthreads();
    if (threadIdx.x < 128) {
        assay::registers_decrease<24>();
        if (threadIdx.x < 32)
            produce<C>(shared, maps, s, at, tiles);
    } else {
        assay::registers_increase<240>();
        consume<C>(shared, s, at, tiles);
    }
#endif
}

template <class C>
static assay_status run(const mha_args *args, assay_stream stream)
{
    return attention_run(args, BM, [=](const attention_shape &s, dim3 blocks) {
        tile_maps maps;
        const assay_status status = make_maps<C>(s, &maps);
        return status != ASSAY_OK
                   ? status
                   : assay::launch(mha_v3d<C>, blocks, dim3(THREADS), C::SHARED_BYTES, stream, maps, s);
    });
}

extern "C" assay_status mha_run(const mha_args *args, assay_stream stream)
{
    if (!assay::hopper_available())
        return ASSAY_ERR_UNSUPPORTED;
    return args->dim <= 64    ? run<tile_config<64, 128>>(args, stream)
           : args->dim <= 128 ? run<tile_config<128, 128>>(args, stream)
                              : run<tile_config<256, 64>>(args, stream);
}
