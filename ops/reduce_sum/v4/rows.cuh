// Sums of contiguous rows (inner == 1) for step 4: part of a warp, a warp, a block or several blocks a row.
#ifndef ASSAY_OPS_REDUCE_SUM_V4_ROWS_CUH
#define ASSAY_OPS_REDUCE_SUM_V4_ROWS_CUH

#include <assay/kernel.h>
#include <cstring>
#include "load.cuh"

constexpr int WARP = 32;

// Largest block whose threads can have the registers for so many vectors.
template <int VECTORS>
constexpr int MAX_THREADS = VECTORS > 8 ? 512 : 1024;

// The sum of a vector's elements, as a tree: short chains, and rounding errors that do not pile up.
template <int N, class T>
static __device__ __forceinline__ float sum_of(const assay::vec<T, N> &v)
{
    float sums[N];
#pragma unroll
    for (int i = 0; i < N; i++)
        sums[i] = assay::to_float(v[i]);
#pragma unroll
    for (int half = N / 2; half > 0; half /= 2)
#pragma unroll
        for (int i = 0; i < half; i++)
            sums[i] += sums[i + half];
    return sums[0];
}

// The part of `vectors` vectors at x that this thread takes: VECTORS independent loads, then their sum, and
// so on. A load past the end reads the first vector again and does not count: a load that depends on a
// condition would be a branch, and the next one would wait behind it. EXACT: the part is VECTORS vectors, and
// nothing is past the end.
template <int VECTORS, bool EXACT, class T>
static __device__ __forceinline__ float sum_vectors(const T *x, int64_t vectors, int t, int threads)
{
    constexpr int WIDE = assay::vec16<T>::size;
    float sum = 0.0f;
    x += (int64_t)t * WIDE;
    for (int64_t left = vectors - t; left > 0; left -= (int64_t)threads * VECTORS) {
        const int near = left < INT32_MAX ? (int)left : INT32_MAX; // vectors from x on
        float sums[VECTORS];
        assay::vec16<T> v[VECTORS];
#pragma unroll
        for (int k = 0; k < VECTORS; k++)
            v[k] = load_once<WIDE>(x + (int64_t)(EXACT || k * threads < near ? k * threads : 0) * WIDE);
#pragma unroll
        for (int k = 0; k < VECTORS; k++)
            sums[k] = EXACT || k * threads < near ? sum_of<WIDE>(v[k]) : 0.0f;
#pragma unroll
        for (int half = VECTORS / 2; half > 0; half /= 2)
#pragma unroll
            for (int k = 0; k < half; k++)
                sums[k] += sums[k + half];
        sum += sums[0];
        if (EXACT)
            break;
        x += (int64_t)threads * VECTORS * WIDE;
    }
    return sum;
}

// This thread's sum of a row of `length` elements at x, of which split number `split` takes `segment`
// vectors.
template <int VECTORS, class T>
static __device__ __forceinline__ float sum_part(const T *x, int64_t length, unsigned split, int64_t segment,
                                                 int t, int threads)
{
    constexpr int WIDE = assay::vec16<T>::size;
    const int off = (int)((uintptr_t)x % 16 / sizeof(T)), before = off == 0 ? 0 : WIDE - off;
    const int head = before < length ? before : (int)length;
    const int64_t vectors = (length - head) / WIDE;
    const int64_t begin = split * segment, end = begin + segment < vectors ? begin + segment : vectors;
    float sum = sum_vectors<VECTORS, false>(x + head + begin * WIDE, end - begin, t, threads);
    const int64_t edge = t < head ? t : t + vectors * WIDE; // this thread's element off the boundary
    if (split == 0 && t < 2 * WIDE && edge < length)
        sum += assay::to_float(x[edge]);
    return sum;
}

