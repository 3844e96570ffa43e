// conv2d, step 3a: register tiles on the multiply-add units.
//
// The implicit GEMM of step 2 (rows: output channels, columns: output positions, terms: input channels and
// taps) with tiles of 128 x 128 x 8 and 8 x 8 sums a thread in registers. A thread reads 16 numbers of shared
// memory, as four 16-byte vectors, for 64 multiply-adds; step 2 reads two for one.
//   - x is gathered as it lies. Neighbouring threads copy neighbouring positions (channels first) or
//     neighbouring terms of a position (channels last). A thread copies four terms of one position, so that a
//     term's number is divided into channel and tap once for four elements.
//   - Two blocks share a multiprocessor, so that one multiplies while the other copies.
//   - Neighbouring lanes own what is neighbouring in out, and write four elements at once where rows allow
//     it.
// Tiles are fp32 for every dtype. Rows of shared memory are padded by 16 bytes against bank conflicts.
// Expected effect: about ten times step 2 in f32, limited by FFMA issue; nearly the same time for 2-byte
// types.
// Next: tensor cores for the 2-byte types; gathering by asynchronous copies of 16 bytes.
// Tunables: none.
#include <assay/kernel.h>
#include "conv2d.h"
#include "conv_shape.cuh"

static constexpr int BM = 128, BN = 128, BK = 8, THREADS = 256;
static constexpr int LD = 128 + 4, EACH = BM * BK / THREADS; // EACH: elements of a tile that a thread copies

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

// A term in weight's order: channels go slowest where they come first, fastest where they come last.
template <bool LAST>
struct conv_term {
    int c, r, s;

    __device__ __forceinline__ conv_term(const conv_shape &shape, int number)
    {
        if (LAST)
            c = number % shape.group_c, r = number / shape.group_c / shape.s,
            s = number / shape.group_c % shape.s;
        else
            c = number / (shape.r * shape.s), r = number / shape.s % shape.r, s = number % shape.s;
    }
    __device__ __forceinline__ void advance(const conv_shape &shape)
    {
        if (LAST && ++c < shape.group_c)
            return;
        c = LAST ? 0 : c;
        if (++s < shape.s)
            return;
        s = 0;
        if (++r < shape.r || LAST)
            return;
        r = 0, c++;
    }
};

// What a thread copies of every tile: EACH terms of one position and of one channel.
template <bool LAST>
struct tile_copy {
    const scalar_t *x,
        *weight; // the first tap's element, which may lie in the padding; the channel's first term
    int h, w, position, terms, first_of_x;
    bool has_channel;

    __device__ __forceinline__ tile_copy(const scalar_t *all_x, const scalar_t *all_weight,
                                         const conv_shape &s, int group, int first_k, int first_n)
    {
        const int t = (int)threadIdx.x;
        const image_strides stride = strides_of_image<LAST>(s);
        position = LAST ? t / 2 : t % BN;
        first_of_x = (LAST ? t % 2 : t / BN) * EACH;
        const bool exists = first_n + position < s.positions;
        const conv_origin at = origin_of(s, exists ? first_n + position : 0);
        terms = s.group_c * s.r * s.s;
        x = all_x + group * s.group_c * stride.c + (int64_t)at.n * s.c * s.h * s.w + at.h * stride.h +
            at.w * stride.w;
        h = exists ? at.h : INT32_MIN / 2; // outside for every tap
        w = at.w;
        has_channel = first_k + t / 2 < s.group_k;
        weight = all_weight + ((int64_t)group * s.group_k + first_k + t / 2) * terms;
    }
    // Copy the tile of the terms from number `first` on.
    __device__ __forceinline__ void bring(float *image, float *weights, const conv_shape &s, int first) const
    {
        const image_strides stride = strides_of_image<LAST>(s);
        const int channel = (int)threadIdx.x / 2, first_of_weight = (int)threadIdx.x % 2 * EACH;
        conv_term<LAST> term(s, first + first_of_x);
#pragma unroll
        for (int i = 0; i < EACH; i++, term.advance(s)) {
            const int down = term.r * s.dilation, right = term.s * s.dilation_w;
            const bool inside = first + first_of_x + i < terms && is_inside(s, h + down, w + right);
            const bool is_weight = has_channel && first + first_of_weight + i < terms;
            image[(first_of_x + i) * LD + position] =
                inside ? assay::to_float(x[term.c * stride.c + down * stride.h + right * stride.w]) : 0.0f;
            weights[(first_of_weight + i) * LD + channel] =
                is_weight ? assay::to_float(weight[first + first_of_weight + i]) : 0.0f;
        }
    }
};

