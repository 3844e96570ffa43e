// rmsnorm, step 3: a warp a row, 16-byte coalesced accesses.
//
// Coalescing alone: the lanes of a warp read 512 contiguous bytes of a row with one instruction; their sums
// of squares are added by shuffles, so there is no barrier at all. Nothing is kept: a second pass reads the
// row again and writes. Rows that start off a 16-byte boundary (odd lengths) take the same path one element
// at a time.
// Expected effect: two reads instead of one, but the second mostly hits L2 as long as the rows under way fit
// there; faster than step 2 for short rows, where no block idles, and for the 2-byte types. A warp has one
// load in flight at a time, so rows that are few and long leave the bandwidth unused.
// Tunables: BLOCK_THREADS.
#include <assay/kernel.h>
#include "../common/overflow.h"
#include "../common/sum_in_parts.h"
#include "rmsnorm.h"

#ifndef BLOCK_THREADS
#define BLOCK_THREADS 256
#endif

constexpr int WARP = 32;
constexpr int LANES = assay::vec16<scalar_t>::size;

// N elements an access, length a multiple of N.
template <int N>
static __global__ void rmsnorm_v3(const scalar_t *x, const scalar_t *weight, scalar_t *out, int64_t rows,
                                  int64_t length, float eps)
{
    const int64_t row = (int64_t)blockIdx.x * (BLOCK_THREADS / WARP) + threadIdx.x / WARP;
    if (row >= rows)
        return; // the whole warp leaves
    const int start = threadIdx.x % WARP * N;
    x += row * length;
    out += row * length;
    float scale = 1.0f, squares;
    for (;; scale = SCALED_DOWN) {
        squares = sum_in_parts(start, length, WARP * N, [&](int64_t i) {
            const assay::vec<scalar_t, N> v = assay::load_vec<N>(x + i);
            float of_vector = 0.0f;
#pragma unroll
            for (int lane = 0; lane < N; lane++)
                of_vector += assay::to_float(v[lane]) * scale * (assay::to_float(v[lane]) * scale);
            return of_vector;
        });
        for (int offset = WARP / 2; offset > 0; offset /= 2)
            squares += __shfl_xor_sync(0xffffffffu, squares, offset);
        if (is_finite(squares) || scale == SCALED_DOWN)
            break;
    }
    const float factor = rsqrtf(squares / (float)length + eps * scale * scale);
    for (int64_t i = start; i < length; i += WARP * N) {
        assay::vec<scalar_t, N> v = assay::load_vec<N>(x + i);
        const assay::vec<scalar_t, N> w = assay::load_vec<N>(weight + i);
#pragma unroll
        for (int lane = 0; lane < N; lane++)
            v[lane] = assay::from_float<scalar_t>(assay::to_float(v[lane]) * scale * factor *
                                                  assay::to_float(w[lane]));
        assay::store_vec(out + i, v);
    }
}

extern "C" assay_status rmsnorm_run(const rmsnorm_args *args, assay_stream stream)
{
    if (args->rows == 0 || args->length == 0)
        return ASSAY_OK;
    const bool aligned = ((uintptr_t)args->x | (uintptr_t)args->weight | (uintptr_t)args->out) % 16 == 0 &&
                         args->length % LANES == 0;
    const int64_t per_block = BLOCK_THREADS / WARP;
    return assay::launch(aligned ? rmsnorm_v3<LANES> : rmsnorm_v3<1>,
                         dim3((unsigned)((args->rows + per_block - 1) / per_block)), dim3(BLOCK_THREADS), 0,
                         stream, static_cast<const scalar_t *>(args->x),
                         static_cast<const scalar_t *>(args->weight), static_cast<scalar_t *>(args->out),
                         args->rows, args->length, static_cast<float>(args->eps));
}
