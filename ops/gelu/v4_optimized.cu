// gelu, step 4: one vector a thread, and a branch-free Phi of few instructions.
//
// Memory is accessed as in add's step 4: 16 bytes, one vector a thread. Small problems (up to half of the
// threads that an H100 holds) take one word a thread: four times the threads, each with a quarter of the
// arithmetic between load and store.
// Arithmetic has to fit into the time that memory takes: at an H100's bandwidth some 40 instructions an
// element of a 2-byte type and 80 of f32. erff and tanhf take half of that or more and diverge; normal_cdf.h
// takes about 16. Conversions work on pairs (../common/vector16.h).
// Expected effect: the rate of a device copy at large sizes for all types, and a small relative error also
// for negative x, where 1 + erf(x) cancels.
// Tunables: BLOCK_ELEMENTS (elements a block, for large sizes).
#include <assay/kernel.h>
#include "../common/vector16.h"
#include "gelu.h"
#include "../common/normal_cdf.h"

#ifndef BLOCK_ELEMENTS
#define BLOCK_ELEMENTS 2048
#endif

constexpr int BLOCK = BLOCK_ELEMENTS / WIDE; // threads
constexpr int FEW_THREADS = 128;
constexpr int64_t FEW_WORDS = 1 << 17; // half of the threads that 132 multiprocessors hold

// Thread t moves vector t; the elements behind the last vector go to the first threads of the last block.
// Indices of vectors fit 32 bits.
template <bool EXACT>
static __global__ void __launch_bounds__(BLOCK)
    gelu_v4(const scalar_t *__restrict__ x, scalar_t *__restrict__ out, uint32_t vectors, int64_t count)
{
    const uint32_t i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < vectors) {
        float e[WIDE];
        unpack(reinterpret_cast<const uint4 *>(x)[i], e);
#pragma unroll
        for (int lane = 0; lane < WIDE; lane++)
            e[lane] = gelu<EXACT>(e[lane]);
        reinterpret_cast<uint4 *>(out)[i] = pack(e);
    }
    const int64_t tail = (int64_t)vectors * WIDE + threadIdx.x;
    if (blockIdx.x == gridDim.x - 1 && tail < count)
        out[tail] = assay::from_float<scalar_t>(gelu<EXACT>(assay::to_float(x[tail])));
}

// Thread t moves word t; the threads behind the last word move an element each.
constexpr int WORD = 4 / sizeof(scalar_t); // elements of one
template <bool EXACT>
static __global__ void __launch_bounds__(FEW_THREADS)
    gelu_words(const scalar_t *__restrict__ x, scalar_t *__restrict__ out, uint32_t words, uint32_t count)
{
    const uint32_t i = blockIdx.x * FEW_THREADS + threadIdx.x;
    if (i < words) {
        float e[WORD];
        unpack_word(reinterpret_cast<const uint32_t *>(x)[i], e);
#pragma unroll
        for (int lane = 0; lane < WORD; lane++)
            e[lane] = gelu<EXACT>(e[lane]);
        reinterpret_cast<uint32_t *>(out)[i] = pack_word(e);
        return;
    }
    const uint32_t single = words * WORD + (i - words);
    if (single < count)
        out[single] = assay::from_float<scalar_t>(gelu<EXACT>(assay::to_float(x[single])));
}

// For pointers that vector accesses cannot use, and for more vectors than 32 bits count.
template <bool EXACT>
static __global__ void gelu_scalar(const scalar_t *x, scalar_t *out, int64_t count)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = assay::from_float<scalar_t>(gelu<EXACT>(assay::to_float(x[i])));
}

extern "C" assay_status gelu_run(const gelu_args *args, assay_stream stream)
{
    if (args->count == 0)
        return ASSAY_OK;
    const scalar_t *x = static_cast<const scalar_t *>(args->x);
    scalar_t *out = static_cast<scalar_t *>(args->out);
    const int64_t count = args->count, vectors = count / WIDE;
    if (!is_aligned(x) || !is_aligned(out) || vectors > UINT32_MAX - BLOCK)
        return assay::launch(args->exact ? gelu_scalar<true> : gelu_scalar<false>,
                             dim3((unsigned)((count + 255) / 256)), dim3(256), 0, stream, x, out, count);
    const int64_t words = count / WORD;
    if (words <= FEW_WORDS)
        return assay::launch(args->exact ? gelu_words<true> : gelu_words<false>,
                             dim3((unsigned)((words + count % WORD + FEW_THREADS - 1) / FEW_THREADS)),
                             dim3(FEW_THREADS), 0, stream, x, out, (uint32_t)words, (uint32_t)count);
    const int64_t blocks = (vectors + BLOCK - 1) / BLOCK;
    return assay::launch(args->exact ? gelu_v4<true> : gelu_v4<false>, dim3((unsigned)blocks), dim3(BLOCK), 0,
                         stream, x, out, (uint32_t)vectors, count);
}
