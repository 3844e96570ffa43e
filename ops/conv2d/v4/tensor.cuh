// f16 and bf16 convolution on tensor cores with fp32 sums: implicit GEMM by mma.sync m16n8k16.
//
// Step 3b with these additions:
//   - The tile is chosen by the shape.
//   - 1x1 filters with stride 1 and no padding need no gathering: x is the second matrix as it lies,
//     [c][position], and ldmatrix transposes it on the way into registers. Where rows keep the 16-byte
//     alignment nothing is copied first.
//   - Packing exchanges channels and pixels in registers (pack.cuh).
//   - Where tiles are few and sums long, blocks share the terms of a tile out (parts.cuh).
// Rows of the product are output channels, columns are output positions, so that a row of the finished tile
// lies in memory as out needs it; with channels last it is turned in shared memory. Chunks of a tile row are
// permuted by exclusive-or with the row number modulo 8, so that eight rows of one chunk column fall into
// different banks.
#ifndef ASSAY_OPS_CONV2D_V4_TENSOR_CUH
#define ASSAY_OPS_CONV2D_V4_TENSOR_CUH

#include "parts.cuh"

template <int BM_, int BN_, int WARPS_M_, int WARPS_N_, int STAGES_>
struct tensor_config {
    static constexpr int BM = BM_, BN = BN_, BK = 64, WARPS_M = WARPS_M_, WARPS_N = WARPS_N_,
                         STAGES = STAGES_;
    static constexpr int THREADS = 32 * WARPS_M * WARPS_N;
    static constexpr int WM = BM / WARPS_M, WN = BN / WARPS_N, MI = WM / 16,
                         NI = WN / 8;                        // mma pieces of a warp
    static constexpr int CHUNKS = BK / 8, CHUNKS_N = BN / 8; // 16-byte chunks in a row
    static constexpr int STAGE_ELEMENTS = (BM + BN) * BK;
    static constexpr int LDO =
        BN + 8; // of the finished tile in shared memory; the 8 spread rows over the banks
    static constexpr int LDP = BM + 8; // likewise with positions along rows, for channels last
    static constexpr int PIPELINE_BYTES = STAGES * STAGE_ELEMENTS * 2, TILE_FIRST_BYTES = BM * LDO * 2,
                         TILE_LAST_BYTES = BN * LDP * 2;
    static constexpr int TILE_BYTES = TILE_FIRST_BYTES > TILE_LAST_BYTES ? TILE_FIRST_BYTES : TILE_LAST_BYTES;
    static constexpr int SHARED_BYTES = PIPELINE_BYTES > TILE_BYTES ? PIPELINE_BYTES : TILE_BYTES;
    static constexpr int ROWS = THREADS / CHUNKS,
                         ROWS_N = THREADS / CHUNKS_N; // that one copy by all threads covers
    static_assert(BM % ROWS == 0 && BN % ROWS == 0 && BK % ROWS_N == 0, "copies divide evenly");
    static_assert(NI % 2 == 0 && STAGES >= 2, "see the loops below");
};

struct tensor_operands {
    const scalar_t
        *x; // [n][h][w][groups * chunks * 8], or as it is for a pointwise convolution, channels first
    const scalar_t *weight; // [k][r][s][chunks * 8]
    const scalar_t *bias;
    scalar_t *out;
    int chunks;   // of a group's input channels
    float *parts; // where blocks share the terms of a tile out: their sums; or NULL
};

// Element offset of a chunk in a tile with CHUNKS chunks a row.
template <int CHUNKS>
static __device__ __forceinline__ int swizzled(int row, int chunk)
{
    return (row * CHUNKS + (chunk ^ (row % 8 % CHUNKS))) * 8;
}

// ---- bringing tiles ----

// This thread's chunk column in the sequence (r, s, chunk of channels) of terms.
struct term_cursor {
    int r, s, chunk;
    __device__ __forceinline__ void advance(int chunks_on, const conv_shape &shape, int chunks)
    {
        chunk += chunks_on;
        while (chunk >= chunks) {
            chunk -= chunks;
            if (++s == shape.s)
                s = 0, r++;
        }
    }
};

// x gathered by positions; each thread has one chunk column and every ROWS-th position of the tile.
template <class C>
struct gathered_image {
    static constexpr int COUNT = C::BN / C::ROWS;
    int pixel[COUNT], h[COUNT], w[COUNT]; // first tap's pixel number (may lie in the padding), row and column

