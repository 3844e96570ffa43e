// layernorm, step 3: a warp a row, 16-byte coalesced accesses, mean and variance in one pass.
//
// Coalescing alone: the lanes of a warp read 512 contiguous bytes of a row with one instruction. Each
// vector's mean and squared distances are merged into the lane's (moments.h), and the lanes' by shuffles, so
// there is no barrier at all. Nothing is kept: a second pass reads the row again and writes. Elements are
// taken relative to a pivot, the first one of their row; where that turns out to be far from the mean, the
// row is measured again from the mean found. Rows that start off a 16-byte boundary (odd lengths) take the
// same path one element at a time.
// Expected effect: two reads instead of one, but the second mostly hits L2 as long as the rows under way fit
// there; faster than step 2 for short rows, where no block idles, and for the 2-byte types. A warp has one
// load in flight at a time, so rows that are few and long leave the bandwidth unused.
// Tunables: BLOCK_THREADS.
#include "by_warps.cuh"

extern "C" assay_status layernorm_run(const layernorm_args *args, assay_stream stream)
{
    return layernorm_by_warps_run(args, stream);
}
