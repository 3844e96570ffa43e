// A tile of a matrix product by nvcuda::wmma, and instructions by inline PTX.
// expect: status 0
// expect: all right
#include "check.h"
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

__global__ void product(const __half *a, const __half *b, float *c)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 0.0f);
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, b, 16);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}

__global__ void by_hand(unsigned *out)
{
    unsigned lane, sum, reversed;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm("add.u32 %0, %1, 100;" : "=r"(sum) : "r"(lane));
    asm("{ .reg .pred p; setp.lt.u32 p, %1, 16; @p brev.b32 %0, %1; @!p mov.u32 %0, 0; }"
        : "=r"(reversed)
        : "r"(lane));
    out[2 * lane] = sum;
    out[2 * lane + 1] = reversed;
}

int main()
{
    __half ha[256], hb[256], *a, *b;
    float hc[256], *c;
    for (int i = 0; i < 256; i++) {
        ha[i] = __float2half(static_cast<float>(i % 7 - 3));
        hb[i] = __float2half(static_cast<float>(i % 5 - 2));
    }
    OK(cudaMalloc(&a, sizeof ha));
    OK(cudaMalloc(&b, sizeof hb));
    OK(cudaMalloc(&c, sizeof hc));
    OK(cudaMemcpy(a, ha, sizeof ha, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(b, hb, sizeof hb, cudaMemcpyHostToDevice));
    product<<<1, 32>>>(a, b, c);
    OK(cudaMemcpy(hc, c, sizeof hc, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 16; j++) {
            float want = 0;
            for (int k = 0; k < 16; k++)
                want += __half2float(ha[16 * i + k]) * __half2float(hb[16 * j + k]);
            WANT(hc[16 * i + j] == want);
        }

    unsigned out[64], *device;
    OK(cudaMalloc(&device, sizeof out));
    by_hand<<<1, 32>>>(device);
    OK(cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < 32; i++)
        WANT(out[2 * i] == i + 100 &&
             (i >= 16 ? out[2 * i + 1] == 0 : out[2 * i + 1] >> 28 << 28 == out[2 * i + 1]));
    printf("all right\n");
}
