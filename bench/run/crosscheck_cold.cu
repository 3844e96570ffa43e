// See crosscheck_cold.h. It shares no code with bench/timing/timing.c and device/cuda, on purpose.
#include "bench/run/crosscheck_cold.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
#include <numeric>
#include <vector>

namespace
{

constexpr double LEAST_SECONDS = 0.5, MOST_SECONDS = 3.0, MOST_NOISE = 0.005;
constexpr size_t LEAST_SAMPLES = 10;
constexpr long long SPIN_CLOCKS = 4000000000ll; // about two seconds: a host that died must not hang the card

__global__ void wait_for_host(volatile const int *released)
{
    const long long start = clock64();
    while (!*released && clock64() - start < SPIN_CLOCKS) {
    }
}

struct resources {
    cudaEvent_t start = nullptr, stop = nullptr;
    volatile int *released = nullptr, *released_on_device = nullptr;
    void *flush = nullptr;
    size_t flush_bytes = 0;
    ~resources()
    {
        if (start)
            cudaEventDestroy(start);
        if (stop)
            cudaEventDestroy(stop);
        cudaFreeHost(const_cast<int *>(released));
        cudaFree(flush);
    }
};

cudaError_t acquire(resources &r)
{
    int device = 0, bytes = 0;
    cudaError_t code = cudaGetDevice(&device);
    if (code == cudaSuccess)
        code = cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, device);
    r.flush_bytes = static_cast<size_t>(bytes);
    if (code == cudaSuccess)
        code = cudaMalloc(&r.flush, r.flush_bytes);
    if (code == cudaSuccess)
        code = cudaHostAlloc((void **)&r.released, sizeof *r.released, cudaHostAllocMapped);
    if (code == cudaSuccess)
        code = cudaHostGetDevicePointer((void **)&r.released_on_device, (void *)r.released, 0);
    if (code == cudaSuccess)
        code = cudaEventCreate(&r.start);
    return code == cudaSuccess ? cudaEventCreate(&r.stop) : code;
}

// One cold launch in microseconds.
cudaError_t sample(resources &r, assay_status (*launch)(void *), void *context, cudaStream_t stream,
                   bool blocked, double &us)
{
    float ms = 0.0f;
    cudaError_t code = cudaMemsetAsync(r.flush, 0, r.flush_bytes, stream);
    if (code == cudaSuccess)
        code = cudaStreamSynchronize(stream);
    if (code != cudaSuccess)
        return code;
    *r.released = 0;
    if (blocked)
        wait_for_host<<<1, 1, 0, stream>>>(r.released_on_device);
    cudaEventRecord(r.start, stream);
    if (launch(context) != ASSAY_OK)
        code = cudaErrorLaunchFailure;
    cudaEventRecord(r.stop, stream);
    *r.released = 1;
    const cudaError_t waited = cudaStreamSynchronize(stream);
    if (code == cudaSuccess)
        code = waited;
    if (code == cudaSuccess)
        code = cudaEventElapsedTime(&ms, r.start, r.stop);
    us = 1e3 * static_cast<double>(ms);
    return code;
}

crosscheck_times summarise(std::vector<double> us)
{
    const double mean = std::accumulate(us.begin(), us.end(), 0.0) / us.size();
    double squares = 0.0;
    for (const double value : us)
        squares += (value - mean) * (value - mean);
    std::sort(us.begin(), us.end());
    const double median = 0.5 * (us[(us.size() - 1) / 2] + us[us.size() / 2]);
    const double deviation = us.size() > 1 ? std::sqrt(squares / (us.size() - 1)) : 0.0;
    return {static_cast<int>(us.size()), mean, median, 100.0 * deviation / mean};
}

} // namespace

extern "C" assay_status crosscheck_cold(assay_status (*launch)(void *context), void *context, void *stream,
                                        crosscheck_times *out, assay_error *error)
{
    using clock = std::chrono::steady_clock;
    resources r;
    std::vector<double> us;
    double one = 0.0;
    cudaError_t code = acquire(r);
    if (code == cudaSuccess) // the first use may load code, which a blocked stream would keep waiting
        code = sample(r, launch, context, static_cast<cudaStream_t>(stream), false, one);
    const clock::time_point begin = clock::now();
    while (code == cudaSuccess) {
        code = sample(r, launch, context, static_cast<cudaStream_t>(stream), true, one);
        us.push_back(one);
        const double seconds = std::chrono::duration<double>(clock::now() - begin).count();
        if (us.size() < LEAST_SAMPLES || seconds < LEAST_SECONDS)
            continue;
        *out = summarise(us);
        if (seconds > MOST_SECONDS || out->noise_percent <= 100.0 * MOST_NOISE)
            return ASSAY_OK;
    }
    return assay_error_set(error, ASSAY_ERR_DEVICE, "cold times: %s", cudaGetErrorString(code));
}

extern "C" assay_status crosscheck_profile(assay_status (*launch)(void *context),
                                           assay_status (*launch_empty)(void *context), void *context,
                                           void *stream, int launches, assay_error *error)
{
    cudaError_t code = cudaSuccess;
    for (int i = 0; i <= launches && code == cudaSuccess; i++) {
        if (i == 1)
            code = cudaProfilerStart();
        if (code == cudaSuccess && launch(context) != ASSAY_OK)
            code = cudaErrorLaunchFailure;
        if (code == cudaSuccess && launch_empty && launch_empty(context) != ASSAY_OK)
            code = cudaErrorLaunchFailure;
        const cudaError_t waited = cudaStreamSynchronize(static_cast<cudaStream_t>(stream));
        code = code == cudaSuccess ? waited : code;
    }
    if (code == cudaSuccess)
        code = cudaProfilerStop();
    return code == cudaSuccess ? ASSAY_OK
                               : assay_error_set(error, ASSAY_ERR_DEVICE, "launching for a profiler: %s",
                                                 cudaGetErrorString(code));
}
