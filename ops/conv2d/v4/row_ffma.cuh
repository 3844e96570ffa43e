// f32 convolution of few positions by 3x3 filters that keep the image's size, at full accuracy: two rows of
// 32 positions and 8 channels a block, in one launch.
//
// As in row.cuh the time is what passes between a launch and its first product, so x and the filters are
// copied as they lie, 64 input channels at a time, and nothing is packed. Warps share the input channels out,
// four at a time, whose filters are 9 vectors of 4. Every lane has a column, so that filters are read once
// for 32 lanes and 72 products.
#ifndef ASSAY_OPS_CONV2D_V4_ROW_FFMA_CUH
#define ASSAY_OPS_CONV2D_V4_ROW_FFMA_CUH

#include "../conv_shape.cuh"

constexpr int ROWF_THREADS = 256, ROWF_WARPS = ROWF_THREADS / 32, ROWF_CHANNELS = 64; // of a turn
constexpr int ROWF_K = 8, ROWF_ROWS = 2, ROWF_SEEN = ROWF_ROWS + 2;
constexpr int ROWF_PITCH =
    40; // floats of a row: the first of its 32 positions lies at 4, aligned to 16 bytes
constexpr int ROWF_X = ROWF_CHANNELS * ROWF_SEEN * ROWF_PITCH, ROWF_FILTER = ROWF_CHANNELS * 9;
constexpr int ROWF_SHARED_BYTES = (ROWF_X + ROWF_K * ROWF_FILTER) * 4;
constexpr int ROWF_SUMS = ROWF_K * ROWF_ROWS * 32; // of a warp
static_assert(ROWF_WARPS * ROWF_SUMS <= ROWF_X, "sums lie in x's memory at the end");

struct rowf_tile {
    int k, p, q, group, image, channels; // k: in the group; channels: that exist
};

// Start the copies of `count` input channels from `first_c` on.
static __device__ __forceinline__ void rowf_bring(float *rows, float *filters, const float *x,
                                                  const float *weight, const conv_shape &s,
                                                  const rowf_tile &tile, int first_c, int count)
{
    const int t = threadIdx.x;
    const float *image = x + ((int64_t)tile.image * s.c + tile.group * s.group_c + first_c) * s.h * s.w;
    for (int i = t; i < count * ROWF_SEEN * 8; i += ROWF_THREADS) {
        const int piece = i % 8, row = i / 8 % ROWF_SEEN, c = i / 8 / ROWF_SEEN;
        const int h = tile.p + row - 1, w = tile.q + piece * 4;
        const bool inside = is_inside(s, h, w);
        assay::cp_async_16(rows + (c * ROWF_SEEN + row) * ROWF_PITCH + 4 + piece * 4,
                           inside ? image + ((int64_t)c * s.h + h) * s.w + w : x, inside ? 16 : 0);
    }
    for (int i = t; i < count * ROWF_SEEN * 2; i += ROWF_THREADS) { // the columns beside them
        const int side = i % 2, row = i / 2 % ROWF_SEEN, c = i / 2 / ROWF_SEEN;
        const int h = tile.p + row - 1, w = tile.q + (side ? 32 : -1);
        const bool inside = is_inside(s, h, w);
        assay::cp_async_4(rows + (c * ROWF_SEEN + row) * ROWF_PITCH + (side ? 36 : 3),
                          inside ? image + ((int64_t)c * s.h + h) * s.w + w : x, inside ? 4 : 0);
    }
    const int each = count * 9 / 4;
    for (int i = t; i < ROWF_K * each; i += ROWF_THREADS) {
        const int k = i / each, piece = i % each;
        const bool exists = k < tile.channels;
        const int64_t filter = (int64_t)(tile.group * s.group_k + tile.k + k) * s.group_c + first_c;
        assay::cp_async_16(filters + k * ROWF_FILTER + piece * 4,
                           exists ? weight + filter * 9 + piece * 4 : weight, exists ? 16 : 0);
    }
    assay::cp_async_commit();
}

