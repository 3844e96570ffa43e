/* Included by force where Clang, in CUDA mode, is asked whether device code uses what only host code may (build_module/module_device_code.h).
 * No code is made from it. What a kernel may use on the device, the device's headers and the C and C++ headers that CUDA has on the device
 * too, is declared for both sides; whatever a kernel file includes besides is the host's. */
#include <cstdio>
#include <cstdlib>
#include <new>

#pragma clang force_cuda_host_device begin
#include <cassert>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>
#include <assay/hopper.h>
#include <assay/kernel.h>
#include <assay/solve.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>
#include <math_constants.h>
#pragma clang force_cuda_host_device end

#undef __shared__
#undef __global__
#undef __device__
#undef __host__
#undef __constant__
#undef __managed__
#define __shared__   __attribute__((shared))
#define __global__   __attribute__((global))
#define __device__   __attribute__((device))
#define __host__     __attribute__((host))
#define __constant__ __attribute__((constant))
#define __managed__  __attribute__((device))

extern "C" {
__device__ int printf(const char *, ...);
__device__ void *malloc(size_t);
__device__ void free(void *);
}
__device__ void *operator new(size_t);
__device__ void *operator new[](size_t);
__device__ inline void *operator new(size_t, void *at) noexcept
{
    return at;
}
__device__ void operator delete(void *) noexcept;
__device__ void operator delete[](void *) noexcept;
__device__ void operator delete(void *, size_t) noexcept;
__device__ void operator delete[](void *, size_t) noexcept;
