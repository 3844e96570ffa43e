// transpose, step 4: vectors on both sides, tiles in shared memory, many bytes in flight.
//
// Steps 2 and 3 together. A block moves a tile of SPAN vectors in both directions (64 x 64 for f32, 128 x 128 for 2-byte types):
// - a thread reads a square of LANES x LANES elements by as many independent 16-byte loads, all issued before the first use,
//   and exchanges rows and columns in registers as in step 3;
// - it stores the columns as 16-byte chunks into the tile, which lies in shared memory already transposed; a chunk's
//   place in its row is permuted by exclusive-or with the row number over LANES. So eight lanes that store
//   to eight rows of one chunk column, and eight that read one row, both meet all 32 banks once, without padding;
// - after one barrier 16 lanes together write 256 contiguous bytes, two whole lines, and the reads were as wide.
// Blocks take tiles down a band of BAND_TILES tile rows before they move right, so that what is written at one time lies close
// together in out's rows as well as in x's. Past STREAM_MIB nothing will be found in cache again: loads and stores are
// marked as streaming. Small problems take tiles of half the span, so that more multiprocessors have one.
// Sizes that are no multiple of a vector go through a scalar tile of 64 x 64, 16 elements a thread.
// Expected effect: above 92% of a device copy from 4096 on for all types; a microsecond above an empty kernel at 256.
// Tunables: SPAN, BAND_TILES, STREAM_MIB (size of both tensors together).
#include <assay/kernel.h>
#include "square.cuh"
#include "transpose.h"

#ifndef SPAN
#define SPAN 16
#endif
#ifndef BAND_TILES
#define BAND_TILES 8
#endif
#ifndef STREAM_MIB
#define STREAM_MIB 32 // more than this does not stay in the L2 (50 MB on an H100)
#endif

constexpr int SMALL_SPAN = 8;
constexpr int64_t FEW = 132 * 4; // tiles below which a smaller tile keeps more of the machine busy

template <bool STREAM>
static __device__ __forceinline__ uint4 load(const scalar_t *p)
{
    const uint4 *from = reinterpret_cast<const uint4 *>(p);
    return STREAM ? __ldcs(from) : __ldg(from);
}

template <bool STREAM>
static __device__ __forceinline__ void store(scalar_t *p, const uint4 &v)
{
    uint4 *to = reinterpret_cast<uint4 *>(p);
    if constexpr (STREAM)
        __stcs(to, v);
    else
        __stwb(to, v);
}

struct tile_grid {
    unsigned down, across; // tiles of one matrix
};

struct tile_place {
    int64_t batch, row, column; // tile row and tile column
};

static __device__ __forceinline__ tile_place place_of(unsigned block, tile_grid grid)
{
    const unsigned batch = block / (grid.down * grid.across), tile = block % (grid.down * grid.across);
    const unsigned band = tile / (BAND_TILES * grid.across), inside = tile % (BAND_TILES * grid.across);
    const unsigned rest = grid.down - band * BAND_TILES, height = rest < BAND_TILES ? rest : BAND_TILES;
    return {batch, band * BAND_TILES + inside % height, inside / height};
}

// rows and columns are multiples of LANES. T is the tile's span in vectors.
template <int T, bool STREAM>
static __global__ void __launch_bounds__(T *T)
    transpose_tiles(const scalar_t *__restrict__ x, scalar_t *__restrict__ out, int64_t rows, int64_t columns,
                    tile_grid grid)
{
    __shared__ uint4 tile[T * LANES * T]; // T * LANES rows of T chunks
    const tile_place at = place_of(blockIdx.x, grid);
    const int across = threadIdx.x % T, down = threadIdx.x / T;
    const auto chunk = [&](int column, int index) -> uint4 & {
        return tile[column * T + (index ^ (column / LANES % 8))];
    };

    const int64_t r = (at.row * T + down) * LANES, c = (at.column * T + across) * LANES;
    if (r < rows && c < columns) {
        const scalar_t *from = x + (at.batch * rows + r) * columns + c;
        square s;
#pragma unroll
        for (int i = 0; i < LANES; i++)
            s.set_row(i, load<STREAM>(from + i * columns));
#pragma unroll
        for (int j = 0; j < LANES; j++)
            chunk(across * LANES + j, down) = s.column(j);
    }
    __syncthreads();

    const int64_t to_r = (at.row * T + across) * LANES, to_c = at.column * T * LANES + down;
    scalar_t *to = out + (at.batch * columns + to_c) * rows + to_r;
#pragma unroll
    for (int i = 0; i < LANES; i++)
        if (to_r < rows && to_c + i * T < columns)
            store<STREAM>(to + i * T * rows, chunk(i * T + down, across));
}

