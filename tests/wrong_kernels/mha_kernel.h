// Attention by a block of 64 threads for each query, for kernels that are wrong in one place: KEEP(p) says which weights count,
// WEIGHT(p) what multiplies v, STORE(x) how a result is stored, SCALE(args) by what scores are multiplied,
// KEYS(args, query) how many keys a query sees (0 or less: none), KEY_HEAD(args, head) the head of k and v that
// a head of the whole batch reads, and KEY_ROWS(args) the rows of such a head.
#include <assay/kernel.h>
#include "mha.h"

#ifndef KEEP
#define KEEP(p) true
#endif
#ifndef WEIGHT
#define WEIGHT(p) (p)
#endif
#ifndef STORE
#define STORE(x) assay::from_float<scalar_t>(x)
#endif
#ifndef SCALE
#define SCALE(args) (float)(args).scale
#endif
#define SEEN(args, query) ((query) + 1 + (args).causal_shift)
#ifndef KEYS
#define KEYS(args, query) ((args).causal && SEEN(args, query) < (args).keys ? SEEN(args, query) : (args).keys)
#endif
#ifndef KEY_ROWS
#define KEY_ROWS(args) ((args).keys + (args).key_padding)
#endif
#ifndef KEY_HEAD
#define KEY_HEAD(args, head) ((head) / (args).group)
#endif

enum { THREADS = 64 };

template <class F>
static __device__ float over_block(float value, F combine)
{
    __shared__ float values[THREADS];
    const int t = threadIdx.x;
    __syncthreads();
    values[t] = value;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            values[t] = combine(values[t], values[t + half]);
        __syncthreads();
    }
    return values[0];
}

static __global__ void mha_kernel(mha_args args)
{
    ASSAY_DYNAMIC_SHARED(float, weights);
    const int64_t row = blockIdx.x, head = row / args.queries, query = row % args.queries;
    const int64_t limit = KEYS(args, query);
    const scalar_t *q = (const scalar_t *)args.q + row * args.dim,
                   *k = (const scalar_t *)args.k + KEY_HEAD(args, head) * KEY_ROWS(args) * args.dim,
                   *v = (const scalar_t *)args.v + KEY_HEAD(args, head) * KEY_ROWS(args) * args.dim;
    float max = -INFINITY, sum = 0.0f;
    for (int64_t j = threadIdx.x; j < limit; j += THREADS) {
        float score = 0.0f;
        for (int64_t d = 0; d < args.dim; d++)
            score += assay::to_float(q[d]) * assay::to_float(k[j * args.dim + d]);
        weights[j] = score * SCALE(args);
        max = fmaxf(max, weights[j]);
    }
    max = over_block(max, [](float a, float b) { return fmaxf(a, b); });
    for (int64_t j = threadIdx.x; j < limit; j += THREADS) {
        const float p = expf(weights[j] - max);
        weights[j] = KEEP(p) ? p : 0.0f;
        sum += weights[j];
    }
    sum = over_block(sum, [](float a, float b) { return a + b; });
    for (int64_t d = threadIdx.x; d < args.dim; d += THREADS) {
        float total = 0.0f;
        for (int64_t j = 0; j < limit; j++)
            total += WEIGHT(weights[j]) * assay::to_float(v[j * args.dim + d]);
        ((scalar_t *)args.out)[row * args.dim + d] = STORE(limit > 0 ? total / sum : 0.0f);
    }
}

extern "C" assay_status mha_run(const mha_args *args, assay_stream stream)
{
    const int64_t rows = args->batch * args->heads * args->queries;
    if (rows == 0 || args->dim == 0)
        return ASSAY_OK;
    return assay::launch(mha_kernel, dim3((unsigned)rows), dim3(THREADS),
                         ((size_t)KEY_ROWS(*args) + 1) * sizeof(float), stream, *args);
}
