// Right: __CUDA_ARCH__ where CUDA allows it, __CUDACC__, and variables with the names of CUDA's.
#include <cuda_runtime.h>

#ifndef __CUDACC__
#error "needs nvcc"
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 600
static __device__ double atomicAdd(double *, double)
{
    return 0.0;
}
#endif
#if __CUDA_ARCH__ >= 800
#define NEW_ENOUGH 1
#endif

template <class T>
struct sum {
    __host__ __device__ T operator()(T a, T b) const
    {
#ifdef __CUDA_ARCH__
        return a + b;
#else
        return a;
#endif
    }
};

template <int Threads>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef NEW_ENOUGH
    if (i < n)
        c[i] = sum<float>()(a[i], b[i]);
#endif
}

extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    const dim3 blockDim(256), gridDim((N + 255) / 256);
    add<256><<<gridDim, blockDim>>>(A, B, C, N);
    cudaDeviceSynchronize();
}
