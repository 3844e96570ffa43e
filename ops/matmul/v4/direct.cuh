// f16, bf16 and tf32 matmul for few tiles and small K: mma.sync with operands from global memory straight to
// registers.
//
// A matmul of a few microseconds is a chain of latencies, and each stop in shared memory (copy, barrier,
// ldmatrix) lengthens the chain. Here every lane loads its own operands, all at once, and the only barrier is
// the one before the warps' sums are added: split-K within the block, each warp takes every WARPS-th 32 of k
// for the whole tile.
//
// The order of k inside a sum is free as long as a and b agree. Lane (g, t) takes k = 8t..8t+7 of its rows of
// a, and 4 neighbouring columns of the same eight rows of b: 16-byte loads (8-byte loads for b's 2-byte
// elements). mma of 2-byte types wants pairs along k in one register, so b's are paired in registers. tf32
// wants one element a register, rounded on the way. Column j of piece ni of the result is column 4j + ni of
// the tile. A transposed b is loaded like a, k = 8t..8t+7 of the same 4 columns, and is paired already.
//
// With one or two warps a scheduler every instruction counts: operands are moved as whole words, because
// vectors of 2-byte elements would be taken apart and reassembled, and the loop over k is unrolled
// completely.
#ifndef ASSAY_OPS_MATMUL_V4_DIRECT_CUH
#define ASSAY_OPS_MATMUL_V4_DIRECT_CUH

#include <assay/hopper.h>
#include "epilogue.cuh"
#include "order.cuh"

template <int WARP_COUNT>
struct direct_config {
    static constexpr int TILE_M = 16, TILE_N = 32, WARPS = WARP_COUNT, THREADS = 32 * WARPS;
    static constexpr bool TRANSPOSE_B = false; // see with_transposed_b
    static constexpr int LD =
        TILE_N + 4; // row stride of a warp's sums, in floats; 4 of padding against bank conflicts
    static constexpr int SHARED_BYTES = WARPS * TILE_M * LD * 4;
    static constexpr int K_PASS = 32 * WARPS; // of k for all warps at once
    static constexpr int OUT =
        TILE_M * TILE_N / THREADS; // neighbouring results that a thread reduces and writes
    static_assert(OUT == 2 || OUT == 4 || OUT == 8, "one vector a thread");
};

template <int N>
__device__ __forceinline__ void load_words(uint32_t *words, const scalar_t *from, bool inside)
{
    assay::vec<uint32_t, N> v = {};
    if (inside)
        v = assay::load_vec<N>(reinterpret_cast<const uint32_t *>(from));
#pragma unroll
    for (int i = 0; i < N; i++)
        words[i] = v[i];
}

// A lane's first operands, and which of them are inside the matrices. Offsets fit in 32 bits where
// direct_fits().
struct direct_lane {
    const scalar_t *a, *b;
    int k; // of its first element
    bool row, row_below, column;
};

// A lane's operands for K_PASS of k: 8 elements of each of two rows of a, and as many of b: 4 of each of eight
// rows, or transposed 8 of each of four.
constexpr int A_WORDS = 8 * sizeof(scalar_t) / 4, B_WORDS = 4 * sizeof(scalar_t) / 4;
template <bool TRANSPOSE_B>
struct direct_operands {
    static constexpr int ROWS = TRANSPOSE_B ? 4 : 8, WORDS = TRANSPOSE_B ? A_WORDS : B_WORDS;
    uint32_t a[2][A_WORDS], b[ROWS][WORDS];
};

template <bool TRANSPOSE_B>
__device__ __forceinline__ direct_operands<TRANSPOSE_B> direct_load(const direct_lane &lane,
                                                                    const matmul_shape &s, int pass)
{
    using operands = direct_operands<TRANSPOSE_B>;
    const bool inside = lane.k + pass < s.k;
    const int row_a = static_cast<int>(s.lda), row_b = static_cast<int>(s.ldb);
    const scalar_t *a = lane.a + pass, *b = lane.b + (TRANSPOSE_B ? pass : pass * row_b);
    operands words;
#pragma unroll
    for (int i = 0; i < A_WORDS; i += 4) {
        load_words<4>(words.a[0] + i, a + i, inside && lane.row);
        load_words<4>(words.a[1] + i, a + 8 * row_a + i, inside && lane.row_below);
    }
#pragma unroll
    for (int j = 0; j < operands::ROWS; j++)
#pragma unroll
        for (int i = 0; i < operands::WORDS; i += 4)
            load_words<(operands::WORDS < 4 ? operands::WORDS : 4)>(words.b[j] + i, b + j * row_b + i,
                                                                    inside && lane.column);
    return words;
}

