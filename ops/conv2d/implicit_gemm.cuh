// What the tensor-core steps 3b to 3d share and what is not their idea: operands with the channels of a pixel
// side by side, gathering them by cp.async, and writing the finished tile.
//
// Tensor cores want the terms of an operand side by side, 8 of them in a 16-byte chunk, so terms go through
// the taps first and the channels inside. x becomes [n][group][h][w][c] and weight [k][r][s][c], c padded
// with zeros to whole chunks. x with its channels last and one group, and such a weight, lie so already.
#ifndef ASSAY_OPS_CONV2D_IMPLICIT_GEMM_CUH
#define ASSAY_OPS_CONV2D_IMPLICIT_GEMM_CUH

#include "conv_shape.cuh"

struct gemm_operands {
    const scalar_t *x, *weight, *bias;
    scalar_t *out;
    int chunks; // of 8 input channels of a group
};

// ---- packing ----

constexpr int PACK_THREADS = 256;

// One chunk a thread: 8 channels of one of `pixels` pixels (taps, for weight) of a group of an image (an
// output channel). Neighbouring threads read what is neighbouring.
static __global__ void __launch_bounds__(PACK_THREADS)
    conv2d_pack_channels(const scalar_t *from, scalar_t *to, int64_t count, int groups, int channels,
                         int chunks, int pixels, bool last)
{
    const int64_t i = (int64_t)blockIdx.x * PACK_THREADS + threadIdx.x;
    if (i >= count)
        return;
    const int64_t rest = i / chunks;
    const int chunk = (int)(last ? i % chunks : i / pixels % chunks);
    const int pixel = (int)(last ? rest / groups % pixels : i % pixels);
    const int64_t group = last ? rest % groups : i / pixels / chunks % groups,
                  image = last ? rest / groups / pixels : i / pixels / chunks / groups;
    const int64_t step = last ? 1 : pixels, plane = image * groups + group;
    from += last ? ((image * pixels + pixel) * groups + group) * channels + chunk * 8
                 : (plane * channels + (int64_t)chunk * 8) * pixels + pixel;
    assay::vec<scalar_t, 8> packed;
#pragma unroll
    for (int c = 0; c < 8; c++)
        packed[c] = chunk * 8 + c < channels ? from[c * step] : assay::from_float<scalar_t>(0.0f);
    assay::store_vec(to + ((plane * pixels + pixel) * chunks + chunk) * 8, packed);
}

static inline assay_status pack_channels(const scalar_t *from, scalar_t *to, int64_t images, int groups,
                                         int channels, int pixels, bool last, assay_stream stream)
{
    const int chunks = (int)(conv2d_padded(channels) / 8);
    const int64_t count = images * groups * chunks * pixels,
                  blocks = (count + PACK_THREADS - 1) / PACK_THREADS;
    if (blocks > INT32_MAX)
        return ASSAY_ERR_UNSUPPORTED;
    return blocks == 0 ? ASSAY_OK
                       : assay::launch(conv2d_pack_channels, dim3((unsigned)blocks), dim3(PACK_THREADS), 0,
                                       stream, from, to, count, groups, channels, chunks, pixels, last);
}

// Where copies of weight and of x lie in the workspace.
static inline scalar_t *packed_weight(const conv2d_args &args)
{
    return static_cast<scalar_t *>(args.workspace);
}
static inline scalar_t *packed_image(const conv2d_args &args)
{
    return reinterpret_cast<scalar_t *>(static_cast<char *>(args.workspace) +
                                        conv2d_packed_weight_bytes(&args, sizeof(scalar_t)));
}

static inline gemm_operands operands_as_they_lie(const conv2d_args &args, const conv_shape &s)
{
    return {static_cast<const scalar_t *>(args.x), static_cast<const scalar_t *>(args.weight),
            static_cast<const scalar_t *>(args.bias), static_cast<scalar_t *>(args.out),
            (int)(conv2d_padded(s.group_c) / 8)};
}

static inline assay_status make_weight_operand(const conv2d_args &args, const conv_shape &s, gemm_operands *o,
                                               assay_stream stream)
{
    o->weight = packed_weight(args);
    return pack_channels(static_cast<const scalar_t *>(args.weight), packed_weight(args), s.k, 1, s.group_c,
                         s.r * s.s, s.channels_last != 0, stream);
}

// The operands of a problem, copied to the workspace where they do not lie as wanted.
static inline assay_status make_operands(const conv2d_args &args, const conv_shape &s, gemm_operands *o,
                                         assay_stream stream)
{
    *o = operands_as_they_lie(args, s);
    const bool last = s.channels_last != 0;
    if (last && s.groups == 1 && s.c % 8 == 0)
        return ASSAY_OK;
    if (args.workspace_bytes < conv2d_workspace_bytes(&args, sizeof(scalar_t)))
        return ASSAY_ERR_INVALID;
    o->x = packed_image(args);
    const assay_status status = pack_channels(static_cast<const scalar_t *>(args.x), packed_image(args), s.n,
                                              s.groups, s.group_c, s.h * s.w, last, stream);
    return status == ASSAY_OK ? make_weight_operand(args, s, o, stream) : status;
}

// ---- gathering a stage of 64 terms, 8 chunks a row ----

constexpr int CHUNKS = 8;

// Element offset of a chunk in a tile: the permutation that spreads eight rows of one chunk over the banks,
// and that wgmma reads as its 128-byte swizzle.
static __device__ __forceinline__ int swizzled(int row, int chunk)
{
    return (row * CHUNKS + (chunk ^ row % 8)) * 8;
}

