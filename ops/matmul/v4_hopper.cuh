// f16 and bf16 product with Hopper's warpgroup instructions (sm_90a).
//
// One block a multiprocessor stays for the whole product and takes tile after tile. Its three warpgroups have fixed roles:
//   producer   one thread starts the copies (TMA): a ring of STAGES pairs of tiles (BM x 64 of a, 64 x BN of b), as far
//              ahead as the ring allows, across the boundary between two tiles of c too;
//   consumers  two warpgroups multiply straight from shared memory (wgmma, 64 x BN each); with KSPLIT both have the same
//              64 rows and take alternate stages instead, and the sums are added at the end.
// `full` barriers count the bytes that landed, `empty` barriers the consumer warps that are done with a stage.
// The finished tile is rounded, laid out in shared memory and written by the copy engine, while the next one is begun.
// The copy engine fills everything past the edges with zeros and leaves it out when it writes.
#ifndef ASSAY_OPS_MATMUL_V4_HOPPER_CUH
#define ASSAY_OPS_MATMUL_V4_HOPPER_CUH

#include "v4_ring.cuh"
#include "v4_tensor.cuh"
#include <type_traits>

template <int BM_, int BN_, int STAGES_, int KSPLIT_, int PASSES_, int RASTER_>
struct hopper_config {
    static constexpr int BM = BM_, BN = BN_, BK = 64, STAGES = STAGES_, KSPLIT = KSPLIT_;
    static constexpr int RASTER = RASTER_; // tiles that consecutive blocks go down before they move right
    static constexpr int CONSUMERS = 2, THREADS = 128 * (1 + CONSUMERS);
    static constexpr int PASSES = PASSES_; // in which a consumer lays out its part of the finished tile
    static constexpr int A_ELEMENTS = BM * BK, B_ELEMENTS = BK * BN, STAGE_ELEMENTS = A_ELEMENTS + B_ELEMENTS;
    static constexpr int B_BOXES = BN / 64; // of 64 columns each, in which b's tile lies
    static constexpr int WRITERS = KSPLIT ? 1 : 2;
    static constexpr int OUT_ELEMENTS = 64 * BN / PASSES; // of one consumer's buffer
    static constexpr int BARRIER_BYTES = 1024;
    static constexpr int SHARED_BYTES =
        BARRIER_BYTES + (STAGES * STAGE_ELEMENTS + WRITERS * OUT_ELEMENTS) * 2 + (KSPLIT ? 64 * BN * 4 : 0);
    static_assert(BM == (KSPLIT ? 64 : 128) && BN % (64 * PASSES) == 0, "see the kernel");
    static_assert(SHARED_BYTES <= 232448, "a block's shared memory");
};

template <class C>
__device__ __forceinline__ void hopper_produce(const assay::tensor_map *map_a, const assay::tensor_map *map_b,
                                               const matmul_shape &s, scalar_t *ring, uint64_t *full,
                                               uint64_t *empty)
{
    const int steps = (s.k + C::BK - 1) / C::BK;
    ring_position<C::STAGES> at;
    matmul_tile tile;
    for (int turn = 0; hopper_tile<C>(s, turn, tile); turn++)
        for (int step = 0; step < steps; step++, at.advance()) {
            scalar_t *to_a = ring + at.stage * C::STAGE_ELEMENTS, *to_b = to_a + C::A_ELEMENTS;
            assay::mbarrier_wait(&empty[at.stage], at.parity ^ 1);
            assay::mbarrier_arrive_expect(&full[at.stage], C::STAGE_ELEMENTS * 2);
            assay::tma_load_2d(to_a, map_a, &full[at.stage], step * C::BK, tile.m);
#pragma unroll
            for (int box = 0; box < C::B_BOXES; box++)
                assay::tma_load_2d(to_b + box * C::BK * 64, map_b, &full[at.stage], tile.n + box * 64,
                                   step * C::BK);
        }
}

// One stage: 64 x BN += 64 x 64 times 64 x BN.
template <class C>
__device__ __forceinline__ void hopper_multiply(float (&sums)[C::BN / 2], const scalar_t *a,
                                                const scalar_t *b, int accumulate)
{
#pragma unroll
    for (int k = 0; k < C::BK; k += 16) {
        // a: rows of 128 bytes, 8 rows 1024 bytes; the next 16 of k lie 32 bytes on. b: 64 columns a row of 128 bytes, the
        // next 64 a box further; 8 of k 1024 bytes; the next 16 of k lie 2048 bytes on.
        const uint64_t da = assay::wgmma_descriptor(a + k, 16, 1024);
        const uint64_t db = assay::wgmma_descriptor(b + k * 64, C::BK * 128, 1024);
        assay::wgmma_m64k16<scalar_t, C::BN>::run(sums, da, db, k > 0 || accumulate);
    }
}

