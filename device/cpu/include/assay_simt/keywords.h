/* CUDA's declaration keywords, given their meaning on the CPU device.
 *
 * `__shared__` is a thread-local of the host thread: a block runs on one host thread, so its CUDA threads share the array and
 * blocks on other host threads have their own. `static __thread` (not thread_local) rejects initialisers as CUDA does and
 * needs no init guard. AddressSanitizer gives no red zones to thread-locals, so under it (or with -DASSAY_SIMT_STATIC_SHARED=1)
 * shared arrays are plain statics and the runtime, built the same way, uses one worker. */
#ifndef ASSAY_SIMT_KEYWORDS_H
#define ASSAY_SIMT_KEYWORDS_H

#ifndef ASSAY_SIMT_STATIC_SHARED
#if defined(__SANITIZE_ADDRESS__)
#define ASSAY_SIMT_STATIC_SHARED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ASSAY_SIMT_STATIC_SHARED 1
#endif
#endif
#endif
#ifndef ASSAY_SIMT_STATIC_SHARED
#define ASSAY_SIMT_STATIC_SHARED 0
#endif

#define ASSAY_CPU_DEVICE \
    1 /* the CPU device compiles this, not nvcc; for headers that have to tell the two apart */

/* The toolkit whose interface this is. */
#define CUDART_VERSION 12080
#define CUDA_VERSION   12080

/* The checked build: memory accesses are reported to the runtime (assay_simt_check_access). 2: it also objects to reads of shared
 * memory that no thread of the block has written, which a right kernel may make if it does not use the value. */
#ifndef ASSAY_SIMT_CHECK
#define ASSAY_SIMT_CHECK 0
#endif
/* g++ guards static arrays of 16-bit floats by a byte beside them that it reads and writes as it likes. */
#if defined(__clang__)
#define ASSAY_SIMT_STATIC_GUARDS 0
#else
#define ASSAY_SIMT_STATIC_GUARDS 1
#endif

/* ASSAY_MARK_DEVICE_CODE: preprocessed only, for build_module/device_view.c, which looks for these words. */
#if !defined(ASSAY_MARK_DEVICE_CODE)
#if ASSAY_SIMT_STATIC_SHARED
#define __shared__ static
#else
#define __shared__ static __thread
#endif
#define __global__
#define __device__
#define __constant__
#endif
#define __host__
#define __managed__
#define __grid_constant__
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __align__(n)    __attribute__((aligned(n)))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__    /* empty: libstdc++ writes __attribute__((__noinline__)), which a definition would break */

#if defined(__cplusplus)
namespace assay_simt
{
template <class T>
struct never { /* static_assert(never<T>::value, "what is not there"): an error only where it is used */
    static constexpr bool value = false;
};
} // namespace assay_simt
#endif

#endif
