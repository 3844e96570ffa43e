// Rows of 2-byte elements whose length is no multiple of 8, so that they start at different offsets from a
// 16-byte boundary: how a finished tile is written to such rows of c, and how an operand with such rows is
// packed into padded ones.
//
// Memory is accessed in aligned 16-byte chunks wherever a chunk belongs to one row and one tile as a whole.
// At the seams between tiles and between rows a chunk has several owners, each of which writes its elements
// one by one.
#ifndef ASSAY_OPS_MATMUL_V4_UNALIGNED_CUH
#define ASSAY_OPS_MATMUL_V4_UNALIGNED_CUH

#include <assay/hopper.h>
#include "order.cuh"
#include "transpose_a.cuh"
#include "../../common/chunk_across.h"
#include "../../common/value_barrier.h"

// A warp writes ROWS x TILE_N of c, from row m and column n (a multiple of 8) on, as far as they are inside.
// `chunk(row, i)`, both unsigned, points to columns 8 i to 8 i + 7 of a row in shared memory; rows count from
// m.
template <int ROWS, int TILE_N, class Chunk>
__device__ __forceinline__ void write_unaligned_rows(scalar_t *c, const matmul_shape &s, int m, int n,
                                                     const Chunk &chunk)
{
    constexpr int CHUNKS = TILE_N / 8, TOGETHER = 32 / CHUNKS; // rows written by one store of all lanes
    constexpr int ENDS = 16, PAIR = 32 / ENDS; // elements of a row outside whole chunks, at most
    static_assert(CHUNKS >= 4 && CHUNKS <= 32 && (CHUNKS & (CHUNKS - 1)) == 0 && ROWS % 8 == 0,
                  "whole stores");
    unsigned thread = threadIdx.x;
    value_barrier(
        thread); // do not hoist any of this: aligned rows do not need it, and the sums need the registers
    const unsigned lane = thread % 32;
    const int rows = s.m - m, columns = s.n - n < TILE_N ? s.n - n : TILE_N;
    scalar_t *const first_row = c + (static_cast<int64_t>(m) * s.n + n);
    // Columns of a row before its first whole chunk. Only the address modulo 8 elements counts, so an
    // overflow is harmless.
    const auto head_of = [&](unsigned row) {
        return static_cast<int>((m + row) * (0u - static_cast<unsigned>(s.n)) % 8);
    };

    const unsigned i = lane % CHUNKS, down = lane / CHUNKS;
    scalar_t *to = first_row + (static_cast<int64_t>(down) * s.n + i * 8);
#pragma unroll 1
    for (unsigned part = 0; part < ROWS; part += 8)
#pragma unroll
        for (unsigned r = 0; r < 8; r += TOGETHER, to += static_cast<int64_t>(TOGETHER) * s.n) {
            const unsigned row = part + r + down;
            const int head = head_of(row);
            // A row's last chunk has no next one and needs none: it is stored only where head is 0.
            const uint4 first = *reinterpret_cast<const uint4 *>(chunk(row, i));
            const uint4 next = *reinterpret_cast<const uint4 *>(chunk(row, (i + 1) % CHUNKS));
            const uint4 v = chunk_across(first, next, head);
            if (static_cast<int>(row) < rows && head + static_cast<int>(i) * 8 + 8 <= columns)
                __stwb(reinterpret_cast<uint4 *>(to + head),
                       v); // an intrinsic: otherwise the compiler splits some into four stores
        }

    // Half of ENDS lanes for the elements before the whole chunks, half for those behind.
    const int end = static_cast<int>(lane % ENDS);
    to = first_row + static_cast<int64_t>(lane / ENDS) * s.n;
#pragma unroll 4
    for (unsigned part = 0; part < ROWS; part += PAIR, to += static_cast<int64_t>(PAIR) * s.n) {
        const unsigned row = part + lane / ENDS;
        const int head = head_of(row), column = end < 8 ? end : head + ((columns - head) & -8) + end - 8;
        const unsigned at = static_cast<unsigned>(column);
        if (static_cast<int>(row) < rows && column < columns && (column < head) == (end < 8))
            to[column] = chunk(row, at / 8)[at % 8];
    }
}

#ifndef MOST_PACK_BLOCKS
#define MOST_PACK_BLOCKS 65535 // for an operand; a test lowers it
#endif

constexpr int PACK_THREADS = 256,
              PACK_CHUNKS = 4; // chunks a thread, all loads in flight before the first use

// An operand that is packed: to[r][0..padded) = from[r][0..length), then zeros up to a multiple of 8; rows of `from` are
// `stride` apart, and both start at multiples of 16 bytes. `blocks` blocks do it; 0: there is none.
struct packed_operand {
    const scalar_t *from;
    scalar_t *to;
    int64_t rows, length, stride, padded;
    unsigned blocks;
};

// Chunk i of row r, of which `length` elements remain from its first one on; the last ones of the operand, behind which
// no chunk lies, one by one.
__device__ __forceinline__ void pack_chunk(const packed_operand &m, int64_t r, int i, const uint4 &first,
                                           const uint4 &next, bool whole)
{
    const int64_t begin = r * m.stride;
    const int left = static_cast<int>(m.length) - i * 8;
    scalar_t *to = m.to + (r * m.padded + i * 8);
    if (whole) {
        const auto kept = [=](int word) {
            return left >= word * 2 + 2 ? 0xffffffffu : left == word * 2 + 1 ? 0xffffu : 0u;
        };
        uint4 v = chunk_across(first, next, static_cast<int>(begin % 8));
        v.x &= kept(0), v.y &= kept(1), v.z &= kept(2), v.w &= kept(3);
        __stwb(reinterpret_cast<uint4 *>(to), v);
    } else {
#pragma unroll 1
        for (int e = 0; e < 8; e++)
            to[e] = e < left ? m.from[begin + i * 8 + e] : assay::from_float<scalar_t>(0.0f);
    }
}

