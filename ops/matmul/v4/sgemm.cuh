// fp32 matmul on the ordinary arithmetic units (FFMA) at full precision.
//
// The limit is feeding the 128 FFMA a multiprocessor starts each clock, so each level of the hierarchy has
// its own tile:
//   block   TILE_M x TILE_N of c; along k in steps of TILE_K through a pipeline of STAGES stages in shared
//           memory, filled by cp.async STAGES - 1 steps ahead;
//   slice   split-K within the block: SLICES groups of warps take a part of each step's k, and their sums are
//           added at the end. That gives more warps to tiles that are too small for many;
//   warp    a part of the tile, its 32 lanes in 4 rows of 8;
//   thread  THREAD_M x THREAD_N sums in registers, in pieces of 4 x 4: a step of k takes (THREAD_M +
//           THREAD_N) / 4 16-byte reads of shared memory for THREAD_M * THREAD_N FFMA. The next step's values
//           are read while the present ones are multiplied.
// The tile of a is stored transposed (k outermost), so that a thread's rows are neighbours; cp.async copies
// single elements for that. Elements past an edge are zero: past the end of k in both tiles, so a zero never
// meets an infinity in a sum that is stored; rows and columns past the edge are not stored.
// A transposed b is copied like a.
#ifndef ASSAY_OPS_MATMUL_V4_SGEMM_CUH
#define ASSAY_OPS_MATMUL_V4_SGEMM_CUH

#include "../../common/add_slices.h"
#include "epilogue.cuh"
#include "order.cuh"
#include "partial_sums.cuh"

template <int M, int N, int K, int ROWS_OF_WARPS, int COLUMNS_OF_WARPS, int SLICE_COUNT, int STAGE_COUNT,
          int BLOCKS, bool TRANSPOSED = false>
struct sgemm_config {
    using for_transposed_b =
        sgemm_config<M, N, K, ROWS_OF_WARPS, COLUMNS_OF_WARPS, SLICE_COUNT, STAGE_COUNT, BLOCKS, true>;
    static constexpr int TILE_M = M, TILE_N = N, TILE_K = K, WARPS_M = ROWS_OF_WARPS,
                         WARPS_N = COLUMNS_OF_WARPS;
    static constexpr int SLICES = SLICE_COUNT, STAGES = STAGE_COUNT, MIN_BLOCKS = BLOCKS;
    static constexpr bool TRANSPOSE_B = TRANSPOSED;
    static constexpr int SLICE_THREADS = 32 * WARPS_M * WARPS_N, THREADS = SLICES * SLICE_THREADS;
    static constexpr int WARP_M = TILE_M / WARPS_M, WARP_N = TILE_N / WARPS_N, THREAD_M = WARP_M / 4,
                         THREAD_N = WARP_N / 8;
    static constexpr int STEPS = TILE_K / SLICES; // of k for each slice in a stage
    static constexpr int LDA = TILE_M + 4,
                         LDB =
                             TILE_N + 4 * TRANSPOSED; // 4 of padding against bank conflicts of the transposed
                                                      // stores
    static constexpr int STAGE_FLOATS = TILE_K * (LDA + LDB);
    static constexpr int PIPELINE_BYTES = STAGES * STAGE_FLOATS * 4;
    static constexpr int REDUCE_BYTES = (SLICES - 1) * SLICE_THREADS * THREAD_M * THREAD_N * 4;
    static constexpr int SHARED_BYTES = PIPELINE_BYTES > REDUCE_BYTES ? PIPELINE_BYTES : REDUCE_BYTES;
    static_assert(THREAD_M % 4 == 0 && THREAD_N % 4 == 0 && TILE_K % 8 == 0 && STEPS % 2 == 0 && STAGES >= 2,
                  "see the loops below");
    static_assert(TILE_M % (THREADS / 8) == 0 && TILE_N % (THREADS / 8) == 0 &&
                      TILE_K % (THREADS / (TILE_N / 4)) == 0 && THREADS >= TILE_N,
                  "copies divide evenly");
};

// This thread's first element in a and b, and its distance from the edges.
struct sgemm_source {
    const float *a, *b;
    int rows_left, columns_left, k_left_a, k_left_b;
};

