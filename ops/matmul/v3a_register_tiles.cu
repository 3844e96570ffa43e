// matmul, step 3a: a tile of sums in the registers of each thread.
//
// A block of 256 threads computes a 128 x 128 tile of c and walks along k in steps of 16, as in step 2. What
// is new: a thread keeps 8 x 8 sums in registers. For one k it reads 8 elements of a and 8 of b from shared
// memory, four 16-byte reads, and does 64 multiply-adds; step 2 does one for two reads.
//   - A warp covers 32 x 64 of the tile, its lanes 4 x 8. A thread's elements are 4 x 4 pieces, so that
//     neighbouring lanes read neighbouring 16 bytes.
//   - The tile of a is stored transposed (k outermost), so that both operands are read alike. Global reads
//     are 16-byte vectors as in step 3. An operand that lies transposed is loaded and stored like the other.
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
#include "batch.cuh"
#include "factor.cuh"
#include "matmul.h"
#include "strided.cuh"

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
static constexpr int PAD = 4; // spreads the transposed stores

template <bool TRANSPOSE_A, bool TRANSPOSE_B>
struct alignas(16) shared_tiles {
    float a[2][TILE_K][TILE_M + (TRANSPOSE_A ? 0 : PAD)], b[2][TILE_K][TILE_N + (TRANSPOSE_B ? PAD : 0)];
};

struct gemm {
    const scalar_t *a, *b;
    scalar_t *c;
    int m, n, k;
    int64_t matrix_a, matrix_b; // elements from one product's to the next one's
    int row_a, row_b;           // elements from one row to the next, as they lie
};

// A thread's part of the tile of one operand, `lines` rows of a or columns of b by TILE_K: V neighbouring elements each
// time, STEP rows apart as the operand lies. ALONG_K: k runs along its rows. V divides the length of a row, or is 1.
// The counts are of what is left from the first element to the edges.
template <int V, bool ALONG_K>
struct next_elements {
    static constexpr int LENGTH = ALONG_K ? TILE_K : TILE, STEP = THREADS * V / LENGTH;
    static constexpr int COUNT = (ALONG_K ? TILE : TILE_K) / STEP;
    static_assert(COUNT > 0 && LENGTH % V == 0, "a vector is in one row of the tile");
    const scalar_t *from;
    int lines, k;
    assay::vec<scalar_t, V> elements[COUNT];

    // `first`: of the tile's lines; `stride`: of rows as they lie.
    __device__ __forceinline__ next_elements(const scalar_t *operand, int first, int all_lines, int all_k,
                                             int stride)
    {
        const int element = static_cast<int>(threadIdx.x) * V, row = element / LENGTH,
                  column = element % LENGTH;
        const int line = first + (ALONG_K ? row : column), at_k = ALONG_K ? column : row;
        from = operand + (static_cast<int64_t>(ALONG_K ? line : at_k) * stride + (ALONG_K ? at_k : line));
        lines = all_lines - line, k = ALONG_K || lines > 0 ? all_k - at_k : 0;
    }

    // Start loading, and move on by TILE_K. What lies outside of the operand is 0.
    __device__ __forceinline__ void load(int stride)
    {
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            elements[i] = assay::vec<scalar_t, V>{};
            if (ALONG_K ? i * STEP < lines && k > 0 : i * STEP < k)
                elements[i] = assay::load_vec<V>(from + static_cast<int64_t>(i * STEP) * stride);
        }
        from += ALONG_K ? TILE_K : static_cast<int64_t>(TILE_K) * stride, k -= TILE_K;
    }

    // To a tile in shared memory, whose rows are k.
    template <int ROW>
    __device__ __forceinline__ void store(float (&tile)[TILE_K][ROW]) const
    {
        constexpr int W = V > 1 ? 4 : 1; // floats in one store
        const int element = static_cast<int>(threadIdx.x) * V, row = element / LENGTH,
                  column = element % LENGTH;
        float *to = ALONG_K ? &tile[column][row] : &tile[row][column];
#pragma unroll
        for (int i = 0; i < COUNT; i++)
#pragma unroll
            for (int l = 0; l < V; l += W) {
                assay::vec<float, W> floats;
#pragma unroll
                for (int w = 0; w < W; w++)
                    floats[w] = assay::to_float(as_factor(elements[i][l + w]));
                if constexpr (ALONG_K) {
#pragma unroll
                    for (int w = 0; w < W; w++)
                        to[(l + w) * ROW + i * STEP] = floats[w];
                } else {
                    assay::store_vec(to + i * STEP * ROW + l, floats);
                }
            }
    }
};

