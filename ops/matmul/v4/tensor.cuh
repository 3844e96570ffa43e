// f16 and bf16 product on tensor cores with fp32 sums: mma.sync m16n8k16, from compute capability 8.0 on.
//
// The same ladder of tiles as in sgemm.cuh, with these differences:
//   - a warp multiplies 16x16 by 16x8 pieces with one instruction; ldmatrix reads its operands from shared memory, four
//     8x8 matrices at a time, b's transposed on the way, since mma wants columns of b and memory holds rows;
//   - all copies are 16-byte cp.async. 16-byte chunks of a tile row are permuted by exclusive-or with the row number
//     modulo 8, so that the 8 rows of one 8x8 matrix, which lie in one column of chunks, fall into different banks both
//     when the tile is written and when it is read;
//   - rows whose length is no multiple of 8 are not 16-byte aligned. Such an operand is copied to the workspace first,
//     with padded rows: that costs O(n^2) where a slow path inside the kernel would slow down O(n^3);
//   - the finished tile goes through shared memory, so that c is written in whole 16-byte chunks.
// Elements past an edge are zero: past the end of k in both tiles, so that a zero never meets an infinity in a sum that is
// stored; rows and columns past the edge are not stored.
#ifndef ASSAY_OPS_MATMUL_V4_TENSOR_CUH
#define ASSAY_OPS_MATMUL_V4_TENSOR_CUH

#include "epilogue.cuh"
#include "unaligned.cuh"

template <int BM_, int BN_, int BK_, int WARPS_M_, int WARPS_N_, int SLICES_, int STAGES_, int MIN_BLOCKS_>
struct tensor_config {
    static constexpr int BM = BM_, BN = BN_, BK = BK_, WARPS_M = WARPS_M_, WARPS_N = WARPS_N_;
    static constexpr int SLICES = SLICES_, STAGES = STAGES_, MIN_BLOCKS = MIN_BLOCKS_;
    static constexpr int SLICE_THREADS = 32 * WARPS_M * WARPS_N, THREADS = SLICES * SLICE_THREADS;
    static constexpr int WM = BM / WARPS_M, WN = BN / WARPS_N;
    static constexpr int MI = WM / 16, NI = WN / 8; // mma pieces of a warp along m and n
    static constexpr int STEPS = BK / 16 / SLICES;  // steps of 16 along k that a slice takes in each tile
    static constexpr int CHUNKS_A = BK / 8, CHUNKS_B = BN / 8, CHUNKS_C = BN / 8; // 16-byte chunks in a row
    static constexpr int STAGE_ELEMENTS = BM * BK + BK * BN;
    static constexpr int LDC =
        BN + 8; // of the finished tile in shared memory; the 8 spread rows over the banks
    static constexpr int RING_BYTES = STAGES * STAGE_ELEMENTS * 2, TILE_BYTES = BM * LDC * 2;
    static constexpr int REDUCE_BYTES = (SLICES - 1) * SLICE_THREADS * MI * NI * 16;
    static constexpr int LARGER = RING_BYTES > TILE_BYTES ? RING_BYTES : TILE_BYTES;
    static constexpr int SHARED_BYTES = LARGER > REDUCE_BYTES ? LARGER : REDUCE_BYTES;
    static_assert(NI % 2 == 0 && CHUNKS_A >= 8 && CHUNKS_B >= 4 && STEPS % 2 == 0 && STAGES >= 2,
                  "see the loops below");
    static_assert(BM % (THREADS / CHUNKS_A) == 0 && BK % (THREADS / CHUNKS_B) == 0, "copies divide evenly");
    static_assert(THREADS / CHUNKS_A % 8 == 0 && THREADS / CHUNKS_B % 8 == 0,
                  "the permutation repeats every 8 rows");
    static_assert((NI & (NI - 1)) == 0 && (STEPS & (STEPS - 1)) == 0 && WN % (8 * NI) == 0,
                  "see tensor_read()");
};

// Element offset of a 16-byte chunk in a tile with CHUNKS chunks a row.
template <int CHUNKS>
__device__ __forceinline__ int swizzled(int row, int chunk)
{
    return (row * CHUNKS + (chunk ^ (row % 8 % CHUNKS))) * 8;
}

// This thread's share of the copies: its first chunk in a and in b, and how far it is from the edges.
struct tensor_source {
    const scalar_t *a, *b;
    int rows_left, k_left_a, k_left_b;
    bool column_inside;
};

template <class C>
__device__ __forceinline__ tensor_source tensor_first_source(const scalar_t *a, const scalar_t *b,
                                                             const matmul_shape &s, matmul_tile tile)
{
    const int t = static_cast<int>(threadIdx.x), row = tile.m + t / C::CHUNKS_A, k_a = t % C::CHUNKS_A * 8;
    const int k_b = t / C::CHUNKS_B, column = tile.n + t % C::CHUNKS_B * 8;
    return {a + row * s.lda + k_a, b + k_b * s.ldb + column, s.m - row, s.k - k_a, s.k - k_b, column < s.n};
}

