/* Softmax of each row, one block a row, with dynamic shared memory. */
#include <cuda_runtime.h>
#include <math.h>

template <int THREADS>
__global__ void softmax_rows(const float *__restrict__ in, float *__restrict__ out, int columns)
{
    extern __shared__ float scratch[];
    const float *x = in + (size_t)blockIdx.x * columns;
    float *y = out + (size_t)blockIdx.x * columns;
    float m = -INFINITY, s = 0.0f;
    for (int i = threadIdx.x; i < columns; i += THREADS)
        m = (x[i] > m || isnan(x[i])) ? x[i] : m; /* NaN stays: nothing is above it */
    scratch[threadIdx.x] = m;
    __syncthreads();
    for (int step = THREADS / 2; step > 0; step /= 2) {
        if (threadIdx.x < step) {
            const float other = scratch[threadIdx.x + step];
            if (other > scratch[threadIdx.x] || isnan(other))
                scratch[threadIdx.x] = other;
        }
        __syncthreads();
    }
    m = scratch[0];
    __syncthreads();
    for (int i = threadIdx.x; i < columns; i += THREADS)
        s += expf(x[i] - m);
    scratch[threadIdx.x] = s;
    __syncthreads();
    for (int step = THREADS / 2; step > 0; step /= 2) {
        if (threadIdx.x < step)
            scratch[threadIdx.x] += scratch[threadIdx.x + step];
        __syncthreads();
    }
    s = scratch[0];
    for (int i = threadIdx.x; i < columns; i += THREADS)
        y[i] = expf(x[i] - m) / s;
}

extern "C" void solve(const float *input, float *output, int rows, int columns)
{
    softmax_rows<128><<<rows, 128, 128 * sizeof(float)>>>(input, output, columns);
    cudaDeviceSynchronize();
}