// Multiply the tiles of a stage. `row`, `column`: this thread's first in the tile; its second pieces of 4 are
// half a warp tile further.
template <class Tiles>
__device__ __forceinline__ void multiply(float (&sums)[SUMS_M][SUMS_N], const Tiles &tiles, int stage,
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

template <int V, bool TRANSPOSE_A, bool TRANSPOSE_B>
static __global__ void __launch_bounds__(THREADS, V > 1 ? MIN_BLOCKS : 1)
    matmul_v3a(const gemm p, int tiles_n)
{
    __shared__ shared_tiles<TRANSPOSE_A, TRANSPOSE_B> tiles;
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    const int row = warp / (TILE_N / WARP_N) * WARP_M + lane / 8 * 4;
    const int column = warp % (TILE_N / WARP_N) * WARP_N + lane % 8 * 4;
    const int tile_m = static_cast<int>(blockIdx.x) / tiles_n * TILE_M,
              tile_n = static_cast<int>(blockIdx.x) % tiles_n * TILE_N;
    float sums[SUMS_M][SUMS_N] = {};
    const scalar_t *a = p.a, *b = p.b;
    take_product(a, b, p.matrix_a, p.matrix_b);
    next_elements<V, !TRANSPOSE_A> next_a(a, tile_m, p.m, p.k, p.row_a);
    next_elements<V, TRANSPOSE_B> next_b(b, tile_n, p.n, p.k, p.row_b);
    next_a.load(p.row_a);
    next_b.load(p.row_b);
    next_a.store(tiles.a[0]);
    next_b.store(tiles.b[0]);
    __syncthreads();
    int stage = 0;
    for (int k0 = TILE_K; k0 < p.k + TILE_K; k0 += TILE_K, stage ^= 1) {
        next_a.load(p.row_a); // in the last step only zeros, which no one multiplies
        next_b.load(p.row_b);
        multiply(sums, tiles, stage, row, column);
        next_a.store(tiles.a[stage ^ 1]);
        next_b.store(tiles.b[stage ^ 1]);
        __syncthreads();
    }

#pragma unroll
    for (int i = 0; i < SUMS_M; i++)
#pragma unroll
        for (int j = 0; j < SUMS_N; j += 4) {
            const int to_row = tile_m + row + i / 4 * (WARP_M / 2) + i % 4;
            const int to_column = tile_n + column + j / 4 * (WARP_N / 2);
            scalar_t *to = product_of(p.c, p.m, p.n) + (static_cast<int64_t>(to_row) * p.n + to_column);
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

static assay_status launch(const matmul_args *args, assay_stream stream)
{
    if (args->m == 0 || args->n == 0)
        return ASSAY_OK;
    const int64_t limit =
        INT32_MAX - 512; // indices inside a kernel, a tile beyond the edge included, are 32-bit
    if (args->m > limit || args->n > limit || args->k > limit || matmul_row_a(args) > limit ||
        matmul_row_b(args) > limit)
        return ASSAY_ERR_UNSUPPORTED;
    const int64_t tiles_m = (args->m + TILE_M - 1) / TILE_M, tiles_n = (args->n + TILE_N - 1) / TILE_N;
    if (tiles_n > INT32_MAX / tiles_m)
        return ASSAY_ERR_UNSUPPORTED;
    constexpr int vector = 16 / sizeof(scalar_t);
    const bool aligned = args->n % vector == 0 && (args->transpose_a ? args->m : args->k) % vector == 0 &&
                         matmul_stored_b(args).length % vector == 0 && args->padding_a % vector == 0 &&
                         args->padding_b % vector == 0;
    const gemm p = {static_cast<const scalar_t *>(args->a),
                    static_cast<const scalar_t *>(args->b),
                    static_cast<scalar_t *>(args->c),
                    static_cast<int>(args->m),
                    static_cast<int>(args->n),
                    static_cast<int>(args->k),
                    matmul_matrix_a(args),
                    matmul_matrix_b(args),
                    static_cast<int>(matmul_row_a(args)),
                    static_cast<int>(matmul_row_b(args))};
    return with_transpositions(args->transpose_a, args->transpose_b, [&](auto a, auto b) {
        return assay::launch(
            aligned ? matmul_v3a<vector, a.VALUE, b.VALUE> : matmul_v3a<1, a.VALUE, b.VALUE>,
            dim3(static_cast<unsigned>(tiles_m * tiles_n), 1, static_cast<unsigned>(args->batch)),
            dim3(THREADS), 0, stream, p, static_cast<int>(tiles_n));
    });
}

extern "C" assay_status matmul_run(const matmul_args *args, assay_stream stream)
{
    return for_each_part(args, kMostPlanes, [=](const matmul_args *part) { return launch(part, stream); });
}