// Each of THREADS threads copies one chunk column of every THREADS / 8-th row of both operands.
template <int BM, int BN, int THREADS>
struct gathered_tiles {
    static constexpr int ROWS = THREADS / CHUNKS, COUNT = BN / ROWS;
    int r, s, chunk;        // the tap and chunk of the next stage
    int h[COUNT], w[COUNT]; // row and column of the first tap
    int64_t pixel[COUNT];   // its number in all planes; may lie in the padding
    int64_t channel;        // number of the first row's output channel
    int channels;           // of the group from there on

    __device__ __forceinline__ void start(const gemm_operands &o, const conv_shape &shape, int group,
                                          int first_k, int first_n)
    {
        const int row = (int)threadIdx.x / CHUNKS;
        channels = shape.group_k - first_k - row;
        channel = (int64_t)group * shape.group_k + first_k + row;
        r = s = 0, chunk = 0;
        if (o.chunks > 0)
            advance(o, shape, (int)threadIdx.x % CHUNKS);
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            const int position = first_n + row + i * ROWS;
            const conv_origin at = origin_of(shape, position < shape.positions ? position : 0);
            h[i] = position < shape.positions ? at.h : INT32_MIN / 2; // outside for every tap
            w[i] = at.w;
            pixel[i] = (((int64_t)at.n * shape.groups + group) * shape.h + at.h) * shape.w + at.w;
        }
    }
    __device__ __forceinline__ void advance(const gemm_operands &o, const conv_shape &shape, int on)
    {
        for (chunk += on; chunk >= o.chunks; chunk -= o.chunks)
            if (++s == shape.s)
                s = 0, r++;
    }
    // Start the copies of the next stage: BM rows of weight, then BN rows of x. Zeros lie in the padding and
    // behind the last term, channel and position. The address of a copy that reads nothing must still be
    // valid.
    __device__ __forceinline__ void copy(scalar_t *stage, const gemm_operands &o, const conv_shape &shape)
    {
        const int down = r * shape.dilation, right = s * shape.dilation_w;
        const int64_t taps = (int64_t)shape.r * shape.s, tap = r * shape.s + s;
        scalar_t *to = stage + swizzled((int)threadIdx.x / CHUNKS, (int)threadIdx.x % CHUNKS);
#pragma unroll
        for (int i = 0; i < BM; i += ROWS) {
            const bool inside = i < channels && r < shape.r;
            const int64_t at = (((channel + i) * taps + tap) * o.chunks + chunk) * 8;
            assay::cp_async_16(to + i * CHUNKS * 8, o.weight + (inside ? at : 0), inside ? 16 : 0);
        }
        to += BM * CHUNKS * 8;
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            const bool inside = r < shape.r && is_inside(shape, h[i] + down, w[i] + right);
            const int64_t at = ((pixel[i] + (int64_t)down * shape.w + right) * o.chunks + chunk) * 8;
            assay::cp_async_16(to + i * ROWS * CHUNKS * 8, o.x + (inside ? at : 0), inside ? 16 : 0);
        }
        advance(o, shape, CHUNKS);
    }
};

// ---- the finished tile ----

// Where element (channel, position) of a finished tile lies in shared memory: rows of positions, or of
// channels where they come last, padded by 16 bytes.
template <int BM, int BN>
struct finished_tile {
    static constexpr int ELEMENTS = BM * (BN + 8) > BN *(BM + 8) ? BM *(BN + 8) : BN *(BM + 8);
    scalar_t *at;
    int down, across; // from one channel to the next, and from one position

    __device__ __forceinline__ finished_tile(scalar_t *shared, bool last)
        : at(shared), down(last ? 1 : BN + 8), across(last ? BM + 8 : 1)
    {
    }
    __device__ __forceinline__ void put(int channel, int position, float value) const
    {
        at[channel * down + position * across] = assay::from_float<scalar_t>(value);
    }
};

// Write the tile, V neighbouring elements at a time. `number(column)`: the output position of a column, or
// -1. `channel`: the tile's first of all, `channels` of which exist. By THREADS threads, of which this is
// `thread`. V divides what lies side by side in out.
template <int THREADS, int BM, int BN, int V, class Number>
static __device__ __forceinline__ void store_tile(const finished_tile<BM, BN> &tile, scalar_t *out,
                                                  const conv_shape &s, int channel, int channels, int thread,
                                                  const Number &number)
{
    const bool last = s.channels_last != 0;
    const int each = (last ? BM : BN) / V;
    for (int e = thread; e < (last ? BN : BM) * each; e += THREADS) {
        const int line = e / each, along = e % each * V;
        const int k = last ? along : line, column = last ? line : along, position = number(column);
        if (k >= channels || position < 0)
            continue;
        scalar_t *to =
            out + (last ? (int64_t)position * s.k + channel + k : output_offset(s, position, channel + k));
        assay::store_vec(to, assay::load_vec<V>(tile.at + k * tile.down + column * tile.across));
    }
}

// The same with the widest vectors that `side_by_side` elements allow.
template <int THREADS, int BM, int BN, class Number>
static __device__ __forceinline__ void store_tile_wide(const finished_tile<BM, BN> &tile, scalar_t *out,
                                                       const conv_shape &s, int channel, int channels,
                                                       int side_by_side, int thread, const Number &number)
{
    if (side_by_side % 8 == 0)
        store_tile<THREADS, BM, BN, 8>(tile, out, s, channel, channels, thread, number);
    else if (side_by_side % 2 == 0)
        store_tile<THREADS, BM, BN, 2>(tile, out, s, channel, channels, thread, number);
    else
        store_tile<THREADS, BM, BN, 1>(tile, out, s, channel, channels, thread, number);
}

#endif
