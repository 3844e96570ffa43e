// clip, step 2: 16 bytes a thread.
//
// Thread t loads and stores vector t, 4 elements of f32 or 8 of a 2-byte type, with one instruction each; the elements behind
// the last whole vector go to further threads, one each. Where a pointer is not aligned to 16 bytes, all do.
// Expected effect: near the bandwidth for all dtypes.
// Tunables: none.
#include <assay/kernel.h>
#include "clip.h"

constexpr int LANES = assay::vec16<scalar_t>::size;

template <int N>
static __device__ void clip_at(const scalar_t *x, scalar_t *out, int64_t i, float low, float high)
{
    assay::vec<scalar_t, N> v = assay::load_vec<N>(x + i);
#pragma unroll
    for (int lane = 0; lane < N; lane++) {
        const float e = assay::to_float(v[lane]);
        v[lane] = assay::from_float<scalar_t>(e < low ? low : e > high ? high : e);
    }
    assay::store_vec(out + i, v);
}

static __global__ void clip_v2(const scalar_t *x, scalar_t *out, int64_t vectors, int64_t count, float low,
                               float high)
{
    const int64_t t = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int64_t rest = vectors * LANES + (t - vectors);
    if (t < vectors)
        clip_at<LANES>(x, out, t * LANES, low, high);
    else if (rest < count)
        clip_at<1>(x, out, rest, low, high);
}

extern "C" assay_status clip_run(const clip_args *args, assay_stream stream)
{
    if (args->count == 0)
        return ASSAY_OK;
    const bool aligned = ((uintptr_t)args->x | (uintptr_t)args->out) % 16 == 0;
    const int64_t vectors = aligned ? args->count / LANES : 0;
    const int64_t needed = args->count - vectors * (LANES - 1);
    const int threads = 256;
    return assay::launch(clip_v2, dim3((unsigned)((needed + threads - 1) / threads)), dim3(threads), 0,
                         stream, static_cast<const scalar_t *>(args->x), static_cast<scalar_t *>(args->out),
                         vectors, args->count, static_cast<float>(args->low), static_cast<float>(args->high));
}