#if ASSAY_DTYPE_TF32
// Of a step of 8 of k, mma's k = t is the lane's element 2 * step, and k = t + 4 the one after it.
template <bool TRANSPOSE_B>
__device__ __forceinline__ void direct_multiply(float (&sums)[4][4],
                                                const direct_operands<TRANSPOSE_B> &words)
{
    const auto rounded = [](uint32_t bits) { return assay::to_tf32(__uint_as_float(bits)); };
#pragma unroll
    for (int k = 0; k < 8; k += 2) {
        const uint32_t piece[4] = {rounded(words.a[0][k]), rounded(words.a[1][k]), rounded(words.a[0][k + 1]),
                                   rounded(words.a[1][k + 1])};
#pragma unroll
        for (int ni = 0; ni < 4; ni++) {
            const uint32_t column[2] = {rounded(TRANSPOSE_B ? words.b[ni][k] : words.b[k][ni]),
                                        rounded(TRANSPOSE_B ? words.b[ni][k + 1] : words.b[k + 1][ni])};
            assay::mma_m16n8k8_tf32(sums[ni], piece, column, sums[ni]);
        }
    }
}
#else
// Pairs along n become pairs along k: column 0, then column 1.
__device__ __forceinline__ void pair_rows(uint32_t row0, uint32_t row1, uint32_t &column0, uint32_t &column1)
{
    column0 = __byte_perm(row0, row1, 0x5410);
    column1 = __byte_perm(row0, row1, 0x7632);
}

// The pairs of k of four columns that an mma takes.
__device__ __forceinline__ void direct_pairs(uint32_t (&pairs)[4][2], const direct_operands<false> &words,
                                             int step)
{
#pragma unroll
    for (int r = 0; r < 2; r++)
#pragma unroll
        for (int i = 0; i < 2; i++)
            pair_rows(words.b[4 * step + 2 * r][i], words.b[4 * step + 2 * r + 1][i], pairs[2 * i][r],
                      pairs[2 * i + 1][r]);
}
__device__ __forceinline__ void direct_pairs(uint32_t (&pairs)[4][2], const direct_operands<true> &words,
                                             int step)
{
#pragma unroll
    for (int ni = 0; ni < 4; ni++)
#pragma unroll
        for (int r = 0; r < 2; r++)
            pairs[ni][r] = words.b[ni][2 * step + r];
}

template <bool TRANSPOSE_B>
__device__ __forceinline__ void direct_multiply(float (&sums)[4][4],
                                                const direct_operands<TRANSPOSE_B> &words)
{
#pragma unroll
    for (int step = 0; step < 2; step++) {
        uint32_t pairs[4][2];
        direct_pairs(pairs, words, step);
        const uint32_t piece[4] = {words.a[0][2 * step], words.a[1][2 * step], words.a[0][2 * step + 1],
                                   words.a[1][2 * step + 1]};
#pragma unroll
        for (int ni = 0; ni < 4; ni++)
            assay::mma_m16n8k16<scalar_t>(sums[ni], piece, pairs[ni], sums[ni]);
    }
}
#endif

// Store a warp's sums to shared memory, as rows of TILE_N floats.
template <class C>
__device__ __forceinline__ void direct_store_sums(float *rows, const float (&sums)[4][4])
{
#pragma unroll
    for (int half = 0; half < 2; half++)
#pragma unroll
        for (int j = 0; j < 2; j++) {
            const int i = 2 * half + j;
            const assay::vec<float, 4> four = {{sums[0][i], sums[1][i], sums[2][i], sums[3][i]}};
            assay::store_vec(rows + half * 8 * C::LD + 4 * j, four);
        }
}

// Add the warps' sums of OUT neighbouring elements, always in the same order.
template <class C>
__device__ __forceinline__ void direct_reduce(float (&total)[C::OUT], const float *first)
{
#pragma unroll
    for (int w = 0; w < C::WARPS; w++) {
        const assay::vec<float, C::OUT> part = assay::load_vec<C::OUT>(first + w * C::TILE_M * C::LD);
#pragma unroll
        for (int i = 0; i < C::OUT; i++)
            total[i] += part[i];
    }
}

// A multiprocessor never has more than one block (direct_fits()). Told so in tf32 with b as it lies, the compiler takes
// the registers it needs on Hopper; else it spills there, to fit more blocks. 0: not told.
#if ASSAY_DTYPE_TF32 && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define DIRECT_BLOCKS (C::TRANSPOSE_B ? 0 : 1)
#else
#define DIRECT_BLOCKS 0
#endif

