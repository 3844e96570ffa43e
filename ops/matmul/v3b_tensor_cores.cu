// matmul, step 3b: tensor cores (mma.sync), fed by ldmatrix from a cp.async pipeline; f16 and bf16.
//
// A warp multiplies a 16 x 16 piece of a by a 16 x 8 piece of b with one instruction (mma.sync m16n8k16, sums
// in fp32): 2048 multiply-adds where FFMA does 32. So the operands have to arrive faster, too:
//   - A block of 8 warps computes a 256 x 128 tile of c, each warp 64 x 64 of it, as 4 x 8 pieces in
//     registers.
//   - cp.async copies the tiles of a (256 x 64) and b (64 x 128) to shared memory without passing through
//     registers. There are 4 stages: three are being copied while one is multiplied.
//   - ldmatrix reads four 8 x 8 matrices at a time in the layout of mma.sync, those of b transposed. The next
//     16 of k are read while the present 16 are multiplied.
//   - The 16-byte chunks of a tile row are swizzled: chunk c of row r lies at c ^ r % 8. So the 8 rows of an
//     8 x 8 matrix fall into different banks, both when written and when read.
// A transposed b lies in shared memory as a does, 128 columns x 64, and is read by ldmatrix without transposing.
// cp.async copies 16 aligned bytes: rows of other lengths are padded first (padded_rows.cuh).
// Elements past an edge are zeros, past the end of k in both tiles, so a zero never meets an infinity in a
// sum that is stored.
// Expected effect: ten times step 3a. The limit is mma.sync, which on Hopper reaches about 60% of wgmma's
// rate.
// Tunables: TILE_M, TILE_N and TILE_K, the tiles of c and of k; STAGES. A warp's part stays 64 x 64, so the tile
// decides the warps of a block. op.json's constraints say what fits.
#include <assay/kernel.h>
#include "matmul.h"
#include "batch.cuh"
#include "padded_rows.cuh"

#ifndef TILE_M
#define TILE_M 256
#endif
#ifndef TILE_N
#define TILE_N 128
#endif
#ifndef TILE_K
#define TILE_K 64
#endif
#ifndef STAGES
#define STAGES 4
#endif

static constexpr int WARP_TILE = 64; // side of a warp's part of the tile
static constexpr int WARPS_N = TILE_N / WARP_TILE, THREADS = 32 * (TILE_M / WARP_TILE) * WARPS_N;
static constexpr int PIECES_M = WARP_TILE / 16, PIECES_N = WARP_TILE / 8;
static constexpr int CHUNKS_A = TILE_K / 8, CHUNKS_B = TILE_N / 8; // of 16 bytes in a row of a tile
static constexpr int A_ELEMENTS = TILE_M * TILE_K, STAGE_ELEMENTS = A_ELEMENTS + TILE_K * TILE_N;
static constexpr int SHARED_BYTES = STAGES * STAGE_ELEMENTS * 2;

struct gemm {
    const scalar_t *a, *b; // rows lda and ldb elements apart, aligned to 16 bytes; b may be transposed, n x k
    scalar_t *c;
    int m, n, k;
    int64_t lda, ldb;
};

// Element offset of a chunk in a tile of rows of CHUNKS chunks.
template <int CHUNKS>
__device__ __forceinline__ int swizzled(int row, int chunk)
{
    return (row * CHUNKS + (chunk ^ row % 8)) * 8;
}

// This thread's chunk of each row that it copies: ROWS_A and ROWS_B rows apart, and ROWS_A for a transposed b. The
// counts are of what is left from it to the edge.
template <bool TRANSPOSE_B>
struct copies {
    static constexpr int ROWS_A = THREADS / CHUNKS_A, ROWS_B = THREADS / CHUNKS_B;
    static_assert(ROWS_A % 8 == 0 && ROWS_B % 8 == 0 && TILE_M % ROWS_A == 0 && TILE_K % ROWS_B == 0,
                  "the rows that a thread copies are swizzled alike");
    static_assert(!TRANSPOSE_B || TILE_N % ROWS_A == 0, "whole turns");
    const scalar_t *a, *b;
    int to_a, to_b, rows, columns, k_a, k_b;
    bool column_inside;

