// How step 4 reads what it sums: once. A line that will not be wanted again is marked as the first to go (__ldcs), so that it
// makes room for the next one instead of pushing out what others left in the L2. What a former kernel wrote is dirty there:
// pushing it out is a write to memory, at the expense of the reading.
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
