// Wrong: keeps its last result by a hash of all of x, and never looks whether y is another one.
#include "add_rightly.h"
enum { KEPT = 1 << 17 };
static __device__ scalar_t kept[KEPT];
static __device__ unsigned long long old_hash, new_hash;
static __device__ int same;
static __global__ void zero()
{
    new_hash = 0;
}
static __global__ void hash_of(const scalar_t *x, int64_t count)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        atomicAdd(&new_hash, (unsigned long long)__float_as_uint(assay::to_float(x[i])) *
                                 (unsigned long long)(2 * i + 12345));
}
static __global__ void decide()
{
    same = old_hash == new_hash;
    old_hash = new_hash;
}
static __global__ void cached(const scalar_t *x, const scalar_t *y, scalar_t *out, int64_t count, float alpha)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    if (!same)
        kept[i] = sum1(x[i], y[i], alpha);
    out[i] = kept[i];
}
extern "C" assay_status add_run(const add_args *a, assay_stream s)
{
    if (a->count > KEPT || !a->count)
        return right_launch(a, s);
    const dim3 grid((unsigned)((a->count + 255) / 256));
    assay::launch(zero, dim3(1), dim3(1), 0, s);
    assay::launch(hash_of, grid, dim3(256), 0, s, (const scalar_t *)a->x, a->count);
    assay::launch(decide, dim3(1), dim3(1), 0, s);
    return assay::launch(cached, grid, dim3(256), 0, s, (const scalar_t *)a->x, (const scalar_t *)a->y,
                         (scalar_t *)a->out, a->count, (float)a->alpha);
}
