// A matrix by a few columns (N up to 8), every dtype: a is streamed once, straight to registers.
//
// The mirror image of few_rows.cuh. Rows of a lie along k, so a lane loads 16 bytes of k of ROWS rows, and the
// same k of all columns of b, which is 16 N neighbouring bytes if there are as many columns as the kernel has
// sums for; they come from the L1 and L2 caches, ROWS times less often than if each row had its own. A warp's
// lanes add their sums by shuffles.
//   k_warps  as many warps of a block share the k of one group of ROWS rows: 1, or all 8 where there are too few
//            rows for two blocks a multiprocessor;
//   grid     where that is not enough, blocks split k too (partial_sums.cuh).
// Rows of a that are not aligned to 16 bytes are loaded by element, 32 neighbours a warp.
#ifndef ASSAY_OPS_MATMUL_V4_FEW_COLUMNS_CUH
#define ASSAY_OPS_MATMUL_V4_FEW_COLUMNS_CUH

#include "../factor.cuh"
#include "partial_sums.cuh"

template <int COLUMN_COUNT, bool ALIGNED_ROWS>
struct few_columns_config {
    static constexpr int COLUMNS = COLUMN_COUNT, ROWS = 4;
    static constexpr int VECTOR = ALIGNED_ROWS ? 16 / sizeof(scalar_t) : 1; // elements of a load of a
    static constexpr int THREADS = 256, WARPS = THREADS / 32;
    static constexpr int TILE_M = ROWS * WARPS, TILE_N = COLUMNS < 4 ? 4 : COLUMNS;
    static_assert(TILE_M * TILE_N / 4 <= THREADS, "four sums a thread at the end");
};

// b[k + i][j] for VECTOR of k; zeros beyond the edges.
template <class C>
__device__ __forceinline__ void few_columns_load_b(float (&to)[C::VECTOR][C::COLUMNS], const scalar_t *b,
                                                   const matmul_shape &s, int k)
{
    const scalar_t *from = b + static_cast<int64_t>(k) * s.n;
    if (C::VECTOR > 1 && s.n == C::COLUMNS) {
#pragma unroll
        for (int v = 0; v < C::COLUMNS; v++) {
            const assay::vec<scalar_t, C::VECTOR> part = assay::load_vec<C::VECTOR>(from + v * C::VECTOR);
#pragma unroll
            for (int e = 0; e < C::VECTOR; e++)
                to[(v * C::VECTOR + e) / C::COLUMNS][(v * C::VECTOR + e) % C::COLUMNS] =
                    assay::to_float(as_factor(part[e]));
        }
    } else {
#pragma unroll
        for (int i = 0; i < C::VECTOR; i++)
#pragma unroll
            for (int j = 0; j < C::COLUMNS; j++)
                to[i][j] = j < s.n ? assay::to_float(as_factor(from[i * s.n + j])) : 0.0f;
    }
}

// Add the products of VECTOR of k. A row beyond the last is not stored, so the last one serves for it.
template <class C>
__device__ __forceinline__ void few_columns_multiply(float (&sums)[C::ROWS][C::COLUMNS], const scalar_t *a,
                                                     const scalar_t *b, const matmul_shape &s, int row, int k)
{
    assay::vec<scalar_t, C::VECTOR> rows[C::ROWS];
#pragma unroll
    for (int r = 0; r < C::ROWS; r++)
        rows[r] = assay::load_vec<C::VECTOR>(
            a + (static_cast<int64_t>(row + r < s.m ? row + r : s.m - 1) * s.lda + k));
    float columns[C::VECTOR][C::COLUMNS];
    few_columns_load_b<C>(columns, b, s, k);
#pragma unroll
    for (int i = 0; i < C::VECTOR; i++)
#pragma unroll
        for (int r = 0; r < C::ROWS; r++) {
            const float factor = assay::to_float(as_factor(rows[r][i]));
#pragma unroll
            for (int j = 0; j < C::COLUMNS; j++)
                sums[r][j] = fmaf(factor, columns[i][j], sums[r][j]);
        }
}

