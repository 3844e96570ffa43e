// transpose, step 4, of thin matrices: a few dozen elements on one side at most, many on the other.
//
// A thin matrix lies in memory as `thin` long *lines* on one side, [thin][length], and *flat* on the other,
// [length][thin], where the elements of one position stand together. A block takes a part of all lines, which
// is one contiguous range on the flat side, and keeps it in shared memory as lines. So both sides are read
// and written by 16-byte chunks in order; elements are moved one by one only between registers and shared
// memory.
//
// Lines start anywhere (3 x 333,333: each at another distance from a 16-byte boundary). A line lies in shared
// memory as far from a boundary as in global memory, so its chunks are the same in both, and nothing is
// shifted. Chunks that belong to a part only by halves, two a line at most, are moved by elements.
#ifndef ASSAY_OPS_TRANSPOSE_V4_THIN_CUH
#define ASSAY_OPS_TRANSPOSE_V4_THIN_CUH

#include <assay/hopper.h>
#include <cstring>
#include "../../common/chunk_range.h"
#include "../square.cuh"
#include "division.cuh"

constexpr int THIN_THREADS = 256, THIN_LOADS = 4; // chunks a thread loads before it stores the first
constexpr int CHUNK_BYTES = 16, BANK_ROW = 128; // bytes of all 32 banks, which are also those of a line of L2
constexpr int THIN_TILE_BYTES = THIN_THREADS * THIN_LOADS * CHUNK_BYTES;
constexpr int BOTH_EDGES = chunk_range::BOTH_EDGES;

struct thin_plan {
    int64_t length;  // of a line
    unsigned parts;  // of a line: blocks a matrix
    int part;        // elements of each line that a block takes; the last block may take fewer
    int stride;      // elements from line to line in shared memory
    division lines;  // by the number of lines
    division chunks; // by the chunks that a part of a line touches at most
};

// A block's part of all lines, in shared memory; line 0 of it begins at `lines` in global memory.
struct thin_tile {
    const thin_plan &plan;
    scalar_t *shared;
    int count, first_off,
        step; // elements of a line; line 0's distance from a boundary, and what each line adds

    __device__ __forceinline__ thin_tile(const thin_plan &p, scalar_t *memory, const scalar_t *lines, int n)
        : plan(p), shared(memory), count(n), first_off(off_boundary(lines)), step((int)(p.length % LANES))
    {
    }
    __device__ __forceinline__ chunk_range line(int j) const
    {
        return {(first_off + j * step) % LANES, count};
    }
    __device__ __forceinline__ scalar_t &at(int j, int l) const
    {
        return shared[j * plan.stride + line(j).off + l];
    }
    // Its LANES elements are those of a chunk of the line in global memory, chunk_start() elements from `lines`.
    __device__ __forceinline__ uint4 &chunk(int j, int c) const
    {
        return *reinterpret_cast<uint4 *>(shared + j * plan.stride + c * LANES);
    }
    __device__ __forceinline__ int64_t chunk_start(int j, int c) const
    {
        return j * plan.length + c * LANES - line(j).off;
    }
    // act(element) for LANES elements from number p of the flat side on.
    template <class Act>
    __device__ __forceinline__ void visit_flat(int p, Act act) const
    {
        const int lines = (int)plan.lines.by;
        int l = plan.lines(p), j = p - l * lines;
#pragma unroll
        for (int e = 0; e < LANES; e++) {
            act(e, at(j, l));
            if (++j == lines)
                j = 0, l++;
        }
    }
    __device__ __forceinline__ scalar_t &flat(int p) const
    {
        const int l = plan.lines(p);
        return at(p - l * (int)plan.lines.by, l);
    }
};

