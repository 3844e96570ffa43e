// Wrong: the kernel reads what host code allocated with malloc, through a structure that it gets by value.
#include <cstdlib>
#include <cuda_runtime.h>
struct arguments {
    const float *a, *b;
    const float *factors;
    float *c;
    int n;
};
__global__ void add(arguments with)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < with.n)
        with.c[i] = with.factors[0] * with.a[i] + with.factors[1] * with.b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    float *factors = (float *)malloc(2 * sizeof(float));
    factors[0] = factors[1] = 1;
    add<<<(N + 255) / 256, 256>>>(arguments{A, B, factors, C, N});
    cudaDeviceSynchronize();
    free(factors);
}
