// matmul, step 3c: wgmma, fed by TMA through a pipeline; f16 and bf16 on Hopper.
//
// wgmma multiplies 64 x 16 of a by 16 x 256 of b for a warpgroup of four warps, asynchronously and straight
// from shared memory: no ldmatrix, no operands in registers. TMA copies a whole box of a matrix at the order
// of one thread, with the 128-byte swizzle that wgmma reads, and fills what lies past an edge with zeros.
//   - A block of two warpgroups computes a 128 x 256 tile of c, each 64 x 256 of it, 128 sums a thread.
//   - A stage of the pipeline holds 128 x 64 of a and 64 x 256 of b. There are 4.
//   - The mbarrier `full` of a stage counts the bytes that have landed, `empty` the warps that have read it.
//     After starting the wgmmas of a stage, a warpgroup waits for those of the previous stage, and thread 0
//     refills that stage. So the tensor cores always have work queued.
//   - The finished tile goes through shared memory (stmatrix), so that whole rows of it are written.
// A transposed b is copied by one box of 256 columns, 64 of k along its rows, which wgmma reads like a.
// TMA needs rows that begin at multiples of 16 bytes: others are padded first (padded_rows.cuh).
// Expected effect: 600 TFLOP/s on an H100 where step 3b reaches 400. The limit: at both ends of a tile the
// tensor cores wait, for the first copies and for the stores of c; and a thread of a multiplying warp starts
// the copies.
// Devices before Hopper have no wgmma: there this step is reported as unsupported.
// Tunables: none.
#include <assay/kernel.h>
#include <assay/hopper.h>
#include <cstring>
#include "matmul.h"
#include "batch.cuh"
#include "padded_rows.cuh"

static constexpr int TILE_M = 128, TILE_N = 256, TILE_K = 64, STAGES = 4;
static constexpr int WARPGROUPS = TILE_M / 64, THREADS = 128 * WARPGROUPS;
static constexpr int SUMS = TILE_N / 2; // of a thread
static constexpr int BOX = 64,
                     BOXES = TILE_N / BOX; // columns of b in a box: 128 bytes; boxes of b in a stage
static constexpr int A_ELEMENTS = TILE_M * TILE_K, STAGE_ELEMENTS = A_ELEMENTS + TILE_K * TILE_N;
static constexpr int OUT_ROW =
    TILE_N + 8; // of the finished tile in shared memory; the 8 spread rows over the banks
static constexpr int BARRIER_BYTES = 1024, SHARED_BYTES = BARRIER_BYTES + STAGES * STAGE_ELEMENTS * 2;

struct gemm {
    scalar_t *c;
    int m, n, k;
};

// What a block has in shared memory.
struct pipeline {
    uint64_t *full, *empty;
    scalar_t *stages;
};

// Start the copies of k0 to k0 + TILE_K - 1 to a stage.
template <bool TRANSPOSE_B>
__device__ __forceinline__ void copy_stage(const pipeline &p, int stage, const assay::tensor_map *map_a,
                                           const assay::tensor_map *map_b, int tile_m, int tile_n, int k0)
{
    scalar_t *to = p.stages + stage * STAGE_ELEMENTS;
    assay::mbarrier_arrive_expect(&p.full[stage], STAGE_ELEMENTS * 2);
    assay::tma_load_2d(to, map_a, &p.full[stage], k0, tile_m);
    if constexpr (TRANSPOSE_B) {
        assay::tma_load_2d(to + A_ELEMENTS, map_b, &p.full[stage], k0, tile_n);
    } else {
#pragma unroll
        for (int box = 0; box < BOXES; box++)
            assay::tma_load_2d(to + A_ELEMENTS + box * TILE_K * BOX, map_b, &p.full[stage],
                               tile_n + box * BOX, k0);
    }
}