// Finish 64 x BN / PASSES sums and round them into boxes of 64 x 64 in the layout of the copy engine. `tile_n`: the tile's
// first column in c.
template <class C, class Epilogue>
__device__ __forceinline__ void hopper_lay_out(scalar_t *out, const float (&sums)[C::BN / 2], int pass,
                                               int tile_n, const Epilogue &epilogue)
{
    const int t = threadIdx.x % 128, warp = t / 32, lane = t % 32;
    const int row = warp * 16 + lane % 16;
#pragma unroll
    for (int chunk = 0; chunk < C::BN / C::PASSES / 8; chunk += 2) {
        uint32_t r[4];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int from = (pass * (C::BN / C::PASSES / 8) + chunk) * 4 + i * 2;
            float x = sums[from], y = sums[from + 1];
            // Left out for a plain product: even unused, the column changes the order of its instructions.
            if constexpr (!std::is_same_v<Epilogue, keep_sums>)
                epilogue(x, y, tile_n + from / 4 * 8 + lane % 4 * 2);
            const assay::vec<scalar_t, 2> pair = {
                {assay::from_float<scalar_t>(x), assay::from_float<scalar_t>(y)}};
            memcpy(&r[i], &pair, 4);
        }
        const int column = chunk % 8 + lane / 16;
        assay::stmatrix_x4(out + chunk / 8 * 4096 + row * 64 + (column ^ row % 8) * 8, r);
    }
}

template <class C, class Epilogue>
__device__ __forceinline__ void hopper_write(const assay::tensor_map *map_c, scalar_t *c, scalar_t *out,
                                             const float (&sums)[C::BN / 2], const matmul_shape &s,
                                             matmul_tile at, int barrier, const Epilogue &epilogue)
{
    const bool elected = threadIdx.x % 128 == 0;
#pragma unroll
    for (int pass = 0; pass < C::PASSES; pass++) {
        if (elected)
            assay::tma_store_wait_read<0>(); // the buffer's last tile is on its way
        assay::named_barrier_sync(barrier, 128);
        hopper_lay_out<C>(out, sums, pass, at.n, epilogue);
        assay::fence_async_shared();
        assay::named_barrier_sync(barrier, 128);
        if (s.n % 8 == 0) {
            if (elected) {
#pragma unroll
                for (int box = 0; box < C::BN / C::PASSES / 64; box++)
                    assay::tma_store_2d(map_c, out + box * 4096,
                                        at.n + (pass * (C::BN / C::PASSES / 64) + box) * 64, at.m);
                assay::tma_store_commit();
            }
        } else { // rows of c are not aligned for the copy engine
            for (int e = threadIdx.x % 128; e < 64 * C::BN / C::PASSES; e += 128) {
                const int row = e / (C::BN / C::PASSES), column = e % (C::BN / C::PASSES), m = at.m + row;
                const int n = at.n + pass * (C::BN / C::PASSES) + column;
                if (m < s.m && n < s.n)
                    c[static_cast<int64_t>(m) * s.n + n] =
                        out[column / 64 * 4096 + row * 64 + (column % 64 / 8 ^ row % 8) * 8 + column % 8];
            }
        }
    }
}

template <class C, class Epilogue>
__device__ __forceinline__ void hopper_consume(const assay::tensor_map *map_c, scalar_t *c,
                                               const matmul_shape &s, int consumer, scalar_t *ring,
                                               scalar_t *out, float *halves, uint64_t *full, uint64_t *empty,
                                               const Epilogue &epilogue)
{
    const int steps = (s.k + C::BK - 1) / C::BK;
    ring_position<C::STAGES> at;
    matmul_tile tile;
    float sums[C::BN / 2];
    for (int turn = 0; hopper_tile<C>(s, turn, tile); turn++) {
        int previous = -1;
        for (int step = 0; step < steps; step++, at.advance()) {
            if (C::KSPLIT && step % 2 != consumer)
                continue;
            const scalar_t *a = ring + at.stage * C::STAGE_ELEMENTS, *b = a + C::A_ELEMENTS;
            assay::mbarrier_wait(&full[at.stage], at.parity);
            assay::wgmma_fence();
            hopper_multiply<C>(sums, C::KSPLIT ? a : a + consumer * 64 * C::BK, b, previous >= 0);
            assay::wgmma_commit();
            assay::wgmma_wait<1>(); // the stage before this is read
            if (previous >= 0)
                hopper_release(&empty[previous]);
            previous = at.stage;
        }
        assay::wgmma_wait<0>();
        assay::wgmma_fence_operands(sums);
        if (previous >= 0)
            hopper_release(&empty[previous]);
        if (previous < 0) {
#pragma unroll
            for (int i = 0; i < C::BN / 2; i++)
                sums[i] = 0.0f;
        }
        if (C::KSPLIT) {
            const int t = threadIdx.x % 128;
            if (consumer == 1) {
#pragma unroll
                for (int i = 0; i < C::BN / 2; i++)
                    halves[i * 128 + t] = sums[i];
            }
            assay::named_barrier_sync(3, 256);
            if (consumer == 0) {
#pragma unroll
                for (int i = 0; i < C::BN / 2; i++)
                    sums[i] += halves[i * 128 + t];
            }
            assay::named_barrier_sync(3, 256);
        }
        if (!C::KSPLIT || consumer == 0)
            hopper_write<C>(map_c, c, out, sums, s, {tile.m + (C::KSPLIT ? 0 : consumer * 64), tile.n},
                            1 + consumer, epilogue);
    }
    if (threadIdx.x % 128 == 0)
        assay::tma_store_wait_read<0>();
}