template <class C, int VB>
__device__ __forceinline__ sgemm_source sgemm_first_source(const float *a, const float *b,
                                                           const matmul_shape &s, matmul_tile tile)
{
    const int t = static_cast<int>(threadIdx.x), row = tile.m + t / 8, k_a = t % 8;
    if constexpr (C::TRANSPOSE_B) {
        const int column = tile.n + t / 8;
        return {
            a + row * s.lda + k_a, b + column * s.ldb + k_a, s.m - row, s.n - column, s.k - k_a, s.k - k_a};
    }
    const int k_b = t / (C::TILE_N / VB), column = tile.n + t % (C::TILE_N / VB) * VB;
    return {a + row * s.lda + k_a, b + k_b * s.ldb + column, s.m - row, s.n - column, s.k - k_a, s.k - k_b};
}

// Start the copies of one stage of a (transposed) and b, and advance along k. VB: elements of b a copy moves,
// 4 where rows are aligned. The address of a copy that reads nothing must be valid: the matrix's own.
template <class C, int VB>
__device__ __forceinline__ void sgemm_copy_tile(float *stage, sgemm_source &from, const float *a,
                                                const float *b, const matmul_shape &s)
{
    const int t = static_cast<int>(threadIdx.x);
    constexpr int ROWS_A = C::THREADS / 8,
                  ROWS_B = C::THREADS / (C::TILE_N / VB); // rows copied by all threads at once
    float *to_a = stage + t % 8 * C::LDA + t / 8;
#pragma unroll
    for (int row = 0; row < C::TILE_M; row += ROWS_A)
#pragma unroll
        for (int k = 0; k < C::TILE_K; k += 8) { // 8 neighbours along k: whole sectors, no bank conflict
            const bool inside = row < from.rows_left && k < from.k_left_a;
            assay::cp_async_4(to_a + k * C::LDA + row, inside ? from.a + row * s.lda + k : a, inside ? 4 : 0);
        }
    from.a += C::TILE_K, from.k_left_a -= C::TILE_K;
    if constexpr (C::TRANSPOSE_B) {
        float *to_b = stage + C::TILE_K * C::LDA + t % 8 * C::LDB + t / 8;
#pragma unroll
        for (int column = 0; column < C::TILE_N; column += ROWS_A)
#pragma unroll
            for (int k = 0; k < C::TILE_K; k += 8) {
                const bool inside = column < from.columns_left && k < from.k_left_b;
                assay::cp_async_4(to_b + k * C::LDB + column, inside ? from.b + column * s.ldb + k : b,
                                  inside ? 4 : 0);
            }
        from.b += C::TILE_K, from.k_left_b -= C::TILE_K;
        return;
    }
    float *to_b = stage + C::TILE_K * C::LDA + t * VB;
#pragma unroll
    for (int k = 0; k < C::TILE_K; k += ROWS_B) {
        const bool inside = k < from.k_left_b && from.columns_left > 0;
        if (VB == 4)
            assay::cp_async_16(to_b + k * C::LDB, inside ? from.b + k * s.ldb : b, inside ? 16 : 0);
        else
            assay::cp_async_4(to_b + k * C::LDB, inside ? from.b + k * s.ldb : b, inside ? 4 : 0);
    }
    from.b += C::TILE_K * s.ldb, from.k_left_b -= C::TILE_K;
}

// A thread's operands for one step of k.
template <class C>
struct sgemm_fragment {
    float a[C::THREAD_M], b[C::THREAD_N];
};

// `stage_a`, `stage_b`: at this thread's first row and column and its slice's first k.
template <class C>
__device__ __forceinline__ void sgemm_read(sgemm_fragment<C> &f, const float *stage_a, const float *stage_b,
                                           int step)
{
#pragma unroll
    for (int i = 0; i < C::THREAD_M; i += 4) {
        const assay::vec<float, 4> v = assay::load_vec<4>(stage_a + step * C::LDA + i * 4);
        f.a[i] = v[0], f.a[i + 1] = v[1], f.a[i + 2] = v[2], f.a[i + 3] = v[3];
    }
#pragma unroll
    for (int j = 0; j < C::THREAD_N; j += 4) {
        const assay::vec<float, 4> v = assay::load_vec<4>(stage_b + step * C::LDB + j * 8);
        f.b[j] = v[0], f.b[j + 1] = v[1], f.b[j + 2] = v[2], f.b[j + 3] = v[3];
    }
}

