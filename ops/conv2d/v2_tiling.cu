// conv2d, step 2: tiles in shared memory.
//
// Tiling alone. Seen as a matrix product, a row of out is an output channel, a column is a position (n, p,
// q), and both operands have a line for every term (c, r, s): weight as it lies in memory, and x gathered
// with the filter's offsets, zero in the padding. The gathered matrix is never written down (implicit GEMM):
// a block copies a TILE x TILE piece of both into shared memory, element by element, and every thread then
// uses each of its TILE elements from there.
// Neighbouring threads take what lies side by side in out: positions where channels come first, output
// channels where they come last. Terms lie as weight has them, so with channels last x's terms are side by
// side as well, and loads of it are coalesced along them; with channels first they are along positions, for
// stride 1.
// Expected effect: TILE times fewer loads of x and weight than step 1, a few times its speed; then bound by
// shared memory, two loads an FMA, and by the arithmetic for addresses.
// Tunables: TILE.
#include <assay/kernel.h>
#include "conv2d.h"
#include "conv_shape.cuh"

#ifndef TILE
#define TILE 16
#endif

// LAST: the layout is channels last. How far apart in elements neighbours of x lie:
struct image_strides {
    int64_t c, h, w;
};

template <bool LAST>
static __device__ __forceinline__ image_strides strides_of_image(const conv_shape &s)
{
    if (LAST)
        return {1, (int64_t)s.w * s.c, s.c};
    return {(int64_t)s.h * s.w, s.w, 1};
}

struct conv_term {
    int c, r, s;
};

// Terms are counted in weight's order.
template <bool LAST>
static __device__ __forceinline__ conv_term term_at(const conv_shape &s, int term)
{
    if (LAST)
        return {term % s.group_c, term / s.group_c / s.s, term / s.group_c % s.s};
    return {term / (s.r * s.s), term / s.s % s.r, term % s.s};
}

// With channels last the tile of x has a position a row and a term a column, else the other way round.
template <bool LAST>
static __global__ void __launch_bounds__(TILE *TILE)
    conv2d_v2(const scalar_t *x, const scalar_t *weight, const scalar_t *bias, scalar_t *out,
              const conv_shape s, int tiles_k)
{
    __shared__ float weights[TILE][TILE + 1]; // [channel][term]
    __shared__ float image[TILE][TILE];       // [term][position], or [position][term]
    const int column = threadIdx.x, row = threadIdx.y;
    const int group = blockIdx.y / tiles_k, first_k = (int)blockIdx.y % tiles_k * TILE;
    const int position = (int)blockIdx.x * TILE + (LAST ? row : column);
    const int terms = s.group_c * s.r * s.s;
    const bool has_position = position < s.positions;
    const conv_origin origin = origin_of(s, has_position ? position : 0);
    const image_strides stride = strides_of_image<LAST>(s);
    x += (int64_t)origin.n * s.c * s.h * s.w + group * s.group_c * stride.c;
    weight += ((int64_t)group * s.group_k + first_k + row) * terms;

    float sum = 0.0f;
    for (int first = 0; first < terms; first += TILE) {
        const int of_weight = first + column, of_image = first + (LAST ? column : row);
        weights[row][column] =
            first_k + row < s.group_k && of_weight < terms ? assay::to_float(weight[of_weight]) : 0.0f;
        const conv_term term = term_at<LAST>(s, of_image);
        const int h = origin.h + term.r * s.dilation, w = origin.w + term.s * s.dilation_w;
        image[row][column] = has_position && of_image < terms && is_inside(s, h, w)
                                 ? assay::to_float(x[term.c * stride.c + h * stride.h + w * stride.w])
                                 : 0.0f;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TILE; i++)
            sum += LAST ? image[row][i] * weights[column][i] : weights[row][i] * image[i][column];
        __syncthreads(); // nobody reads the tiles any more
    }
    const int k = first_k + (LAST ? column : row);
    if (has_position && k < s.group_k) {
        const int channel = group * s.group_k + k;
        out[LAST ? (int64_t)position * s.k + channel : output_offset(s, position, channel)] =
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
        shape.channels_last ? conv2d_v2<true> : conv2d_v2<false>,
        dim3((unsigned)((shape.positions + TILE - 1) / TILE), (unsigned)(tiles_k * shape.groups)),
        dim3(TILE, TILE), 0, stream, static_cast<const scalar_t *>(args->x),
        static_cast<const scalar_t *>(args->weight), static_cast<const scalar_t *>(args->bias),
        static_cast<scalar_t *>(args->out), shape, tiles_k);
}