template <class C, class Epilogue>
static __global__ void __launch_bounds__(C::THREADS, DIRECT_BLOCKS)
    matmul_direct(const scalar_t *a, const scalar_t *b, scalar_t *c, const matmul_shape s,
                  const Epilogue epilogue)
{
    ASSAY_DYNAMIC_SHARED(float, shared);
    take_product_of<C::TRANSPOSE_B>(a, b, s);
    // Unsigned, because dividing signed numbers by powers of two takes more than a shift.
    const unsigned thread = threadIdx.x, warp = thread / 32, g = thread / 4 % 8, t = thread % 4;
    const matmul_tile tile = {static_cast<int>(blockIdx.y * C::TILE_M),
                              static_cast<int>(blockIdx.x * C::TILE_N)};
    const int k = static_cast<int>(32 * warp + 8 * t), m = tile.m + static_cast<int>(g),
              n = tile.n + static_cast<int>(4 * g);
    const int row_a = static_cast<int>(s.lda), row_b = static_cast<int>(s.ldb);
    const direct_lane lane = {a + (m * row_a + k),
                              b + (C::TRANSPOSE_B ? n * row_b + k : k * row_b + n),
                              k,
                              m < s.m,
                              m + 8 < s.m,
                              n < s.n};
    direct_operands<C::TRANSPOSE_B> words = direct_load<C::TRANSPOSE_B>(lane, s, 0);
    const int row = static_cast<int>(thread * C::OUT / C::TILE_N),
              column = static_cast<int>(thread * C::OUT % C::TILE_N); // of this thread's results
    typename Epilogue::columns columns[C::OUT / 2];
#pragma unroll
    for (int i = 0; i < C::OUT; i += 2)
        columns[i / 2] = epilogue.fetch(tile.n + column + i);
    float sums[4][4] = {};
    direct_multiply(sums, words);
    if (s.k > C::K_PASS) {
        words = direct_load<C::TRANSPOSE_B>(lane, s, C::K_PASS);
        direct_multiply(sums, words);
    }
    direct_store_sums<C>(shared + (warp * C::TILE_M + g) * C::LD + 8 * t, sums);
    __syncthreads();

    float total[C::OUT] = {};
    direct_reduce<C>(total, shared + row * C::LD + column);
#pragma unroll
    for (int i = 0; i < C::OUT; i += 2)
        epilogue(total[i], total[i + 1], columns[i / 2]);
    assay::vec<scalar_t, C::OUT> out;
#pragma unroll
    for (int i = 0; i < C::OUT; i++)
        out[i] = assay::from_float<scalar_t>(total[i]);
    if (tile.m + row < s.m &&
        tile.n + column < s.n) // n is a multiple of 8, so all of a vector is inside or none
        assay::store_vec(product_of(c, s.m, s.n) + ((tile.m + row) * s.n + tile.n + column), out);
}

// Rows of a wave of blocks that are so far apart have 32-bit offsets.
constexpr int64_t DIRECT_LONGEST_ROW = 1 << 18;

// Whether rows of a, b and c are aligned, K is small, and one wave of blocks suffices: beyond that the tiles
// reuse too little of what they read.
template <class C>
static bool direct_fits(const matmul_args *args)
{
    const int64_t tiles = count_tiles(args->m, args->n, C::TILE_M, C::TILE_N), row_a = matmul_row_a(args),
                  row_b = matmul_row_b(args);
    const bool aligned = args->n % 8 == 0 && args->k % 8 == 0 && row_a % 8 == 0 && row_b % 8 == 0;
    return aligned && args->k <= 2 * C::K_PASS && tiles > 0 &&
           tiles * args->batch <= assay::multiprocessor_count() && row_a <= DIRECT_LONGEST_ROW &&
           row_b <= DIRECT_LONGEST_ROW;
}

// Only where direct_fits().
template <class C, class Epilogue>
static assay_status direct_launch(const matmul_args *args, const matmul_shape &s, const Epilogue &epilogue,
                                  assay_stream stream)
{
    if constexpr (!C::TRANSPOSE_B)
        if (args->transpose_b)
            return direct_launch<with_transposed_b<C>>(args, s, epilogue, stream);
    const dim3 grid(static_cast<unsigned>((s.n + C::TILE_N - 1) / C::TILE_N),
                    static_cast<unsigned>((s.m + C::TILE_M - 1) / C::TILE_M),
                    static_cast<unsigned>(args->batch));
    return assay::launch(matmul_direct<C, Epilogue>, grid, dim3(C::THREADS), C::SHARED_BYTES, stream,
                         static_cast<const scalar_t *>(args->a), static_cast<const scalar_t *>(args->b),
                         static_cast<scalar_t *>(args->c), s, epilogue);
}

#endif
