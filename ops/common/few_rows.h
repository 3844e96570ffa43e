// Small problems of short rows: step 4 of the norms.
//
// The time of such a problem is latency: a thread's instructions are fetched for the first time, and most
// wait for the one before. So a row has a block, a thread moves FEW_ELEMENTS of it by one access, there are
// no edges, batches or missing vectors, indices have 32 bits, and the row length is a constant of the kernel:
// one of a few powers of two. launch_rows() of rows.h takes the rest.
#ifndef ASSAY_OPS_COMMON_FEW_ROWS_H
#define ASSAY_OPS_COMMON_FEW_ROWS_H

#include "rows.h"

#ifndef FEW_ELEMENTS
#define FEW_ELEMENTS 2
#endif
#ifndef FEW_THREADS
#define FEW_THREADS 65536 // a quarter of what 132 multiprocessors hold: all blocks start at once
#endif

constexpr int FEW_BLOCK = 8 * WARP; // most threads of a row: each reads the states of that many warps
constexpr int FEW_WORDS = FEW_ELEMENTS * sizeof(scalar_t) / 4, WORD = 4 / sizeof(scalar_t);

static __device__ __forceinline__ void load_few(const scalar_t *p, uint32_t share, float *e)
{
    const auto raw =
        assay::load_vec<FEW_WORDS>(reinterpret_cast<const uint32_t *>(p) + (size_t)share * FEW_WORDS);
#pragma unroll
    for (int k = 0; k < FEW_WORDS; k++)
        unpack_word(raw[k], e + k * WORD);
}

static __device__ __forceinline__ void store_few(scalar_t *p, uint32_t share, const float *e)
{
    assay::vec<uint32_t, FEW_WORDS> raw;
#pragma unroll
    for (int k = 0; k < FEW_WORDS; k++)
        raw[k] = pack_word(e + k * WORD);
    assay::store_vec(reinterpret_cast<uint32_t *>(p) + (size_t)share * FEW_WORDS, raw);
}

// Whether launch_few_rows() is for them. `whole`: as for launch_rows(), so all pointers are aligned.
static inline bool are_few_rows(int64_t rows, int64_t length, bool whole)
{
    return whole && length >= WARP * FEW_ELEMENTS && length <= FEW_BLOCK * FEW_ELEMENTS &&
           (length & (length - 1)) == 0 && rows * length <= (int64_t)FEW_THREADS * FEW_ELEMENTS;
}

// Launch Kernels::few<THREADS>(), whose blocks have a row and so many threads. Thread t of block b has share
// t of the row, which is share b * THREADS + t of the matrix.
template <class Kernels, int THREADS = WARP, class... Args>
static assay_status launch_few_rows(int64_t rows, int64_t length, assay_stream stream, Args... args)
{
    if constexpr (THREADS < FEW_BLOCK)
        if (length > THREADS * FEW_ELEMENTS)
            return launch_few_rows<Kernels, 2 * THREADS>(rows, length, stream, args...);
    return assay::launch(Kernels::template few<THREADS>(), dim3((unsigned)rows), dim3(THREADS), 0, stream,
                         args...);
}

#endif
