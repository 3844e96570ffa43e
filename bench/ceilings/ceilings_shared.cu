// Shared-memory ceiling of a CUDA device: 16-byte reads without bank conflicts.
//
// Every warp reads 512 consecutive bytes an instruction, which four clocks can deliver. The loads are volatile, in the assembly and by
// their instruction: the first keeps the compiler, the second the assembler from merging loads of one address, which never changes.
#include "bench/ceilings/ceilings_cuda.cuh"

namespace
{

using namespace ceilings;

constexpr int THREADS = 512, LOADS = 8, LOOPS = 2048; // 64 KiB a block
constexpr int BYTES = THREADS * LOADS * 16;

__device__ __forceinline__ uint4 load_shared(uint32_t address)
{
    uint4 value;
    asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
                 : "r"(address));
    return value;
}

__global__ void __launch_bounds__(THREADS) read_shared_kernel(uint32_t never, uint32_t *sink)
{
    extern __shared__ uint4 tile[];
    for (int i = threadIdx.x; i < THREADS * LOADS; i += THREADS)
        tile[i] = {mix(4u * i), mix(4u * i + 1), mix(4u * i + 2), mix(4u * i + 3)};
    __syncthreads();
    const uint32_t base = static_cast<uint32_t>(__cvta_generic_to_shared(tile)) + threadIdx.x * 16u;
    uint4 sum = {0, 0, 0, 0};
    for (int loop = 0; loop < LOOPS; loop++) {
        uint4 values[LOADS];
#pragma unroll
        for (int i = 0; i < LOADS; i++)
            values[i] = load_shared(base + i * THREADS * 16u);
#pragma unroll
        for (int i = 0; i < LOADS; i += 2) { // a three-input operation takes two values
            sum.x ^= values[i].x ^ values[i + 1].x;
            sum.y ^= values[i].y ^ values[i + 1].y;
            sum.z ^= values[i].z ^ values[i + 1].z;
            sum.w ^= values[i].w ^ values[i + 1].w;
        }
    }
    if ((sum.x ^ sum.y ^ sum.z ^ sum.w) == never)
        *sink = sum.x;
}

struct job {
    unsigned blocks;
    uint32_t *sink;
};

assay_status launch(void *context, assay_device *device, assay_error *error)
{
    const job &work = *static_cast<const job *>(context);
    read_shared_kernel<<<work.blocks, THREADS, BYTES, assay_device_stream(device)>>>(0x9e3779b9u, work.sink);
    return check(cudaGetLastError(), "launch of a shared-memory kernel", error);
}

} // namespace

extern "C" assay_status ceilings_measure_cuda_shared(assay_device *device, ceiling_list *list,
                                                     assay_error *error)
{
    const assay_device_info *info = assay_device_get_info(device);
    int blocks_per_sm = 0;
    double rates[CEILING_SAMPLES];
    void *sink = nullptr;
    assay_status status = assay_device_alloc(device, sizeof(uint32_t), &sink, error);
    if (status == ASSAY_OK)
        status = check(
            cudaFuncSetAttribute(read_shared_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES),
            "asking for shared memory", error);
    if (status == ASSAY_OK)
        status = check(
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_per_sm, read_shared_kernel, THREADS, BYTES),
            "asking for the occupancy", error);
    job work = {static_cast<unsigned>(info->sm_count * blocks_per_sm), static_cast<uint32_t *>(sink)};
    if (status == ASSAY_OK)
        status = ceiling_time(device, launch, &work, CEILING_SAMPLES, 0, rates, error);
    assay_device_free(device, sink);
    if (status != ASSAY_OK)
        return status;
    const double bytes = 16.0 * LOADS * LOOPS * static_cast<double>(THREADS) * work.blocks;
    for (double &rate : rates)
        rate = bytes / rate * 1e-3; // bytes a microsecond are 1e-3 GB/s
    return ceiling_add(
        list, "shared", "GB/s", rates, CEILING_SAMPLES, theoretical_shared_gbs(info), error,
        "bytes read from shared memory, 16 a thread and load, no bank conflicts, %d threads, %d "
        "blocks an SM, events, %d samples; theoretical: 128 a clock and SM at %d MHz",
        THREADS, blocks_per_sm, CEILING_SAMPLES, attribute(cudaDevAttrClockRate) / 1000);
}
