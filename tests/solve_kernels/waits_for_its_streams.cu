// Right: memory, streams and an event of its own in every call, all given back.
#include <cuda_runtime.h>

__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    const size_t bytes = N * sizeof(float);
    float *own[3];
    cudaStream_t streams[2];
    cudaEvent_t copied;
    for (auto &one : streams)
        cudaStreamCreate(&one);
    cudaEventCreateWithFlags(&copied, cudaEventDisableTiming);
    for (auto &one : own)
        cudaMalloc((void **)&one, bytes);
    cudaMemcpyAsync(own[0], A, bytes, cudaMemcpyDeviceToDevice, streams[0]);
    cudaMemcpyAsync(own[1], B, bytes, cudaMemcpyDeviceToDevice, streams[1]);
    cudaEventRecord(copied, streams[1]);
    cudaStreamWaitEvent(streams[0], copied, 0);
    add<<<(N + 255) / 256, 256, 0, streams[0]>>>(own[0], own[1], own[2], N);
    cudaMemcpyAsync(C, own[2], bytes, cudaMemcpyDeviceToDevice, streams[0]);
    cudaStreamSynchronize(streams[0]);
    for (auto &one : own)
        cudaFree(one);
    cudaEventDestroy(copied);
    for (auto &one : streams)
        cudaStreamDestroy(one);
}
