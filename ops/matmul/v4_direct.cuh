// f16 and bf16 product for few and short sums: mma.sync with operands that go from global memory straight to registers.
//
// When a product is over in a few microseconds its time is a chain of latencies, and each stop on the way through shared
// memory (copy, barrier, ldmatrix) lengthens the chain. Here every lane loads what it multiplies, all of it at once, and the
// only barrier is the one before the warps' sums are added: each warp takes every WARPS-th 32 of k for the whole tile.
//
// mma wants pairs of neighbours along k in one register, for rows of a and columns of b. The order of k inside a sum does not
// matter as long as a and b agree, so lane (g, t) takes k = 8t..8t+7 of its rows of a: one 16-byte load. For b it takes the same
// eight rows, 4 neighbouring columns each (8 bytes), and pairs them in registers. Column j of piece ni of the result is then
// column 4j + ni of the tile.
#ifndef ASSAY_OPS_MATMUL_V4_DIRECT_CUH
#define ASSAY_OPS_MATMUL_V4_DIRECT_CUH

#include <assay/hopper.h>
#include "v4_epilogue.cuh"
#include "v4_order.cuh"

template <int PIECES_M_, int WARPS_>
struct direct_config {
    static constexpr int BM = 16 * PIECES_M_, BN = 32, PIECES_M = PIECES_M_, WARPS = WARPS_,
                         THREADS = 32 * WARPS;
    static constexpr int LD = BN + 4; // floats in a row of a warp's sums; the 4 spread rows over the banks
    static constexpr int SHARED_BYTES = WARPS * BM * LD * 4;
    static constexpr int OUT = BM * BN / THREADS; // neighbouring results that a thread adds up and writes
    static_assert(OUT == 2 || OUT == 4 || OUT == 8, "one vector a thread");
};

// Two halves of registers that hold pairs along n become pairs along k: column 0, then column 1.
__device__ __forceinline__ void pair_rows(uint32_t row0, uint32_t row1, uint32_t &column0, uint32_t &column1)
{
    column0 = __byte_perm(row0, row1, 0x5410);
    column1 = __byte_perm(row0, row1, 0x7632);
}

template <class T, int N>
__device__ __forceinline__ void load_words(uint32_t (&words)[N], const T *from, bool inside)
{
    constexpr int ELEMENTS = N * 4 / sizeof(T);
    assay::vec<T, ELEMENTS> v = {};
    if (inside)
        v = assay::load_vec<ELEMENTS>(from);
    memcpy(words, &v, sizeof words);
}

template <class C>
__device__ __forceinline__ void direct_multiply(float (&sums)[C::PIECES_M][4][4], const scalar_t *a,
                                                const scalar_t *b, const matmul_shape &s, matmul_tile tile,
                                                int k0)
{
    // Offsets fit in 32 bits for what direct_fits, and keep the way to the first load short.
    const int lane = static_cast<int>(threadIdx.x) % 32, g = lane / 4, t = lane % 4, k = k0 + 8 * t;
    const int from_a = (tile.m + g) * s.k + k, from_b = k * s.n + tile.n + 4 * g;
    const bool inside_k = k < s.k, inside_b = inside_k && tile.n + 4 * g < s.n;
    uint32_t rows_a[C::PIECES_M][2][4], rows_b[8][2];
#pragma unroll
    for (int i = 0; i < C::PIECES_M; i++)
#pragma unroll
        for (int half = 0; half < 2; half++) {
            const int row = 16 * i + 8 * half;
            load_words(rows_a[i][half], a + (from_a + row * s.k), tile.m + g + row < s.m && inside_k);
        }
#pragma unroll
    for (int j = 0; j < 8; j++)
        load_words(rows_b[j], b + (from_b + j * s.n), inside_b);
#pragma unroll
    for (int step = 0; step < 2; step++) {
        uint32_t pairs[4][2];
#pragma unroll
        for (int r = 0; r < 2; r++)
#pragma unroll
            for (int i = 0; i < 2; i++)
                pair_rows(rows_b[4 * step + 2 * r][i], rows_b[4 * step + 2 * r + 1][i], pairs[2 * i][r],
                          pairs[2 * i + 1][r]);
#pragma unroll
        for (int i = 0; i < C::PIECES_M; i++) {
            const uint32_t piece[4] = {rows_a[i][0][2 * step], rows_a[i][1][2 * step],
                                       rows_a[i][0][2 * step + 1], rows_a[i][1][2 * step + 1]};
#pragma unroll
            for (int ni = 0; ni < 4; ni++)
                assay::mma_m16n8k16<scalar_t>(sums[i][ni], piece, pairs[ni], sums[i][ni]);
        }
    }
}

