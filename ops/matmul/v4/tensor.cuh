// f16 and bf16 matmul on tensor cores by mma.sync m16n8k16 with fp32 sums, from compute capability 8.0 on.
//
// Tiled like sgemm.cuh (block, K slices, warp), with these differences:
//   - one instruction multiplies 16 x 16 by 16 x 8; ldmatrix loads its operands from shared memory, four 8 x
//     8 matrices at a time, those of b transposed;
//   - all copies are 16-byte cp.async. The 16-byte chunks of a tile row are swizzled: chunk c of row r lies
//     at c ^ r % 8, so the 8 rows of an 8 x 8 matrix fall into different banks both when written and when
//     read;
//   - rows that do not start at multiples of 16 bytes are copied to the workspace first, where they do: O(n^2)
//     work, where a slow path inside the kernel would cost O(n^3);
//   - the finished tile goes through shared memory, so that c is written in 16-byte chunks.
// Elements past an edge are zero: past the end of k in both tiles, so a zero never meets an infinity in a sum
// that is stored; rows and columns past the edge are not stored.
#ifndef ASSAY_OPS_MATMUL_V4_TENSOR_CUH
#define ASSAY_OPS_MATMUL_V4_TENSOR_CUH

#include "epilogue.cuh"
#include "partial_sums.cuh"
#include "unaligned.cuh"
#include <type_traits>

template <int M, int N, int K, int ROWS_OF_WARPS, int COLUMNS_OF_WARPS, int SLICE_COUNT, int STAGE_COUNT,
          int BLOCKS>
struct tensor_config {
    static constexpr int TILE_M = M, TILE_N = N, TILE_K = K, WARPS_M = ROWS_OF_WARPS,
                         WARPS_N = COLUMNS_OF_WARPS;
    static constexpr int SLICES = SLICE_COUNT, STAGES = STAGE_COUNT, MIN_BLOCKS = BLOCKS;
    static constexpr bool TRANSPOSE_B = false; // see with_transposed_b
    static constexpr int SLICE_THREADS = 32 * WARPS_M * WARPS_N, THREADS = SLICES * SLICE_THREADS;
    static constexpr int WARP_M = TILE_M / WARPS_M, WARP_N = TILE_N / WARPS_N;
    static constexpr int MMA_M = WARP_M / 16, MMA_N = WARP_N / 8; // mma instructions of a warp along m and n
    static constexpr int STEPS = TILE_K / 16 / SLICES;            // steps of 16 of k for each slice
    static constexpr int CHUNKS_A = TILE_K / 8, CHUNKS_B = TILE_N / 8,
                         CHUNKS_C = TILE_N / 8; // 16-byte chunks a row
    static constexpr int STAGE_ELEMENTS = TILE_M * TILE_K + TILE_K * TILE_N;
    static constexpr int LDC =
        TILE_N +
        8; // row stride of the finished tile in shared memory; 8 elements of padding against bank conflicts
    static constexpr int PIPELINE_BYTES = STAGES * STAGE_ELEMENTS * 2, TILE_BYTES = TILE_M * LDC * 2;
    static constexpr int REDUCE_BYTES = (SLICES - 1) * SLICE_THREADS * MMA_M * MMA_N * 16;
    static constexpr int LARGER = PIPELINE_BYTES > TILE_BYTES ? PIPELINE_BYTES : TILE_BYTES;
    static constexpr int SHARED_BYTES = LARGER > REDUCE_BYTES ? LARGER : REDUCE_BYTES;
    static_assert(MMA_N % 2 == 0 && CHUNKS_A >= 8 && CHUNKS_B >= 4 && STEPS % 2 == 0 && STAGES >= 2,
                  "see the loops below");
    static_assert(TILE_M % (THREADS / CHUNKS_A) == 0 && TILE_K % (THREADS / CHUNKS_B) == 0 &&
                      TILE_N % (THREADS / CHUNKS_A) == 0,
                  "copies divide evenly");
    static_assert(THREADS / CHUNKS_A % 8 == 0 && THREADS / CHUNKS_B % 8 == 0,
                  "the permutation repeats every 8 rows");
    static_assert((MMA_N & (MMA_N - 1)) == 0 && (STEPS & (STEPS - 1)) == 0 && WARP_N % (8 * MMA_N) == 0,
                  "see tensor_read()");
};