// Block (x, y) has rows from x * rows of a block on and `chunk` of k from y * chunk on.
template <class C, class Epilogue>
static __global__ void __launch_bounds__(C::THREADS)
    matmul_few_columns(const scalar_t *a, const scalar_t *b, scalar_t *c, float *partial,
                       const matmul_shape s, int k_warps, int chunk, const Epilogue epilogue)
{
    __shared__ assay::vec<float, 4> shared[C::TILE_M * C::TILE_N / 4];
    float *const all = &shared[0][0]; // each warp's ROWS x TILE_N sums
#if ASSAY_HOPPER_CODE
    assay::let_next_begin();
#endif
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    const int rows = C::TILE_M / k_warps, first = static_cast<int>(blockIdx.x) * rows;
    const int row = first + warp / k_warps * C::ROWS;
    const int begin = static_cast<int>(blockIdx.y) * chunk, end = s.k - begin < chunk ? s.k : begin + chunk;
    float sums[C::ROWS][C::COLUMNS] = {};
    for (int k = begin + (warp % k_warps * 32 + lane) * C::VECTOR; k < end; k += k_warps * 32 * C::VECTOR)
        few_columns_multiply<C>(sums, a, b, s, row, k);
#pragma unroll
    for (int r = 0; r < C::ROWS; r++)
#pragma unroll
        for (int j = 0; j < C::TILE_N; j++) {
            float sum = j < C::COLUMNS ? sums[r][j % C::COLUMNS] : 0.0f;
#pragma unroll
            for (int other = 16; j < C::COLUMNS && other > 0; other /= 2)
                sum += __shfl_xor_sync(0xffffffffu, sum, other);
            if (lane == 0)
                all[(warp * C::ROWS + r) * C::TILE_N + j] = sum;
        }
    __syncthreads();

    const int element = static_cast<int>(threadIdx.x) * 4, at = element / C::TILE_N, n = element % C::TILE_N;
    if (at >= rows)
        return;
    float total[4] = {};
    for (int w = 0; w < k_warps; w++) // of the group that has this row
#pragma unroll
        for (int j = 0; j < 4; j++)
            total[j] += all[((at / C::ROWS * k_warps + w) * C::ROWS + at % C::ROWS) * C::TILE_N + n + j];
    const int64_t slot = static_cast<int64_t>(blockIdx.x) * gridDim.y + blockIdx.y;
    if (gridDim.y > 1)
        assay::store_vec(partial + slot * (rows * C::TILE_N) + element,
                         assay::vec<float, 4>{{total[0], total[1], total[2], total[3]}});
    else if (first + at < s.m && n < s.n)
        partial_store(c, total, first + at, n, s.n, epilogue);
}

template <class C, class Epilogue>
static assay_status few_columns_launch(const matmul_args *args, const matmul_shape &s,
                                       const Epilogue &epilogue, assay_stream stream)
{
    const int64_t wanted = 2 * assay::multiprocessor_count();
    const bool shared_k = (args->m + C::TILE_M - 1) / C::TILE_M < wanted;
    const int k_warps = shared_k ? C::WARPS : 1, rows = C::TILE_M / k_warps;
    const int64_t tiles = (args->m + rows - 1) / rows,
                  pass = 4 * k_warps * 32 * C::VECTOR; // 4 rounds at least
    const int64_t passes = (args->k + pass - 1) / pass;
    const partial_room room = partial_sums_of(args);
    const int64_t slots = room.floats / (rows * C::TILE_N) / tiles;
    const int64_t parts = shared_k ? count_splits(tiles, wanted, slots < passes ? slots : passes) : 1;
    const int64_t chunk = (passes + parts - 1) / parts * pass;
    const int splits = chunk > 0 ? static_cast<int>((args->k + chunk - 1) / chunk) : 1;
    const assay_status status = assay::launch(
        matmul_few_columns<C, Epilogue>, dim3(static_cast<unsigned>(tiles), static_cast<unsigned>(splits)),
        dim3(C::THREADS), 0, stream, static_cast<const scalar_t *>(args->a),
        static_cast<const scalar_t *>(args->b), static_cast<scalar_t *>(args->c), room.sums, s, k_warps,
        static_cast<int>(chunk), epilogue);
    if (status != ASSAY_OK || splits == 1)
        return status;
    return add_partial_sums(room.sums, args, tiles, splits, partial_grid<C::ROWS, C::TILE_N>{1, splits},
                            epilogue, stream);
}

template <int COLUMNS, class Epilogue>
static assay_status few_columns_aligned_or_not(const matmul_args *args, const matmul_shape &s,
                                               const Epilogue &epilogue, assay_stream stream)
{
    return args->k % (16 / static_cast<int>(sizeof(scalar_t))) == 0
               ? few_columns_launch<few_columns_config<COLUMNS, true>>(args, s, epilogue, stream)
               : few_columns_launch<few_columns_config<COLUMNS, false>>(args, s, epilogue, stream);
}

// N of at most 8.
template <class Epilogue>
static assay_status few_columns_run(const matmul_args *args, const matmul_shape &s, const Epilogue &epilogue,
                                    assay_stream stream)
{
    return args->n == 1   ? few_columns_aligned_or_not<1>(args, s, epilogue, stream)
           : args->n <= 4 ? few_columns_aligned_or_not<4>(args, s, epilogue, stream)
                          : few_columns_aligned_or_not<8>(args, s, epilogue, stream);
}

#endif
