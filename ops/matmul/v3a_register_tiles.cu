// matmul, step 3a: a tile of sums in the registers of each thread.
//
// A block of 256 threads computes a 128 x 128 tile of c and walks along k in steps of 16, as in step 2. What
// is new: a thread keeps 8 x 8 sums in registers. For one k it reads 8 elements of a and 8 of b from shared
// memory, four 16-byte reads, and does 64 multiply-adds; step 2 does one for two reads.
//   - A warp covers 32 x 64 of the tile, its lanes 4 x 8. A thread's elements are 4 x 4 pieces, so that
//     neighbouring lanes read neighbouring 16 bytes.
//   - The tile of a is stored transposed (k outermost), so that both operands are read alike. Global reads
//     are 16-byte vectors as in step 3.
//   - Shared memory is double-buffered: while one stage is multiplied, the elements of the next are loaded to
//     registers, then stored to the other stage. One barrier a step.
//   - Shared memory holds floats for every dtype, so an element of a 2-byte type is converted once a tile.
// Elements past an edge are zeros, past the end of k in both tiles, so a zero never meets an infinity in a
// sum that is stored.
// Expected effect: 70% to 80% of the vendor library in f32, limited by FFMA issue and the reads of shared
// memory between. f16 and bf16 run at the same rate, as the tensor cores are idle.
// Tunables: TILE, the side of the tile of c; TILE_K; MIN_BLOCKS, which an SM must hold, and which decides the
// registers of a thread. op.json's constraints say what fits.
#include <assay/kernel.h>
#include "factor.cuh"
#include "matmul.h"

#ifndef TILE
#define TILE 128
#endif
#ifndef TILE_K
#define TILE_K 16
#endif
#ifndef MIN_BLOCKS
#define MIN_BLOCKS 2
#endif

static constexpr int TILE_M = TILE, TILE_N = TILE; // tile of c of a block; TILE_K: of k at a time
static constexpr int SUMS_M = 8, SUMS_N = 8;       // sums of a thread
static constexpr int WARP_M = 32, WARP_N = 64;     // tile of a warp
static constexpr int THREADS = 32 * (TILE_M / WARP_M) * (TILE_N / WARP_N);
static constexpr int PAD = 4; // spreads the transposed stores of a

struct alignas(16) shared_tiles {
    float a[2][TILE_K][TILE_M + PAD], b[2][TILE_K][TILE_N];
};

struct gemm {
    const scalar_t *a, *b;
    scalar_t *c;
    int m, n, k;
};

// A thread's part of the tiles: V neighbouring elements each time, ROWS_A and ROWS_B rows apart. V divides k
// and n, or is 1. The counts are of what is left from the first of them to the edges.
template <int V>
struct next_elements {
    static constexpr int ROWS_A = THREADS * V / TILE_K, ROWS_B = THREADS * V / TILE_N;
    static constexpr int COUNT = TILE_M / ROWS_A;
    static_assert(COUNT > 0 && COUNT == TILE_K / ROWS_B && TILE_K % V == 0, "as many vectors of a as of b");
    const scalar_t *from_a, *from_b;
    int rows, k_a, k_b;
    bool column_inside;
    assay::vec<scalar_t, V> a[COUNT], b[COUNT];

    __device__ __forceinline__ next_elements(const gemm &p, int tile_m, int tile_n)
    {
        const int element = static_cast<int>(threadIdx.x) * V;
        const int row_a = element / TILE_K, column_a = element % TILE_K;
        const int row_b = element / TILE_N, column_b = element % TILE_N;
        from_a = p.a + (static_cast<int64_t>(tile_m + row_a) * p.k + column_a);
        from_b = p.b + (static_cast<int64_t>(row_b) * p.n + tile_n + column_b);
        rows = p.m - tile_m - row_a, k_a = p.k - column_a, k_b = p.k - row_b;
        column_inside = tile_n + column_b < p.n;
    }