// Element offset of a 16-byte chunk in a swizzled tile with CHUNKS chunks a row.
template <int CHUNKS>
__device__ __forceinline__ int swizzled(int row, int chunk)
{
    return (row * CHUNKS + (chunk ^ (row % 8 % CHUNKS))) * 8;
}

// This thread's first chunk in a and b, and its distance from the edges: of b along k and the bytes of its columns that
// are inside, or transposed along n, as its k is that of a.
struct tensor_source {
    const scalar_t *a, *b;
    int rows_left, k_left_a, k_left_b, columns_left, column_bytes;
};

// How many bytes of a chunk lie before an edge that is `left` elements from its first one.
__device__ __forceinline__ int tensor_chunk_bytes(int left)
{
    return left < 8 ? (left > 0 ? left * 2 : 0) : 16;
}

template <class C>
__device__ __forceinline__ tensor_source tensor_first_source(const scalar_t *a, const scalar_t *b,
                                                             const matmul_shape &s, matmul_tile tile)
{
    const int t = static_cast<int>(threadIdx.x), row = tile.m + t / C::CHUNKS_A, k_a = t % C::CHUNKS_A * 8;
    if constexpr (C::TRANSPOSE_B) {
        const int column = tile.n + t / C::CHUNKS_A;
        return {a + row * s.lda + k_a, b + column * s.ldb + k_a, s.m - row, s.k - k_a, 0, s.n - column, 0};
    } else {
        const int k_b = t / C::CHUNKS_B, column = tile.n + t % C::CHUNKS_B * 8;
        return {a + row * s.lda + k_a,           b + k_b * s.ldb + column, s.m - row, s.k - k_a, s.k - k_b, 0,
                tensor_chunk_bytes(s.n - column)};
    }
}

// Start the copies of one stage, and advance along k. Behind an edge inside a chunk are zeros. The address of a copy that
// reads nothing must be valid: the matrix's own.
template <class C>
__device__ __forceinline__ void tensor_copy_tile(scalar_t *stage, tensor_source &from, const scalar_t *a,
                                                 const scalar_t *b, const matmul_shape &s)
{
    const int t = static_cast<int>(threadIdx.x);
    constexpr int ROWS_A = C::THREADS / C::CHUNKS_A,
                  ROWS_B = C::THREADS / C::CHUNKS_B; // rows copied by all threads at once
    scalar_t *to_a = stage + swizzled<C::CHUNKS_A>(t / C::CHUNKS_A, t % C::CHUNKS_A);
    const int bytes_k = tensor_chunk_bytes(from.k_left_a);
#pragma unroll
    for (int row = 0; row < C::TILE_M; row += ROWS_A) {
        const bool inside = row < from.rows_left && bytes_k > 0;
        assay::cp_async_16(to_a + row * C::TILE_K, inside ? from.a + row * s.lda : a, inside ? bytes_k : 0);
    }
    if constexpr (C::TRANSPOSE_B) {
        scalar_t *to_b = to_a + C::TILE_M * C::TILE_K;
#pragma unroll
        for (int column = 0; column < C::TILE_N; column += ROWS_A) {
            const bool inside = column < from.columns_left && bytes_k > 0;
            assay::cp_async_16(to_b + column * C::TILE_K, inside ? from.b + column * s.ldb : b,
                               inside ? bytes_k : 0);
        }
        from.b += C::TILE_K;
    } else {
        scalar_t *to_b =
            stage + C::TILE_M * C::TILE_K + swizzled<C::CHUNKS_B>(t / C::CHUNKS_B, t % C::CHUNKS_B);
#pragma unroll
        for (int k = 0; k < C::TILE_K; k += ROWS_B) {
            const bool inside = k < from.k_left_b && from.column_bytes > 0;
            assay::cp_async_16(to_b + k * C::TILE_N, inside ? from.b + k * s.ldb : b,
                               inside ? from.column_bytes : 0);
        }
        from.b += C::TILE_K * s.ldb, from.k_left_b -= C::TILE_K;
    }
    from.a += C::TILE_K, from.k_left_a -= C::TILE_K;
}

// A warp's operands for 16 of k, in mma's register layout.
template <class C>
struct tensor_fragment {
    uint32_t a[C::MMA_M][4], b[C::MMA_N][2];
};

// Element offsets of this lane's ldmatrix addresses in the tiles of a and b.
struct tensor_offsets {
    int a, b;
};

