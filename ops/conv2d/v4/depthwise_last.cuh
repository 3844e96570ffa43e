// Depthwise convolution (a filter or two for each input channel) with channels last, by square filters of 3,
// 5 and 7 taps: windows of x in shared memory, a tile of outputs in registers.
//
// Multiply-adds should be the limit, or memory where filters are small. Read from global memory, each element
// of x costs a test for the padding and an address beside its load, and few loads are under way. Here a block
// copies the window that its tile sees at once, zeros for the padding included. A thread has one output
// channel, whose filter stays in registers, and TP x TQ of its outputs. What it reads lies at constant
// offsets, each element once for all products of the tile. Neighbouring threads are neighbouring channels.
#ifndef ASSAY_OPS_CONV2D_V4_DEPTHWISE_LAST_CUH
#define ASSAY_OPS_CONV2D_V4_DEPTHWISE_LAST_CUH

#include "depthwise_tile.cuh"
#include <assay/hopper.h>

constexpr int DEPTHWISE_LAST_THREADS = 256;
constexpr int DEPTHWISE_PIXEL = 128 / (int)sizeof(scalar_t); // elements of a pixel in shared memory
constexpr int DEPTHWISE_SHARED_LIMIT = 64 * 1024;            // three blocks of a multiprocessor

// Bytes of a block's filters in shared memory.
template <class C>
constexpr int depthwise_filter_bytes = (DEPTHWISE_PIXEL * C::TAPS * (int)sizeof(scalar_t) + 127) / 128 * 128;

struct depthwise_plan {
    int lanes, slices;    // output channels of a block; blocks that share the channels out
    int down, across;     // threads' tiles of a block's tile
    int tiles_p, tiles_q; // of an image
    int rows, columns;    // pixels of a window
    int vector, vectors;  // elements of a copy; copies of a pixel
    unsigned inverse;     // of vectors, times 2^32, rounded up
};

// Where copy `i` of a row of a window goes, its elements of `vector` channels, and whether x has them.
struct depthwise_copy {
    int to;
    bool exists, inside;
    int64_t from;

    __device__ __forceinline__ depthwise_copy(const depthwise_plan &plan, const conv_shape &s, int i, int h,
                                              int w, int inputs)
    {
        const int column = plan.vectors == 1 ? i : (int)__umulhi((unsigned)i, plan.inverse),
                  channel = (i - column * plan.vectors) * plan.vector;
        to = column * DEPTHWISE_PIXEL + channel;
        exists = i < plan.columns * plan.vectors && channel < inputs;
        inside = exists && is_inside(s, h, w + column);
        from = inside ? ((int64_t)h * s.w + w + column) * s.c + channel : 0;
    }
};

// Copy the window that begins at row `h` and column `w` of an image, `inputs` channels of it: a row a warp.
// `x`: the image's first pixel, first channel of the block.
template <int BYTES>
static __device__ __forceinline__ void copy_depthwise_window(scalar_t *window, const scalar_t *x,
                                                             const depthwise_plan &plan, const conv_shape &s,
                                                             int h, int w, int inputs)
{
    const int across = plan.columns * plan.vectors, lane = (int)threadIdx.x % 32;
    for (int row = (int)threadIdx.x / 32; row < plan.rows; row += DEPTHWISE_LAST_THREADS / 32) {
        scalar_t *to = window + row * plan.columns * DEPTHWISE_PIXEL;
#pragma unroll 4
        for (int i = lane; i < across; i += 32) {
            const depthwise_copy copy(plan, s, i, h + row, w, inputs);
            if (!copy.exists)
                continue;
            if constexpr (BYTES == 16)
                assay::cp_async_16(to + copy.to, x + copy.from, copy.inside ? 16 : 0);
            else
                assay::cp_async_4(to + copy.to, x + copy.from, copy.inside ? 4 : 0);
        }
    }
}

