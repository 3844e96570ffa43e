// transpose, step 4: vectors on both sides, tiles in shared memory, many bytes in flight.
//
// Steps 2 and 3 together. A block moves a tile of SPAN vectors in both directions (64 x 64 for f32, 128 x 128
// for 2-byte types):
//   - a thread reads a square of LANES x LANES elements by independent 16-byte loads, all issued before the
//     first use, and transposes it in registers as in step 3;
//   - it stores the columns as 16-byte chunks into the tile, which lies in shared memory already transposed.
//     The chunks of a row are swizzled: exclusive-or of the chunk number with the row number over LANES. So
//     eight lanes that store to eight rows of one chunk column, and eight that read one row, both meet all 32
//     banks once, without padding;
//   - after one barrier 16 lanes together write 256 contiguous bytes, two whole lines; the reads are as wide.
// Blocks take tiles down a column of tiles before they move right: what is written at one time is contiguous
// in few rows of out.
// Small problems (below SMALL_ELEMENTS a multiprocessor) are limited by latency, not bandwidth: tiles of 16 x
// 16 or 32 x 32 with four elements a thread, or of 64 x 64 with eight, give more multiprocessors a block, and
// a thread one or two loads and stores. The block index is the tile index, without a division.
// Where rows of x or out are not aligned to vectors, the tile holds elements: read by vectors where x allows,
// and written by 4-byte words at out's own alignment: 128 x 64 elements, or 32 words x 32 for small problems.
// Thin matrices, of up to THIN rows or columns, would leave most of a tile empty: a block takes a part of all
// long lines (v4/thin.cuh). One row or column is a copy (v4/copy.cuh). Few elements that no vectors fit are
// moved one a thread (v4/few.cuh).
// Expected effect: above 92% of a device copy from 4096 on for all types; a microsecond above an empty kernel
// at 256.
// Tunables: SPAN, SMALL_ELEMENTS, THIN (0: thin matrices and copies go by tiles).
#include <assay/hopper.h>
#include <assay/kernel.h>
#include "square.cuh"
#include "transpose.h"
#include "v4/copy.cuh"
#include "v4/few.cuh"
#include "v4/thin.cuh"
#include <cstring>
#include <type_traits>

#ifndef SPAN
#define SPAN 16
#endif
#ifndef SMALL_ELEMENTS
#define SMALL_ELEMENTS 16384
#endif

// Most rows or columns of a thin matrix: tiles of 16 x 16 and above would be partly empty. 0: none is thin.
#ifndef THIN
#define THIN 16
#endif

#ifndef MOST_ACROSS
#define MOST_ACROSS 65535 // blocks in a grid's y and z; a test lowers it
#endif

struct tile_grid {
    unsigned down, across; // tiles of one matrix
    bool linear;           // more across, or more matrices, than a grid's y and z hold: tiles are numbered
};

struct tile_place {
    int64_t batch, row, column; // tile row and tile column
};

static __device__ __forceinline__ tile_place place_of(tile_grid grid)
{
    if (!grid.linear)
        return {blockIdx.z, blockIdx.x, blockIdx.y};
    const unsigned batch = blockIdx.x / (grid.down * grid.across),
                   tile = blockIdx.x % (grid.down * grid.across);
    return {batch, tile % grid.down, tile / grid.down};
}

// rows and columns are multiples of LANES.
static __global__ void __launch_bounds__(SPAN *SPAN)
    transpose_tiles(const scalar_t *__restrict__ x, scalar_t *__restrict__ out, int64_t rows, int64_t columns,
                    tile_grid grid)
{
    __shared__ uint4 tile[SPAN * LANES * SPAN]; // SPAN * LANES rows of SPAN chunks
    const tile_place at = place_of(grid);
    const int across = threadIdx.x % SPAN, down = threadIdx.x / SPAN;
    const auto chunk = [&](int column, int index) -> uint4 & {
        return tile[column * SPAN + (index ^ (column / LANES % 8))];
    };

    const int64_t r = (at.row * SPAN + down) * LANES, c = (at.column * SPAN + across) * LANES;
    if (r < rows && c < columns) {
        const scalar_t *from = x + (at.batch * rows + r) * columns + c;
        square s;
#pragma unroll
        for (int i = 0; i < LANES; i++)
            s.set_row(i, __ldg(reinterpret_cast<const uint4 *>(from + i * columns)));
#pragma unroll
        for (int j = 0; j < LANES; j++)
            chunk(across * LANES + j, down) = s.column(j);
    }
    __syncthreads();

    const int64_t to_r = (at.row * SPAN + across) * LANES, to_c = at.column * SPAN * LANES + down;
    scalar_t *to = out + (at.batch * columns + to_c) * rows + to_r;
#pragma unroll
    for (int i = 0; i < LANES; i++)
        if (to_r < rows && to_c + i * SPAN < columns)
            __stwb(reinterpret_cast<uint4 *>(to + i * SPAN * rows), chunk(i * SPAN + down, across));
}

