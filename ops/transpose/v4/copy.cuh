// transpose, step 4, of a matrix of one row or one column: a copy.
#ifndef ASSAY_OPS_TRANSPOSE_V4_COPY_CUH
#define ASSAY_OPS_TRANSPOSE_V4_COPY_CUH

#include <type_traits>
#include "../square.cuh"

// Vectors a thread, all loaded before the first is stored: four, or one where blocks would be fewer than
// multiprocessors can have.
constexpr int COPY_VECTORS = 4;
constexpr int64_t COPY_FEW_VECTORS = 1 << 17; // 2 MiB
template <int VECTORS>
constexpr int COPY_THREADS = VECTORS > 1 ? 256 : 128;
template <int VECTORS>
using copy_index = std::conditional_t<(VECTORS > 1), int64_t, int>;

// x and out are equally far from a 16-byte boundary. The elements before the first whole vector and behind
// the last go to a thread of the first block each, which loads its own together with its vectors.
template <int VECTORS>
static __global__ void __launch_bounds__(COPY_THREADS<VECTORS>)
    transpose_copy(const scalar_t *__restrict__ x, scalar_t *__restrict__ out, copy_index<VECTORS> count)
{
    using index = copy_index<VECTORS>;
    constexpr int THREADS = COPY_THREADS<VECTORS>;
    const int off = (int)((uintptr_t)x / sizeof(scalar_t) % LANES), before = off == 0 ? 0 : LANES - off;
    const index head = before < count ? before : count, vectors = (count - head) / LANES;
    const index first = (index)blockIdx.x * (THREADS * VECTORS) + (int)threadIdx.x;
    const uint4 *from = reinterpret_cast<const uint4 *>(x + head);
    uint4 *to = reinterpret_cast<uint4 *>(out + head), held[VECTORS];
#pragma unroll
    for (int k = 0; k < VECTORS; k++)
        if (first + k * THREADS < vectors)
            held[k] = __ldg(from + first + k * THREADS);
    const index edge = (int)threadIdx.x < head ? (int)threadIdx.x : (int)threadIdx.x + vectors * LANES;
    const bool has_edge = blockIdx.x == 0 && threadIdx.x < 2 * LANES && edge < count;
    scalar_t at_edge;
    if (has_edge)
        at_edge = x[edge];
#pragma unroll
    for (int k = 0; k < VECTORS; k++)
        if (first + k * THREADS < vectors)
            __stwb(to + first + k * THREADS, held[k]);
    if (has_edge)
        out[edge] = at_edge;
}

template <int VECTORS>
static assay_status launch_copy_of(const scalar_t *x, scalar_t *out, int64_t count, assay_stream stream)
{
    constexpr int64_t EACH = COPY_THREADS<VECTORS> * VECTORS;
    const int64_t blocks = (count / LANES + EACH - 1) / EACH;
    return assay::launch(transpose_copy<VECTORS>, dim3((unsigned)(blocks > 0 ? blocks : 1)),
                         dim3(COPY_THREADS<VECTORS>), 0, stream, x, out, count);
}

static inline assay_status launch_copy(const scalar_t *x, scalar_t *out, int64_t count, assay_stream stream)
{
    return count / LANES <= COPY_FEW_VECTORS ? launch_copy_of<1>(x, out, count, stream)
                                             : launch_copy_of<COPY_VECTORS>(x, out, count, stream);
}

#endif
