// conv2d, step 3c: Hopper's warpgroup products (wgmma) on the pipeline of step 3b. f16 and bf16, sm_90a.
//
// Tiles, gathering by cp.async and the way out are those of step 3b. Two warpgroups multiply 64 output
// channels by 128 positions each, straight from shared memory: the permutation of 16-byte chunks against bank
// conflicts is the 128-byte swizzle that wgmma reads. No operand passes through registers, and the products
// of a stage run on while the threads start the copies of a later one.
//   - cp.async is ordinary access to shared memory, so every thread that has copied fences it
//     (fence.proxy.async) before the barrier behind which wgmma reads.
//   - A stage is filled again two stages after its products were begun: all warpgroups have waited for them
//     by then.
// Expected effect: a quarter to a half more than step 3b. Threads still compute an address and a bound for
// every 16 bytes, and their copies share the shared memory's bandwidth with the products.
// Next: TMA copies whole windows of x and fills the padding itself.
// Tunables: none.
#include <assay/hopper.h>
#include <assay/kernel.h>
#include "conv2d.h"
#include "implicit_gemm.cuh"

static constexpr int BM = 128, BN = 128, BK = 64, THREADS = 256, STAGES = 4, AHEAD = STAGES - 2;
static constexpr int STAGE = (BM + BN) * BK, SHARED_BYTES = STAGES * STAGE * 2; // STAGE: elements
static_assert(finished_tile<BM, BN>::ELEMENTS <= STAGES * STAGE,
              "the finished tile lies in the pipeline's memory");

static __global__ void __launch_bounds__(THREADS, 1)
    conv2d_v3c(const gemm_operands o, const conv_shape s, int tiles_k)
{
#if ASSAY_HOPPER_CODE
    ASSAY_DYNAMIC_SHARED(scalar_t, shared);
    // Channel tiles follow each other, so that blocks running at the same time share x in L2.
    const int first_k = (int)blockIdx.x % tiles_k * BM, block = (int)blockIdx.x / tiles_k;
    const int group = block % s.groups, first_n = block / s.groups * BN;
    const int stages = (s.r * s.s * o.chunks + CHUNKS - 1) / CHUNKS;
    gathered_tiles<BM, BN, THREADS> next;
    next.start(o, s, group, first_k, first_n);
    const auto bring = [&](int stage) {
        if (stage < stages)
            next.copy(shared + stage % STAGES * STAGE, o, s);
        assay::cp_async_commit(); // also an empty group, so that groups can be counted
    };
    for (int i = 0; i < AHEAD; i++)
        bring(i);

    const int warpgroup = (int)threadIdx.x / 128;
    float sums[BN / 2] = {};
    for (int stage = 0; stage < stages; stage++) {
        assay::cp_async_wait<AHEAD - 1>();
        assay::fence_async_shared();
        __syncthreads(); // this stage has landed
        const scalar_t *tile = shared + stage % STAGES * STAGE;
        const uint64_t weights = assay::wgmma_descriptor(tile + warpgroup * 64 * BK, 16, 1024),
                       image = assay::wgmma_descriptor(tile + BM * BK, 16, 1024);
        assay::wgmma_fence_operands(sums);
        assay::wgmma_fence();
#pragma unroll
        for (int k = 0; k < BK / 16; k++) // 16 terms are 32 bytes of a row; descriptors count 16
            assay::wgmma_m64k16<scalar_t, BN, false>::run(sums, weights + k * 2, image + k * 2, 1);
        assay::wgmma_commit();
        assay::wgmma_wait<1>(); // the products of the stage before this one
        bring(stage + AHEAD);
    }
    assay::wgmma_wait<0>();
    assay::wgmma_fence_operands(sums);
    assay::cp_async_wait<0>();
    __syncthreads(); // the pipeline's memory is free from here on

    const finished_tile<BM, BN> tile(shared, s.channels_last != 0);
    const int channel = group * s.group_k + first_k, channels = s.group_k - first_k;
    const int lane = (int)threadIdx.x % 32, row = (int)threadIdx.x / 32 * 16 + lane / 4;
#pragma unroll
    for (int h = 0; h < 2; h++) {
        const int k = row + h * 8;
        const float bias = k < channels ? assay::to_float(o.bias[channel + k]) : 0.0f;
#pragma unroll
        for (int i = 0; i < BN / 4; i++)
            tile.put(k, i / 2 * 8 + lane % 4 * 2 + i % 2, sums[i / 2 * 4 + h * 2 + i % 2] + bias);
    }
    __syncthreads();
    store_tile_wide<THREADS>(tile, o.out, s, channel, channels, s.channels_last ? s.group_k : s.p * s.q,
                             (int)threadIdx.x,
                             [&](int n) { return first_n + n < s.positions ? first_n + n : -1; });
#endif
}

extern "C" assay_status conv2d_run(const conv2d_args *args, assay_stream stream)
{
    if (!assay::hopper_available())
        return ASSAY_ERR_UNSUPPORTED;
    conv_shape s;
    assay_status status = conv_shape_of(*args, &s);
    if (status != ASSAY_OK || s.positions == 0 || s.k == 0)
        return status;
    const int tiles_k = (s.group_k + BM - 1) / BM, tiles_n = (s.positions + BN - 1) / BN;
    if ((int64_t)tiles_k * s.groups > INT32_MAX / tiles_n)
        return ASSAY_ERR_UNSUPPORTED;
    gemm_operands o;
    status = make_operands(*args, s, &o, stream);
    return status != ASSAY_OK ? status
                              : assay::launch(conv2d_v3c, dim3((unsigned)(tiles_k * s.groups * tiles_n)),
                                              dim3(THREADS), SHARED_BYTES, stream, o, s, tiles_k);
}
