// Rows of x that lie otherwise from a 16-byte boundary than the rows of out: step 4 of the row ops.
//
// So do the rows of a view whose padding is no multiple of 16 bytes, and those of an x and out that begin at
// different distances from a boundary. Rows are cut as rows.h does, by the boundaries of out. What a vector
// of out needs lies across two aligned chunks of x: both are loaded, and shifted (chunk_across.h). The second
// one is the neighbour's first, so memory delivers it once.
#ifndef ASSAY_OPS_COMMON_ACROSS_ROWS_H
#define ASSAY_OPS_COMMON_ACROSS_ROWS_H

#include <cstring>
#include "chunk_across.h"
#include "rows.h"

constexpr int ACROSS_VECTORS = 4, ACROSS_THREADS = 512; // of a thread of longer rows; most of a block

// Where rows begin at the same distance from a boundary, `x` is all there is to know.
template <>
struct row_source<ACROSS> {
    const scalar_t *x; // of the row
    int off;           // elements of its first vector behind a boundary
    int64_t by_chunks; // vectors of the row whose chunks are all within x

    // `matrix` is all of x. Only if it is aligned, no chunk begins before it; the last vector's may end
    // behind it.
    template <class Share>
    __device__ __forceinline__ row_source(const scalar_t *matrix, int64_t first, const Share &share)
        : x(matrix + first), off((int)((uintptr_t)(x + share.head) % 16 / sizeof(scalar_t))),
          by_chunks(off == 0             ? share.vectors
                    : is_aligned(matrix) ? share.vectors - 1
                                         : 0)
    {
    }
    template <int VECTORS, class Share>
    __device__ __forceinline__ void load(uint4 (&raw)[VECTORS], const Share &share, int64_t b,
                                         uint32_t missing) const
    {
        const scalar_t *from = x + share.start(b);
        const int64_t chunked = by_chunks - b * share.per_batch; // of the batch
        const int count = share.count(b);
        uint4 next[VECTORS];
#pragma unroll
        for (int k = 0; k < VECTORS; k++) {
            const int i = share.t + k * share.threads;
            raw[k] = next[k] = {missing, missing, missing, missing};
            if (i < count && i < chunked) {
                const uint4 *chunk = reinterpret_cast<const uint4 *>(from + i * WIDE - off);
                raw[k] = __ldg(chunk);
                next[k] = __ldg(chunk + (off > 0 ? 1 : 0));
            }
        }
#pragma unroll
        for (int k = 0; k < VECTORS; k++) {
            const int i = share.t + k * share.threads;
            raw[k] = chunk_across(raw[k], next[k], off * (int)sizeof(scalar_t) / 2);
            if (i < count && i >= chunked)
                raw[k] = load_by_elements(from + i * WIDE);
        }
    }

  private:
    static __device__ __forceinline__ uint4 load_by_elements(const scalar_t *p)
    {
        assay::vec16<scalar_t> elements;
#pragma unroll
        for (int lane = 0; lane < WIDE; lane++)
            elements[lane] = p[lane];
        uint4 raw;
        memcpy(&raw, &elements, sizeof raw);
        return raw;
    }
};

// Rows that WIDTH threads, a warp or less, hold with VECTORS each.
template <class Kernels, int VECTORS, int WIDTH, class... Args>
static assay_status launch_across_warps(int64_t rows, assay_stream stream, Args... args)
{
    const int threads = rows * WIDTH < Kernels::FULL / 8 ? WARP : WARP_ROW_THREADS;
    const int64_t per_block = threads / WIDTH;
    return assay::launch(Kernels::template of<VECTORS, WIDTH, ACROSS>(),
                         dim3((unsigned)((rows + per_block - 1) / per_block)), dim3(threads), 0, stream,
                         args...);
}

// As launch_rows(), for the kernels with ACROSS.
template <class Kernels, class... Args>
static assay_status launch_across_rows(int64_t rows, int64_t length, assay_stream stream, Args... args)
{
    const int64_t vectors = length / WIDE, needed = (vectors + ACROSS_VECTORS - 1) / ACROSS_VECTORS;
    if (vectors <= NARROW)
        return launch_across_warps<Kernels, 1, NARROW>(rows, stream, args...);
    if (vectors <= WARP)
        return launch_across_warps<Kernels, 1, WARP>(rows, stream, args...);
    if (needed <= WARP)
        return launch_across_warps<Kernels, ACROSS_VECTORS, WARP>(rows, stream, args...);
    const int64_t threads = (needed + WARP - 1) / WARP * WARP;
    return assay::launch(Kernels::template of<ACROSS_VECTORS, ACROSS_THREADS, ACROSS>(), dim3((unsigned)rows),
                         dim3((unsigned)(threads < ACROSS_THREADS ? threads : ACROSS_THREADS)), 0, stream,
                         args...);
}

#endif