constexpr int BANK =
    4 / sizeof(scalar_t); // elements; rows of the tiles below are longer by that, against bank conflicts

constexpr int FOUR = 4;
using four = assay::vec<scalar_t, FOUR>;

// By one instruction: left to the compiler, elements that come from four rows of a tile are stored one by
// one.
static __device__ __forceinline__ void store_together(scalar_t *to, const four &v)
{
    using word = std::conditional_t<sizeof(four) == 16, uint4, uint2>;
    word bits;
    memcpy(&bits, &v, sizeof bits);
    __stwb(reinterpret_cast<word *>(to), bits);
}

// rows and columns are multiples of FOUR. Tiles of SIDE x SIDE elements.
template <int SIDE, int THREADS>
static __global__ void __launch_bounds__(THREADS)
    transpose_small(const scalar_t *__restrict__ x, scalar_t *__restrict__ out, int64_t rows, int64_t columns,
                    tile_grid grid)
{
    constexpr int LINES = THREADS / (SIDE / FOUR); // at a time
    __shared__ scalar_t tile[SIDE][SIDE + BANK];
    const tile_place at = place_of(grid);
    const int side = threadIdx.x % (SIDE / FOUR) * FOUR, line = threadIdx.x / (SIDE / FOUR);
    const int64_t r = at.row * SIDE, c = at.column * SIDE;
    x += (at.batch * rows + r) * columns + c;
    out += (at.batch * columns + c) * rows + r;
    four held[SIDE / LINES]; // all loads are under way before the first is waited for
#pragma unroll
    for (int k = 0; k < SIDE / LINES; k++) {
        const int l = line + k * LINES;
        held[k] = r + l < rows && c + side < columns ? assay::load_vec<FOUR>(x + l * columns + side) : four{};
    }
#pragma unroll
    for (int k = 0; k < SIDE / LINES; k++)
#pragma unroll
        for (int i = 0; i < FOUR; i++)
            tile[line + k * LINES][side + i] = held[k][i];
    __syncthreads();
#pragma unroll
    for (int l = line; l < SIDE; l += LINES)
        if (r + side < rows && c + l < columns) {
            four v;
#pragma unroll
            for (int i = 0; i < FOUR; i++)
                v[i] = tile[side + i][l];
            store_together(out + l * rows + side, v);
        }
}

// Any size and alignment. N: elements a load, LANES where rows of x are aligned, else 1. Tiles of ROWS x
// COLUMNS.
constexpr int ANY_THREADS = 256;
template <int N, int ROWS, int COLUMNS>
static __global__ void __launch_bounds__(ANY_THREADS)
    transpose_any(const scalar_t *__restrict__ x, scalar_t *__restrict__ out, int64_t rows, int64_t columns,
                  tile_grid grid)
{
    using vector = assay::vec<scalar_t, N>;
    __shared__ scalar_t tile[COLUMNS][ROWS + BANK]; // transposed
    const tile_place at = place_of(grid);
    const int64_t first_r = at.row * ROWS, first_c = at.column * COLUMNS;
    x += at.batch * rows * columns;
    out += at.batch * rows * columns;

    constexpr int ACROSS = COLUMNS / N, LINES = ANY_THREADS / ACROSS;
    constexpr int OF_THREAD = (ROWS + LINES - 1) / LINES, TOGETHER = OF_THREAD < 8 ? OF_THREAD : 8;
    const int side = threadIdx.x % ACROSS * N, line = threadIdx.x / ACROSS;
    for (int part = 0; part < ROWS; part += TOGETHER * LINES) {
        vector held[TOGETHER];
#pragma unroll
        for (int i = 0; i < TOGETHER; i++) {
            const int64_t r = first_r + part + line + i * LINES, c = first_c + side;
            held[i] = r < rows && c < columns ? assay::load_vec<N>(x + r * columns + c) : vector{};
        }
#pragma unroll
        for (int i = 0; i < TOGETHER; i++)
#pragma unroll
            for (int k = 0; k < N; k++)
                if (part + line + i * LINES < ROWS)
                    tile[side + k][part + line + i * LINES] = held[i][k];
    }
    __syncthreads();

    // A warp a row of out. Its words are those of memory: the first and the last may belong to the
    // neighbouring tiles in part.
    constexpr int WORDS = ROWS / BANK + 1;
    using word = assay::vec<scalar_t, BANK>;
    const int64_t valid = rows - first_r < ROWS ? rows - first_r : ROWS;
    for (int c = threadIdx.x / 32; c < COLUMNS && first_c + c < columns; c += ANY_THREADS / 32) {
        scalar_t *to = out + (first_c + c) * rows + first_r;
        const int before = (int)(reinterpret_cast<uintptr_t>(to) / sizeof(scalar_t) % BANK);
#pragma unroll
        for (int w = threadIdx.x % 32; w < WORDS; w += 32) {
            const int r = w * BANK - before;
            if (r >= 0 && r + BANK <= valid) {
                word v;
#pragma unroll
                for (int k = 0; k < BANK; k++)
                    v[k] = tile[c][r + k];
                assay::store_vec(to + r, v);
            } else {
                for (int k = 0; k < BANK; k++)
                    if (r + k >= 0 && r + k < valid)
                        to[r + k] = tile[c][r + k];
            }
        }
    }
}