// Start the wgmmas of a stage: 64 x 256 += 64 x 64 times 64 x 256. A matrix descriptor gives an operand's
// address in units of 16 bytes. 16 of k are 32 bytes of a's rows of 128, and 16 rows of 128 bytes of b, or if it is
// transposed as for a.
template <bool TRANSPOSE_B>
__device__ __forceinline__ void multiply(float (&sums)[SUMS], uint64_t first_a, uint64_t first_b, int stage)
{
    const uint64_t a = first_a + stage * (STAGE_ELEMENTS * 2 / 16),
                   b = first_b + stage * (STAGE_ELEMENTS * 2 / 16);
    assay::wgmma_fence();
#pragma unroll
    for (int k = 0; k < TILE_K; k += 16)
        assay::wgmma_m64k16<scalar_t, TILE_N, !TRANSPOSE_B>::run(sums, a + k / 8,
                                                                 b + (TRANSPOSE_B ? k / 8 : k * 8), 1);
    assay::wgmma_commit();
}

// Round a warp's sums, 16 rows of the tile, to shared memory, and write them to c, a row of 512 bytes with
// one store of all lanes where rows of c are aligned. `rows`: the warp's own place; `m`, `n`: the first row
// and column in c.
__device__ __forceinline__ void store(const gemm &p, scalar_t *rows, const float (&sums)[SUMS], int m, int n)
{
    const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
    for (int chunk = 0; chunk < TILE_N / 8;
         chunk += 2) { // of 8 columns: two of them in 8 + 8 rows are four 8 x 8 matrices
        uint32_t r[4];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const assay::vec<scalar_t, 2> pair = {{assay::from_float<scalar_t>(sums[chunk * 4 + i * 2]),
                                                   assay::from_float<scalar_t>(sums[chunk * 4 + i * 2 + 1])}};
            memcpy(&r[i], &pair, 4);
        }
        assay::stmatrix_x4(rows + lane % 16 * OUT_ROW + (chunk + lane / 16) * 8, r);
    }
    __syncwarp();
    for (int row = 0; row < 16 && m + row < p.m; row++) {
        scalar_t *to = p.c + (static_cast<int64_t>(m + row) * p.n + n);
        const scalar_t *from = rows + row * OUT_ROW;
        if (p.n % 8 == 0 && n + lane * 8 < p.n)
            assay::store_vec(to + lane * 8, assay::load_vec<8>(from + lane * 8));
        for (int column = lane; p.n % 8 != 0 && column < TILE_N; column += 32)
            if (n + column < p.n)
                to[column] = from[column];
    }
}

