// transpose, step 3: 16-byte accesses on both sides, no shared memory.
//
// Coalescing alone: a thread takes a square of LANES x LANES elements (4 x 4 or 8 x 8), reads its rows as one
// 16-byte vector each, exchanges rows and columns in registers (square.cuh), and writes 16-byte vectors. The
// lanes of a warp stand 4 across and 8 down: a load instruction reads 64 contiguous bytes in each of 8 rows,
// a store writes 128 contiguous bytes, a whole line, in each of 4. So neither side fetches a sector that it
// does not use. Where rows or columns are no multiple of a vector, or a pointer is off the boundary, a thread
// moves one element as in step 1, with the lanes still 4 across and 8 down.
// Expected effect: at least step 2's rate for f32 and well above it for the 2-byte types, with a quarter or
// an eighth of the instructions and no barrier; below a copy, because segments of 64 bytes on the reading
// side keep half a line each.
// Tunables: ACROSS, the lanes side by side (32 / ACROSS stand below each other); WARPS of a block.
#include <assay/kernel.h>
#include "square.cuh"
#include "transpose.h"

#ifndef ACROSS
#define ACROSS 4
#endif
#ifndef WARPS
#define WARPS 8
#endif

constexpr int DOWN = 32 / ACROSS; // the warps of a block lie side by side

// N x N elements a thread, LANES or 1; rows and columns are multiples of N.
template <int N>
static __global__ void __launch_bounds__(ACROSS *DOWN *WARPS)
    transpose_v3(const scalar_t *__restrict__ x, scalar_t *__restrict__ out, int64_t rows, int64_t columns,
                 unsigned tiles_down, unsigned tiles_across)
{
    const int64_t b = blockIdx.x / (tiles_down * tiles_across);
    const int64_t tile_down = blockIdx.x / tiles_across % tiles_down, tile_across = blockIdx.x % tiles_across;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int64_t r = (tile_down * DOWN + lane / ACROSS) * N;
    const int64_t c = ((tile_across * WARPS + warp) * ACROSS + lane % ACROSS) * N;
    if (r >= rows || c >= columns)
        return;
    x += (b * rows + r) * columns + c;
    out += (b * columns + c) * rows + r;
    if constexpr (N == 1) {
        *out = *x;
    } else {
        square s;
#pragma unroll
        for (int i = 0; i < LANES; i++)
            s.set_row(i, __ldg(reinterpret_cast<const uint4 *>(x + i * columns)));
#pragma unroll
        for (int j = 0; j < LANES; j++)
            __stwb(reinterpret_cast<uint4 *>(out + j * rows), s.column(j));
    }
}

template <int N>
static assay_status launch(const transpose_args *args, assay_stream stream)
{
    const int64_t down = (args->rows + DOWN * N - 1) / (DOWN * N);
    const int64_t across = (args->columns + ACROSS * WARPS * N - 1) / (ACROSS * WARPS * N);
    if (down > INT32_MAX / across || args->batch > INT32_MAX / (down * across))
        return ASSAY_ERR_UNSUPPORTED; // more tiles than a grid can have
    return assay::launch(transpose_v3<N>, dim3((unsigned)(args->batch * down * across)),
                         dim3(ACROSS * DOWN * WARPS), 0, stream, static_cast<const scalar_t *>(args->x),
                         static_cast<scalar_t *>(args->out), args->rows, args->columns, (unsigned)down,
                         (unsigned)across);
}

extern "C" assay_status transpose_run(const transpose_args *args, assay_stream stream)
{
    if (args->batch == 0 || args->rows == 0 || args->columns == 0)
        return ASSAY_OK;
    const bool aligned = ((uintptr_t)args->x | (uintptr_t)args->out) % 16 == 0;
    const bool wide = aligned && args->rows % LANES == 0 && args->columns % LANES == 0;
    return wide ? launch<LANES>(args, stream) : launch<1>(args, stream);
}
