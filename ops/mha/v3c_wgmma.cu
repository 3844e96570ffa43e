// mha, step 3c: wgmma, fed by TMA through a pipeline of k and v. f16 and bf16, sm_90a.
//
// A block owns 128 queries of one head, each of its two warpgroups 64. A tile's scores are one product
// straight from shared memory. They stay in registers, become probabilities there, and are the left operand
// of the product with v.
//   - One thread starts the copies: TMA brings a tile of k and one of v into the stage that the block has
//     just left, and an mbarrier counts the bytes.
//   - TMA fills rows past the end with zeros; the scores of such keys are masked.
//   - Rows that are not aligned to 16 bytes are copied element by element by all threads: right, but slow.
// warpgroup_tiles.cuh holds the layout of tiles, the softmax of step 3b in wgmma's registers, and the output.
// A masked key inside a tile has probability 0; if its value is infinite or NaN, 0 times that is NaN in
// queries that do not see it.
// Expected effect: one and a half to two times step 3b. While a warpgroup takes exponentials the tensor cores
// wait, unless the other warpgroup happens to multiply.
// Next: let the exponentials of one tile run under the products of another, on purpose.
// Tunables: none.
#include "warpgroup_tiles.cuh"

static constexpr int THREADS = 256;

template <class C>
static __global__ void __launch_bounds__(THREADS, 1)
    mha_v3c(const __grid_constant__ tile_maps maps, const attention_shape s)
{
#if ASSAY_HOPPER_CODE
    ASSAY_DYNAMIC_SHARED(unsigned char, shared);
    uint64_t *full = reinterpret_cast<uint64_t *>(shared); // one for each stage
    scalar_t *tile_q = reinterpret_cast<scalar_t *>(shared + C::BARRIER_BYTES), *stages = tile_q + BM * C::DP;
    const attention_tile at = attention_tile_of<BM>(s);
    const int warpgroup = static_cast<int>(threadIdx.x) / 128, row = static_cast<int>(threadIdx.x) / 32 * 16,
              query = at.first + row + static_cast<int>(threadIdx.x) % 32 / 4;
    const int tiles = (at.limit + C::BN - 1) / C::BN;
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++)
            assay::mbarrier_init(&full[i], 1);
        assay::mbarrier_fence_init();
    }
    __syncthreads();
    const auto bring = [&](int tile) {
        uint64_t *barrier = &full[tile % STAGES];
        scalar_t *stage = stages + tile % STAGES * 2 * C::TILE;
        if (tile >= tiles)
            return;
        if (!s.aligned) {
            const int64_t of_keys = at.key_head * s.key_rows * s.dim;
            if (tile == 0)
                copy_rows<C, BM>(tile_q, s.q + at.head * s.queries * s.dim, at.first, s.queries, s.dim,
                                 THREADS);
            copy_rows<C, C::BN>(stage, s.k + of_keys, tile * C::BN, s.keys, s.dim, THREADS);
            copy_rows<C, C::BN>(stage + C::TILE, s.v + of_keys, tile * C::BN, s.keys, s.dim, THREADS);
        } else if (threadIdx.x == 0) {
            const int of_q = tile == 0 ? BM * C::DP : 0; // q comes with the first tile
            assay::mbarrier_arrive_expect(barrier, 2 * (2 * C::TILE + of_q));
            if (tile == 0)
                load_rows<C, BM>(tile_q, &maps.q, barrier, at.first, at.head);
            load_rows<C, C::BN>(stage, &maps.k, barrier, tile * C::BN, at.key_head);
            load_rows<C, C::BN>(stage + C::TILE, &maps.v, barrier, tile * C::BN, at.key_head);
        }
    };
    for (int i = 0; i < STAGES; i++)
        bring(i);

    const uint64_t q = assay::wgmma_descriptor(tile_q + warpgroup * 64 * 64, 16, 1024);
    float out[C::DP / 2] = {}, scores[C::BN / 2], factor[2];
    uint32_t p[C::BN / 16][4];
    row_state rows;
    for (int tile = 0; tile < tiles; tile++) {
        const scalar_t *stage = stages + tile % STAGES * 2 * C::TILE;
        const uint64_t k = assay::wgmma_descriptor(stage, 16, 1024),
                       v = assay::wgmma_descriptor(stage + C::TILE, C::BN * 128, 1024);
        if (s.aligned)
            assay::mbarrier_wait(&full[tile % STAGES], tile / STAGES & 1);
        else
            __syncthreads();
        assay::wgmma_fence_operands(scores);
        assay::wgmma_fence();
        begin_scores<C>(scores, q, k);
        assay::wgmma_wait<0>();
        assay::wgmma_fence_operands(scores);
        softmax_tile<C>(scores, rows, factor, s, tile * C::BN, query);
        round_and_rescale<C>(p, out, scores, factor);
        assay::wgmma_fence_operands(out);
        assay::wgmma_fence();
        begin_output<C>(out, p, v);
        assay::wgmma_wait<0>();
        assay::wgmma_fence_operands(out);
        __syncthreads(); // everyone is through with this stage, and behind the last one with q
        bring(tile + STAGES);
    }
    store_rows<C>(out, rows, tile_q, s, at, row);
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
                   : assay::launch(mha_v3c<C>, blocks, dim3(THREADS), C::SHARED_BYTES, stream, maps, s);
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
