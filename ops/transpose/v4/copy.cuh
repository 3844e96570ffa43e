// transpose, step 4, of a matrix of one row or one column: a copy.
#ifndef ASSAY_OPS_TRANSPOSE_V4_COPY_CUH
#define ASSAY_OPS_TRANSPOSE_V4_COPY_CUH

#include "../square.cuh"

constexpr int COPY_THREADS = 256, COPY_VECTORS = 4; // vectors a thread, all loaded before the first is stored

// x and out are equally far from a 16-byte boundary. The elements before the first whole vector and behind
// the last go to a thread of the first block each.
static __global__ void __launch_bounds__(COPY_THREADS)
    transpose_copy(const scalar_t *__restrict__ x, scalar_t *__restrict__ out, int64_t count)
{
    const int off = (int)((uintptr_t)x / sizeof(scalar_t) % LANES), before = off == 0 ? 0 : LANES - off;
    const int64_t head = before < count ? before : count, vectors = (count - head) / LANES;
    const int64_t first = (int64_t)blockIdx.x * (COPY_THREADS * COPY_VECTORS) + threadIdx.x;
    const uint4 *from = reinterpret_cast<const uint4 *>(x + head);
    uint4 *to = reinterpret_cast<uint4 *>(out + head), held[COPY_VECTORS];
#pragma unroll
    for (int k = 0; k < COPY_VECTORS; k++)
        if (first + k * COPY_THREADS < vectors)
            held[k] = __ldg(from + first + k * COPY_THREADS);
#pragma unroll
    for (int k = 0; k < COPY_VECTORS; k++)
        if (first + k * COPY_THREADS < vectors)
            __stwb(to + first + k * COPY_THREADS, held[k]);
    const int64_t edge = (int64_t)threadIdx.x < head ? threadIdx.x : threadIdx.x + vectors * LANES;
    if (blockIdx.x == 0 && threadIdx.x < 2 * LANES && edge < count)
        out[edge] = x[edge];
}

static inline assay_status launch_copy(const scalar_t *x, scalar_t *out, int64_t count, assay_stream stream)
{
    constexpr int64_t EACH = COPY_THREADS * COPY_VECTORS;
    const int64_t blocks = (count / LANES + EACH - 1) / EACH;
    return assay::launch(transpose_copy, dim3((unsigned)(blocks > 0 ? blocks : 1)), dim3(COPY_THREADS), 0,
                         stream, x, out, count);
}

#endif