// `row`, `column`: the warp's first in the tile; `k16`: its first 16 of k. Lane l addresses row l % 16 of the
// left (l < 16) or right half of a 16 x 16 block: untransposed that gives the four registers of a, transposed
// those of two neighbouring pieces of b. A transposed b is read untransposed: a lane's row is a column of b, and
// the matrices of a 16 x 16 block are taken along k first.
template <class C>
__device__ __forceinline__ tensor_offsets tensor_first_offsets(int row, int column, int k16)
{
    const int lane = static_cast<int>(threadIdx.x) % 32, in_block = lane % 16, half = lane / 16;
    const int b = C::TRANSPOSE_B ? swizzled<C::CHUNKS_A>(column + half * 8 + lane % 8, k16 * 2 + in_block / 8)
                                 : swizzled<C::CHUNKS_B>(k16 * 16 + in_block, column / 8 + half);
    return {swizzled<C::CHUNKS_A>(row + in_block, k16 * 2 + half), C::TILE_M * C::TILE_K + b};
}

// `step`: of 16 of k, within the slice. Another chunk of the same row is an exclusive-or away, as the swizzle
// is an exclusive-or and the steps and pieces of a warp occupy separate bits of the chunk number.
template <class C>
__device__ __forceinline__ void tensor_read(tensor_fragment<C> &f, const scalar_t *stage, tensor_offsets at,
                                            int step)
{
#pragma unroll
    for (int i = 0; i < C::MMA_M; i++)
        assay::ldmatrix_x4(f.a[i], stage + (at.a ^ step * 16) + i * 16 * C::TILE_K);
#pragma unroll
    for (int j = 0; j < C::MMA_N; j += 2)
        if constexpr (C::TRANSPOSE_B)
            assay::ldmatrix_x4(f.b[j], stage + (at.b ^ step * 16) + j * 8 * C::TILE_K);
        else
            assay::ldmatrix_x4_trans(f.b[j], stage + (at.b ^ j * 8) + step * 16 * C::TILE_N);
}

// Add the slices' sums to those of slice 0, in the order of the slices.
template <class C>
__device__ __forceinline__ void tensor_reduce(float (&sums)[C::MMA_M][C::MMA_N][4], float *shared, int slice,
                                              int t)
{
    constexpr int COUNT = C::MMA_M * C::MMA_N * 4;
    float *flat = &sums[0][0][0];
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        if (slice > 0)
            shared[((slice - 1) * COUNT + i) * C::SLICE_THREADS + t] = flat[i];
    __syncthreads();
    for (int other = 0; other < C::SLICES - 1; other++)
#pragma unroll
        for (int i = 0; i < COUNT; i++)
            if (slice == 0)
                flat[i] += shared[(other * COUNT + i) * C::SLICE_THREADS + t];
    __syncthreads();
}

// Apply the epilogue, round, and store the tile to shared memory, rows LDC apart. `tile_n`: its first column
// in c.
template <class C, class Epilogue>
__device__ __forceinline__ void tensor_stage_tile(scalar_t *shared,
                                                  const float (&sums)[C::MMA_M][C::MMA_N][4], int row,
                                                  int column, int tile_n, const Epilogue &epilogue)
{
    const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
    for (int i = 0; i < C::MMA_M; i++)
#pragma unroll
        for (int j = 0; j < C::MMA_N; j++)
#pragma unroll
            for (int half = 0; half < 2; half++) {
                const int at_column = column + j * 8 + lane % 4 * 2;
                float x = sums[i][j][half * 2], y = sums[i][j][half * 2 + 1];
                epilogue(x, y, epilogue.fetch(tile_n + at_column));
                assay::store_vec(shared + (row + i * 16 + half * 8 + lane / 4) * C::LDC + at_column,
                                 assay::vec<scalar_t, 2>{
                                     {assay::from_float<scalar_t>(x), assay::from_float<scalar_t>(y)}});
            }
}