    __device__ __forceinline__ void start(const tensor_operands &, const conv_shape &s, int tile_n, int)
    {
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            const int position = tile_n + (int)threadIdx.x / C::CHUNKS + i * C::ROWS;
            const conv_origin origin = origin_of(s, position < s.positions ? position : 0);
            h[i] = position < s.positions ? origin.h : INT32_MIN / 2; // outside for every tap
            w[i] = origin.w;
            pixel[i] = (origin.n * s.h + origin.h) * s.w + origin.w;
        }
    }
    __device__ __forceinline__ void copy(scalar_t *to, const tensor_operands &o, const conv_shape &s,
                                         int group, const term_cursor &term, int) const
    {
        const int down = term.r * s.dilation, right = term.s * s.dilation_w,
                  channels = s.groups * o.chunks * 8;
        const scalar_t *x = o.x + (group * o.chunks + term.chunk) * 8;
        to += swizzled<C::CHUNKS>(threadIdx.x / C::CHUNKS, threadIdx.x % C::CHUNKS);
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            const bool inside = term.r < s.r && is_inside(s, h[i] + down, w[i] + right);
            const int64_t at = (int64_t)(pixel[i] + down * s.w + right) * channels;
            assay::cp_async_16(to + i * C::ROWS * C::BK, inside ? x + at : o.x, inside ? 16 : 0);
        }
    }
    // The operand's registers for 16 terms and two neighbouring pieces of 8 positions.
    static __device__ __forceinline__ void read(uint32_t *b, const scalar_t *tile, int column, int k16)
    {
        const int lane = threadIdx.x % 32;
        assay::ldmatrix_x4(
            b, tile + swizzled<C::CHUNKS>(column + lane % 8 + lane / 16 * 8, k16 * 2 + lane / 8 % 2));
    }
};

// x as it lies: rows are channels, columns positions. Each thread has one chunk of 8 positions, which lie in
// one image.
template <class C>
struct pointwise_image {
    int64_t first; // offset of the first channel at this thread's positions
    bool has_positions;

    __device__ __forceinline__ void start(const tensor_operands &, const conv_shape &s, int tile_n, int group)
    {
        const int position = tile_n + (int)threadIdx.x % C::CHUNKS_N * 8, plane = s.h * s.w;
        has_positions = position < s.positions;
        first = ((int64_t)(position / plane) * s.c + group * s.group_c) * plane + position % plane;
    }
    __device__ __forceinline__ void copy(scalar_t *to, const tensor_operands &o, const conv_shape &s, int,
                                         const term_cursor &, int tile_k) const
    {
        const int row = (int)threadIdx.x / C::CHUNKS_N, plane = s.h * s.w;
        to += swizzled<C::CHUNKS_N>(row, threadIdx.x % C::CHUNKS_N);
#pragma unroll
        for (int i = 0; i < C::BK; i += C::ROWS_N) {
            const int c = tile_k * C::BK + row + i;
            const bool inside = has_positions && c < s.group_c;
            assay::cp_async_16(to + i * C::BN, inside ? o.x + first + (int64_t)c * plane : o.x,
                               inside ? 16 : 0);
        }
    }
    static __device__ __forceinline__ void read(uint32_t *b, const scalar_t *tile, int column, int k16)
    {
        const int lane = threadIdx.x % 32;
        assay::ldmatrix_x4_trans(b,
                                 tile + swizzled<C::CHUNKS_N>(k16 * 16 + lane % 16, column / 8 + lane / 16));
    }
};

template <class C>
static __device__ __forceinline__ void copy_weights(scalar_t *to, const tensor_operands &o,
                                                    const conv_shape &s, int group, int first_k,
                                                    const term_cursor &term)
{
    const int row = (int)threadIdx.x / C::CHUNKS;
    const int64_t length = (int64_t)s.r * s.s * o.chunks * 8; // of a channel
    const int64_t at = ((term.r * s.s + term.s) * o.chunks + term.chunk) * 8;
    to += swizzled<C::CHUNKS>(row, threadIdx.x % C::CHUNKS);
#pragma unroll
    for (int i = 0; i < C::BM; i += C::ROWS) {
        const int k = first_k + row + i;
        const bool inside = k < s.group_k && term.r < s.r;
        assay::cp_async_16(to + i * C::BK,
                           inside ? o.weight + (int64_t)(group * s.group_k + k) * length + at : o.weight,
                           inside ? 16 : 0);
    }
}

// ---- multiplying ----

