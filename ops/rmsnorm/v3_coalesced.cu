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
#include "by_warps.cuh"

extern "C" assay_status rmsnorm_run(const rmsnorm_args *args, assay_stream stream)
{
    return rmsnorm_by_warps_run(args, stream);
}
