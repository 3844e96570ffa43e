// reduce_sum, step 4: streaming loads.
//
// A line that is read once is marked as the first to be evicted (__ldcs), so that it makes room for the next
// one and not what other kernels left in L2. Their lines are dirty: evicting them is a write to memory, at
// the expense of the reads.
#ifndef ASSAY_OPS_REDUCE_SUM_V4_LOAD_CUH
#define ASSAY_OPS_REDUCE_SUM_V4_LOAD_CUH

#include <assay/kernel.h>
#include <cstring>

template <int N, class T>
static __device__ __forceinline__ assay::vec<T, N> load_once(const T *p)
{
    if constexpr (N * sizeof(T) == 16) {
        const uint4 bits = __ldcs(reinterpret_cast<const uint4 *>(p));
        assay::vec<T, N> v;
        memcpy(&v, &bits, sizeof bits);
        return v;
    } else {
        return assay::load_vec<N>(p);
    }
}

#endif
