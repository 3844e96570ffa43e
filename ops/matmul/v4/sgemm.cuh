// fp32 product on the ordinary arithmetic units: every multiply-add is one full-precision FFMA.
//
// The limit is not the 128 FFMA a multiprocessor can start each clock but feeding them, so each level of the hierarchy
// gets a tile that is reused as often as the level below is slower:
//   block   BM x BN of c, walking along k in steps of BK through a ring of STAGES tiles in shared memory, which cp.async
//           fills STAGES - 1 steps ahead without passing through registers;
//   slice   the block's warps may form SLICES groups that each take a part of every step's k and are summed at the end:
//           more warps for tiles too small to occupy many otherwise;
//   warp    a part of the tile, its 32 lanes in 4 rows of 8;
//   thread  TM x TN elements in registers, in pieces of 4 x 4, so that a step of k takes (TM + TN) / 4 16-byte reads of
//           shared memory for TM * TN FFMA. The next step's values are read while the present ones are multiplied.
// The tile of a lies transposed in shared memory (k outermost), so that a thread's rows are neighbours; cp.async copies
// single elements for that. Elements past an edge are filled with zeros: past the end of k in both tiles, so that a zero never meets
// an infinity in a sum that is stored; rows and columns past the edge are not stored.
#ifndef ASSAY_OPS_MATMUL_V4_SGEMM_CUH
#define ASSAY_OPS_MATMUL_V4_SGEMM_CUH

#include "../../common/add_slices.h"
#include "epilogue.cuh"
#include "order.cuh"

template <int BM_, int BN_, int BK_, int WARPS_M_, int WARPS_N_, int SLICES_, int STAGES_, int MIN_BLOCKS_>
struct sgemm_config {
    static constexpr int BM = BM_, BN = BN_, BK = BK_, WARPS_M = WARPS_M_, WARPS_N = WARPS_N_;
    static constexpr int SLICES = SLICES_, STAGES = STAGES_, MIN_BLOCKS = MIN_BLOCKS_;
    static constexpr int SLICE_THREADS = 32 * WARPS_M * WARPS_N, THREADS = SLICES * SLICE_THREADS;
    static constexpr int WM = BM / WARPS_M, WN = BN / WARPS_N, TM = WM / 4, TN = WN / 8;
    static constexpr int STEPS = BK / SLICES;    // steps of k that a slice takes in each tile
    static constexpr int LDA = BM + 4, LDB = BN; // the 4 spread the transposed stores of a over all banks
    static constexpr int STAGE_FLOATS = BK * (LDA + LDB);
    static constexpr int RING_BYTES = STAGES * STAGE_FLOATS * 4;
    static constexpr int REDUCE_BYTES = (SLICES - 1) * SLICE_THREADS * TM * TN * 4;
    static constexpr int SHARED_BYTES = RING_BYTES > REDUCE_BYTES ? RING_BYTES : REDUCE_BYTES;
    static_assert(TM % 4 == 0 && TN % 4 == 0 && BK % 8 == 0 && STEPS % 2 == 0 && STAGES >= 2,
                  "see the loops below");
    static_assert(BM % (THREADS / 8) == 0 && BK % (THREADS / (BN / 4)) == 0 && THREADS >= BN,
                  "copies divide evenly");
};

// This thread's share of the copies: its first element in a and in b, and how far it is from the edges.
struct sgemm_source {
    const float *a, *b;
    int rows_left, columns_left, k_left_a, k_left_b;
};

template <class C, int VB>
__device__ __forceinline__ sgemm_source sgemm_first_source(const float *a, const float *b,
                                                           const matmul_shape &s, matmul_tile tile)
{
    const int t = static_cast<int>(threadIdx.x), row = tile.m + t / 8, k_a = t % 8;
    const int k_b = t / (C::BN / VB), column = tile.n + t % (C::BN / VB) * VB;
    return {a + row * s.lda + k_a, b + k_b * s.ldb + column, s.m - row, s.n - column, s.k - k_a, s.k - k_b};
}