    // Start loading, and move on by TILE_K. What lies outside of a and b is 0.
    __device__ __forceinline__ void load(const gemm &p)
    {
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            a[i] = b[i] = assay::vec<scalar_t, V>{};
            if (i * ROWS_A < rows && k_a > 0)
                a[i] = assay::load_vec<V>(from_a + static_cast<int64_t>(i * ROWS_A) * p.k);
            if (i * ROWS_B < k_b && column_inside)
                b[i] = assay::load_vec<V>(from_b + static_cast<int64_t>(i * ROWS_B) * p.n);
        }
        from_a += TILE_K, k_a -= TILE_K;
        from_b += static_cast<int64_t>(TILE_K) * p.n, k_b -= TILE_K;
    }

    __device__ __forceinline__ void store(shared_tiles &tiles, int stage) const
    {
        constexpr int W = V > 1 ? 4 : 1; // of b, floats in one store
        const int element = static_cast<int>(threadIdx.x) * V;
        float *to_a = &tiles.a[stage][element % TILE_K][element / TILE_K];
        float *to_b = &tiles.b[stage][element / TILE_N][element % TILE_N];
#pragma unroll
        for (int i = 0; i < COUNT; i++)
#pragma unroll
            for (int l = 0; l < V; l += W) {
                assay::vec<float, W> floats;
#pragma unroll
                for (int w = 0; w < W; w++) {
                    to_a[(l + w) * (TILE_M + PAD) + i * ROWS_A] = assay::to_float(as_factor(a[i][l + w]));
                    floats[w] = assay::to_float(as_factor(b[i][l + w]));
                }
                assay::store_vec(to_b + i * ROWS_B * TILE_N + l, floats);
            }
    }
};

// Multiply the tiles of a stage. `row`, `column`: this thread's first in the tile; its second pieces of 4 are
// half a warp tile further.
__device__ __forceinline__ void multiply(float (&sums)[SUMS_M][SUMS_N], const shared_tiles &tiles, int stage,
                                         int row, int column)
{
#pragma unroll
    for (int k = 0; k < TILE_K; k++) {
        const float *a = &tiles.a[stage][k][row], *b = &tiles.b[stage][k][column];
        const assay::vec<float, 4> of_a[2] = {assay::load_vec<4>(a), assay::load_vec<4>(a + WARP_M / 2)};
        const assay::vec<float, 4> of_b[2] = {assay::load_vec<4>(b), assay::load_vec<4>(b + WARP_N / 2)};
#pragma unroll
        for (int i = 0; i < SUMS_M; i++)
#pragma unroll
            for (int j = 0; j < SUMS_N; j++)
                sums[i][j] += of_a[i / 4][i % 4] * of_b[j / 4][j % 4];
    }
}

template <int V>
static __global__ void __launch_bounds__(THREADS, V > 1 ? MIN_BLOCKS : 1)
    matmul_v3a(const gemm p, int tiles_n)
{
    __shared__ shared_tiles tiles;
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    const int row = warp / (TILE_N / WARP_N) * WARP_M + lane / 8 * 4;
    const int column = warp % (TILE_N / WARP_N) * WARP_N + lane % 8 * 4;
    const int tile_m = static_cast<int>(blockIdx.x) / tiles_n * TILE_M,
              tile_n = static_cast<int>(blockIdx.x) % tiles_n * TILE_N;
    float sums[SUMS_M][SUMS_N] = {};
    next_elements<V> next(p, tile_m, tile_n);
    next.load(p);
    next.store(tiles, 0);
    __syncthreads();
    int stage = 0;
    for (int k0 = TILE_K; k0 < p.k + TILE_K; k0 += TILE_K, stage ^= 1) {
        next.load(p); // in the last step only zeros, which no one multiplies
        multiply(sums, tiles, stage, row, column);
        next.store(tiles, stage ^ 1);
        __syncthreads();
    }

#pragma unroll
    for (int i = 0; i < SUMS_M; i++)
#pragma unroll
        for (int j = 0; j < SUMS_N; j += 4) {
            const int to_row = tile_m + row + i / 4 * (WARP_M / 2) + i % 4;
            const int to_column = tile_n + column + j / 4 * (WARP_N / 2);
            scalar_t *to = p.c + (static_cast<int64_t>(to_row) * p.n + to_column);
            assay::vec<scalar_t, 4> four;
#pragma unroll
            for (int l = 0; l < 4; l++)
                four[l] = assay::from_float<scalar_t>(sums[i][j + l]);
            if (V > 1 && to_row < p.m && to_column < p.n) // n is a multiple of 4: all four are inside
                assay::store_vec(to, four);
            for (int l = 0; l < 4 && V == 1; l++)
                if (to_row < p.m && to_column + l < p.n)
                    to[l] = four[l];
        }
}

extern "C" assay_status matmul_run(const matmul_args *args, assay_stream stream)
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
    constexpr int vector = 16 / sizeof(scalar_t);
    const bool aligned = args->n % vector == 0 && args->k % vector == 0;
    const gemm p = {static_cast<const scalar_t *>(args->a),
                    static_cast<const scalar_t *>(args->b),
                    static_cast<scalar_t *>(args->c),
                    static_cast<int>(args->m),
                    static_cast<int>(args->n),
                    static_cast<int>(args->k)};
    return assay::launch(aligned ? matmul_v3a<vector> : matmul_v3a<1>,
                         dim3(static_cast<unsigned>(tiles_m * tiles_n)), dim3(THREADS), 0, stream, p,
                         static_cast<int>(tiles_n));
}