// Start copying one tile of a and b, and move on to the next along k. A chunk that begins inside k ends inside the padded
// row, which is zero there. The address of a copy that reads nothing must still be valid: the matrix's own.
template <class C>
__device__ __forceinline__ void tensor_copy_tile(scalar_t *stage, tensor_source &from, const scalar_t *a,
                                                 const scalar_t *b, const matmul_shape &s)
{
    const int t = static_cast<int>(threadIdx.x);
    constexpr int ROWS_A = C::THREADS / C::CHUNKS_A,
                  ROWS_B = C::THREADS / C::CHUNKS_B; // one copy by all threads
    scalar_t *to_a = stage + swizzled<C::CHUNKS_A>(t / C::CHUNKS_A, t % C::CHUNKS_A);
    scalar_t *to_b = stage + C::BM * C::BK + swizzled<C::CHUNKS_B>(t / C::CHUNKS_B, t % C::CHUNKS_B);
#pragma unroll
    for (int row = 0; row < C::BM; row += ROWS_A) {
        const bool inside = row < from.rows_left && from.k_left_a > 0;
        assay::cp_async_16(to_a + row * C::BK, inside ? from.a + row * s.lda : a, inside ? 16 : 0);
    }
#pragma unroll
    for (int k = 0; k < C::BK; k += ROWS_B) {
        const bool inside = k < from.k_left_b && from.column_inside;
        assay::cp_async_16(to_b + k * C::BN, inside ? from.b + k * s.ldb : b, inside ? 16 : 0);
    }
    from.a += C::BK, from.k_left_a -= C::BK;
    from.b += C::BK * s.ldb, from.k_left_b -= C::BK;
}

// The operands of one warp for 16 steps of k, in mma's register layout.
template <class C>
struct tensor_fragment {
    uint32_t a[C::MI][4], b[C::NI][2];
};

// Where this lane's ldmatrix addresses start in the tiles of a and b, in elements.
struct tensor_offsets {
    int a, b;
};

// `row`, `column`: the warp's place in the tile; `k16`: which 16 of the tile's k it starts with. Lane l addresses row
// l % 16 of a 16x16 block's left (l < 16) or right half: untransposed that gives a's four registers, transposed b's for two
// neighbouring pieces.
template <class C>
__device__ __forceinline__ tensor_offsets tensor_first_offsets(int row, int column, int k16)
{
    const int lane = static_cast<int>(threadIdx.x) % 32, in_block = lane % 16, half = lane / 16;
    return {swizzled<C::CHUNKS_A>(row + in_block, k16 * 2 + half),
            C::BM * C::BK + swizzled<C::CHUNKS_B>(k16 * 16 + in_block, column / 8 + half)};
}

// `step`: of 16 along k, within the slice. Moving to another chunk in the same row is an exclusive-or, as the permutation
// is one and the steps and pieces of a warp occupy bits of their own in the chunk's number.
template <class C>
__device__ __forceinline__ void tensor_read(tensor_fragment<C> &f, const scalar_t *stage, tensor_offsets at,
                                            int step)
{
#pragma unroll
    for (int i = 0; i < C::MI; i++)
        assay::ldmatrix_x4(f.a[i], stage + (at.a ^ step * 16) + i * 16 * C::BK);
#pragma unroll
    for (int j = 0; j < C::NI; j += 2)
        assay::ldmatrix_x4_trans(f.b[j], stage + (at.b ^ j * 8) + step * 16 * C::BN);
}

