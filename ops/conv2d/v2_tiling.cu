// conv2d, step 2: tiles in shared memory.
//
// Tiling alone. Seen as a matrix product, a row of out is an output channel, a column is a place (n, p, q), and both
// operands have a line for every term (c, r, s): weight as it lies in memory, and x gathered with the filter's offsets, zero
// in the padding. The gathered matrix is never written down (implicit GEMM): a block copies a TILE x TILE piece of both into
// shared memory, element by element, and every thread then uses each of its TILE elements from there.
// Places lie along the lanes, so loads of x and stores to out are coalesced for stride 1.
// Expected effect: TILE times fewer loads of x and weight than step 1, a few times its speed; then bound by shared memory,
// two loads an FMA, and by the arithmetic for addresses.
// Tunables: TILE.
#include <assay/kernel.h>
#include "conv2d.h"
#include "conv_shape.cuh"

#ifndef TILE
#define TILE 16
#endif

static __global__ void __launch_bounds__(TILE *TILE)
    conv2d_v2(const scalar_t *x, const scalar_t *weight, const scalar_t *bias, scalar_t *out,
              const conv_shape s, int tiles_k)
{
    __shared__ float weights[TILE][TILE + 1]; // [channel][term]
    __shared__ float image[TILE][TILE];       // [term][place]
    const int column = threadIdx.x, row = threadIdx.y;
    const int group = blockIdx.y / tiles_k;
    const int position = (int)blockIdx.x * TILE + column, k = (int)blockIdx.y % tiles_k * TILE + row;
    const int terms = s.group_c * s.r * s.s;
    const bool has_position = position < s.positions;
    const conv_place place = place_of(s, has_position ? position : 0);
    x += ((int64_t)place.n * s.c + group * s.group_c) * s.h * s.w;
    weight += ((int64_t)group * s.group_k + k) * terms;

    float sum = 0.0f;
    for (int first = 0; first < terms; first += TILE) {
        const int of_weight = first + column, of_image = first + row;
        weights[row][column] = k < s.group_k && of_weight < terms ? assay::to_float(weight[of_weight]) : 0.0f;
        const int c = of_image / (s.r * s.s);
        const int h = place.h + of_image / s.s % s.r * s.dilation, w = place.w + of_image % s.s * s.dilation;
        image[row][column] = has_position && of_image < terms && is_inside(s, h, w)
                                 ? assay::to_float(x[((int64_t)c * s.h + h) * s.w + w])
                                 : 0.0f;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TILE; i++)
            sum += weights[row][i] * image[i][column];
        __syncthreads(); // nobody reads the tiles any more
    }
    if (has_position && k < s.group_k) {
        const int channel = group * s.group_k + k;
        out[output_offset(s, position, channel)] =
            assay::from_float<scalar_t>(sum + assay::to_float(bias[channel]));
    }
}

extern "C" assay_status conv2d_run(const conv2d_args *args, assay_stream stream)
{
    conv_shape shape;
    const assay_status status = conv_shape_of(*args, &shape);
    if (status != ASSAY_OK || shape.positions == 0 || shape.k == 0)
        return status;
    const int tiles_k = (shape.group_k + TILE - 1) / TILE;
    if ((int64_t)tiles_k * shape.groups > 65535)
        return ASSAY_ERR_UNSUPPORTED;
    return assay::launch(
        conv2d_v2, dim3((unsigned)((shape.positions + TILE - 1) / TILE), (unsigned)(tiles_k * shape.groups)),
        dim3(TILE, TILE), 0, stream, static_cast<const scalar_t *>(args->x),
        static_cast<const scalar_t *>(args->weight), static_cast<const scalar_t *>(args->bias),
        static_cast<scalar_t *>(args->out), shape, tiles_k);
}
