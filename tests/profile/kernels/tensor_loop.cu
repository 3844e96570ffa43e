// Bound by the tensor cores: products of registers, no memory. mma.sync reaches about two thirds of a Hopper card's peak.
#include "kinds.h"
#include <mma.h>

using namespace nvcuda;
constexpr int STEPS = 2048, TILES = 4;

__global__ void __launch_bounds__(256) tensor_loop(const float *in, float *out)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums[TILES];
    wmma::fill_fragment(a, __float2half(in[threadIdx.x % 7]));
    wmma::fill_fragment(b, __float2half(in[blockIdx.x % 7]));
    for (int t = 0; t < TILES; t++)
        wmma::fill_fragment(sums[t], float(t));
    for (int step = 0; step < STEPS; step++)
#pragma unroll
        for (int t = 0; t < TILES; t++)
            wmma::mma_sync(sums[t], a, b, sums[t]);
    for (int t = 1; t < TILES; t++)
        for (int e = 0; e < sums[0].num_elements; e++)
            sums[0].x[e] += sums[t].x[e];
    const size_t warp = (size_t(blockIdx.x) * blockDim.x + threadIdx.x) / 32;
    wmma::store_matrix_sync(out + warp * 256, sums[0], 16, wmma::mem_row_major);
}

KIND(tensor_loop)
{
    tensor_loop<<<8 * run.sms, 256>>>(run.in, run.out);
}