// Sum the slices' accumulators into slice 0's, in the order of the slices.
template <class C>
__device__ __forceinline__ void tensor_reduce(float (&sums)[C::MI][C::NI][4], float *shared, int slice, int t)
{
    constexpr int COUNT = C::MI * C::NI * 4;
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

// Finish and round the sums and lay the tile out in shared memory, rows LDC apart. `tile_n`: its first column in c.
template <class C, class Epilogue>
__device__ __forceinline__ void tensor_stage_tile(scalar_t *shared, const float (&sums)[C::MI][C::NI][4],
                                                  int row, int column, int tile_n, const Epilogue &epilogue)
{
    const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
    for (int i = 0; i < C::MI; i++)
#pragma unroll
        for (int j = 0; j < C::NI; j++)
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

// Write the tile in shared memory to c: 16-byte chunks, where rows of c are aligned those of the tile.
template <class C>
__device__ __forceinline__ void tensor_store_tile(scalar_t *c, const scalar_t *shared, const matmul_shape &s,
                                                  matmul_tile tile)
{
    const int t = static_cast<int>(threadIdx.x);
    if (s.n % 8 == 0) {
        for (int e = t; e < C::BM * C::CHUNKS_C; e += C::THREADS) {
            const int row = e / C::CHUNKS_C, column = e % C::CHUNKS_C * 8;
            if (tile.m + row < s.m && tile.n + column < s.n)
                assay::store_vec(c + static_cast<int64_t>(tile.m + row) * s.n + tile.n + column,
                                 assay::load_vec<8>(shared + row * C::LDC + column));
        }
    } else {
        constexpr int ROWS = C::BM / (C::THREADS / 32); // of a warp
        const scalar_t *rows = shared + t / 32 * ROWS * C::LDC;
        write_unaligned_rows<ROWS, C::BN>(
            c, s, tile.m + t / 32 * ROWS, tile.n,
            [=](unsigned row, unsigned i) { return rows + row * C::LDC + i * 8; });
    }
}

template <class C, class Epilogue>
static __global__ void __launch_bounds__(C::THREADS, C::MIN_BLOCKS)
    matmul_tensor(const scalar_t *a, const scalar_t *b, scalar_t *c, matmul_shape s, const Epilogue epilogue)
{
    ASSAY_DYNAMIC_SHARED(scalar_t, ring);
    const matmul_tile tile = tile_of_block(blockIdx.x, s.m, s.n, C::BM, C::BN);
    const int slice = static_cast<int>(threadIdx.x) / C::SLICE_THREADS,
              t = static_cast<int>(threadIdx.x) % C::SLICE_THREADS;
    const int row = t / 32 / C::WARPS_N * C::WM, column = t / 32 % C::WARPS_N * C::WN;
    const int tiles_k = (s.k + C::BK - 1) / C::BK;
    tensor_source source = tensor_first_source<C>(a, b, s, tile);
    const tensor_offsets offsets = tensor_first_offsets<C>(row, column, slice * C::STEPS);

#pragma unroll
    for (int i = 0; i < C::STAGES - 1; i++) {
        if (i < tiles_k)
            tensor_copy_tile<C>(ring + i * C::STAGE_ELEMENTS, source, a, b, s);
        assay::cp_async_commit();
    }
    assay::cp_async_wait<C::STAGES - 2>();
    __syncthreads();

    float sums[C::MI][C::NI][4] = {};
    tensor_fragment<C> f[2];
    tensor_read<C>(f[0], ring, offsets, 0);
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
            tensor_read<C>(f[(step + 1) % 2], ring + read_stage * C::STAGE_ELEMENTS, offsets,
                           (step + 1) % C::STEPS);
            if (step == 0) {
                if (kt + C::STAGES - 1 < tiles_k)
                    tensor_copy_tile<C>(ring + write_stage * C::STAGE_ELEMENTS, source, a, b, s);
                assay::cp_async_commit();
                write_stage = write_stage + 1 == C::STAGES ? 0 : write_stage + 1;
            }
#pragma unroll
            for (int i = 0; i < C::MI; i++)
#pragma unroll
                for (int j = 0; j < C::NI; j++)
                    assay::mma_m16n8k16<scalar_t>(sums[i][j], f[step % 2].a[i], f[step % 2].b[j], sums[i][j]);
        }
    }

    assay::cp_async_wait<0>();
    __syncthreads(); // the ring's memory is free from here on
    if (C::SLICES > 1)
        tensor_reduce<C>(sums, reinterpret_cast<float *>(ring), slice, t);
    if (slice == 0)
        tensor_stage_tile<C>(ring, sums, row, column, tile.n, epilogue);
    __syncthreads();
    tensor_store_tile<C>(c, ring, s, tile);
}

template <class C, class Epilogue>
static assay_status tensor_launch(const matmul_args *args, const matmul_shape &shape,
                                  const Epilogue &epilogue, assay_stream stream)
{
    const scalar_t *a = static_cast<const scalar_t *>(args->a), *b = static_cast<const scalar_t *>(args->b);
    matmul_shape s = shape;
    s.lda = matmul_padded_row(s.k), s.ldb = matmul_padded_row(s.n);
    int64_t offset = 0;
    assay_status status = tensor_align_rows(&a, s.m, s.k, args, &offset, stream);
    if (status == ASSAY_OK)
        status = tensor_align_rows(&b, s.k, s.n, args, &offset, stream);
    if (status != ASSAY_OK)
        return status;
    return assay::launch(matmul_tensor<C, Epilogue>,
                         dim3(static_cast<unsigned>(count_tiles(s.m, s.n, C::BM, C::BN))), dim3(C::THREADS),
                         C::SHARED_BYTES, stream, a, b, static_cast<scalar_t *>(args->c), s, epilogue);
}

#endif