// The same for single elements of 2 bytes, which pass through registers, eight of a thread under way.
static __device__ __forceinline__ void copy_depthwise_elements(scalar_t *window, const scalar_t *x,
                                                               const depthwise_plan &plan,
                                                               const conv_shape &s, int h, int w, int inputs)
{
    constexpr int AHEAD = 8;
    const int across = plan.columns * plan.vectors, lane = (int)threadIdx.x % 32;
    for (int row = (int)threadIdx.x / 32; row < plan.rows; row += DEPTHWISE_LAST_THREADS / 32) {
        scalar_t *to = window + row * plan.columns * DEPTHWISE_PIXEL;
        for (int first = lane; first < across; first += 32 * AHEAD) {
            scalar_t element[AHEAD];
#pragma unroll
            for (int e = 0; e < AHEAD; e++)
                element[e] = x[depthwise_copy(plan, s, first + e * 32, h + row, w, inputs).from];
#pragma unroll
            for (int e = 0; e < AHEAD; e++) {
                const depthwise_copy copy(plan, s, first + e * 32, h + row, w, inputs);
                if (copy.exists)
                    to[copy.to] = copy.inside ? element[e] : assay::from_float<scalar_t>(0.0f);
            }
        }
    }
}

template <class C>
static __global__ void __launch_bounds__(DEPTHWISE_LAST_THREADS)
    conv2d_depthwise_last(const scalar_t *__restrict__ x, const scalar_t *__restrict__ weight,
                          const scalar_t *__restrict__ bias, scalar_t *__restrict__ out, const conv_shape s,
                          const depthwise_plan plan)
{
    ASSAY_DYNAMIC_SHARED(unsigned char, shared);
    scalar_t *filters = reinterpret_cast<scalar_t *>(shared), // as they lie: [channel][tap]
        *window = reinterpret_cast<scalar_t *>(shared + depthwise_filter_bytes<C>);
    const int t = (int)threadIdx.x, first = (int)blockIdx.x % plan.slices * plan.lanes,
              tile = (int)blockIdx.x / plan.slices % (plan.tiles_p * plan.tiles_q),
              image = (int)blockIdx.x / plan.slices / (plan.tiles_p * plan.tiles_q);
    const int channels = s.k - first < plan.lanes ? s.k - first : plan.lanes, input = first / s.group_k,
              inputs = (channels + s.group_k - 1) / s.group_k;
    const int first_p = tile / plan.tiles_q * plan.down * C::TP,
              first_q = tile % plan.tiles_q * plan.across * C::TQ, h = first_p * C::STRIDE - s.padding,
              w = first_q * C::STRIDE - s.padding;
    x += (int64_t)image * s.h * s.w * s.c + input;
    const int bytes = plan.vector * (int)sizeof(scalar_t);
    if (bytes == 16)
        copy_depthwise_window<16>(window, x, plan, s, h, w, inputs);
    else if (bytes == 4)
        copy_depthwise_window<4>(window, x, plan, s, h, w, inputs);
    else if constexpr (sizeof(scalar_t) == 2)
        copy_depthwise_elements(window, x, plan, s, h, w, inputs);
    assay::cp_async_commit();
    for (int i = t; i < channels * C::TAPS; i += DEPTHWISE_LAST_THREADS)
        filters[i] = weight[(int64_t)first * C::TAPS + i];
    const int lane = t % plan.lanes, together = DEPTHWISE_LAST_THREADS / plan.lanes, k = first + lane;
    const float b = lane < channels ? assay::to_float(bias[k]) : 0.0f;
    assay::cp_async_wait<0>();
    __syncthreads();
    if (lane >= channels || t / plan.lanes >= together)
        return;
    float filter[C::TAPS];
#pragma unroll
    for (int i = 0; i < C::TAPS; i++)
        filter[i] = assay::to_float(filters[lane * C::TAPS + i]);
    window += lane / s.group_k;
    out += (int64_t)image * s.p * s.q * s.k + k;
    for (int part = t / plan.lanes; part < plan.down * plan.across; part += together) {
        const int down = part / plan.across, across = part - down * plan.across;
        const int p0 = first_p + down * C::TP, q0 = first_q + across * C::TQ;
        if (p0 >= s.p || q0 >= s.q)
            continue;
        const scalar_t *from =
            window + (down * C::TP * plan.columns + across * C::TQ) * C::STRIDE * DEPTHWISE_PIXEL;
        float sums[C::TP][C::TQ] = {};
#pragma unroll
        for (int i = 0; i < C::ROWS; i++, from += plan.columns * DEPTHWISE_PIXEL) {
            float row[C::COLUMNS];
#pragma unroll
            for (int j = 0; j < C::COLUMNS; j++)
                row[j] = assay::to_float(from[j * DEPTHWISE_PIXEL]);
            add_depthwise_row<C>(sums, i, row, filter);
        }
        scalar_t *to = out + ((int64_t)p0 * s.q + q0) * s.k;
#pragma unroll
        for (int p = 0; p < C::TP; p++, to += (int64_t)s.q * s.k)
#pragma unroll
            for (int q = 0; q < C::TQ; q++)
                if (p0 + p < s.p && q0 + q < s.q)
                    to[(int64_t)q * s.k] = assay::from_float<scalar_t>(sums[p][q] + b);
    }
}

