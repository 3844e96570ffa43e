// Copies x and weight to the workspace as tensor cores need them: channels last, padded to chunks of 8.
#ifndef ASSAY_OPS_CONV2D_V4_PACK_CUH
#define ASSAY_OPS_CONV2D_V4_PACK_CUH

#include <assay/hopper.h>
#include "../conv_shape.cuh"

constexpr int PACK_THREADS = 256;

struct pack_plan {
    const scalar_t *x, *weight;
    scalar_t *packed_x, *packed_weight;
    int chunks;                      // of a group's input channels
    int lanes;                       // threads of a block side by side along chunks; a power of two up to 8
    int blocks_across, blocks_along; // of one image: along chunks and along pixels
    int image_blocks;                // blocks before this number copy x, the others weight
};

// 8 channels of V neighbouring pixels a thread: rows are read and columns written, exchanged in registers.
// With 8 lanes along the channels and 4 along the pixels, neither side fetches a sector in part.
template <int V>
static __device__ void pack_image(const pack_plan &plan, const conv_shape &s)
{
    const int pixels = s.h * s.w, all_chunks = s.groups * plan.chunks, t = threadIdx.x;
    const int block = blockIdx.x % (plan.blocks_across * plan.blocks_along);
    const int64_t n = blockIdx.x / (plan.blocks_across * plan.blocks_along);
    const int chunk = block % plan.blocks_across * plan.lanes + t % plan.lanes;
    const int pixel = (block / plan.blocks_across * (PACK_THREADS / plan.lanes) + t / plan.lanes) * V;
    if (chunk >= all_chunks || pixel >= pixels)
        return;
    const int group = chunk / plan.chunks, first_c = chunk % plan.chunks * 8;
    const scalar_t *from = plan.x + (n * s.c + group * s.group_c + first_c) * pixels + pixel;
    scalar_t *to = plan.packed_x + ((n * pixels + pixel) * all_chunks + chunk) * 8;
    assay::vec<scalar_t, V> channel[8];
#pragma unroll
    for (int c = 0; c < 8; c++)
        channel[c] = first_c + c < s.group_c ? assay::load_vec<V>(from + (int64_t)c * pixels)
                                             : assay::vec<scalar_t, V>{};
#pragma unroll
    for (int i = 0; i < V; i++) {
        assay::vec<scalar_t, 8> of_pixel;
#pragma unroll
        for (int c = 0; c < 8; c++)
            of_pixel[c] = channel[c][i];
        assay::store_vec(to + (int64_t)i * all_chunks * 8, of_pixel);
    }
}

// One chunk a thread; neighbouring threads have neighbouring taps, as the weights lie.
static __device__ void pack_weight(const pack_plan &plan, const conv_shape &s)
{
    const int taps = s.r * s.s;
    const int64_t i = (int64_t)(blockIdx.x - plan.image_blocks) * blockDim.x + threadIdx.x;
    const int tap = (int)(i % taps), at = (int)(i / taps % plan.chunks), first_c = at * 8;
    const int64_t k = i / taps / plan.chunks;
    if (k >= s.k)
        return;
    assay::vec<scalar_t, 8> chunk;
#pragma unroll
    for (int c = 0; c < 8; c++)
        chunk[c] = first_c + c < s.group_c ? plan.weight[(k * s.group_c + first_c + c) * taps + tap]
                                           : assay::from_float<scalar_t>(0.0f);
    assay::store_vec(plan.packed_weight + ((k * taps + tap) * plan.chunks + at) * 8, chunk);
}

template <int V>
static __global__ void __launch_bounds__(PACK_THREADS) conv2d_pack(const pack_plan plan, const conv_shape s)
{
#if ASSAY_HOPPER_CODE
    assay::let_next_begin();
#endif
    if ((int)blockIdx.x < plan.image_blocks)
        pack_image<V>(plan, s);
    else
        pack_weight(plan, s);
}

constexpr int PLANE_THREADS = 128, PLANE_PIXELS = 512; // of a block