// Write the tile from shared memory to c in 16-byte chunks.
template <class C>
__device__ __forceinline__ void tensor_store_tile(scalar_t *c, const scalar_t *shared, const matmul_shape &s,
                                                  matmul_tile tile)
{
    const int t = static_cast<int>(threadIdx.x);
    if (s.n % 8 == 0) {
        for (int e = t; e < C::TILE_M * C::CHUNKS_C; e += C::THREADS) {
            const int row = e / C::CHUNKS_C, column = e % C::CHUNKS_C * 8;
            if (tile.m + row < s.m && tile.n + column < s.n)
                assay::store_vec(c + static_cast<int64_t>(tile.m + row) * s.n + tile.n + column,
                                 assay::load_vec<8>(shared + row * C::LDC + column));
        }
    } else {
        constexpr int ROWS = C::TILE_M / (C::THREADS / 32); // rows of a warp
        const scalar_t *rows = shared + t / 32 * ROWS * C::LDC;
        write_unaligned_rows<ROWS, C::TILE_N>(
            c, s, tile.m + t / 32 * ROWS, tile.n,
            [=](unsigned row, unsigned i) { return rows + row * C::LDC + i * 8; });
    }
}

// Write a warp's sums to its part of a slot of partial sums, rows of TILE_N floats.
template <class C>
__device__ __forceinline__ void tensor_store_part(float *slot, const float (&sums)[C::MMA_M][C::MMA_N][4],
                                                  int row, int column)
{
    const int lane = static_cast<int>(threadIdx.x) % 32;
    float *to = slot + (row + lane / 4) * C::TILE_N + column + lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < C::MMA_M; i++)
#pragma unroll
        for (int j = 0; j < C::MMA_N; j++)
#pragma unroll
            for (int half = 0; half < 2; half++)
                assay::store_vec(to + (i * 16 + half * 8) * C::TILE_N + j * 8,
                                 assay::vec<float, 2>{{sums[i][j][half * 2], sums[i][j][half * 2 + 1]}});
}

// Product blockIdx.z. SPLIT: part blockIdx.y of k, whose sums go to a slot of `partial` (partial_sums.cuh).
template <class C, class Epilogue, bool SPLIT = false>
static __global__ void __launch_bounds__(C::THREADS, C::MIN_BLOCKS)
    matmul_tensor(const scalar_t *a, const scalar_t *b, std::conditional_t<SPLIT, float, scalar_t> *c,
                  matmul_shape s, const Epilogue epilogue)
{
    ASSAY_DYNAMIC_SHARED(scalar_t, stages);
    matmul_tile tile = tile_of_block(blockIdx.x, s.m, s.n, C::TILE_M, C::TILE_N);
    const int slice = static_cast<int>(threadIdx.x) / C::SLICE_THREADS,
              t = static_cast<int>(threadIdx.x) % C::SLICE_THREADS;
    const int row = t / 32 / C::WARPS_N * C::WARP_M, column = t / 32 % C::WARPS_N * C::WARP_N;
#if ASSAY_HOPPER_CODE
    assay::wait_for_previous(); // the operands are packed, if they have to be
#endif
    const scalar_t *first_a = a, *first_b = b;
    take_product_of<C::TRANSPOSE_B>(first_a, first_b, s);
    if constexpr (SPLIT)
        take_part_of_k<C>(first_a, first_b, s);
    const int tiles_k = (s.k + C::TILE_K - 1) / C::TILE_K;
    tensor_source source = tensor_first_source<C>(first_a, first_b, s, tile);
    const tensor_offsets offsets = tensor_first_offsets<C>(row, column, slice * C::STEPS);

#pragma unroll
    for (int i = 0; i < C::STAGES - 1; i++) {
        if (i < tiles_k)
            tensor_copy_tile<C>(stages + i * C::STAGE_ELEMENTS, source, a, b, s);
        assay::cp_async_commit();
    }
    assay::cp_async_wait<C::STAGES - 2>();
    __syncthreads();

    float sums[C::MMA_M][C::MMA_N][4] = {};
    tensor_fragment<C> f[2];
    tensor_read<C>(f[0], stages, offsets, 0);
    int read_stage = 0, write_stage = C::STAGES - 1;
    for (int kt = 0; kt < tiles_k; kt++) {
#pragma unroll
        for (int step = 0; step < C::STEPS; step++) {
            if (step == C::STEPS - 1) { // the next stage has landed, and the previous one has been read
                assay::cp_async_wait<C::STAGES - 2>();
                __syncthreads();
                read_stage = read_stage + 1 == C::STAGES ? 0 : read_stage + 1;
            }
            tensor_read<C>(f[(step + 1) % 2], stages + read_stage * C::STAGE_ELEMENTS, offsets,
                           (step + 1) % C::STEPS);
            if (step == 0) {
                if (kt + C::STAGES - 1 < tiles_k)
                    tensor_copy_tile<C>(stages + write_stage * C::STAGE_ELEMENTS, source, a, b, s);
                assay::cp_async_commit();
                write_stage = write_stage + 1 == C::STAGES ? 0 : write_stage + 1;
            }
#pragma unroll
            for (int i = 0; i < C::MMA_M; i++)
#pragma unroll
                for (int j = 0; j < C::MMA_N; j++)
                    assay::mma_m16n8k16<scalar_t>(sums[i][j], f[step % 2].a[i], f[step % 2].b[j], sums[i][j]);
        }
    }

    assay::cp_async_wait<0>();
    __syncthreads(); // the pipeline's memory is free from here on
    if (C::SLICES > 1)
        tensor_reduce<C>(sums, reinterpret_cast<float *>(stages), slice, t);
    if constexpr (SPLIT) {
        if (slice == 0)
            tensor_store_part<C>(slot_of_block(c, C::TILE_M * C::TILE_N), sums, row, column);
        return;
    } else {
        if (slice == 0)
            tensor_stage_tile<C>(stages, sums, row, column, tile.n, epilogue);
        __syncthreads();
        stack_rows(s, tile, static_cast<int>(blockIdx.z));
        tensor_store_tile<C>(c, stages, s, tile);
    }
}

