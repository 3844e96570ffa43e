// A contiguous range of memory by its 16-byte chunks, and the elements at its ends that fill none.
#ifndef ASSAY_OPS_COMMON_CHUNK_RANGE_H
#define ASSAY_OPS_COMMON_CHUNK_RANGE_H

#include <assay/kernel.h>

constexpr int CHUNK = assay::vec16<scalar_t>::size; // elements

static __device__ __forceinline__ int off_boundary(const scalar_t *p)
{
    return (int)((uintptr_t)p / sizeof(scalar_t) % CHUNK);
}

// `count` elements, the first one `off` behind a 16-byte boundary; chunk c is the c-th from there.
struct chunk_range {
    static constexpr int BOTH_EDGES = 2 * CHUNK; // more than a range has elements outside its whole chunks
    int off, count;

    __device__ __forceinline__ int chunks() const { return (off + count + CHUNK - 1) / CHUNK; }
    __device__ __forceinline__ bool is_whole(int c) const
    {
        return c * CHUNK >= off && (c + 1) * CHUNK <= off + count;
    }
    // The e-th element outside whole chunks; `count` or more if there are not so many.
    __device__ __forceinline__ int edge(int e) const
    {
        const int before = (CHUNK - off) % CHUNK, head = before < count ? before : count;
        const int end = (off + count) / CHUNK * CHUNK - off; // of the whole chunks
        return e < head ? e : (end > head ? end : head) + e - head;
    }
};

#endif
