// softmax, v5 of the run: half the vectors a thread, twice the threads a row.
#include <assay/kernel.h>
#include "../common/block_tile.h"
#include "max_sum.h"
#include "softmax.h"
#include "v4/batch.h"
#include "v4/max_sum_reduction.h"

#define BLOCK_THREADS      256
#define TILE               4096
#define VECTORS_PER_THREAD 2
#define FILL_THREADS       270336

// The value of the whole block, given to every thread: shuffles within a warp, one exchange between warps.
template <class Operator>
static __device__ float reduce_block(float value, float neutral, float *partial, Operator combine)
{
    for (int offset = 16; offset > 0; offset /= 2)
        value = combine(value, __shfl_xor_sync(0xffffffffu, value, offset));
    if (threadIdx.x % 32 == 0)
        partial[threadIdx.x / 32] = value;
    __syncthreads();
    value = threadIdx.x % 32 < BLOCK_THREADS / 32 ? partial[threadIdx.x % 32] : neutral;
    for (int offset = 16; offset > 0; offset /= 2)
        value = combine(value, __shfl_xor_sync(0xffffffffu, value, offset));
    __syncthreads(); // partial may now be used again
    return value;
}

constexpr int LANES = assay::vec16<scalar_t>::size;

// Elements threadIdx.x * N, + BLOCK_THREADS * N, ... of a tile whose count N divides.
template <int N>
static __device__ void load_wide(float *tile, int count, const scalar_t *x)
{
    for (int i = threadIdx.x * N; i < count; i += BLOCK_THREADS * N) {
        const assay::vec<scalar_t, N> v = assay::load_vec<N>(x + i);
        for (int lane = 0; lane < N; lane++)
            tile[i + lane] = assay::to_float(v[lane]);
    }
}

template <int N>
static __device__ void store_wide(scalar_t *out, int count, const float *tile, float max, float factor)
{
    for (int i = threadIdx.x * N; i < count; i += BLOCK_THREADS * N) {
        assay::vec<scalar_t, N> v;
        for (int lane = 0; lane < N; lane++)
            v[lane] = assay::from_float<scalar_t>(expf(tile[i + lane] - max) * factor);
        assay::store_vec(out + i, v);
    }
}

template <int N>
static __global__ void softmax_row(const scalar_t *x, scalar_t *out, int64_t rows, int64_t length,
                                   int64_t inner)
{
    __shared__ float tile[TILE], partial[BLOCK_THREADS / 32];
    const int64_t tiles = (length + TILE - 1) / TILE;
    for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
        const int64_t first = row / inner * length * inner + row % inner;
        float max = -INFINITY, sum = 0.0f;
        for (int64_t t = 0; t < tiles; t++) {
            const int count = (int)(length - t * TILE < TILE ? length - t * TILE : TILE);
            if (N > 1)
                load_wide<N>(tile, count, x + first + t * TILE);
            else
                load_tile<BLOCK_THREADS>(tile, count, x + first + t * TILE * inner, inner);
            __syncthreads(); // a thread's elements are others now
            float tile_max = -INFINITY, tile_sum = 0.0f;
            for (int i = threadIdx.x; i < count; i += BLOCK_THREADS)
                tile_max = fmaxf(tile_max, tile[i]);
            const float new_max = fmaxf(max, reduce_block(tile_max, -INFINITY, partial, maximum()));
            for (int i = threadIdx.x; i < count; i += BLOCK_THREADS)
                tile_sum += expf(tile[i] - origin(new_max));
            sum = sum * expf(max - origin(new_max)) + reduce_block(tile_sum, 0.0f, partial, addition());
            max = new_max;
        }
        for (int64_t t = tiles - 1; t >= 0; t--) {
            const int count = (int)(length - t * TILE < TILE ? length - t * TILE : TILE);
            if (t != tiles - 1) {
                __syncthreads();
                if (N > 1)
                    load_wide<N>(tile, count, x + first + t * TILE);
                else
                    load_tile<BLOCK_THREADS>(tile, count, x + first + t * TILE * inner, inner);
                __syncthreads();
            }
            if (N > 1) {
                store_wide<N>(out + first + t * TILE, count, tile, origin(max), 1.0f / sum);
                continue;
            }
            for (int i = threadIdx.x; i < count; i += BLOCK_THREADS)
                out[first + (t * TILE + i) * inner] =
                    assay::from_float<scalar_t>(expf(tile[i] - origin(max)) / sum);
        }
        __syncthreads(); // before the next row's tile
    }
}

// The step-4 kernel of the ladder: VECTORS vectors a thread, all loaded before the first is used.
template <int VECTORS, int WIDTH, row_shape SHAPE>
static __global__ void __launch_bounds__(MAX_THREADS)
    softmax_rows(const scalar_t *x, scalar_t *out, int64_t rows, int64_t length)
{
    constexpr bool MANY = SHAPE == MANY_BATCHES;
    const row_share<VECTORS, WIDTH, SHAPE> share(x, rows, length);
    const int t = share.t, threads = share.threads;
    x += share.row * length;
    out += share.row * length;
    const float edge_x = share.has_edge ? assay::to_float(x[share.edge]) : -INFINITY;
    softmax_batch<VECTORS> part;
    const max_sum mine = measure_share(x, share, edge_x, part);
    const max_sum whole = reduce_row<WIDTH, max_sum_reduction>(mine);
    const float factor = __fdividef(rescale(mine.max, origin(whole.max)), whole.sum);
    if (share.has_edge)
        out[share.edge] = assay::from_float<scalar_t>(__expf(edge_x - origin(mine.max)) * factor);
    part.store(out + share.start(share.last), t, threads, share.count(share.last), factor);
    for (int64_t b = share.last - 1; MANY && b >= 0; b--) {
        part.load(x + share.start(b), t, threads, share.count(b), MINUS_INFINITY);
        part.exponentiate(origin(mine.max));
        part.store(out + share.start(b), t, threads, share.count(b), factor);
    }
}

struct softmax_kernels {
    static constexpr int USUAL_VECTORS = VECTORS_PER_THREAD, SMALL_BLOCK = 256;
    static constexpr int64_t FULL = FILL_THREADS;
    static constexpr int block_threads(int) { return MAX_THREADS; }
    template <int VECTORS, int WIDTH, row_shape SHAPE>
    static auto of()
    {
        return softmax_rows<VECTORS, WIDTH, SHAPE>;
    }
};

extern "C" assay_status softmax_run(const softmax_args *args, assay_stream stream)
{
    const int64_t rows = args->outer * args->inner;
    if (rows == 0 || args->length == 0)
        return ASSAY_OK;
    const scalar_t *x = static_cast<const scalar_t *>(args->x);
    scalar_t *to = static_cast<scalar_t *>(args->out);
    if (args->inner == 1 && ((uintptr_t)args->x ^ (uintptr_t)args->out) % 16 == 0)
        return launch_rows<softmax_kernels>(rows, args->length,
                                            args->length % LANES == 0 && is_aligned(args->x), stream, x, to,
                                            rows, args->length);
    const int64_t blocks = rows < 0x7fffffff ? rows : 0x7fffffff;
    const bool aligned = args->inner == 1 && ((uintptr_t)args->x | (uintptr_t)args->out) % 16 == 0 &&
                         args->length % LANES == 0;
    return assay::launch(aligned ? softmax_row<LANES> : softmax_row<1>, dim3((unsigned)blocks),
                         dim3(BLOCK_THREADS), 0, stream, static_cast<const scalar_t *>(args->x),
                         static_cast<scalar_t *>(args->out), rows, args->length, args->inner);
}
