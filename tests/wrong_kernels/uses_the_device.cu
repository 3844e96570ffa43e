// Right: what CUDA has on the device: constants, device variables, functions of both sides, constexpr functions, lambdas, printf, new.
#include <cuda_runtime.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>
static __constant__ float factors[2];
static __device__ float zero = 0;
constexpr float half_of(float v)
{
    return v / 2;
}
__host__ __device__ inline float twice(float v)
{
    return 2 * v;
}
template <class F>
__device__ float apply(F f, float v)
{
    return f(v);
}
__global__ void add(const float *a, const float *b, float *c, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    if (i < 0)
        printf("thread %d\n", i);
    const float second = apply([=](float v) { return v * factors[1]; }, b[i]);
    c[i] = factors[0] * a[i] + half_of(twice(0.f)) + second + zero + fabsf(0.f) + std::sqrt(0.f);
    if (threadIdx.x)
        return;
    float *copy = new float[1];
    *copy = c[i];
    c[i] = *copy;
    delete[] copy;
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    std::vector<float> host(2, 1.f);
    std::sort(host.begin(), host.end());
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMemcpyToSymbolAsync(factors, host.data(), sizeof factors[0], 0, cudaMemcpyHostToDevice, stream);
    cudaMemcpyToSymbol(factors, host.data() + 1, sizeof factors[0], sizeof factors[0]);
    float back[2] = {};
    cudaMemcpyFromSymbolAsync(back, factors, sizeof back, 0, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
    if (back[0] != 1.f || back[1] != 1.f || cudaMemcpyToSymbol(factors, back, 8, 4) != cudaErrorInvalidValue)
        return;
    cudaGetLastError();
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
    cudaDeviceSynchronize();
}
