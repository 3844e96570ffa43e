// Arithmetic ceilings of a CUDA device outside its tensor cores: multiply-adds in f32, and in f16 as half2.
//
// Independent chains in registers and nothing else. With a = -1, x = x*a + b goes to and fro between two random values, so
// the data stay random and finite for as long as wanted.
#include "ceilings_cuda.cuh"
#include <cuda_fp16.h>

namespace
{

using namespace ceilings;

constexpr int CHAINS = 16, THREADS = 256, BLOCKS_PER_SM = 8, LOOPS = 8192;

__global__ void __launch_bounds__(THREADS) fma_f32_kernel(float a, float b, float never, float *sink)
{
    float x[CHAINS];
    for (int i = 0; i < CHAINS; i++)
        x[i] = static_cast<float>(mix(threadIdx.x + 997u * i + 65537u * blockIdx.x)) * 0x1p-32f - 0.5f;
#pragma unroll 4
    for (int loop = 0; loop < LOOPS; loop++)
#pragma unroll
        for (int i = 0; i < CHAINS; i++)
            x[i] = fmaf(x[i], a, b);
    float sum = 0.0f;
    for (int i = 0; i < CHAINS; i++)
        sum += x[i];
    if (sum == never)
        *sink = sum;
}

__global__ void __launch_bounds__(THREADS) fma_f16_kernel(float a, float b, float never, float *sink)
{
    const __half2 multiplier = __float2half2_rn(a), addend = __float2half2_rn(b);
    __half2 x[CHAINS];
    for (int i = 0; i < CHAINS; i++) {
        const uint32_t bits = mix(threadIdx.x + 997u * i + 65537u * blockIdx.x);
        x[i] = __floats2half2_rn(static_cast<float>(bits & 0xffff) * 0x1p-16f - 0.5f,
                                 static_cast<float>(bits >> 16) * 0x1p-16f - 0.5f);
    }
#pragma unroll 4
    for (int loop = 0; loop < LOOPS; loop++)
#pragma unroll
        for (int i = 0; i < CHAINS; i++)
            x[i] = __hfma2(x[i], multiplier, addend);
    float sum = 0.0f;
    for (int i = 0; i < CHAINS; i++)
        sum += __low2float(x[i]) + __high2float(x[i]);
    if (sum == never)
        *sink = sum;
}

struct job {
    bool half;
    unsigned blocks;
    float *sink;
};

assay_status launch(void *context, assay_device *device, assay_error *error)
{
    const job &work = *static_cast<const job *>(context);
    cudaStream_t stream = assay_device_stream(device);
    if (work.half)
        fma_f16_kernel<<<work.blocks, THREADS, 0, stream>>>(-1.0f, 0.3125f, -1.0e30f, work.sink);
    else
        fma_f32_kernel<<<work.blocks, THREADS, 0, stream>>>(-1.0f, 0.3017f, -1.0e30f, work.sink);
    return check(cudaGetLastError(), "launch of a multiply-add kernel", error);
}

assay_status measure(assay_device *device, job &work, int stated, ceiling_list *list, assay_error *error)
{
    const assay_device_info *info = assay_device_get_info(device);
    double rates[CEILING_SAMPLES];
    const assay_status status = ceiling_time(device, launch, &work, CEILING_SAMPLES, 0, rates, error);
    if (status != ASSAY_OK)
        return status;
    const double flops =
        2.0 * (work.half ? 2 : 1) * CHAINS * LOOPS * static_cast<double>(THREADS) * work.blocks;
    for (double &rate : rates)
        rate = flops / rate * 1e-6; // operations a microsecond are 1e-6 TFLOP/s
    return ceiling_add(
        list, work.half ? "fma_f16" : "fma_f32", "TFLOP/s", rates, CEILING_SAMPLES,
        theoretical_tflops(info, stated), error,
        "%d independent chains of %s a thread, %d threads, %d blocks an SM, events, %d samples; "
        "theoretical: %d a clock and SM at %d MHz",
        CHAINS, work.half ? "half2 multiply-adds" : "multiply-adds", THREADS, BLOCKS_PER_SM, CEILING_SAMPLES,
        stated, attribute(cudaDevAttrClockRate) / 1000);
}

} // namespace

extern "C" assay_status ceilings_measure_cuda_fma(assay_device *device, ceiling_list *list,
                                                  assay_error *error)
{
    const assay_device_info *info = assay_device_get_info(device);
    const sm_rates stated = stated_rates(info->compute_major, info->compute_minor);
    void *sink = nullptr;
    assay_status status = assay_device_alloc(device, sizeof(float), &sink, error);
    job work = {false, static_cast<unsigned>(info->sm_count * BLOCKS_PER_SM), static_cast<float *>(sink)};
    if (status == ASSAY_OK)
        status = measure(device, work, stated.fma_f32, list, error);
    work.half = true;
    if (status == ASSAY_OK)
        status = measure(device, work, stated.fma_f16, list, error);
    assay_device_free(device, sink);
    return status;
}