template <bool TRANSPOSE_B>
static __global__ void __launch_bounds__(THREADS, 1)
    matmul_v3c(const __grid_constant__ assay::tensor_map map_a,
               const __grid_constant__ assay::tensor_map map_b, const gemm p, int tiles_n)
{
#if ASSAY_HOPPER_CODE
    ASSAY_DYNAMIC_SHARED(unsigned char, shared);
    pipeline pipe;
    pipe.full = reinterpret_cast<uint64_t *>(shared);
    pipe.empty = pipe.full + STAGES;
    pipe.stages = reinterpret_cast<scalar_t *>(shared + BARRIER_BYTES);
    const int tile_m = static_cast<int>(blockIdx.x) / tiles_n * TILE_M,
              tile_n = static_cast<int>(blockIdx.x) % tiles_n * TILE_N;
    const int warpgroup = static_cast<int>(threadIdx.x) / 128, steps = (p.k + TILE_K - 1) / TILE_K;
    if (threadIdx.x == 0) {
#pragma unroll
        for (int i = 0; i < STAGES; i++) {
            assay::mbarrier_init(&pipe.full[i], 1);
            assay::mbarrier_init(&pipe.empty[i], THREADS / 32);
        }
        assay::mbarrier_fence_init();
        for (int step = 0; step < STAGES && step < steps; step++)
            copy_stage<TRANSPOSE_B>(pipe, step, &map_a, &map_b, tile_m, tile_n, step * TILE_K);
    }
    __syncthreads(); // the mbarriers are initialised

    // a: 8 rows of 128 bytes are 1024 bytes. b: the next 64 columns are a box further, the next 8 rows 1024
    // bytes; transposed as a.
    const uint64_t a = assay::wgmma_descriptor(pipe.stages + warpgroup * 64 * TILE_K, 16, 1024);
    const uint64_t b =
        assay::wgmma_descriptor(pipe.stages + A_ELEMENTS, TRANSPOSE_B ? 16 : TILE_K * BOX * 2, 1024);
    float sums[SUMS] = {};
    for (int step = 0; step < steps; step++) {
        const int stage = step % STAGES;
        assay::mbarrier_wait(&pipe.full[stage], step / STAGES % 2);
        multiply<TRANSPOSE_B>(sums, a, b, stage);
        assay::wgmma_wait<1>(); // the wgmmas of the previous stage are done
        if (step > 0) {
            const int last = step - 1, done = last % STAGES;
            if (threadIdx.x % 32 == 0)
                assay::mbarrier_arrive(&pipe.empty[done]);
            if (threadIdx.x == 0 && last + STAGES < steps) {
                assay::mbarrier_wait(&pipe.empty[done], last / STAGES % 2); // by the other warpgroup, too
                copy_stage<TRANSPOSE_B>(pipe, done, &map_a, &map_b, tile_m, tile_n, (last + STAGES) * TILE_K);
            }
        }
    }
    assay::wgmma_wait<0>();
    assay::wgmma_fence_operands(sums);
    __syncthreads();                                     // the stages are free: all wgmmas are done
    const int warp = static_cast<int>(threadIdx.x) / 32; // a warp has 16 rows
    store(p, pipe.stages + warp * 16 * OUT_ROW, sums, tile_m + warp * 16, tile_n);
#endif
}

static assay_status launch(const matmul_args *args, assay_stream stream)
{
    if (args->m == 0 || args->n == 0)
        return ASSAY_OK;
    const int64_t limit =
        INT32_MAX - 512; // indices inside a kernel, a tile beyond the edge included, are 32-bit
    if (args->m > limit || args->n > limit || args->k > limit || !assay::hopper_available())
        return ASSAY_ERR_UNSUPPORTED;
    const int64_t tiles_m = (args->m + TILE_M - 1) / TILE_M, tiles_n = (args->n + TILE_N - 1) / TILE_N;
    if (tiles_n > INT32_MAX / tiles_m)
        return ASSAY_ERR_UNSUPPORTED;
    padded_operand a, b;
    const gemm p = {static_cast<scalar_t *>(args->c), static_cast<int>(args->m), static_cast<int>(args->n),
                    static_cast<int>(args->k)};
    assay::tensor_map map_a = {}, map_b = {}; // not used where k is 0
    assay_status status = pad_operands(&a, &b, args, stream);
    if (status == ASSAY_OK && p.k > 0)
        status = assay::tensor_map_2d(&map_a, a.at, p.m, p.k, a.row, TILE_M, TILE_K);
    if (status == ASSAY_OK && p.k > 0)
        status = args->transpose_b ? assay::tensor_map_2d(&map_b, b.at, p.n, p.k, b.row, TILE_N, TILE_K)
                                   : assay::tensor_map_2d(&map_b, b.at, p.k, p.n, b.row, TILE_K, BOX);
    if (status != ASSAY_OK)
        return status;
    return assay::launch(args->transpose_b ? matmul_v3c<true> : matmul_v3c<false>,
                         dim3(static_cast<unsigned>(tiles_m * tiles_n)), dim3(THREADS), SHARED_BYTES, stream,
                         map_a, map_b, p, static_cast<int>(tiles_n));
}

extern "C" assay_status matmul_run(const matmul_args *args, assay_stream stream)
{
    return for_each_part(args, 1, [=](const matmul_args *part) { return launch(part, stream); });
}
