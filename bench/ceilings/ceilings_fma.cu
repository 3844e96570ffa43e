// Arithmetic ceilings of a CUDA device outside its tensor cores: multiply-adds in f32, and in f16 and bf16 two at a time.
//
// Independent chains in registers and nothing else. With a = -1, x = x*a + b goes to and fro between two random values, so
// the data stay random and finite for as long as wanted.
#include "bench/ceilings/ceilings_cuda.cuh"
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cstring>

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

// Two values a register. From sm_80 on two pipes take such multiply-adds (HFMA2 and HFMA2.MMA in the machine code), each at half
// of the full rate. The compiler deals chains out to both only if all operands are whole registers: where it packs the two constants
// into the halves of one register, every instruction selects a half and all of them go to the one pipe that can, at half rate.
// Hence constants that come as arguments, of which the compiler cannot know that their halves are equal.
template <typename PAIR>
__global__ void __launch_bounds__(THREADS)
    fma_pair_kernel(PAIR a, PAIR b, uint32_t exponents, uint32_t mask, float never, float *sink)
{
    PAIR x[CHAINS];
    for (int i = 0; i < CHAINS; i++) { // random signs and mantissas, one exponent: finite for certain
        const uint32_t bits = (mix(threadIdx.x + 997u * i + 65537u * blockIdx.x) & mask) | exponents;
        memcpy(&x[i], &bits, sizeof bits);
    }
#pragma unroll 4
    for (int loop = 0; loop < LOOPS; loop++)
#pragma unroll
        for (int i = 0; i < CHAINS; i++)
            x[i] = __hfma2(x[i], a, b);
    float sum = 0.0f;
    for (int i = 0; i < CHAINS; i++)
        sum += static_cast<float>(x[i].x) + static_cast<float>(x[i].y);
    if (sum == never)
        *sink = sum;
}

enum operand { F32, F16, BF16 };
constexpr const char *names[] = {"fma_f32", "fma_f16", "fma_bf16"};

struct job {
    operand type;
    unsigned blocks;
    float *sink;
};

assay_status launch(void *context, assay_device *device, assay_error *error)
{
    const job &work = *static_cast<const job *>(context);
    cudaStream_t stream = assay_device_stream(device);
    const float never = -1.0e30f;
    if (work.type == F32)
        fma_f32_kernel<<<work.blocks, THREADS, 0, stream>>>(-1.0f, 0.3017f, never, work.sink);
    else if (work.type == F16)
        fma_pair_kernel<__half2><<<work.blocks, THREADS, 0, stream>>>(
            __floats2half2_rn(-1.0f, -1.0f), __floats2half2_rn(0.3125f, 0.28125f), 0x38003800u, 0x83ff83ffu,
            never, work.sink);
    else
        fma_pair_kernel<__nv_bfloat162><<<work.blocks, THREADS, 0, stream>>>(
            __floats2bfloat162_rn(-1.0f, -1.0f), __floats2bfloat162_rn(0.3125f, 0.28125f), 0x3f003f00u,
            0x807f807fu, never, work.sink);
    return check(cudaGetLastError(), "launch of a multiply-add kernel", error);
}

assay_status measure(assay_device *device, job &work, int stated, ceiling_list *list, assay_error *error)
{
    const assay_device_info *info = assay_device_get_info(device);
    double rates[CEILING_SAMPLES];
    const assay_status status = ceiling_time(device, launch, &work, CEILING_SAMPLES, 0, rates, error);
    if (status != ASSAY_OK)
        return status;
    const int width = work.type == F32 ? 1 : 2;
    const double flops = 2.0 * width * CHAINS * LOOPS * static_cast<double>(THREADS) * work.blocks;
    for (double &rate : rates)
        rate = flops / rate * 1e-6; // operations a microsecond are 1e-6 TFLOP/s
    return ceiling_add(
        list, names[work.type], "TFLOP/s", rates, CEILING_SAMPLES, theoretical_tflops(info, stated), error,
        "%d independent chains of %s a thread, %d threads, %d blocks an SM, events, %d samples; "
        "theoretical: %d a clock and SM at %d MHz",
        CHAINS, width == 2 ? "paired multiply-adds" : "multiply-adds", THREADS, BLOCKS_PER_SM,
        CEILING_SAMPLES, stated, attribute(cudaDevAttrClockRate) / 1000);
}

} // namespace

extern "C" assay_status ceilings_measure_cuda_fma(assay_device *device, ceiling_list *list,
                                                  assay_error *error)
{
    const assay_device_info *info = assay_device_get_info(device);
    const sm_rates stated = stated_rates(info->compute_major, info->compute_minor);
    const int rates[] = {stated.fma_f32, stated.fma_f16, stated.fma_bf16};
    void *sink = nullptr;
    assay_status status = assay_device_alloc(device, sizeof(float), &sink, error);
    job work = {F32, static_cast<unsigned>(info->sm_count * BLOCKS_PER_SM), static_cast<float *>(sink)};
    for (const operand type : {F32, F16, BF16}) {
        work.type = type;
        if (status == ASSAY_OK)
            status = measure(device, work, rates[type], list, error);
    }
    assay_device_free(device, sink);
    return status;
}