// Eight numbers: four from `from`, four 64 further on.
static __device__ __forceinline__ void read_eight(float (&to)[8], const float *from)
{
#pragma unroll
    for (int i = 0; i < 8; i += 4) {
        const assay::vec<float, 4> v = assay::load_vec<4>(from + i * 16);
        to[i] = v[0], to[i + 1] = v[1], to[i + 2] = v[2], to[i + 3] = v[3];
    }
}

// Add the bias and write 8 x 8 elements, four at a time along positions, or along channels where they come
// last.
template <bool LAST>
static __device__ __forceinline__ void store_sums(scalar_t *out, const scalar_t *bias, const conv_shape &s,
                                                  const float (&sums)[8][8], int group, int row, int position)
{
    const bool fours = (LAST ? s.group_k : s.p * s.q) % 4 == 0;
#pragma unroll
    for (int e = 0; e < 8; e++)
#pragma unroll
        for (int f = 0; f < 8; f += 4) {
            const int i = LAST ? f : e, j = LAST ? e : f;
            const int k = row + i / 4 * 64 + i % 4, n = position + j / 4 * 64 + j % 4;
            const int channel = group * s.group_k + k;
            assay::vec<scalar_t, 4> piece;
#pragma unroll
            for (int l = 0; l < 4; l++) {
                const int down = LAST ? l : 0;
                const float b = k + down < s.group_k ? assay::to_float(bias[channel + down]) : 0.0f;
                piece[l] = assay::from_float<scalar_t>((LAST ? sums[i + l][j] : sums[i][j + l]) + b);
            }
            if (fours && k < s.group_k && n < s.positions)
                assay::store_vec(out + (LAST ? (int64_t)n * s.k + channel : output_offset(s, n, channel)),
                                 piece);
#pragma unroll
            for (int l = 0; l < 4; l++) {
                const int down = LAST ? l : 0, right = LAST ? 0 : l;
                if (!fours && k + down < s.group_k && n + right < s.positions)
                    out[LAST ? (int64_t)n * s.k + channel + l : output_offset(s, n + l, channel)] = piece[l];
            }
        }
}

template <bool LAST>
static __global__ void __launch_bounds__(THREADS, 2)
    conv2d_v3a(const scalar_t *x, const scalar_t *weight, const scalar_t *bias, scalar_t *out,
               const conv_shape s, int tiles_k)
{
    __shared__ __align__(16) float weights[BK * LD], image[BK * LD];
    const int t = (int)threadIdx.x, block = (int)blockIdx.x / tiles_k;
    // Channel tiles follow each other, so that blocks running at the same time share x in L2.
    const int first_k = (int)blockIdx.x % tiles_k * BM, group = block % s.groups,
              first_n = block / s.groups * BN;
    const int row = (LAST ? t % 16 : t / 16) * 4, column = (LAST ? t / 16 : t % 16) * 4;
    tile_copy<LAST> copy(x, weight, s, group, first_k, first_n);
    float sums[8][8] = {};
    for (int first = 0; first < copy.terms; first += BK) {
        __syncthreads(); // nobody reads the tiles any more
        copy.bring(image, weights, s, first);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; k++) {
            float a[8], b[8];
            read_eight(a, weights + k * LD + row);
            read_eight(b, image + k * LD + column);
#pragma unroll
            for (int i = 0; i < 8; i++)
#pragma unroll
                for (int j = 0; j < 8; j++)
                    sums[i][j] += a[i] * b[j];
        }
    }
    store_sums<LAST>(out, bias, s, sums, group, first_k + row, first_n + column);
}

extern "C" assay_status conv2d_run(const conv2d_args *args, assay_stream stream)
{
    conv_shape s;
    const assay_status status = conv_shape_of(*args, &s);
    if (status != ASSAY_OK || s.positions == 0 || s.k == 0)
        return status;
    const int tiles_k = (s.group_k + BM - 1) / BM, tiles_n = (s.positions + BN - 1) / BN;
    if ((int64_t)tiles_k * s.groups > INT32_MAX / tiles_n)
        return ASSAY_ERR_UNSUPPORTED;
    return assay::launch(s.channels_last ? conv2d_v3a<true> : conv2d_v3a<false>,
                         dim3((unsigned)(tiles_k * s.groups * tiles_n)), dim3(THREADS), 0, stream,
                         static_cast<const scalar_t *>(args->x), static_cast<const scalar_t *>(args->weight),
                         static_cast<const scalar_t *>(args->bias), static_cast<scalar_t *>(args->out), s,
                         tiles_k);
}