// Cycles of the busiest multiprocessor, roughly: instructions of all warps, copies from the second-level
// cache, and what passes until the first window is there.
template <class C>
static int64_t depthwise_cycles(const conv_shape &s, const depthwise_plan &plan)
{
    const int room = assay::multiprocessor_count(), together = DEPTHWISE_LAST_THREADS / plan.lanes,
              rounds = (plan.down * plan.across + together - 1) / together;
    const int64_t round = 2 * (16 * C::TAPS + 2 * C::ROWS * C::COLUMNS + 100),
                  copies = (int64_t)plan.rows * plan.columns * plan.lanes * (int)sizeof(scalar_t) / 24;
    const int64_t blocks = (int64_t)s.n * plan.tiles_p * plan.tiles_q * plan.slices,
                  each = (blocks + room - 1) / room;
    return each * (rounds * round + copies + 400) + (each + 2) / 3 * 1500;
}

// The tile whose blocks are expected to be done first.
template <class C>
static depthwise_plan depthwise_plan_of(const conv_shape &s)
{
    const int line = s.c * (int)sizeof(scalar_t);
    depthwise_plan best = {}, plan = {};
    plan.vector = line % 16 == 0 ? 16 / (int)sizeof(scalar_t) : line % 4 == 0 ? 4 / (int)sizeof(scalar_t) : 1;
    const int unit = plan.vector * s.group_k, slices = (s.k + DEPTHWISE_PIXEL - 1) / DEPTHWISE_PIXEL,
              lanes = ((s.k + slices - 1) / slices + unit - 1) / unit * unit;
    plan.lanes = lanes, plan.slices = (s.k + lanes - 1) / lanes;
    plan.vectors = (lanes / s.group_k + plan.vector - 1) / plan.vector;
    plan.inverse = (unsigned)(((uint64_t)1 << 32) / (unsigned)plan.vectors + 1);
    const int parts_p = (s.p + C::TP - 1) / C::TP, parts_q = (s.q + C::TQ - 1) / C::TQ;
    int64_t least = INT64_MAX;
    for (plan.down = 1; plan.down <= parts_p && plan.down <= 8; plan.down++)
        for (plan.across = 1; plan.across <= parts_q && plan.across <= 16; plan.across++) {
            plan.rows = (plan.down * C::TP - 1) * C::STRIDE + C::R;
            plan.columns = (plan.across * C::TQ - 1) * C::STRIDE + C::R;
            if (plan.rows * plan.columns * 128 > DEPTHWISE_SHARED_LIMIT)
                break;
            plan.tiles_p = (parts_p + plan.down - 1) / plan.down;
            plan.tiles_q = (parts_q + plan.across - 1) / plan.across;
            const int64_t cycles = depthwise_cycles<C>(s, plan);
            if (cycles < least)
                best = plan, least = cycles;
        }
    return best;
}

template <int R, int STRIDE>
static assay_status depthwise_last_run(const conv2d_args &args, const conv_shape &s, assay_stream stream)
{
    using C = depthwise_config<R, STRIDE>;
    const depthwise_plan plan = depthwise_plan_of<C>(s);
    const int64_t blocks = (int64_t)s.n * plan.tiles_p * plan.tiles_q * plan.slices;
    if (blocks > INT32_MAX)
        return ASSAY_ERR_UNSUPPORTED;
    return assay::launch(conv2d_depthwise_last<C>, dim3((unsigned)blocks), dim3(DEPTHWISE_LAST_THREADS),
                         (size_t)depthwise_filter_bytes<C> + (size_t)plan.rows * plan.columns * 128, stream,
                         static_cast<const scalar_t *>(args.x), static_cast<const scalar_t *>(args.weight),
                         static_cast<const scalar_t *>(args.bias), static_cast<scalar_t *>(args.out), s,
                         plan);
}

#endif