// A plane of pixels for every chunk of 8 channels: [n][groups * chunks][h][w][8]. A block reads 512 pixels of
// 8 channels in vectors of V pixels, and writes them through shared memory a pixel a thread, so that
// neighbouring threads read and write what is neighbouring.
template <int V>
static __device__ void pack_plane(const pack_plan &plan, const conv_shape &s)
{
    constexpr int ROW = PLANE_PIXELS + 8, EACH = PLANE_PIXELS / V, COUNT = 8 * EACH / PLANE_THREADS;
    __shared__ __align__(16) scalar_t tile[8 * ROW];
    const int pixels = s.h * s.w, all_chunks = s.groups * plan.chunks, t = (int)threadIdx.x;
    const int plane = (int)blockIdx.x / plan.blocks_along,
              first = (int)blockIdx.x % plan.blocks_along * PLANE_PIXELS;
    const int n = plane / all_chunks, group = plane % all_chunks / plan.chunks,
              first_c = plane % all_chunks % plan.chunks * 8;
    const scalar_t *from = plan.x + ((int64_t)n * s.c + group * s.group_c + first_c) * pixels + first;
    assay::vec<scalar_t, V> loaded[COUNT];
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        const int c = (i * PLANE_THREADS + t) / EACH, pixel = (i * PLANE_THREADS + t) % EACH * V;
        loaded[i] = first_c + c < s.group_c && first + pixel < pixels
                        ? assay::load_vec<V>(from + (int64_t)c * pixels + pixel)
                        : assay::vec<scalar_t, V>{};
    }
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        assay::store_vec(tile + (i * PLANE_THREADS + t) / EACH * ROW + (i * PLANE_THREADS + t) % EACH * V,
                         loaded[i]);
    __syncthreads();
    scalar_t *to = plan.packed_x + ((int64_t)plane * pixels + first) * 8;
#pragma unroll
    for (int pixel = t; pixel < PLANE_PIXELS; pixel += PLANE_THREADS) {
        assay::vec<scalar_t, 8> of_pixel;
#pragma unroll
        for (int c = 0; c < 8; c++)
            of_pixel[c] = tile[c * ROW + pixel];
        if (first + pixel < pixels)
            assay::store_vec(to + pixel * 8, of_pixel);
    }
}

// For a kernel behind it that is launched early.
template <int V>
static __global__ void __launch_bounds__(PLANE_THREADS)
    conv2d_pack_planes(const pack_plan plan, const conv_shape s)
{
#if ASSAY_HOPPER_CODE
    assay::let_next_begin();
    if ((int)blockIdx.x < plan.image_blocks)
        pack_plane<V>(plan, s);
    else
        pack_weight(plan, s);
#endif
}

static assay_status plan_packing(const conv2d_args &args, const conv_shape &s, pack_plan *plan)
{
    if (args.workspace_bytes < conv2d_workspace_bytes(&args, sizeof(scalar_t)))
        return ASSAY_ERR_INVALID;
    *plan = {};
    plan->x = static_cast<const scalar_t *>(args.x);
    plan->weight = static_cast<const scalar_t *>(args.weight);
    plan->packed_weight = static_cast<scalar_t *>(args.workspace);
    plan->packed_x = reinterpret_cast<scalar_t *>(static_cast<char *>(args.workspace) +
                                                  conv2d_packed_weight_bytes(&args, sizeof(scalar_t)));
    plan->chunks = (int)(conv2d_padded(s.group_c) / 8);
    return ASSAY_OK;
}

// Fill the workspace with a plane a chunk, and the weights; there must be some.
static assay_status pack_into_planes(const conv2d_args &args, const conv_shape &s, const scalar_t **packed_x,
                                     const scalar_t **packed_weight, assay_stream stream)
{
    pack_plan plan;
    const assay_status status = plan_packing(args, s, &plan);
    if (status != ASSAY_OK)
        return status;
    *packed_x = plan.packed_x;
    *packed_weight = plan.packed_weight;
    const int pixels = s.h * s.w, v = pixels % 8 == 0 ? 8 : pixels % 4 == 0 ? 4 : pixels % 2 == 0 ? 2 : 1;
    plan.blocks_along = (pixels + PLANE_PIXELS - 1) / PLANE_PIXELS;
    const int64_t image_blocks = (int64_t)s.n * s.groups * plan.chunks * plan.blocks_along,
                  filters = (int64_t)s.k * s.r * s.s * plan.chunks,
                  blocks = image_blocks + (filters + PLANE_THREADS - 1) / PLANE_THREADS;
    if (blocks > INT32_MAX)
        return ASSAY_ERR_UNSUPPORTED;
    plan.image_blocks = (int)image_blocks;
    return assay::launch(v == 8   ? conv2d_pack_planes<8>
                         : v == 4 ? conv2d_pack_planes<4>
                         : v == 2 ? conv2d_pack_planes<2>
                                  : conv2d_pack_planes<1>,
                         dim3((unsigned)blocks), dim3(PLANE_THREADS), 0, stream, plan, s);
}

