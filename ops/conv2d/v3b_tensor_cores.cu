// conv2d, step 3b: tensor cores by mma.sync, fed by a pipeline of cp.async. f16 and bf16.
//
// The implicit GEMM of step 3a with tiles of 64 terms, multiplied by mma.sync m16n8k16 with fp32 sums. A
// first launch copies x and weight with the channels of a pixel side by side, unless they lie so
// (implicit_gemm.cuh). Then a row of a tile is gathered 16 bytes at a time by cp.async, whatever stride,
// padding and dilation are; the copy itself fills the padding with zeros. Two stages are under way while a
// third is multiplied.
//   - Eight warps share the tile; each has a part of 64 channels. ldmatrix reads both operands from rows of
//     16-byte chunks that are permuted against bank conflicts.
//   - The finished tile goes through shared memory and leaves in 16-byte vectors where rows allow it.
// Expected effect: five times step 3a and more. mma.sync reaches about two thirds of Hopper's tensor-core
// rate, and every operand passes through registers.
// Next: Hopper's warpgroup products read shared memory themselves.
// Tunables: none.
#include <assay/kernel.h>
#include "conv2d.h"
#include "implicit_gemm.cuh"

static constexpr int BN = 128, BK = 64, THREADS = 256, STAGES = 3, WM = 64;

// BM: output channels of a tile.
template <int BM_>
struct tile_config {
    static constexpr int BM = BM_, WARPS_M = BM / WM, WARPS_N = 8 / WARPS_M, WN = BN / WARPS_N;
    static constexpr int MI = WM / 16, NI = WN / 8; // mma pieces of a warp
    static constexpr int STAGE = (BM + BN) * BK;    // elements
    static constexpr int PIPELINE_BYTES = STAGES * STAGE * 2,
                         TILE_BYTES = finished_tile<BM, BN>::ELEMENTS * 2;
    static constexpr int SHARED_BYTES = PIPELINE_BYTES > TILE_BYTES ? PIPELINE_BYTES : TILE_BYTES;
};

// One stage. `row`, `column`: the warp's part of the tile.
template <class C>
static __device__ __forceinline__ void multiply_stage(float (&sums)[C::MI][C::NI][4], const scalar_t *stage,
                                                      int row, int column)
{
    const int lane = (int)threadIdx.x % 32;
    const scalar_t *image = stage + C::BM * BK;
#pragma unroll
    for (int k = 0; k < BK / 16; k++) {
        uint32_t a[C::MI][4], b[C::NI][2];
#pragma unroll
        for (int i = 0; i < C::MI; i++)
            assay::ldmatrix_x4(a[i], stage + swizzled(row + i * 16 + lane % 16, k * 2 + lane / 16));
#pragma unroll
        for (int j = 0; j < C::NI; j += 2) // two pieces of 8 positions
            assay::ldmatrix_x4(
                b[j], image + swizzled(column + j * 8 + lane % 8 + lane / 16 * 8, k * 2 + lane / 8 % 2));
#pragma unroll
        for (int i = 0; i < C::MI; i++)
#pragma unroll
            for (int j = 0; j < C::NI; j++)
                assay::mma_m16n8k16<scalar_t>(sums[i][j], a[i], b[j], sums[i][j]);
    }
}

template <class C>
static __global__ void __launch_bounds__(THREADS)
    conv2d_v3b(const gemm_operands o, const conv_shape s, int tiles_k)
{
    ASSAY_DYNAMIC_SHARED(scalar_t, shared);
    // Channel tiles follow each other, so that blocks running at the same time share x in L2.
    const int first_k = (int)blockIdx.x % tiles_k * C::BM, block = (int)blockIdx.x / tiles_k;
    const int group = block % s.groups, first_n = block / s.groups * BN;
    const int stages = (s.r * s.s * o.chunks + CHUNKS - 1) / CHUNKS;
    gathered_tiles<C::BM, BN, THREADS> next;
    next.start(o, s, group, first_k, first_n);
    const auto bring = [&](int stage) {
        if (stage < stages)
            next.copy(shared + stage % STAGES * C::STAGE, o, s);
        assay::cp_async_commit(); // also an empty group, so that groups can be counted
    };
    for (int i = 0; i < STAGES - 1; i++)
        bring(i);

    const int warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x % 32;
    const int row = warp / C::WARPS_N * WM, column = warp % C::WARPS_N * C::WN;
    float sums[C::MI][C::NI][4] = {};
    for (int stage = 0; stage < stages; stage++) {
        assay::cp_async_wait<STAGES - 2>();
        __syncthreads(); // this stage has landed, and nobody reads the one before it any more
        bring(stage + STAGES - 1);
        multiply_stage<C>(sums, shared + stage % STAGES * C::STAGE, row, column);
    }
    assay::cp_async_wait<0>();
    __syncthreads(); // the pipeline's memory is free from here on

    const finished_tile<C::BM, BN> tile(shared, s.channels_last != 0);
    const int channel = group * s.group_k + first_k, channels = s.group_k - first_k;
#pragma unroll
    for (int i = 0; i < C::MI; i++)
#pragma unroll
        for (int h = 0; h < 2; h++) {
            const int k = row + i * 16 + h * 8 + lane / 4;
            const float bias = k < channels ? assay::to_float(o.bias[channel + k]) : 0.0f;
#pragma unroll
            for (int j = 0; j < C::NI; j++)
#pragma unroll
                for (int e = 0; e < 2; e++)
                    tile.put(k, column + j * 8 + lane % 4 * 2 + e, sums[i][j][h * 2 + e] + bias);
        }
    __syncthreads();
    store_tile_wide<THREADS>(tile, o.out, s, channel, channels, s.channels_last ? s.group_k : s.p * s.q,
                             (int)threadIdx.x,
                             [&](int n) { return first_n + n < s.positions ? first_n + n : -1; });
}

template <class C>
static assay_status run(const conv2d_args &args, const conv_shape &s, assay_stream stream)
{
    const int tiles_k = (s.group_k + C::BM - 1) / C::BM, tiles_n = (s.positions + BN - 1) / BN;
    if ((int64_t)tiles_k * s.groups > INT32_MAX / tiles_n)
        return ASSAY_ERR_UNSUPPORTED;
    gemm_operands o;
    const assay_status status = make_operands(args, s, &o, stream);
    return status != ASSAY_OK ? status
                              : assay::launch(conv2d_v3b<C>, dim3((unsigned)(tiles_k * s.groups * tiles_n)),
                                              dim3(THREADS), C::SHARED_BYTES, stream, o, s, tiles_k);
}

extern "C" assay_status conv2d_run(const conv2d_args *args, assay_stream stream)
{
    conv_shape s;
    const assay_status status = conv_shape_of(*args, &s);
    if (status != ASSAY_OK || s.positions == 0 || s.k == 0)
        return status;
    return s.group_k > 64 ? run<tile_config<128>>(*args, s, stream) : run<tile_config<64>>(*args, s, stream);
}