// Both operands in one launch. Threads count the chunks of all rows, so that none is idle where rows are short.
static __global__ void __launch_bounds__(PACK_THREADS)
    matmul_pack_rows(const __grid_constant__ packed_operand a, const __grid_constant__ packed_operand b)
{
#if ASSAY_HOPPER_CODE
    assay::let_next_begin();
#endif
    const packed_operand &m = blockIdx.x < a.blocks ? a : b;
    const unsigned block = blockIdx.x < a.blocks ? blockIdx.x : blockIdx.x - a.blocks;
    const int64_t across = (m.length + 7) / 8, chunks = m.rows * across; // what lies behind them nobody reads
    const int64_t end = (m.rows - 1) * m.stride + m.length;
    for (int64_t base = static_cast<int64_t>(block) * (PACK_THREADS * PACK_CHUNKS) + threadIdx.x;
         base < chunks; base += static_cast<int64_t>(m.blocks) * (PACK_THREADS * PACK_CHUNKS)) {
        int64_t row[PACK_CHUNKS];
        int at[PACK_CHUNKS];
        bool whole[PACK_CHUNKS]; // the next chunk, too, lies before the operand's end
        uint4 first[PACK_CHUNKS], next[PACK_CHUNKS];
#pragma unroll
        for (int k = 0; k < PACK_CHUNKS; k++) {
            const int64_t chunk = base + k * PACK_THREADS;
            row[k] = divide_index(chunk, across, chunks);
            at[k] = static_cast<int>(chunk - row[k] * across);
            const int64_t source = row[k] * m.stride / 8 + at[k];
            whole[k] = chunk < chunks && source + 1 < end / 8;
            const uint4 *from = reinterpret_cast<const uint4 *>(m.from) + source;
            first[k] = whole[k] ? __ldg(from) : uint4{};
            next[k] = whole[k] ? __ldg(from + 1) : uint4{};
        }
#pragma unroll
        for (int k = 0; k < PACK_CHUNKS; k++)
            if (base + k * PACK_THREADS < chunks)
                pack_chunk(m, row[k], at[k], first[k], next[k], whole[k]);
    }
}

// Make *operand point to 16-byte aligned rows, *stride elements apart: in the workspace at *offset if they are not
// aligned yet. Returns how they get there.
static inline packed_operand tensor_packed_operand(const scalar_t **operand, int64_t *stride, int64_t rows,
                                                   int64_t length, const matmul_args *args, int64_t *offset)
{
    packed_operand packed = {};
    if (*stride % 8 == 0 || rows == 0 || length == 0)
        return packed;
    const int64_t bytes = matmul_packed_bytes(rows, length, *stride, 2);
    packed.from = *operand;
    packed.to = reinterpret_cast<scalar_t *>(static_cast<char *>(args->workspace) + *offset);
    packed.rows = rows, packed.length = length, packed.stride = *stride;
    packed.padded = *stride = matmul_padded_row(length);
    const int64_t each = PACK_THREADS * PACK_CHUNKS, blocks = (rows * ((length + 7) / 8) + each - 1) / each;
    packed.blocks = static_cast<unsigned>(blocks < MOST_PACK_BLOCKS ? blocks : MOST_PACK_BLOCKS);
    *operand = packed.to;
    *offset += bytes;
    return packed;
}

// Both operands of a matmul with aligned rows; their strides are set in *s. *packed: whether a launch lays them out, for
// which the next one has to wait (tensor_launch_behind).
static inline assay_status tensor_align_operands(const scalar_t **a, const scalar_t **b, matmul_shape *s,
                                                 bool *packed, const matmul_args *args, assay_stream stream)
{
    const matmul_stored stored_b = matmul_stored_b(args);
    const bool aligned = s->k == 0 || (s->lda % 8 == 0 && s->ldb % 8 == 0);
    *packed = !aligned || transposed_a_before(args);
    if (aligned)
        return ASSAY_OK;
    if (args->workspace == nullptr || args->workspace_bytes < matmul_operand_bytes(args, 2))
        return ASSAY_ERR_INVALID;
    int64_t offset = 0;
    const packed_operand of_a = tensor_packed_operand(a, &s->lda, args->batch * s->m, s->k, args, &offset),
                         of_b = tensor_packed_operand(b, &s->ldb, args->batch * stored_b.rows,
                                                      stored_b.length, args, &offset);
    return assay::launch(matmul_pack_rows, dim3(of_a.blocks + of_b.blocks), dim3(PACK_THREADS), 0, stream,
                         of_a, of_b);
}

// Launch the kernel that reads the operands. Where they are packed first it may begin before that is done on Hopper:
// it waits by wait_for_previous().
template <class... Params, class... Args>
static assay_status tensor_launch_behind(bool packed, void (*kernel)(Params...), dim3 grid, dim3 block,
                                         int shared_bytes, assay_stream stream, const Args &...args)
{
    return packed && assay::hopper_available()
               ? assay::launch_early(kernel, grid, block, shared_bytes, stream, args...)
               : assay::launch(kernel, grid, block, shared_bytes, stream, args...);
}

#endif