// Tensors that lie with their channels last already, but not in whole chunks; one chunk a thread, of x and
// then of weight. x's lines are the pixels of a group, weight's are taps; both have the channels of one
// group, which follow those of the one before it. `of_x`, `all`: chunks.
static __global__ void __launch_bounds__(PACK_THREADS)
    conv2d_pack_last(const pack_plan plan, int64_t of_x, int64_t all, int channels)
{
#if ASSAY_HOPPER_CODE
    assay::let_next_begin();
#endif
    const int64_t number = (int64_t)blockIdx.x * PACK_THREADS + threadIdx.x;
    if (number >= all)
        return;
    const bool is_x = number < of_x;
    const int64_t i = is_x ? number : number - of_x;
    const int first = (int)(i % plan.chunks) * 8;
    const scalar_t *from = (is_x ? plan.x : plan.weight) + i / plan.chunks * channels + first;
    assay::vec<scalar_t, 8> chunk;
#pragma unroll
    for (int c = 0; c < 8; c++)
        chunk[c] = first + c < channels ? from[c] : assay::from_float<scalar_t>(0.0f);
    assay::store_vec((is_x ? plan.packed_x : plan.packed_weight) + i * 8, chunk);
}

static assay_status pack_lines(const pack_plan &plan, const conv_shape &s, assay_stream stream)
{
    const int64_t of_x = (int64_t)s.n * s.h * s.w * s.groups * plan.chunks,
                  all = of_x + (int64_t)s.k * s.r * s.s * plan.chunks,
                  blocks = (all + PACK_THREADS - 1) / PACK_THREADS;
    if (blocks > INT32_MAX)
        return ASSAY_ERR_UNSUPPORTED;
    return blocks == 0 ? ASSAY_OK
                       : assay::launch(conv2d_pack_last, dim3((unsigned)blocks), dim3(PACK_THREADS), 0,
                                       stream, plan, of_x, all, s.group_c);
}

// Fill the workspace; *packed_x and *packed_weight point into it.
static assay_status pack_operands(const conv2d_args &args, const conv_shape &s, const scalar_t **packed_x,
                                  const scalar_t **packed_weight, assay_stream stream)
{
    pack_plan plan;
    const assay_status status = plan_packing(args, s, &plan);
    if (status != ASSAY_OK)
        return status;
    *packed_x = plan.packed_x;
    *packed_weight = plan.packed_weight;
    if (plan.chunks == 0)
        return ASSAY_OK;
    if (s.channels_last)
        return pack_lines(plan, s, stream);
    plan.lanes = 1;
    while (plan.lanes < 8 && plan.lanes < s.groups * plan.chunks)
        plan.lanes *= 2;
    const int pixels = s.h * s.w, v = pixels % 8 == 0 ? 8 : pixels % 4 == 0 ? 4 : 1;
    const int per_block = PACK_THREADS / plan.lanes * v;
    plan.blocks_across = (s.groups * plan.chunks + plan.lanes - 1) / plan.lanes;
    plan.blocks_along = (pixels + per_block - 1) / per_block;
    const int64_t image_blocks = (int64_t)s.n * plan.blocks_across * plan.blocks_along;
    const int64_t weight_chunks = (int64_t)s.k * s.r * s.s * plan.chunks;
    const int64_t blocks = image_blocks + (weight_chunks + PACK_THREADS - 1) / PACK_THREADS;
    if (blocks > INT32_MAX)
        return ASSAY_ERR_UNSUPPORTED;
    plan.image_blocks = (int)image_blocks;
    return assay::launch(v == 8   ? conv2d_pack<8>
                         : v == 4 ? conv2d_pack<4>
                                  : conv2d_pack<1>,
                         dim3((unsigned)blocks), dim3(PACK_THREADS), 0, stream, plan, s);
}

#endif