// Start copying one tile of a (transposed) and b, and move on to the next along k. VB: elements of b a copy moves, 4 where
// its rows are aligned. The address of a copy that reads nothing must still be valid: the matrix's own.
template <class C, int VB>
__device__ __forceinline__ void sgemm_copy_tile(float *stage, sgemm_source &from, const float *a,
                                                const float *b, const matmul_shape &s)
{
    const int t = static_cast<int>(threadIdx.x);
    constexpr int ROWS_A = C::THREADS / 8,
                  ROWS_B = C::THREADS / (C::BN / VB); // that one copy by all threads covers
    float *to_a = stage + t % 8 * C::LDA + t / 8;
#pragma unroll
    for (int row = 0; row < C::BM; row += ROWS_A)
#pragma unroll
        for (int k = 0; k < C::BK;
             k += 8) { // 8 neighbours along k: whole sectors of memory, and no bank met twice
            const bool inside = row < from.rows_left && k < from.k_left_a;
            assay::cp_async_4(to_a + k * C::LDA + row, inside ? from.a + row * s.lda + k : a, inside ? 4 : 0);
        }
    float *to_b = stage + C::BK * C::LDA + t * VB;
#pragma unroll
    for (int k = 0; k < C::BK; k += ROWS_B) {
        const bool inside = k < from.k_left_b && from.columns_left > 0;
        if (VB == 4)
            assay::cp_async_16(to_b + k * C::LDB, inside ? from.b + k * s.ldb : b, inside ? 16 : 0);
        else
            assay::cp_async_4(to_b + k * C::LDB, inside ? from.b + k * s.ldb : b, inside ? 4 : 0);
    }
    from.a += C::BK, from.k_left_a -= C::BK;
    from.b += C::BK * s.ldb, from.k_left_b -= C::BK;
}

// What a thread multiplies in one step of k: TM elements of a, TN of b.
template <class C>
struct sgemm_fragment {
    float a[C::TM], b[C::TN];
};

// `stage` is already moved to this thread's first row, first column and its slice's first k.
template <class C>
__device__ __forceinline__ void sgemm_read(sgemm_fragment<C> &f, const float *stage_a, const float *stage_b,
                                           int step)
{
#pragma unroll
    for (int i = 0; i < C::TM; i += 4) {
        const assay::vec<float, 4> v = assay::load_vec<4>(stage_a + step * C::LDA + i * 4);
        f.a[i] = v[0], f.a[i + 1] = v[1], f.a[i + 2] = v[2], f.a[i + 3] = v[3];
    }
#pragma unroll
    for (int j = 0; j < C::TN; j += 4) {
        const assay::vec<float, 4> v = assay::load_vec<4>(stage_b + step * C::LDB + j * 8);
        f.b[j] = v[0], f.b[j + 1] = v[1], f.b[j + 2] = v[2], f.b[j + 3] = v[3];
    }
}

// Whether any of the flags is set, for all threads of a block alike.
__device__ __forceinline__ bool sgemm_is_wanted(const int *flags, int count)
{
    int any = 0;
    for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x))
        any |= flags[i];
    return __syncthreads_or(any) != 0;
}