// Any size and alignment: one element an access.
constexpr int SCALAR_TILE = 64, SCALAR_ROWS = 4, SCALAR_EACH = SCALAR_TILE / SCALAR_ROWS;
static __global__ void __launch_bounds__(SCALAR_TILE *SCALAR_ROWS)
    transpose_scalar(const scalar_t *__restrict__ x, scalar_t *__restrict__ out, int64_t rows,
                     int64_t columns, tile_grid grid)
{
    __shared__ scalar_t tile[SCALAR_TILE][SCALAR_TILE + 4 / sizeof(scalar_t)]; // padded by one bank
    const tile_place at = place_of(blockIdx.x, grid);
    const int64_t first_r = at.row * SCALAR_TILE, first_c = at.column * SCALAR_TILE;
    const int side = threadIdx.x % SCALAR_TILE, first = threadIdx.x / SCALAR_TILE;
    x += at.batch * rows * columns;
    out += at.batch * rows * columns;

    scalar_t held[SCALAR_EACH] = {};
#pragma unroll
    for (int i = 0; i < SCALAR_EACH; i++) {
        const int64_t r = first_r + first + i * SCALAR_ROWS, c = first_c + side;
        if (r < rows && c < columns)
            held[i] = x[r * columns + c];
    }
#pragma unroll
    for (int i = 0; i < SCALAR_EACH; i++)
        tile[first + i * SCALAR_ROWS][side] = held[i];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < SCALAR_EACH; i++) {
        const int64_t c = first_c + first + i * SCALAR_ROWS, r = first_r + side;
        if (c < columns && r < rows)
            out[c * rows + r] = tile[side][first + i * SCALAR_ROWS];
    }
}

using kernel_fn = void (*)(const scalar_t *, scalar_t *, int64_t, int64_t, tile_grid);

static int64_t count_tiles(const transpose_args *args, int64_t side)
{
    return args->batch * ((args->rows + side - 1) / side) * ((args->columns + side - 1) / side);
}

static assay_status launch(kernel_fn kernel, const transpose_args *args, int side, int threads,
                           assay_stream stream)
{
    const int64_t down = (args->rows + side - 1) / side, across = (args->columns + side - 1) / side;
    if (down > INT32_MAX / across || args->batch > INT32_MAX / (down * across))
        return ASSAY_ERR_UNSUPPORTED; // more tiles than a grid can have
    const tile_grid grid = {(unsigned)down, (unsigned)across};
    return assay::launch(kernel, dim3((unsigned)(args->batch * down * across)), dim3((unsigned)threads), 0,
                         stream, static_cast<const scalar_t *>(args->x), static_cast<scalar_t *>(args->out),
                         args->rows, args->columns, grid);
}

extern "C" assay_status transpose_run(const transpose_args *args, assay_stream stream)
{
    const int64_t count = args->batch * args->rows * args->columns;
    if (count == 0)
        return ASSAY_OK;
    const bool aligned = ((uintptr_t)args->x | (uintptr_t)args->out) % 16 == 0;
    if (!aligned || args->rows % LANES != 0 || args->columns % LANES != 0)
        return launch(transpose_scalar, args, SCALAR_TILE, SCALAR_TILE * SCALAR_ROWS, stream);

    const bool streaming = 2 * count * (int64_t)sizeof(scalar_t) > (int64_t)STREAM_MIB << 20;
    if (count_tiles(args, SPAN * LANES) < FEW)
        return launch(streaming ? transpose_tiles<SMALL_SPAN, true> : transpose_tiles<SMALL_SPAN, false>,
                      args, SMALL_SPAN * LANES, SMALL_SPAN * SMALL_SPAN, stream);
    return launch(streaming ? transpose_tiles<SPAN, true> : transpose_tiles<SPAN, false>, args, SPAN * LANES,
                  SPAN * SPAN, stream);
}
