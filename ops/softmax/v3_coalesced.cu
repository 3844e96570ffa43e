// softmax, step 3: a warp a row, 16-byte coalesced accesses, maximum and sum in one pass.
//
// Coalescing alone: the lanes of a warp read 512 contiguous bytes of a row with one instruction. Maximum and
// sum are found in the same pass (online softmax, Milakov and Gimelshein 2018: a sum is rescaled when its
// maximum grows) and combined by shuffles, so there is no barrier at all. Nothing is kept: a second pass
// reads the row again and writes. Rows that start off a 16-byte boundary (odd lengths) take the same path one
// element at a time. For inner > 1 the rows themselves lie side by side, so a thread takes one row and a warp
// reads 32 neighbouring ones.
// Expected effect: two reads instead of one, but the second mostly hits L2; clearly faster than step 2 for
// short rows, where no block idles and no barrier is paid, and for the 2-byte types. A warp has one load in
// flight at a time, so rows that are few and long leave the bandwidth unused.
// Tunables: BLOCK_THREADS.
#include "by_warps.cuh"

// inner > 1; a thread a row.
static __global__ void softmax_v3_columns(const scalar_t *x, scalar_t *out, int64_t rows, int64_t length,
                                          int64_t inner)
{
    const int64_t row = (int64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (row >= rows)
        return;
    const int64_t first = row / inner * length * inner + row % inner;
    max_sum part = {-INFINITY, 0.0f};
    for (int64_t i = 0; i < length; i++)
        by_warps::absorb(part, assay::load_vec<1>(x + first + i * inner));
    for (int64_t i = 0; i < length; i++)
        assay::store_vec(out + first + i * inner,
                         by_warps::finish(assay::load_vec<1>(x + first + i * inner), part));
}

extern "C" assay_status softmax_run(const softmax_args *args, assay_stream stream)
{
    const int64_t rows = args->outer * args->inner, length = args->length;
    if (rows == 0 || length == 0)
        return ASSAY_OK;
    if (args->inner == 1)
        return softmax_by_warps_run(args, stream);
    const dim3 grid((unsigned)((rows + BLOCK_THREADS - 1) / BLOCK_THREADS));
    return assay::launch(softmax_v3_columns, grid, dim3(BLOCK_THREADS), 0, stream,
                         static_cast<const scalar_t *>(args->x), static_cast<scalar_t *>(args->out), rows,
                         length, args->inner);
}