template <class C, int VB, class Epilogue>
static __global__ void __launch_bounds__(C::THREADS, C::MIN_BLOCKS)
    matmul_sgemm(const float *a, const float *b, float *c, matmul_shape s, const int *wanted,
                 int wanted_count, const Epilogue epilogue)
{
    ASSAY_DYNAMIC_SHARED(float, ring);
    if (wanted != nullptr && !sgemm_is_wanted(wanted, wanted_count))
        return;
    const matmul_tile tile = tile_of_block(blockIdx.x, s.m, s.n, C::BM, C::BN);
    const int slice = static_cast<int>(threadIdx.x) / C::SLICE_THREADS,
              t = static_cast<int>(threadIdx.x) % C::SLICE_THREADS;
    const int warp = t / 32, lane = t % 32;
    const int row = warp / C::WARPS_N * C::WM + lane / 8 * 4,
              column = warp % C::WARPS_N * C::WN + lane % 8 * 4;
    const float *read_a = ring + slice * C::STEPS * C::LDA + row;
    const float *read_b = ring + C::BK * C::LDA + slice * C::STEPS * C::LDB + column;
    const int tiles_k = (s.k + C::BK - 1) / C::BK;
    sgemm_source source = sgemm_first_source<C, VB>(a, b, s, tile);

#pragma unroll
    for (int i = 0; i < C::STAGES - 1; i++) {
        if (i < tiles_k)
            sgemm_copy_tile<C, VB>(ring + i * C::STAGE_FLOATS, source, a, b, s);
        assay::cp_async_commit();
    }
    assay::cp_async_wait<C::STAGES - 2>();
    __syncthreads();

    float sums[C::TM][C::TN] = {};
    sgemm_fragment<C> f[2];
    sgemm_read<C>(f[0], read_a, read_b, 0);
    int read_stage = 0, write_stage = C::STAGES - 1;
    for (int kt = 0; kt < tiles_k; kt++) {
#pragma unroll
        for (int step = 0; step < C::STEPS; step++) {
            if (step ==
                C::STEPS - 1) { // the next tile has landed, and nobody reads the one before this any more
                assay::cp_async_wait<C::STAGES - 2>();
                __syncthreads();
                read_stage = read_stage + 1 == C::STAGES ? 0 : read_stage + 1;
            }
            sgemm_read<C>(f[(step + 1) % 2], read_a + read_stage * C::STAGE_FLOATS,
                          read_b + read_stage * C::STAGE_FLOATS, (step + 1) % C::STEPS);
            if (step == 0) {
                if (kt + C::STAGES - 1 < tiles_k)
                    sgemm_copy_tile<C, VB>(ring + write_stage * C::STAGE_FLOATS, source, a, b, s);
                assay::cp_async_commit();
                write_stage = write_stage + 1 == C::STAGES ? 0 : write_stage + 1;
            }
#pragma unroll
            for (int i = 0; i < C::TM; i++)
#pragma unroll
                for (int j = 0; j < C::TN; j++)
                    sums[i][j] += f[step % 2].a[i] * f[step % 2].b[j];
        }
    }

    if (C::SLICES > 1)
        add_slices<C>(sums, ring, slice, t);
    if (slice > 0)
        return;
#pragma unroll
    for (int i = 0; i < C::TM; i++) {
        const int to_row = tile.m + row + i / 4 * 16 + i % 4;
#pragma unroll
        for (int j = 0; j < C::TN; j += 4) {
            const int to_column = tile.n + column + j / 4 * 32;
            float *to = c + static_cast<int64_t>(to_row) * s.n + to_column;
            epilogue(sums[i][j], sums[i][j + 1], epilogue.fetch(to_column));
            epilogue(sums[i][j + 2], sums[i][j + 3], epilogue.fetch(to_column + 2));
            if (to_row < s.m && VB == 4 && to_column < s.n) // VB == 4: n is a multiple of 4
                assay::store_vec(
                    to, assay::vec<float, 4>{{sums[i][j], sums[i][j + 1], sums[i][j + 2], sums[i][j + 3]}});
#pragma unroll
            for (int l = 0; l < 4; l++)
                if (to_row < s.m && VB != 4 && to_column + l < s.n)
                    to[l] = sums[i][j + l];
        }
    }
}

// Launch the product for the case that one of `count` words in device memory is not 0 when it runs.
template <class C, class Epilogue>
static assay_status sgemm_launch_if(const matmul_args *args, const matmul_shape &s, const int *flags,
                                    int count, const Epilogue &epilogue, assay_stream stream)
{
    const unsigned blocks = static_cast<unsigned>(count_tiles(s.m, s.n, C::BM, C::BN));
    const auto kernel = s.n % 4 == 0 ? matmul_sgemm<C, 4, Epilogue> : matmul_sgemm<C, 1, Epilogue>;
    return assay::launch(kernel, dim3(blocks), dim3(C::THREADS), C::SHARED_BYTES, stream,
                         static_cast<const float *>(args->a), static_cast<const float *>(args->b),
                         static_cast<float *>(args->c), s, flags, count, epilogue);
}

template <class C, class Epilogue>
static assay_status sgemm_launch(const matmul_args *args, const matmul_shape &s, const Epilogue &epilogue,
                                 assay_stream stream)
{
    return sgemm_launch_if<C>(args, s, nullptr, 0, epilogue, stream);
}

#endif