// The products of four input channels. `rows`, `filters`: of the first.
static __device__ __forceinline__ void rowf_multiply(float (&sums)[ROWF_K][ROWF_ROWS], const float *rows,
                                                     const float *filters, int lane)
{
    float x[4][ROWF_SEEN][3];
#pragma unroll
    for (int c = 0; c < 4; c++)
#pragma unroll
        for (int row = 0; row < ROWF_SEEN; row++)
#pragma unroll
            for (int column = 0; column < 3; column++)
                x[c][row][column] = rows[(c * ROWF_SEEN + row) * ROWF_PITCH + 3 + lane + column];
#pragma unroll
    for (int k = 0; k < ROWF_K; k++) {
        float w[36];
#pragma unroll
        for (int i = 0; i < 36; i += 4) {
            const assay::vec<float, 4> v = assay::load_vec<4>(filters + k * ROWF_FILTER + i);
            w[i] = v[0], w[i + 1] = v[1], w[i + 2] = v[2], w[i + 3] = v[3];
        }
#pragma unroll
        for (int c = 0; c < 4; c++)
#pragma unroll
            for (int tap = 0; tap < 9; tap++)
#pragma unroll
                for (int row = 0; row < ROWF_ROWS; row++)
                    sums[k][row] += w[c * 9 + tap] * x[c][row + tap / 3][tap % 3];
    }
}

static __global__ void __launch_bounds__(ROWF_THREADS)
    conv2d_row_ffma(const float *x, const float *weight, const float *bias, float *out, const conv_shape s,
                    int tiles_m, int tiles_p, int tiles_q)
{
    ASSAY_DYNAMIC_SHARED(float, rows);
    float *filters = rows + ROWF_X;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int number = blockIdx.x;
    rowf_tile tile;
    tile.k = number % tiles_m * ROWF_K;
    number /= tiles_m;
    tile.q = number % tiles_q * 32;
    number /= tiles_q;
    tile.p = number % tiles_p * ROWF_ROWS;
    number /= tiles_p;
    tile.group = number % s.groups;
    tile.image = number / s.groups;
    tile.channels = s.group_k - tile.k;

    float sums[ROWF_K][ROWF_ROWS] = {};
    for (int first_c = 0; first_c < s.group_c; first_c += ROWF_CHANNELS) {
        const int left = s.group_c - first_c, count = left < ROWF_CHANNELS ? left : ROWF_CHANNELS;
        if (first_c > 0)
            __syncthreads(); // all are done with the channels before
        rowf_bring(rows, filters, x, weight, s, tile, first_c, count);
        assay::cp_async_wait<0>();
        __syncthreads();
#pragma unroll 1
        for (int c = warp * 4; c < count; c += ROWF_WARPS * 4)
            rowf_multiply(sums, rows + c * ROWF_SEEN * ROWF_PITCH, filters + c * 9, lane);
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < ROWF_K; k++)
#pragma unroll
        for (int row = 0; row < ROWF_ROWS; row++)
            rows[warp * ROWF_SUMS + (k * ROWF_ROWS + row) * 32 + lane] = sums[k][row];
    __syncthreads();
    for (int i = threadIdx.x; i < ROWF_SUMS; i += ROWF_THREADS) {
        const int q = tile.q + i % 32, p = tile.p + i / 32 % ROWF_ROWS, k = i / 32 / ROWF_ROWS,
                  channel = tile.group * s.group_k + tile.k + k;
        if (k >= tile.channels || p >= s.h || q >= s.w)
            continue;
        float sum = bias[channel];
#pragma unroll
        for (int w = 0; w < ROWF_WARPS; w++)
            sum += rows[w * ROWF_SUMS + i];
        out[(((int64_t)tile.image * s.k + channel) * s.h + p) * s.w + q] = sum;
    }
}

static int64_t rowf_blocks(const conv_shape &s)
{
    return (int64_t)((s.group_k + ROWF_K - 1) / ROWF_K) * ((s.h + ROWF_ROWS - 1) / ROWF_ROWS) *
           ((s.w + 31) / 32) * s.groups * s.n;
}

// Whether rows and filters can be copied in 16 bytes as they lie, and the positions are few.
static bool rowf_fits(const conv2d_args &args, const conv_shape &s)
{
    return s.r == 3 && s.s == 3 && s.stride == 1 && s.padding == 1 && s.dilation == 1 && !s.by_direction &&
           s.w % 4 == 0 && s.group_c % 4 == 0 && s.group_c > 0 &&
           ((uintptr_t)args.x | (uintptr_t)args.weight) % 16 == 0 &&
           rowf_blocks(s) <= 4 * assay::multiprocessor_count();
}

static assay_status rowf_run(const conv2d_args &args, const conv_shape &s, assay_stream stream)
{
    return assay::launch(conv2d_row_ffma, dim3((unsigned)rowf_blocks(s)), dim3(ROWF_THREADS),
                         (size_t)ROWF_SHARED_BYTES, stream, static_cast<const float *>(args.x),
                         static_cast<const float *>(args.weight), static_cast<const float *>(args.bias),
                         static_cast<float *>(args.out), s, (s.group_k + ROWF_K - 1) / ROWF_K,
                         (s.h + ROWF_ROWS - 1) / ROWF_ROWS, (s.w + 31) / 32);
}

#endif