// Whether any flag is set; the same answer for all threads of a block.
__device__ __forceinline__ bool sgemm_is_wanted(const int *flags, int count)
{
    int any = 0;
    for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x))
        any |= flags[i];
    return __syncthreads_or(any) != 0;
}

// Product blockIdx.z. SPLIT: part blockIdx.y of k, whose sums go to a slot of `c` (partial_sums.cuh).
template <class C, int VB, class Epilogue, bool SPLIT = false>
static __global__ void __launch_bounds__(C::THREADS, C::MIN_BLOCKS)
    matmul_sgemm(const float *a, const float *b, float *c, matmul_shape s, const int *wanted,
                 int wanted_count, const Epilogue epilogue)
{
    ASSAY_DYNAMIC_SHARED(float, stages);
    if (wanted != nullptr) {
#if ASSAY_HOPPER_CODE
        assay::wait_for_previous();
#endif
        if (!sgemm_is_wanted(wanted, wanted_count))
            return;
    }
    matmul_tile tile = tile_of_block(blockIdx.x, s.m, s.n, C::TILE_M, C::TILE_N);
    const float *first_a = a, *first_b = b;
    take_product_of<C::TRANSPOSE_B>(first_a, first_b, s);
    if constexpr (SPLIT)
        take_part_of_k<C>(first_a, first_b, s);
    const int slice = static_cast<int>(threadIdx.x) / C::SLICE_THREADS,
              t = static_cast<int>(threadIdx.x) % C::SLICE_THREADS;
    const int warp = t / 32, lane = t % 32;
    const int row = warp / C::WARPS_N * C::WARP_M + lane / 8 * 4,
              column = warp % C::WARPS_N * C::WARP_N + lane % 8 * 4;
    const float *read_a = stages + slice * C::STEPS * C::LDA + row;
    const float *read_b = stages + C::TILE_K * C::LDA + slice * C::STEPS * C::LDB + column;
    const int tiles_k = (s.k + C::TILE_K - 1) / C::TILE_K;
    sgemm_source source = sgemm_first_source<C, VB>(first_a, first_b, s, tile);
    if constexpr (SPLIT) { // the slot is a matrix of one tile
        c = slot_of_block(c, C::TILE_M * C::TILE_N);
        tile = {0, 0};
        s.m = C::TILE_M, s.n = C::TILE_N;
    }

#pragma unroll
    for (int i = 0; i < C::STAGES - 1; i++) {
        if (i < tiles_k)
            sgemm_copy_tile<C, VB>(stages + i * C::STAGE_FLOATS, source, a, b, s);
        assay::cp_async_commit();
    }
    assay::cp_async_wait<C::STAGES - 2>();
    __syncthreads();

    float sums[C::THREAD_M][C::THREAD_N] = {};
    sgemm_fragment<C> f[2];
    sgemm_read<C>(f[0], read_a, read_b, 0);
    int read_stage = 0, write_stage = C::STAGES - 1;
    for (int kt = 0; kt < tiles_k; kt++) {
#pragma unroll
        for (int step = 0; step < C::STEPS; step++) {
            if (step == C::STEPS - 1) { // the next stage has landed, and the previous one has been read
                assay::cp_async_wait<C::STAGES - 2>();
                __syncthreads();
                read_stage = read_stage + 1 == C::STAGES ? 0 : read_stage + 1;
            }
            sgemm_read<C>(f[(step + 1) % 2], read_a + read_stage * C::STAGE_FLOATS,
                          read_b + read_stage * C::STAGE_FLOATS, (step + 1) % C::STEPS);
            if (step == 0) {
                if (kt + C::STAGES - 1 < tiles_k)
                    sgemm_copy_tile<C, VB>(stages + write_stage * C::STAGE_FLOATS, source, a, b, s);
                assay::cp_async_commit();
                write_stage = write_stage + 1 == C::STAGES ? 0 : write_stage + 1;
            }
#pragma unroll
            for (int i = 0; i < C::THREAD_M; i++)
#pragma unroll
                for (int j = 0; j < C::THREAD_N; j++)
                    sums[i][j] += f[step % 2].a[i] * f[step % 2].b[j];
        }
    }

    if (C::SLICES > 1)
        add_slices<C>(sums, stages, slice, t);
    if (slice > 0)
        return;
    if constexpr (!SPLIT)
        stack_rows(s, tile, static_cast<int>(blockIdx.z));
#pragma unroll
    for (int i = 0; i < C::THREAD_M; i++) {
        const int to_row = tile.m + row + i / 4 * 16 + i % 4;
#pragma unroll
        for (int j = 0; j < C::THREAD_N; j += 4) {
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

// Whether rows of b, where they are copied by vectors, and of c start at multiples of 16 bytes.
template <class C>
static bool sgemm_vectors(const matmul_shape &s)
{
    return s.n % 4 == 0 && (C::TRANSPOSE_B || s.ldb % 4 == 0);
}

// Launch a matmul; with flags on Hopper only, one that does nothing unless one of `count` flags in device memory is
// set when the launch before it has ended.
template <class C, class Epilogue>
static assay_status sgemm_launch_if(const matmul_args *args, const matmul_shape &s, const int *flags,
                                    int count, const Epilogue &epilogue, assay_stream stream)
{
    if constexpr (!C::TRANSPOSE_B)
        if (args->transpose_b)
            return sgemm_launch_if<typename C::for_transposed_b>(args, s, flags, count, epilogue, stream);
    const dim3 blocks(static_cast<unsigned>(count_tiles(s.m, s.n, C::TILE_M, C::TILE_N)), 1,
                      static_cast<unsigned>(args->batch));
    const auto kernel = sgemm_vectors<C>(s) ? matmul_sgemm<C, 4, Epilogue> : matmul_sgemm<C, 1, Epilogue>;
    const float *a = static_cast<const float *>(args->a), *b = static_cast<const float *>(args->b);
    float *c = static_cast<float *>(args->c);
    return flags != nullptr ? assay::launch_early(kernel, blocks, dim3(C::THREADS), C::SHARED_BYTES, stream,
                                                  a, b, c, s, flags, count, epilogue)
                            : assay::launch(kernel, blocks, dim3(C::THREADS), C::SHARED_BYTES, stream, a, b,
                                            c, s, flags, count, epilogue);
}

// Split k over at most `most` blocks for each tile; the workspace must have room for their sums.
template <class C, class Epilogue>
static assay_status sgemm_launch_split(const matmul_args *args, const matmul_shape &s, int most,
                                       const Epilogue &epilogue, assay_stream stream)
{
    if constexpr (!C::TRANSPOSE_B)
        if (args->transpose_b)
            return sgemm_launch_split<typename C::for_transposed_b>(args, s, most, epilogue, stream);
    const int splits = count_parts((s.k + C::TILE_K - 1) / C::TILE_K, most);
    const int64_t tiles = count_tiles(s.m, s.n, C::TILE_M, C::TILE_N);
    float *partial = partial_sums_of(args).sums;
    const auto kernel =
        sgemm_vectors<C>(s) ? matmul_sgemm<C, 4, keep_sums, true> : matmul_sgemm<C, 1, keep_sums, true>;
    const assay_status status = assay::launch(
        kernel,
        dim3(static_cast<unsigned>(tiles), static_cast<unsigned>(splits), static_cast<unsigned>(args->batch)),
        dim3(C::THREADS), C::SHARED_BYTES, stream, static_cast<const float *>(args->a),
        static_cast<const float *>(args->b), partial, s, nullptr, 0, keep_sums{});
    if (status != ASSAY_OK)
        return status;
    return add_partial_sums(partial, args, tiles, splits,
                            partial_raster{C::TILE_M, C::TILE_N, s.m, s.n, splits}, epilogue, stream);
}

template <class C, class Epilogue>
static assay_status sgemm_launch(const matmul_args *args, const matmul_shape &s, tile_plan plan,
                                 const Epilogue &epilogue, assay_stream stream)
{
    return plan.splits > 1 ? sgemm_launch_split<C>(args, s, plan.splits, epilogue, stream)
                           : sgemm_launch_if<C>(args, s, nullptr, 0, epilogue, stream);
}

#endif