// Each of `count` chunks once, THIN_LOADS by a thread at a time: load(i) them all, then store(i, chunk).
template <class Load, class Store>
static __device__ __forceinline__ void move_chunks(int count, Load load, Store store)
{
    for (int first = (int)threadIdx.x; first < count; first += THIN_THREADS * THIN_LOADS) {
        uint4 held[THIN_LOADS] = {};
#pragma unroll
        for (int k = 0; k < THIN_LOADS; k++)
            if (first + k * THIN_THREADS < count)
                load(first + k * THIN_THREADS, held[k]);
#pragma unroll
        for (int k = 0; k < THIN_LOADS; k++)
            if (first + k * THIN_THREADS < count)
                store(first + k * THIN_THREADS, held[k]);
    }
}

static __device__ __forceinline__ void load_lines(const thin_tile &tile, const scalar_t *lines)
{
    const int per_line = (int)tile.plan.chunks.by, all = (int)tile.plan.lines.by;
    move_chunks(
        all * per_line,
        [&](int i, uint4 &chunk) {
            const int j = tile.plan.chunks(i), c = i - j * per_line;
            if (tile.line(j).is_whole(c))
                chunk = __ldg(reinterpret_cast<const uint4 *>(lines + tile.chunk_start(j, c)));
        },
        [&](int i, const uint4 &chunk) {
            const int j = tile.plan.chunks(i), c = i - j * per_line;
            if (tile.line(j).is_whole(c))
                tile.chunk(j, c) = chunk;
        });
    for (int i = (int)threadIdx.x; i < all * BOTH_EDGES; i += THIN_THREADS) {
        const int j = i / BOTH_EDGES, l = tile.line(j).edge(i % BOTH_EDGES);
        if (l < tile.count)
            tile.at(j, l) = lines[j * tile.plan.length + l];
    }
}

static __device__ __forceinline__ void store_lines(const thin_tile &tile, scalar_t *lines)
{
    const int per_line = (int)tile.plan.chunks.by, all = (int)tile.plan.lines.by;
    for (int i = (int)threadIdx.x; i < all * per_line; i += THIN_THREADS) {
        const int j = tile.plan.chunks(i), c = i - j * per_line;
        if (tile.line(j).is_whole(c))
            __stwb(reinterpret_cast<uint4 *>(lines + tile.chunk_start(j, c)), tile.chunk(j, c));
    }
    for (int i = (int)threadIdx.x; i < all * BOTH_EDGES; i += THIN_THREADS) {
        const int j = i / BOTH_EDGES, l = tile.line(j).edge(i % BOTH_EDGES);
        if (l < tile.count)
            lines[j * tile.plan.length + l] = tile.at(j, l);
    }
}

using lanes = assay::vec<scalar_t, LANES>;

static __device__ __forceinline__ void load_flat(const thin_tile &tile, const scalar_t *flat)
{
    const chunk_range range = {off_boundary(flat), tile.count * (int)tile.plan.lines.by};
    move_chunks(
        range.chunks(),
        [&](int c, uint4 &chunk) {
            if (range.is_whole(c))
                chunk = __ldg(reinterpret_cast<const uint4 *>(flat - range.off) + c);
        },
        [&](int c, const uint4 &chunk) {
            lanes v;
            memcpy(&v, &chunk, sizeof v);
            if (range.is_whole(c))
                tile.visit_flat(c * LANES - range.off, [&](int e, scalar_t &to) { to = v[e]; });
        });
    const int p = range.edge((int)threadIdx.x);
    if (threadIdx.x < BOTH_EDGES && p < range.count)
        tile.flat(p) = flat[p];
}

static __device__ __forceinline__ void store_flat(const thin_tile &tile, scalar_t *flat)
{
    const chunk_range range = {off_boundary(flat), tile.count * (int)tile.plan.lines.by};
    for (int c = (int)threadIdx.x; c < range.chunks(); c += THIN_THREADS)
        if (range.is_whole(c)) {
            lanes v;
            tile.visit_flat(c * LANES - range.off, [&](int e, const scalar_t &from) { v[e] = from; });
            uint4 chunk;
            memcpy(&chunk, &v, sizeof chunk);
            __stwb(reinterpret_cast<uint4 *>(flat - range.off) + c, chunk);
        }
    const int p = range.edge((int)threadIdx.x);
    if (threadIdx.x < BOTH_EDGES && p < range.count)
        flat[p] = tile.flat(p);
}

