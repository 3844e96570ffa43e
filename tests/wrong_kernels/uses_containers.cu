// Wrong: the kernel uses std::vector and std::accumulate, through a template.
#include <cuda_runtime.h>
#include <numeric>
#include <vector>
template <class T>
__device__ T total(T a, T b)
{
    const std::vector<T> both{a, b};
    return std::accumulate(both.begin(), both.end(), T(0));
}
template <class T>
__global__ void add(const T *a, const T *b, T *c, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = total(a[i], b[i]);
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    add<float><<<(N + 255) / 256, 256>>>(A, B, C, N);
}