template <class C, class Image>
static __device__ __forceinline__ void multiply_stage(float (&sums)[C::MI][C::NI][4], const scalar_t *stage,
                                                      int row, int column)
{
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int k16 = 0; k16 < C::BK / 16; k16++) {
        uint32_t a[C::MI][4], b[C::NI][2];
#pragma unroll
        for (int i = 0; i < C::MI; i++)
            assay::ldmatrix_x4(a[i],
                               stage + swizzled<C::CHUNKS>(row + i * 16 + lane % 16, k16 * 2 + lane / 16));
#pragma unroll
        for (int j = 0; j < C::NI; j += 2)
            Image::read(b[j], stage + C::BM * C::BK, column + j * 8, k16);
#pragma unroll
        for (int i = 0; i < C::MI; i++)
#pragma unroll
            for (int j = 0; j < C::NI; j++)
                assay::mma_m16n8k16<scalar_t>(sums[i][j], a[i], b[j], sums[i][j]);
    }
}

// Add the bias, round, and lay the tile out in shared memory, rows LDO apart.
template <class C>
static __device__ __forceinline__ void stage_tile(scalar_t *shared, const float (&sums)[C::MI][C::NI][4],
                                                  const scalar_t *bias, int channels, int row, int column)
{
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < C::MI; i++)
#pragma unroll
        for (int half = 0; half < 2; half++) {
            const int k = row + i * 16 + half * 8 + lane / 4;
            const float b = k < channels ? assay::to_float(bias[k]) : 0.0f;
#pragma unroll
            for (int j = 0; j < C::NI; j++)
                assay::store_vec(
                    shared + k * C::LDO + column + j * 8 + lane % 4 * 2,
                    assay::vec<scalar_t, 2>{{assay::from_float<scalar_t>(sums[i][j][half * 2] + b),
                                             assay::from_float<scalar_t>(sums[i][j][half * 2 + 1] + b)}});
        }
}

// Write the tile in shared memory to out, N positions at a time; N divides the positions of an image.
// `first_k`: of all groups.
template <class C, int N>
static __device__ __forceinline__ void store_tile(scalar_t *out, const scalar_t *shared, const conv_shape &s,
                                                  int first_k, int channels, int tile_n)
{
    constexpr int EACH = C::BN / N;
    for (int e = threadIdx.x; e < C::BM * EACH; e += C::THREADS) {
        const int k = e / EACH, column = e % EACH * N;
        if (k < channels && tile_n + column < s.positions)
            assay::store_vec(out + output_offset(s, tile_n + column, first_k + k),
                             assay::load_vec<N>(shared + k * C::LDO + column));
    }
}

// The same for channels last: positions along rows, LDP apart.
template <class C>
static __device__ __forceinline__ void stage_tile_last(scalar_t *shared, const float (&sums)[C::MI][C::NI][4],
                                                       const scalar_t *bias, int channels, int row,
                                                       int column)
{
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < C::MI; i++)
#pragma unroll
        for (int half = 0; half < 2; half++) {
            const int k = row + i * 16 + half * 8 + lane / 4;
            const float b = k < channels ? assay::to_float(bias[k]) : 0.0f;
#pragma unroll
            for (int j = 0; j < C::NI * 2; j++)
                shared[(column + j / 2 * 8 + lane % 4 * 2 + j % 2) * C::LDP + k] =
                    assay::from_float<scalar_t>(sums[i][j / 2][half * 2 + j % 2] + b);
        }
}

// N channels at a time; N divides s.k and the channels that exist.
template <class C, int N>
static __device__ __forceinline__ void store_tile_last(scalar_t *out, const scalar_t *shared,
                                                       const conv_shape &s, int first_k, int channels,
                                                       int tile_n)
{
    constexpr int EACH = C::BM / N;
    for (int e = threadIdx.x; e < C::BN * EACH; e += C::THREADS) {
        const int column = e / EACH, k = e % EACH * N;
        if (k < channels && tile_n + column < s.positions)
            assay::store_vec(out + (int64_t)(tile_n + column) * s.k + first_k + k,
                             assay::load_vec<N>(shared + column * C::LDP + k));
    }
}

// `k`: of all groups; `channels` from there on exist.
template <class C>
static __device__ __forceinline__ void store_part(float *to, const float (&sums)[C::MI][C::NI][4],
                                                  const conv_shape &s, int k, int channels, int position)
{
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < C::MI; i++)
#pragma unroll
        for (int j = 0; j < C::NI; j++)
#pragma unroll
            for (int e = 0; e < 4; e++) {
                const int channel = i * 16 + e / 2 * 8 + lane / 4,
                          at = position + j * 8 + lane % 4 * 2 + e % 2;
                if (channel < channels && at < s.positions)
                    to[part_offset(s, at, k + channel)] = sums[i][j][e];
            }
}

