// The harness's own kernels: the empty one, the gate that holds a stream back, and the reading flush. Nothing
// here is measured for its own sake, and no op's kernel belongs here.
#include "device/cuda/cuda_device.h"
#include <cuda_runtime.h>

static __global__ void empty_kernel() {}

static __device__ unsigned long long global_time_ns()
{
    unsigned long long ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    return ns;
}

// One thread spins on mapped host memory. The time limit keeps a host that died, or that waits for something
// this kernel holds back, from hanging the card.
static __global__ void gate_kernel(cuda_gate *gate, unsigned long long number, unsigned long long limit_ns)
{
    const unsigned long long start = global_time_ns();
    while (gate->released < number) {
        if (global_time_ns() - start > limit_ns) {
            gate->gave_up = number;
            __threadfence_system();
            return;
        }
    }
}

static __global__ void read_kernel(const uint4 *buffer, size_t count, unsigned *sink)
{
    unsigned sum = 0;
    const size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
        const uint4 value = buffer[i];
        sum |= value.x | value.y | value.z | value.w;
    }
    if (sum != 0) // the buffer holds zeros: never true, but the compiler cannot know
        *sink = sum;
}

cudaError_t cuda_launch_empty(cudaStream_t stream)
{
    empty_kernel<<<1, 32, 0, stream>>>();
    return cudaGetLastError();
}

cudaError_t cuda_launch_gate(cuda_gate *gate_on_device, unsigned long long number,
                             unsigned long long limit_ns, cudaStream_t stream)
{
    gate_kernel<<<1, 1, 0, stream>>>(gate_on_device, number, limit_ns);
    return cudaGetLastError();
}

cudaError_t cuda_launch_read(const void *buffer, size_t bytes, int sm_count, unsigned *sink,
                             cudaStream_t stream)
{
    read_kernel<<<sm_count * 4, 512, 0, stream>>>(static_cast<const uint4 *>(buffer), bytes / sizeof(uint4),
                                                  sink);
    return cudaGetLastError();
}