template <class C, class Epilogue>
static __global__ void __launch_bounds__(C::THREADS, 1)
    matmul_hopper(const __grid_constant__ assay::tensor_map map_a,
                  const __grid_constant__ assay::tensor_map map_b,
                  const __grid_constant__ assay::tensor_map map_c, scalar_t *c, const matmul_shape s,
                  const Epilogue epilogue)
{
#if ASSAY_HOPPER_CODE
    ASSAY_DYNAMIC_SHARED(unsigned char, shared);
    uint64_t *full = reinterpret_cast<uint64_t *>(shared), *empty = full + C::STAGES;
    scalar_t *ring = reinterpret_cast<scalar_t *>(shared + C::BARRIER_BYTES);
    scalar_t *out = ring + C::STAGES * C::STAGE_ELEMENTS;
    float *halves = reinterpret_cast<float *>(out + C::WRITERS * C::OUT_ELEMENTS);
    if (threadIdx.x == 0) {
        assay::tma_prefetch_map(&map_a);
        assay::tma_prefetch_map(&map_b);
        for (int i = 0; i < C::STAGES; i++) {
            assay::mbarrier_init(&full[i], 1);
            assay::mbarrier_init(&empty[i], (C::KSPLIT ? 1 : C::CONSUMERS) * 4);
        }
        assay::mbarrier_fence_init();
    }
    const int group = static_cast<int>(threadIdx.x) / 128;
    ring_start<C>(group);
    if (group == 0) {
        assay::registers_decrease<40>();
        if (threadIdx.x == 0)
            hopper_produce<C>(&map_a, &map_b, s, ring, full, empty);
    } else {
        assay::registers_increase<232>();
        hopper_consume<C>(&map_c, c, s, group - 1, ring, out + (group - 1) * C::OUT_ELEMENTS, halves, full,
                          empty, epilogue);
    }
#endif
}

// a and b must have at least one element; rows that are not aligned to 16 bytes are packed as for the other tensor-core kernel.
template <class C, class Epilogue>
static assay_status hopper_launch(const matmul_args *args, const matmul_shape &shape,
                                  const Epilogue &epilogue, assay_stream stream)
{
    const scalar_t *a = static_cast<const scalar_t *>(args->a), *b = static_cast<const scalar_t *>(args->b);
    scalar_t *c = static_cast<scalar_t *>(args->c);
    matmul_shape s = shape;
    s.lda = matmul_padded_row(s.k), s.ldb = matmul_padded_row(s.n);
    int64_t offset = 0;
    assay_status status = tensor_align_rows(&a, s.m, s.k, args, &offset, stream);
    if (status == ASSAY_OK)
        status = tensor_align_rows(&b, s.k, s.n, args, &offset, stream);
    assay::tensor_map map_a = {}, map_b = {}, map_c = {};
    if (status == ASSAY_OK)
        status = assay::tensor_map_2d(&map_a, a, s.m, s.k, s.lda, C::BM, C::BK);
    if (status == ASSAY_OK)
        status = assay::tensor_map_2d(&map_b, b, s.k, s.n, s.ldb, C::BK, 64);
    if (status == ASSAY_OK && s.n % 8 == 0) // else c is written by ordinary stores
        status = assay::tensor_map_2d(&map_c, c, s.m, s.n, s.n, 64, 64);
    if (status != ASSAY_OK)
        return status;
    return assay::launch(matmul_hopper<C, Epilogue>, hopper_grid(count_tiles(s.m, s.n, C::BM, C::BN)),
                         dim3(C::THREADS), C::SHARED_BYTES, stream, map_a, map_b, map_c, c, s, epilogue);
}

#endif
