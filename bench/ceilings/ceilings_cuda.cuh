/* What the CUDA files of the ceilings share: launch checks, device limits and the rates that NVIDIA states. */
#ifndef ASSAY_BENCH_CEILINGS_CUDA_CUH
#define ASSAY_BENCH_CEILINGS_CUDA_CUH

#include "bench/ceilings/ceilings_devices.h"
#include <cuda_runtime.h>
#include <cstdint>

namespace ceilings
{

inline assay_status check(cudaError_t code, const char *what, assay_error *error)
{
    if (code == cudaSuccess)
        return ASSAY_OK;
    return assay_error_set(error, ASSAY_ERR_DEVICE, "ceilings: %s: %s", what, cudaGetErrorString(code));
}

inline int attribute(cudaDeviceAttr which)
{
    int device = 0, value = 0;
    if (cudaGetDevice(&device) != cudaSuccess || cudaDeviceGetAttribute(&value, which, device) != cudaSuccess)
        return 0;
    return value;
}

/* Multiply-adds a clock and multiprocessor; 0 where the number is not stated for that compute capability. */
struct sm_rates {
    int fma_f32, fma_f16, fma_bf16, tensor_f16, tensor_tf32;
};

/* Sources: fma_*: CUDA C++ Programming Guide, "Arithmetic Instructions", throughput of native arithmetic instructions (on sm_80 bf16
 * has half of f16's rate).
 * tensor_*: dense rates of the A100, H100 and Blackwell architecture whitepapers (bf16 equals f16). GeForce and
 * workstation parts of one capability differ in their tensor rates, so those stay unknown. */
inline sm_rates stated_rates(int major, int minor)
{
    switch (major * 10 + minor) {
    case 80:
        return {64, 256, 128, 1024, 512};
    case 86:
    case 89:
        return {128, 128, 128, 0, 0};
    case 90:
        return {128, 256, 256, 2048, 1024};
    case 100:
        return {128, 256, 256, 4096, 2048};
    case 120:
        return {128, 128, 128, 0, 0};
    default:
        return {0, 0, 0, 0, 0};
    }
}

/* TFLOP/s at the highest clock the card states; 0 where unknown. */
inline double theoretical_tflops(const assay_device_info *info, int fma_per_clock)
{
    return 2.0 * fma_per_clock * info->sm_count * 1e3 * attribute(cudaDevAttrClockRate) * 1e-12;
}

/* GB/s of the memory interface: two transfers a clock. */
inline double theoretical_gbs()
{
    return 2.0 * 1e3 * attribute(cudaDevAttrMemoryClockRate) * attribute(cudaDevAttrGlobalMemoryBusWidth) /
           8 * 1e-9;
}

/* GB/s out of shared memory at the highest clock: 32 banks of 4 bytes a clock and multiprocessor (CUDA C++ Programming Guide, "Shared
 * Memory"), on all that have it as the guide knows them. */
inline double theoretical_shared_gbs(const assay_device_info *info)
{
    return 128.0 * info->sm_count * 1e3 * attribute(cudaDevAttrClockRate) * 1e-9;
}

/* A well-mixed 32-bit value (the finaliser of MurmurHash3), for data that toggles bits as real data does. */
__device__ __forceinline__ uint32_t mix(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x85ebca6bu;
    x ^= x >> 13;
    x *= 0xc2b2ae35u;
    return x ^ (x >> 16);
}

} // namespace ceilings

#endif