using kernel_fn = void (*)(const scalar_t *, scalar_t *, int64_t, int64_t, tile_grid);

static assay_status launch(kernel_fn kernel, const transpose_args *args, int tile_rows, int tile_columns,
                           int threads, assay_stream stream)
{
    const int64_t down = (args->rows + tile_rows - 1) / tile_rows,
                  across = (args->columns + tile_columns - 1) / tile_columns;
    if (down > INT32_MAX / across || args->batch > INT32_MAX / (down * across))
        return ASSAY_ERR_UNSUPPORTED; // more tiles than a grid can have
    const bool linear = across > MOST_ACROSS || args->batch > MOST_ACROSS;
    const tile_grid grid = {(unsigned)down, (unsigned)across, linear};
    const dim3 blocks = linear ? dim3((unsigned)(args->batch * down * across))
                               : dim3((unsigned)down, (unsigned)across, (unsigned)args->batch);
    return assay::launch(kernel, blocks, dim3((unsigned)threads), 0, stream,
                         static_cast<const scalar_t *>(args->x), static_cast<scalar_t *>(args->out),
                         args->rows, args->columns, grid);
}

template <int ROWS, int COLUMNS>
static assay_status launch_any(const transpose_args *args, bool reads, assay_stream stream)
{
    return launch(reads ? transpose_any<LANES, ROWS, COLUMNS> : transpose_any<1, ROWS, COLUMNS>, args, ROWS,
                  COLUMNS, ANY_THREADS, stream);
}

// Whether transpose_thin() is for it: a block has a chunk for each thread at least. Where no vectors fit the
// alignment, the alternative is transpose_any(), whose tiles are four times as wide.
static bool is_thin(const transpose_args *args, bool aligned)
{
    const int64_t lesser = args->rows < args->columns ? args->rows : args->columns;
    return args->rows * args->columns >= THIN_THREADS * LANES && lesser <= (aligned ? THIN : 4 * THIN);
}

// Whether transpose_few() is for it.
static bool is_few(const transpose_args *args, bool aligned)
{
    const int64_t count = args->rows * args->columns;
    return args->batch == 1 && (is_thin(args, aligned) ? count <= FEW_THIN : !aligned && count <= FEW);
}

extern "C" assay_status transpose_run(const transpose_args *args, assay_stream stream)
{
    const int64_t count = args->batch * args->rows * args->columns;
    if (count == 0)
        return ASSAY_OK;
    const scalar_t *x = static_cast<const scalar_t *>(args->x);
    scalar_t *out = static_cast<scalar_t *>(args->out);
    const bool alike = ((uintptr_t)x ^ (uintptr_t)out) % 16 == 0; // they cross boundaries together
    if ((args->rows == 1 || args->columns == 1) && alike && THIN > 0)
        return launch_copy(x, out, count, stream);
    const bool reads = (uintptr_t)args->x % 16 == 0 && args->columns % LANES == 0;
    const bool writes = (uintptr_t)args->out % 16 == 0 && args->rows % LANES == 0;
    if (is_few(args, reads && writes))
        return launch_few(x, out, args->rows, args->columns, stream);
    if (is_thin(args, reads && writes))
        return launch_thin(x, out, args->batch, args->rows, args->columns, stream);
    const int64_t each = count / assay::multiprocessor_count();
    if (!reads || !writes)
        return each < SMALL_ELEMENTS ? launch_any<32 * BANK, 32>(args, reads, stream)
                                     : launch_any<128, 64>(args, reads, stream);
    if (each < 32 * 32)
        return launch(transpose_small<16, 64>, args, 16, 16, 64, stream);
    if (each < 64 * 64)
        return launch(transpose_small<32, 256>, args, 32, 32, 256, stream);
    if (each < SMALL_ELEMENTS)
        return launch(transpose_small<64, 512>, args, 64, 64, 512, stream);
    return launch(transpose_tiles, args, SPAN * LANES, SPAN * LANES, SPAN * SPAN, stream);
}