template <class C, class Epilogue>
static __global__ void __launch_bounds__(C::THREADS)
    matmul_direct(const scalar_t *a, const scalar_t *b, scalar_t *c, const matmul_shape s,
                  const Epilogue epilogue)
{
    ASSAY_DYNAMIC_SHARED(float, shared);
    const int thread = static_cast<int>(threadIdx.x), warp = thread / 32, g = thread % 32 / 4, t = thread % 4;
    const matmul_tile tile = {static_cast<int>(blockIdx.y) * C::BM, static_cast<int>(blockIdx.x) * C::BN};
    const int row = thread * C::OUT / C::BN,
              column = thread * C::OUT % C::BN; // that this thread adds up and writes
    typename Epilogue::columns columns[C::OUT / 2];
#pragma unroll
    for (int i = 0; i < C::OUT; i += 2)
        columns[i / 2] = epilogue.fetch(tile.n + column + i);
    float sums[C::PIECES_M][4][4] = {};
    for (int k0 = 32 * warp; k0 < s.k; k0 += 32 * C::WARPS)
        direct_multiply<C>(sums, a, b, s, tile, k0);

#pragma unroll
    for (int i = 0; i < C::PIECES_M; i++)
#pragma unroll
        for (int half = 0; half < 2; half++)
#pragma unroll
            for (int j = 0; j < 2; j++) {
                const assay::vec<float, 4> four = {{sums[i][0][2 * half + j], sums[i][1][2 * half + j],
                                                    sums[i][2][2 * half + j], sums[i][3][2 * half + j]}};
                assay::store_vec(shared + ((warp * C::BM + 16 * i + 8 * half + g) * C::LD + 8 * t + 4 * j),
                                 four);
            }
    __syncthreads();

    float total[C::OUT] = {};
#pragma unroll
    for (int w = 0; w < C::WARPS; w++)
#pragma unroll
        for (int i = 0; i < C::OUT; i++)
            total[i] += shared[(w * C::BM + row) * C::LD + column + i];
#pragma unroll
    for (int i = 0; i < C::OUT; i += 2)
        epilogue(total[i], total[i + 1], columns[i / 2]);
    assay::vec<scalar_t, C::OUT> out;
#pragma unroll
    for (int i = 0; i < C::OUT; i++)
        out[i] = assay::from_float<scalar_t>(total[i]);
    if (tile.m + row < s.m &&
        tile.n + column < s.n) // n is a multiple of 8, so all of a vector is inside or none
        assay::store_vec(c + (tile.m + row) * static_cast<int64_t>(s.n) + tile.n + column, out);
}

// Whether rows of a, b and c are aligned, and the sums few and short enough for one wave of blocks: beyond that the tiles are
// too small for what they read.
template <class C>
static bool direct_fits(const matmul_args *args)
{
    const int64_t tiles = count_tiles(args->m, args->n, C::BM, C::BN);
    return args->n % 8 == 0 && args->k % 8 == 0 && args->k <= 64 * C::WARPS && tiles > 0 &&
           tiles <= assay::multiprocessor_count();
}

// Only for what direct_fits.
template <class C, class Epilogue>
static assay_status direct_launch(const matmul_args *args, const matmul_shape &s, const Epilogue &epilogue,
                                  assay_stream stream)
{
    const dim3 grid(static_cast<unsigned>((s.n + C::BN - 1) / C::BN),
                    static_cast<unsigned>((s.m + C::BM - 1) / C::BM));
    return assay::launch(matmul_direct<C, Epilogue>, grid, dim3(C::THREADS), C::SHARED_BYTES, stream,
                         static_cast<const scalar_t *>(args->a), static_cast<const scalar_t *>(args->b),
                         static_cast<scalar_t *>(args->c), s, epilogue);
}

#endif