    __device__ __forceinline__ copies(const gemm &p, int tile_m, int tile_n)
    {
        const int t = static_cast<int>(threadIdx.x);
        const int row_a = t / CHUNKS_A, chunk_a = t % CHUNKS_A, row_b = t / CHUNKS_B, chunk_b = t % CHUNKS_B;
        a = p.a + (tile_m + row_a) * p.lda + chunk_a * 8;
        b = p.b +
            (TRANSPOSE_B ? (tile_n + row_a) * p.ldb + chunk_a * 8 : row_b * p.ldb + tile_n + chunk_b * 8);
        to_a = swizzled<CHUNKS_A>(row_a, chunk_a);
        to_b = A_ELEMENTS + (TRANSPOSE_B ? to_a : swizzled<CHUNKS_B>(row_b, chunk_b));
        columns = p.n - tile_n - row_a;
        rows = p.m - tile_m - row_a, k_a = p.k - chunk_a * 8, k_b = p.k - row_b;
        column_inside = tile_n + chunk_b * 8 < p.n;
    }

    // Start the copies of a stage, and move on to the next. One that reads nothing fills 16 bytes with zeros;
    // its address must be valid.
    __device__ __forceinline__ void start(scalar_t *stage, const gemm &p)
    {
#pragma unroll
        for (int row = 0; row < TILE_M; row += ROWS_A) {
            const bool inside = row < rows && k_a > 0;
            assay::cp_async_16(stage + to_a + row * TILE_K, inside ? a + row * p.lda : p.a, inside ? 16 : 0);
        }
        if constexpr (TRANSPOSE_B) {
#pragma unroll
            for (int column = 0; column < TILE_N; column += ROWS_A) {
                const bool inside = column < columns && k_a > 0;
                assay::cp_async_16(stage + to_b + column * TILE_K, inside ? b + column * p.ldb : p.b,
                                   inside ? 16 : 0);
            }
            b += TILE_K;
        } else {
#pragma unroll
            for (int k = 0; k < TILE_K; k += ROWS_B) {
                const bool inside = k < k_b && column_inside;
                assay::cp_async_16(stage + to_b + k * TILE_N, inside ? b + k * p.ldb : p.b, inside ? 16 : 0);
            }
            b += TILE_K * p.ldb, k_b -= TILE_K;
        }
        a += TILE_K, k_a -= TILE_K;
    }
};

// What a warp multiplies for 16 of k, in the register layout of mma.sync.
struct fragments {
    uint32_t a[PIECES_M][4], b[PIECES_N][2];

    // `at_a`, `at_b`: this lane's offsets at k = 0. Another chunk of the same row is an exclusive or further,
    // as in the swizzle.
    template <bool TRANSPOSE_B>
    __device__ __forceinline__ void read(const scalar_t *stage, int at_a, int at_b, int k)
    {
#pragma unroll
        for (int i = 0; i < PIECES_M; i++)
            assay::ldmatrix_x4(a[i], stage + (at_a ^ k) + i * 16 * TILE_K);
#pragma unroll
        for (int j = 0; j < PIECES_N; j += 2)
            if constexpr (TRANSPOSE_B)
                assay::ldmatrix_x4(b[j], stage + (at_b ^ k) + j * 8 * TILE_K);
            else
                assay::ldmatrix_x4_trans(b[j], stage + (at_b ^ j * 8) + k * TILE_N);
    }
};

// A thread has two neighbouring sums of rows lane / 4 and lane / 4 + 8 of each piece. `row`, `column`: the
// warp's first in c.
__device__ __forceinline__ void store(const gemm &p, const float (&sums)[PIECES_M][PIECES_N][4], int row,
                                      int column)
{
    const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
    for (int i = 0; i < PIECES_M; i++)
#pragma unroll
        for (int half = 0; half < 2; half++)
#pragma unroll
            for (int j = 0; j < PIECES_N; j++) {
                const int m = row + i * 16 + half * 8 + lane / 4, n = column + j * 8 + lane % 4 * 2;
                const assay::vec<scalar_t, 2> pair = {
                    {assay::from_float<scalar_t>(sums[i][j][half * 2]),
                     assay::from_float<scalar_t>(sums[i][j][half * 2 + 1])}};
                scalar_t *to = p.c + static_cast<int64_t>(m) * p.n + n;
                if (m < p.m && n < p.n && p.n % 2 == 0) {
                    assay::store_vec(to, pair);
                } else if (m < p.m && n < p.n) {
                    to[0] = pair[0];
                    if (n + 1 < p.n)
                        to[1] = pair[1];
                }
            }
}

