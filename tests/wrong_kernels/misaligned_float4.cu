// Wrong: loads a float4 from each x + i with i % 4 == 1, which the C++ compiler splits into four aligned loads.
#include <cuda_runtime.h>
__global__ void add(const float *x, const float *y, float *out, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    if (i % 4 == 1 && i + 4 <= count) {
        const float4 v = *reinterpret_cast<const float4 *>(x + i);
        out[i] = v.x + y[i];
        out[i + 1] = v.y + y[i + 1];
        out[i + 2] = v.z + y[i + 2];
        out[i + 3] = v.w + y[i + 3];
    } else if (i < 1 || i >= 1 + (count - 1) / 4 * 4) {
        out[i] = x[i] + y[i];
    }
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