// WIDTH threads a row and several rows a block, or BLOCK_ROW: a block a row, or one of `splits` blocks that
// take `segment` vectors of it each. out holds a sum for every row and split. Rows are `stride` elements apart and need
// not start on a 16-byte boundary: the few elements before the first whole vector and behind the last go to one thread
// each, in the first split. EXACT: rows do start there, are not shared, and give each thread of a warp or block
// VECTORS vectors.
constexpr int BLOCK_ROW = 0;
template <class T, class Out, int VECTORS, int WIDTH, bool EXACT = false>
static __global__ void __launch_bounds__(WIDTH == BLOCK_ROW ? MAX_THREADS<VECTORS> : 4 * WARP)
    sum_rows(const T *__restrict__ x, Out *__restrict__ out, int64_t rows, int64_t length, int64_t stride,
             unsigned splits, int64_t segment)
{
    const int threads = WIDTH == BLOCK_ROW ? blockDim.x : WIDTH;
    const int t = WIDTH == BLOCK_ROW ? threadIdx.x : threadIdx.x % threads;
    if (EXACT)
        splits = 1;
    const int64_t row = WIDTH == BLOCK_ROW
                            ? blockIdx.x / splits
                            : (int64_t)blockIdx.x * (blockDim.x / threads) + threadIdx.x / threads;
    const unsigned split = WIDTH == BLOCK_ROW ? blockIdx.x % splits : 0;

    if (EXACT && WIDTH == WARP && row >= rows)
        return; // a whole warp
    x += row * stride;
    float sum = 0.0f;
    if constexpr (EXACT)
        sum = sum_vectors<VECTORS, true>(x, VECTORS * threads, t, threads);
    else
        sum = sum_part<VECTORS>(x, row < rows ? length : 0, split, segment, t, threads);

    constexpr int SHUFFLED = WIDTH == BLOCK_ROW ? WARP : WIDTH;
#pragma unroll
    for (int offset = SHUFFLED / 2; offset > 0; offset /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, offset);
    if (WIDTH == BLOCK_ROW) {
        __shared__ float of_warp[MAX_THREADS<VECTORS> / WARP];
        if (t % WARP == 0)
            of_warp[t / WARP] = sum;
        __syncthreads();
        if (t >= WARP)
            return;
        sum = t < threads / WARP ? of_warp[t] : 0.0f;
#pragma unroll
        for (int offset = WARP / 2; offset > 0; offset /= 2)
            sum += __shfl_xor_sync(0xffffffffu, sum, offset);
    }
    if (t == 0 && row < rows)
        out[row * splits + split] = assay::from_float<Out>(sum);
}

// For rows of up to half of 2 * WIDE whole vectors: as few threads as vectors.
template <class T, class Out>
static auto whole_short_rows(int64_t vectors)
{
    return vectors <= 1   ? sum_rows<T, Out, 1, 1>
           : vectors <= 2 ? sum_rows<T, Out, 1, 2>
           : vectors <= 4 ? sum_rows<T, Out, 1, 4>
                          : sum_rows<T, Out, 1, 8>;
}

// Launch for rows that are not shared among blocks. Where rows are few, four vectors a thread if there are as
// many: fewer, busier threads cost less to start and to bring together. Where they are plenty, MOST.
template <class T, class Out, int MOST>
static assay_status launch_rows(const T *x, Out *out, int64_t rows, int64_t length, int64_t stride,
                                bool plenty, assay_stream stream)
{
    constexpr int WIDE = assay::vec16<T>::size;
    constexpr int NARROW = 2 * WIDE; // fewest threads a row: one for each element off the boundary
    const int64_t vectors = length / WIDE;
    const bool whole = length % WIDE == 0 && stride % WIDE == 0 && (uintptr_t)x % 16 == 0;
    if (vectors <= 4 * WARP) {
        const bool narrow = vectors <= NARROW, is_short = whole && vectors > 0 && vectors <= NARROW / 2;
        const auto kernel = is_short                       ? whole_short_rows<T, Out>(vectors)
                            : narrow                       ? sum_rows<T, Out, 1, NARROW>
                            : whole && vectors == WARP     ? sum_rows<T, Out, 1, WARP, true>
                            : whole && vectors == 2 * WARP ? sum_rows<T, Out, 2, WARP, true>
                            : whole && vectors == 4 * WARP ? sum_rows<T, Out, 4, WARP, true>
                            : vectors <= WARP              ? sum_rows<T, Out, 1, WARP>
                            : vectors <= 2 * WARP          ? sum_rows<T, Out, 2, WARP>
                                                           : sum_rows<T, Out, 4, WARP>;
        const int width = is_short ? (vectors <= 2   ? (int)vectors
                                      : vectors <= 4 ? 4
                                                     : 8)
                          : narrow ? NARROW
                                   : WARP;
        // Small blocks reach more multiprocessors; from one and a half of four warps for each on, fewer
        // blocks start sooner.
        const bool enough = rows * width > assay::multiprocessor_count() * 6 * WARP;
        const int threads = plenty || enough ? 4 * WARP : WARP;
        const int64_t per_block = threads / width;
        return assay::launch(kernel, dim3((unsigned)((rows + per_block - 1) / per_block)), dim3(threads), 0,
                             stream, x, out, rows, length, stride, 1u, vectors + 1);
    }
    const int each = plenty ? MOST : 4, limit = plenty ? MAX_THREADS<MOST> : MAX_THREADS<4>;
    const int64_t needed = ((vectors + each - 1) / each + WARP - 1) / WARP * WARP;
    const bool exact = whole && needed * each == vectors && needed <= limit;
    if (exact)
        return assay::launch(plenty ? sum_rows<T, Out, MOST, BLOCK_ROW, true>
                                    : sum_rows<T, Out, 4, BLOCK_ROW, true>,
                             dim3((unsigned)rows), dim3((unsigned)needed), 0, stream, x, out, rows, length,
                             stride, 1u, vectors);
    return assay::launch(plenty ? sum_rows<T, Out, MOST, BLOCK_ROW> : sum_rows<T, Out, 4, BLOCK_ROW>,
                         dim3((unsigned)rows), dim3((unsigned)(needed < limit ? needed : limit)), 0, stream,
                         x, out, rows, length, stride, 1u, vectors + 1);
}

#endif
