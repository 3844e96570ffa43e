// The ways into a kernel: <<<>>>, templates, structs as parameters, variables of the device, dynamic shared memory, printf.
// expect: status 0
// expect: thread 7 of 8 says 49
// expect: all right
#include "check.h"
#include <utility>
#include <vector>

struct pair {
    int a;
    double b;
};
__constant__ float factor;
__device__ int counter = 5, table[4] = {1, 2, 3, 4};

template <class T>
__global__ void axpy(int n, T a, const T *x, T *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i] + static_cast<T>(factor);
}

__global__ void use_struct(pair p, double *out)
{
    *out = p.a + p.b;
    atomicAdd(&counter, table[3]);
}

__global__ void reverse(int *data)
{
    extern __shared__ int tile[];
    tile[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

__global__ void speak()
{
    if (threadIdx.x == 7)
        printf("thread %d of %u says %d\n", threadIdx.x, blockDim.x, threadIdx.x * threadIdx.x);
}

template <class T>
static void run_axpy(int n)
{
    std::vector<T> x(n), y(n, 1);
    T *dx, *dy;
    for (int i = 0; i < n; i++)
        x[i] = static_cast<T>(i % 100);
    OK(cudaMalloc(&dx, n * sizeof(T)));
    OK(cudaMalloc(&dy, n * sizeof(T)));
    OK(cudaMemcpy(dx, x.data(), n * sizeof(T), cudaMemcpyHostToDevice));
    OK(cudaMemcpy(dy, y.data(), n * sizeof(T), cudaMemcpyHostToDevice));
    axpy<<<(n + 255) / 256, 256>>>(n, T(2), dx, dy);
    OK(cudaGetLastError());
    OK(cudaMemcpy(y.data(), dy, n * sizeof(T), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        WANT(y[i] == 2 * x[i] + 1 + 3);
    OK(cudaFree(dx));
    OK(cudaFree(dy));
}

/* Names of templates get long: this one has over 4000 letters. */
template <class Numbers>
__global__ void long_name(int *out)
{
    *out = 41;
}

int main()
{
    const float three = 3;
    OK(cudaMemcpyToSymbol(factor, &three, sizeof three));
    run_axpy<float>(1000);
    run_axpy<double>(1023);
    run_axpy<int>(7);

    double *out, sum;
    int count;
    OK(cudaMalloc(&out, sizeof *out));
    use_struct<<<1, 1>>>(pair{40, 2.5}, out);
    OK(cudaMemcpy(&sum, out, sizeof sum, cudaMemcpyDeviceToHost));
    OK(cudaMemcpyFromSymbol(&count, counter, sizeof count));
    WANT(sum == 42.5 && count == 9);
    size_t bytes;
    void *address;
    OK(cudaGetSymbolSize(&bytes, table));
    OK(cudaGetSymbolAddress(&address, table));
    WANT(bytes == 16 && address != nullptr);

    int host[64], *data;
    for (int i = 0; i < 64; i++)
        host[i] = i;
    OK(cudaMalloc(&data, sizeof host));
    OK(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
    void *args[] = {&data};
    OK(cudaLaunchKernel(reverse, dim3(1), dim3(64), args, 64 * sizeof(int), 0));
    OK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++)
        WANT(host[i] == 63 - i);

    speak<<<1, 8>>>();
    OK(cudaDeviceSynchronize());
    int *answer, got;
    OK(cudaMalloc(&answer, sizeof *answer));
    long_name<std::make_integer_sequence<int, 700>><<<1, 1>>>(answer);
    OK(cudaMemcpy(&got, answer, sizeof got, cudaMemcpyDeviceToHost));
    WANT(got == 41);
    printf("all right\n");
}