// a and b with aligned rows, and the shape with their strides.
struct tensor_operands {
    const scalar_t *a, *b;
    matmul_shape s;
    bool packed; // see tensor_launch_behind
};

static inline assay_status tensor_prepare(const matmul_args *args, const matmul_shape &shape,
                                          tensor_operands *to, assay_stream stream)
{
    *to = {static_cast<const scalar_t *>(args->a), static_cast<const scalar_t *>(args->b), shape, false};
    return tensor_align_operands(&to->a, &to->b, &to->s, &to->packed, args, stream);
}

template <class C, class Epilogue>
static assay_status tensor_launch_whole(const matmul_args *args, const matmul_shape &shape,
                                        const Epilogue &epilogue, assay_stream stream)
{
    tensor_operands operands;
    const assay_status status = tensor_prepare(args, shape, &operands, stream);
    if (status != ASSAY_OK)
        return status;
    const int64_t tiles = count_tiles(shape.m, shape.n, C::TILE_M, C::TILE_N);
    return tensor_launch_behind(operands.packed, matmul_tensor<C, Epilogue>,
                                dim3(static_cast<unsigned>(tiles), 1, static_cast<unsigned>(args->batch)),
                                dim3(C::THREADS), C::SHARED_BYTES, stream, operands.a, operands.b,
                                static_cast<scalar_t *>(args->c), operands.s, epilogue);
}

// Split k over at most `most` blocks for each tile; the workspace must have room for their sums.
template <class C, class Epilogue>
static assay_status tensor_launch_split(const matmul_args *args, const matmul_shape &shape, int most,
                                        const Epilogue &epilogue, assay_stream stream)
{
    tensor_operands operands;
    assay_status status = tensor_prepare(args, shape, &operands, stream);
    if (status != ASSAY_OK)
        return status;
    const int splits = count_parts((shape.k + C::TILE_K - 1) / C::TILE_K, most);
    const int64_t tiles = count_tiles(shape.m, shape.n, C::TILE_M, C::TILE_N);
    float *partial = partial_sums_of(args).sums;
    status = tensor_launch_behind(
        operands.packed, matmul_tensor<C, keep_sums, true>,
        dim3(static_cast<unsigned>(tiles), static_cast<unsigned>(splits), static_cast<unsigned>(args->batch)),
        dim3(C::THREADS), C::SHARED_BYTES, stream, operands.a, operands.b, partial, operands.s, keep_sums{});
    if (status != ASSAY_OK)
        return status;
    return add_partial_sums(partial, args, tiles, splits,
                            partial_raster{C::TILE_M, C::TILE_N, shape.m, shape.n, splits}, epilogue, stream);
}

template <class C, class Epilogue>
static assay_status tensor_launch(const matmul_args *args, const matmul_shape &shape, tile_plan plan,
                                  const Epilogue &epilogue, assay_stream stream)
{
    if constexpr (!C::TRANSPOSE_B)
        if (args->transpose_b)
            return tensor_launch<with_transposed_b<C>>(args, shape, plan, epilogue, stream);
    return plan.splits > 1 ? tensor_launch_split<C>(args, shape, plan.splits, epilogue, stream)
                           : tensor_launch_whole<C>(args, shape, epilogue, stream);
}

#endif
