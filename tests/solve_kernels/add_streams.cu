// Right, in ways that a translation could trip over: a launch in a macro over two lines, comments and strings with <<< in them, a
// stream of its own, memory of its own, a function pointer, dynamic shared memory declared for the whole file, a constant.
#include <cstdio>
#include <cuda_runtime.h>

#define CHECK(call)                                                 \
    do {                                                            \
        cudaError_t status = (call);                                \
        if (status != cudaSuccess) {                                \
            printf("failed: %s <<<\n", cudaGetErrorString(status)); \
            return;                                                 \
        }                                                           \
    } while (0)
// clang-format off
#define LAUNCH(kernel, blocks, threads, bytes, stream, ...) \
    kernel<<<(blocks), (threads),                           \
             (bytes), (stream)>>>(__VA_ARGS__)
// clang-format on

extern __shared__ float4 staging[];
__constant__ float weight[2];

// Adds through shared memory; a launch looks like add<<<1, 2>>>(...), which is not code here.
static __global__ void __launch_bounds__(128) add(const float *a, const float *b, float *c, int n)
{
    float *pair = reinterpret_cast<float *>(staging) + 2 * threadIdx.x;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    pair[0] = i < n ? a[i] : 0.0f;
    pair[1] = i < n ? b[i] : 0.0f;
    __syncthreads();
    if (i < n)
        c[i] = weight[0] * pair[0] + weight[1] * pair[1];
}

extern "C" {
void solve(float *A, float *B, float *C, int N)
{
    const float ones[2] = {1.0f, 1.0f};
    const char *text = R"(not "code": add<<<1, 1>>>(0);)";
    const int threads = 12'8, blocks = (N + threads - 1) / threads;
    void (*chosen)(const float *, const float *, float *, int) = text ? add : nullptr;
    cudaStream_t stream;
    float *copy = nullptr;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMalloc(&copy, (size_t)N * sizeof(float)));
    CHECK(cudaMemcpyToSymbol(weight, ones, sizeof ones));
    LAUNCH(chosen, blocks, threads, 2 * threads * sizeof(float), stream, A, B, copy, N);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(C, copy, (size_t)N * sizeof(float), cudaMemcpyDeviceToDevice));
    CHECK(cudaFree(copy));
    CHECK(cudaStreamDestroy(stream));
}
}