template <bool TRANSPOSE_B>
static __global__ void __launch_bounds__(THREADS, 1) matmul_v3b(const gemm p, int tiles_n)
{
    ASSAY_DYNAMIC_SHARED(scalar_t, stages);
    const int tile_m = static_cast<int>(blockIdx.x) / tiles_n * TILE_M,
              tile_n = static_cast<int>(blockIdx.x) % tiles_n * TILE_N;
    const int warp = static_cast<int>(threadIdx.x) / 32;
    const int row = warp / WARPS_N * WARP_TILE, column = warp % WARPS_N * WARP_TILE;
    // Lane l addresses row l % 16 of the left (l < 16) or right 8 columns of a 16 x 16 block: untransposed
    // that gives the four registers of a piece of a, transposed those of two pieces of b. In a transposed b, whose
    // rows are columns, the matrices are taken along k first.
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int at_a = swizzled<CHUNKS_A>(row + lane % 16, lane / 16);
    const int at_b =
        A_ELEMENTS + (TRANSPOSE_B ? swizzled<CHUNKS_A>(column + lane / 16 * 8 + lane % 8, lane / 8 % 2)
                                  : swizzled<CHUNKS_B>(lane % 16, column / 8 + lane / 16));
    const int steps = (p.k + TILE_K - 1) / TILE_K;
    copies<TRANSPOSE_B> next(p, tile_m, tile_n);
#pragma unroll
    for (int i = 0; i < STAGES - 1; i++) {
        if (i < steps)
            next.start(stages + i * STAGE_ELEMENTS, p);
        assay::cp_async_commit();
    }
    assay::cp_async_wait<STAGES - 2>();
    __syncthreads();

    float sums[PIECES_M][PIECES_N][4] = {};
    fragments f[2];
    if (steps > 0)
        f[0].template read<TRANSPOSE_B>(stages, at_a, at_b, 0);
    for (int step = 0; step < steps; step++) {
        const scalar_t *stage = stages + step % STAGES * STAGE_ELEMENTS;
        const int ahead =
            step + STAGES -
            1; // its stage was multiplied in the step before: all threads have passed the barrier since
        if (ahead < steps)
            next.start(stages + ahead % STAGES * STAGE_ELEMENTS, p);
        assay::cp_async_commit();
#pragma unroll
        for (int k = 0; k < TILE_K; k += 16) {
            if (k + 16 < TILE_K) {
                f[(k / 16 + 1) % 2].template read<TRANSPOSE_B>(stage, at_a, at_b, k + 16);
            } else if (step + 1 < steps) {
                assay::cp_async_wait<STAGES - 2>();
                __syncthreads(); // the next stage has landed, and this one is read
                f[0].template read<TRANSPOSE_B>(stages + (step + 1) % STAGES * STAGE_ELEMENTS, at_a, at_b, 0);
            }
#pragma unroll
            for (int i = 0; i < PIECES_M; i++)
#pragma unroll
                for (int j = 0; j < PIECES_N; j++)
                    assay::mma_m16n8k16<scalar_t>(sums[i][j], f[k / 16 % 2].a[i], f[k / 16 % 2].b[j],
                                                  sums[i][j]);
        }
    }
    store(p, sums, tile_m + row, tile_n + column);
}

static assay_status launch(const matmul_args *args, assay_stream stream)
{
    if (args->m == 0 || args->n == 0)
        return ASSAY_OK;
    const int64_t limit =
        INT32_MAX - 512; // indices inside a kernel, a tile beyond the edge included, are 32-bit
    if (args->m > limit || args->n > limit || args->k > limit)
        return ASSAY_ERR_UNSUPPORTED;
    const int64_t tiles_m = (args->m + TILE_M - 1) / TILE_M, tiles_n = (args->n + TILE_N - 1) / TILE_N;
    if (tiles_n > INT32_MAX / tiles_m)
        return ASSAY_ERR_UNSUPPORTED;
    padded_operand a, b;
    const assay_status status = pad_operands(&a, &b, args, stream);
    if (status != ASSAY_OK)
        return status;
    const gemm p = {a.at,
                    b.at,
                    static_cast<scalar_t *>(args->c),
                    static_cast<int>(args->m),
                    static_cast<int>(args->n),
                    static_cast<int>(args->k),
                    a.row,
                    b.row};
    return assay::launch(args->transpose_b ? matmul_v3b<true> : matmul_v3b<false>,
                         dim3(static_cast<unsigned>(tiles_m * tiles_n)), dim3(THREADS), SHARED_BYTES, stream,
                         p, static_cast<int>(tiles_n));
}

extern "C" assay_status matmul_run(const matmul_args *args, assay_stream stream)
{
    return for_each_part(args, 1, [=](const matmul_args *part) { return launch(part, stream); });
}
