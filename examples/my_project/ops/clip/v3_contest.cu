// clip as a contest's kernel: solve() and nothing of Assay.
//
// Four elements a thread, a grid apart, so that a warp's accesses stay in order. op.json's "solve" says what its arguments are.
// Expected effect: as v1_baseline, with fewer blocks to start. For f32 only, as its pointers say.
#include <cuda_runtime.h>

__global__ void clip(const float *input, float *output, float low, float high, int N)
{
    const int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += stride) {
        const float v = input[i];
        output[i] = v < low ? low : v > high ? high : v;
    }
}

extern "C" void solve(const float *input, float *output, float low, float high, int N)
{
    const int threads = 256, blocks = (N + 4 * threads - 1) / (4 * threads);
    clip<<<blocks, threads>>>(input, output, low, high, N);
    cudaDeviceSynchronize();
}