// Blocks: x along tiles, y along groups, z along a tile's terms, `steps` times 64 of them each.
template <class C, class Image>
static __global__ void __launch_bounds__(C::THREADS)
    conv2d_tensor(const tensor_operands o, const conv_shape s, int tiles_m, int steps)
{
    ASSAY_DYNAMIC_SHARED(scalar_t, stages);
#if ASSAY_HOPPER_CODE
    assay::wait_for_previous(); // which may copy x and weight
#endif
    // Channel tiles follow each other, so that blocks running at the same time share x in L2.
    const int group = blockIdx.y, first_k = (int)blockIdx.x % tiles_m * C::BM,
              tile_n = (int)blockIdx.x / tiles_m * C::BN;
    const int warp = threadIdx.x / 32, row = warp / C::WARPS_N * C::WM, column = warp % C::WARPS_N * C::WN;
    const int tiles_k = (s.r * s.s * o.chunks + C::CHUNKS - 1) / C::CHUNKS, begin = (int)blockIdx.z * steps,
              end = begin + steps < tiles_k ? begin + steps : tiles_k;
    term_cursor term = {0, 0, 0};
    if (tiles_k > 0)
        term.advance(begin * C::CHUNKS + threadIdx.x % C::CHUNKS, s, o.chunks);
    Image image;
    image.start(o, s, tile_n, group);
    const auto bring = [&](int tile_k) {
        scalar_t *stage = stages + tile_k % C::STAGES * C::STAGE_ELEMENTS;
        if (tile_k < end) {
            copy_weights<C>(stage, o, s, group, first_k, term);
            image.copy(stage + C::BM * C::BK, o, s, group, term, tile_k);
            term.advance(C::CHUNKS, s, o.chunks);
        }
        assay::cp_async_commit(); // also an empty group, so that groups can be counted
    };

    for (int i = 0; i < C::STAGES - 1; i++)
        bring(begin + i);
    float sums[C::MI][C::NI][4] = {};
    for (int tile_k = begin; tile_k < end; tile_k++) {
        assay::cp_async_wait<C::STAGES - 2>();
        __syncthreads(); // this tile has landed, and nobody reads the one before it any more
        bring(tile_k + C::STAGES - 1);
        multiply_stage<C, Image>(sums, stages + tile_k % C::STAGES * C::STAGE_ELEMENTS, row, column);
    }

    const int channels = s.group_k - first_k, k = group * s.group_k + first_k, plane = s.p * s.q;
    if (o.parts) {
#if ASSAY_HOPPER_CODE
        assay::let_next_begin();
#endif
        store_part<C>(o.parts + (int64_t)blockIdx.z * s.positions * s.k, sums, s, k + row, channels - row,
                      tile_n + column);
        return;
    }
    assay::cp_async_wait<0>();
    __syncthreads(); // the pipeline's memory is free from here on
    if (s.channels_last) {
        stage_tile_last<C>(stages, sums, o.bias + k, channels, row, column);
        __syncthreads();
        if (s.group_k % 8 == 0)
            store_tile_last<C, 8>(o.out, stages, s, k, channels, tile_n);
        else
            store_tile_last<C, 1>(o.out, stages, s, k, channels, tile_n);
        return;
    }
    stage_tile<C>(stages, sums, o.bias + k, channels, row, column);
    __syncthreads();
    if (plane % 8 == 0)
        store_tile<C, 8>(o.out, stages, s, k, channels, tile_n);
    else if (plane % 4 == 0)
        store_tile<C, 4>(o.out, stages, s, k, channels, tile_n);
    else
        store_tile<C, 1>(o.out, stages, s, k, channels, tile_n);
}

// ---- launching ----

// `splits`: blocks that share a tile's terms out. `packed`: a launch of this call goes before.
template <class C>
static assay_status tensor_launch(const tensor_operands &operands, const conv_shape &s, bool pointwise,
                                  bool packed, int splits, assay_stream stream)
{
    const int64_t tiles_m = (s.group_k + C::BM - 1) / C::BM, tiles_n = (s.positions + C::BN - 1) / C::BN;
    if (tiles_m > INT32_MAX / tiles_n || s.groups > 65535)
        return ASSAY_ERR_UNSUPPORTED;
    const int all = (s.r * s.s * operands.chunks + C::CHUNKS - 1) / C::CHUNKS,
              steps = (all + splits - 1) / splits;
    const auto kernel =
        pointwise ? conv2d_tensor<C, pointwise_image<C>> : conv2d_tensor<C, gathered_image<C>>;
    const dim3 grid((unsigned)(tiles_m * tiles_n), (unsigned)s.groups, (unsigned)splits), block(C::THREADS);
    return packed && assay::hopper_available() ? assay::launch_early(kernel, grid, block, C::SHARED_BYTES,
                                                                     stream, operands, s, (int)tiles_m, steps)
                                               : assay::launch(kernel, grid, block, C::SHARED_BYTES, stream,
                                                               operands, s, (int)tiles_m, steps);
}

#endif
