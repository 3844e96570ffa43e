// Copies x and weight from channels first to channels last, for a kernel that is launched early behind this
// one.
#ifndef ASSAY_OPS_CONV2D_V4_PACK_LAST_CUH
#define ASSAY_OPS_CONV2D_V4_PACK_LAST_CUH

#include "pack.cuh"

constexpr int TURN_THREADS = 256,
              TURN_ROW = 66; // pixels of a channel in shared memory; 33 words spread channels over the banks

// 64 channels by 64 pixels of an image a block. Reads and writes have 128 bytes side by side; between them
// the block turns them in shared memory. V pixels are read at once. Channels of the padding are written as
// zeros.
template <int V>
static __device__ void turn_image(const pack_plan &plan, const conv_shape &s)
{
    constexpr int EACH = 64 / V, COUNT = 64 * EACH / TURN_THREADS, WORD = V < 2 ? 1 : 2;
    __shared__ __align__(16) scalar_t tile[64 * TURN_ROW];
    const int pixels = s.h * s.w, all_chunks = s.groups * plan.chunks, t = (int)threadIdx.x;
    int block = (int)blockIdx.x;
    const int first_chunk = block % plan.blocks_across * 8;
    block /= plan.blocks_across;
    const int first_pixel = block % plan.blocks_along * 64, n = block / plan.blocks_along;
    assay::vec<scalar_t, V> loaded[COUNT];
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        const int row = (i * TURN_THREADS + t) / EACH,
                  pixel = first_pixel + (i * TURN_THREADS + t) % EACH * V;
        const int chunk = first_chunk + row / 8, group = chunk / plan.chunks,
                  c = chunk % plan.chunks * 8 + row % 8;
        const bool inside = chunk < all_chunks && c < s.group_c && pixel < pixels;
        loaded[i] =
            inside ? assay::load_vec<V>(plan.x + ((int64_t)n * s.c + group * s.group_c + c) * pixels + pixel)
                   : assay::vec<scalar_t, V>{};
    }
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        scalar_t *to = tile + (i * TURN_THREADS + t) / EACH * TURN_ROW + (i * TURN_THREADS + t) % EACH * V;
#pragma unroll
        for (int e = 0; e < V; e += WORD) {
            assay::vec<scalar_t, WORD> word;
#pragma unroll
            for (int lane = 0; lane < WORD; lane++)
                word[lane] = loaded[i][e + lane];
            assay::store_vec(to + e, word);
        }
    }
    __syncthreads();
#pragma unroll
    for (int i = t; i < 64 * 8; i += TURN_THREADS) {
        const int chunk = i % 8, pixel = i / 8;
        assay::vec<scalar_t, 8> of_pixel;
#pragma unroll
        for (int c = 0; c < 8; c++)
            of_pixel[c] = tile[(chunk * 8 + c) * TURN_ROW + pixel];
        if (first_chunk + chunk < all_chunks && first_pixel + pixel < pixels)
            assay::store_vec(
                plan.packed_x +
                    (((int64_t)n * pixels + first_pixel + pixel) * all_chunks + first_chunk + chunk) * 8,
                of_pixel);
    }
}

template <int V>
static __global__ void __launch_bounds__(TURN_THREADS) conv2d_turn(const pack_plan plan, const conv_shape s)
{
#if ASSAY_HOPPER_CODE
    assay::let_next_begin();
    if ((int)blockIdx.x < plan.image_blocks)
        turn_image<V>(plan, s);
    else
        pack_weight(plan, s);
#endif
}

// Fill the workspace; there must be some channels.
static assay_status turn_operands(const conv2d_args &args, const conv_shape &s, const scalar_t **packed_x,
                                  const scalar_t **packed_weight, assay_stream stream)
{
    pack_plan plan;
    const assay_status status = plan_packing(args, s, &plan);
    if (status != ASSAY_OK)
        return status;
    *packed_x = plan.packed_x;
    *packed_weight = plan.packed_weight;
    const int pixels = s.h * s.w, v = pixels % 8 == 0 ? 8 : pixels % 4 == 0 ? 4 : 1;
    plan.blocks_across = (s.groups * plan.chunks + 7) / 8;
    plan.blocks_along = (pixels + 63) / 64;
    const int64_t image_blocks = (int64_t)s.n * plan.blocks_across * plan.blocks_along,
                  filters = (int64_t)s.k * s.r * s.s * plan.chunks,
                  blocks = image_blocks + (filters + TURN_THREADS - 1) / TURN_THREADS;
    if (blocks > INT32_MAX)
        return ASSAY_ERR_UNSUPPORTED;
    plan.image_blocks = (int)image_blocks;
    return assay::launch(v == 8   ? conv2d_turn<8>
                         : v == 4 ? conv2d_turn<4>
                                  : conv2d_turn<1>,
                         dim3((unsigned)blocks), dim3(TURN_THREADS), 0, stream, plan, s);
}

#endif
