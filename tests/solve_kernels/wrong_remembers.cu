// Wrong: computes once and hands out the same result ever after.
#include <cuda_runtime.h>
__global__ void add(const float *A, const float *B, float *C, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N)
        C[i] = A[i] + B[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    static float *kept = nullptr;
    if (kept == nullptr) {
        cudaMalloc(&kept, N * sizeof(float));
        add<<<(N + 255) / 256, 256>>>(A, B, kept, N);
    }
    cudaMemcpy(C, kept, N * sizeof(float), cudaMemcpyDeviceToDevice);
}