// FROM_LINES: x is lines and out flat (few rows), else the other way round (few columns).
template <bool FROM_LINES>
static __global__ void __launch_bounds__(THIN_THREADS)
    transpose_thin(const scalar_t *__restrict__ x, scalar_t *__restrict__ out, thin_plan plan)
{
    ASSAY_DYNAMIC_SHARED(scalar_t, shared);
    const int thin = (int)plan.lines.by;
    const int64_t matrix = blockIdx.x / plan.parts * thin * plan.length,
                  first = (int64_t)(blockIdx.x % plan.parts) * plan.part, left = plan.length - first;
    x += matrix + first * (FROM_LINES ? 1 : thin);
    out += matrix + first * (FROM_LINES ? thin : 1);
    const thin_tile tile(plan, shared, FROM_LINES ? x : out, left < plan.part ? (int)left : plan.part);
    if (FROM_LINES)
        load_lines(tile, x);
    else
        load_flat(tile, x);
    __syncthreads();
    if (FROM_LINES)
        store_flat(tile, out);
    else
        store_lines(tile, out);
}

// Elements of each line that a block takes: as much as its threads load at once. Fewer where multiprocessors
// would have less than four blocks, down to a chunk a thread; fewer still where not each would have one. In
// whole 128-byte lines, or 32-byte sectors where a part is shorter.
static inline int64_t part_of_lines(int thin, int64_t length, int64_t batch)
{
    constexpr int64_t LINE = BANK_ROW / sizeof(scalar_t), SECTOR = LINE / 4;
    const auto divide = [](int64_t a, int64_t b) { return (a + b - 1) / b; };
    const auto lesser = [](int64_t a, int64_t b) { return a < b ? a : b; };
    const int64_t sms = assay::multiprocessor_count(), all = length * batch;
    const int64_t chunk_a_thread = divide(THIN_THREADS * LANES, thin), quarter = divide(all, 4 * sms);
    const int64_t share =
        lesser(chunk_a_thread > quarter ? chunk_a_thread : quarter, divide(all, sms)); // of a block
    const int64_t unit = share < LINE ? SECTOR : LINE;
    const int64_t most = THIN_TILE_BYTES / (int64_t)sizeof(scalar_t) / thin / unit * unit;
    return lesser(divide(share, unit) * unit, most);
}

static inline thin_plan plan_thin(int thin, int64_t length, int64_t batch)
{
    const int64_t part = part_of_lines(thin, length, batch);
    // Threads that store neighbouring elements of the flat side read one word of each of `thin` lines: lines
    // stand 32 / thin banks apart, so that each has its own, or as nearly as chunks allow.
    const int chunks = (int)part / LANES + 1, bytes = chunks * CHUNK_BYTES;
    const int apart = BANK_ROW / thin / CHUNK_BYTES * CHUNK_BYTES, wanted = apart > 0 ? apart : CHUNK_BYTES;
    const int padded = bytes + (BANK_ROW + wanted - bytes % BANK_ROW) % BANK_ROW;
    return {length,
            (unsigned)((length + part - 1) / part),
            (int)part,
            padded / (int)sizeof(scalar_t),
            division_by(thin),
            division_by(chunks)};
}

static inline assay_status launch_thin(const scalar_t *x, scalar_t *out, int64_t batch, int64_t rows,
                                       int64_t columns, assay_stream stream)
{
    const bool from_lines = rows <= columns;
    const int thin = (int)(from_lines ? rows : columns);
    const thin_plan plan = plan_thin(thin, from_lines ? columns : rows, batch);
    if (batch > INT32_MAX / (int64_t)plan.parts)
        return ASSAY_ERR_UNSUPPORTED; // more blocks than a grid can have
    return assay::launch(from_lines ? transpose_thin<true> : transpose_thin<false>,
                         dim3((unsigned)batch * plan.parts), dim3(THIN_THREADS),
                         (size_t)thin * plan.stride * sizeof(scalar_t), stream, x, out, plan);
}

#endif
