// Sums along a dimension that is not the last (inner > 1) for step 4: vectors span neighbouring rows.
#ifndef ASSAY_OPS_REDUCE_SUM_V4_COLUMNS_CUH
#define ASSAY_OPS_REDUCE_SUM_V4_COLUMNS_CUH

#include <assay/kernel.h>
#include "load.cuh"

constexpr int COLUMN_THREADS = 256;
constexpr int COLUMN_LOADS = 8; // a thread's loads in flight

// Threads of one group, above each other in the block, bring their N sums together by halves; the upmost has
// them in the end. Lane-major, so that neighbours meet different banks.
template <int N>
static __device__ __forceinline__ void gather_sums(float (&sums)[N])
{
    __shared__ float partial[COLUMN_THREADS * N];
    const int t = threadIdx.y * blockDim.x + threadIdx.x;
    for (int half = blockDim.y / 2; half > 0; half /= 2) {
        if ((int)threadIdx.y >= half && (int)threadIdx.y < 2 * half)
#pragma unroll
            for (int lane = 0; lane < N; lane++)
                partial[lane * COLUMN_THREADS + t] = sums[lane];
        __syncthreads();
        if ((int)threadIdx.y < half)
#pragma unroll
            for (int lane = 0; lane < N; lane++)
                sums[lane] += partial[lane * COLUMN_THREADS + t + half * blockDim.x];
    }
}

// A group is N neighbouring rows, one vector access. A block has blockDim.x groups and blockDim.y threads for
// each, which take every blockDim.y-th element; gridDim.y blocks share a row, `segment` elements each. inner
// is a multiple of N. out[split][row] gets the sum of one split.
template <int N, class T, class Out>
static __global__ void __launch_bounds__(COLUMN_THREADS)
    sum_columns(const T *__restrict__ x, Out *__restrict__ out, int64_t groups, int64_t length, int64_t inner,
                int64_t segment)
{
    const int64_t group = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int64_t begin = blockIdx.y * segment;
    const int64_t end = begin + segment < length ? begin + segment : length;
    float sums[N] = {};
    if (group < groups) {
        const int64_t row = group * N,
                      before = row < inner ? 0 : row / inner * inner; // rows of earlier slabs
        x += before * length + (row - before);
        const int step = blockDim.y;
        x += (begin + threadIdx.y) * inner;
        for (int64_t left = end - begin - threadIdx.y; left > 0; left -= COLUMN_LOADS * step) {
            assay::vec<T, N> v[COLUMN_LOADS];
#pragma unroll
            for (int k = 0; k < COLUMN_LOADS; k++) // a load past the end reads again and does not count
                v[k] = load_once<N>(x + (k * step < left ? k * step : 0) * inner);
#pragma unroll
            for (int k = 0; k < COLUMN_LOADS; k++)
#pragma unroll
                for (int lane = 0; lane < N; lane++)
                    sums[lane] += k * step < left ? assay::to_float(v[k][lane]) : 0.0f;
            x += COLUMN_LOADS * step * inner;
        }
    }
    gather_sums<N>(sums);
    if (threadIdx.y != 0 || group >= groups)
        return;
    out += blockIdx.y * groups * N + group * N;
#pragma unroll
    for (int lane = 0; lane < N; lane++)
        out[lane] = assay::from_float<Out>(sums[lane]);
}

struct column_plan {
    int64_t groups, blocks, splits, segment;
    dim3 block;
};

// A thread's rounds of loads are one latency each, about a microsecond. A second launch takes as long as this
// many.
constexpr int64_t FEW_ROUNDS = 4;
// Bytes a multiprocessor up to which latency decides and not how wide the accesses are.
constexpr int64_t FEW_BYTES = 65536;

// Rounds of a thread where x groups stand side by side in a block and the length is not split.
static inline int64_t rounds_of(unsigned x, int64_t length, int loads)
{
    const int64_t batch = COLUMN_THREADS / x * loads;
    return (length + batch - 1) / batch;
}

// Groups side by side, of `n` elements of `size` bytes: x, or fewer where blocks are then still fewer than
// multiprocessors and threads go fewer rounds. A sector, 32 bytes, at least.
static inline unsigned narrower(unsigned x, int64_t groups, int64_t length, int loads, int group_bytes)
{
    const int64_t sms = assay::multiprocessor_count();
    if (groups * group_bytes * length > FEW_BYTES * sms)
        return x;
    while (x > 1 && x / 2 * group_bytes >= 32 && rounds_of(x, length, loads) > 1 &&
           (groups + x - 1) / x < sms)
        x /= 2;
    return x;
}

// Complete a plan of `groups`, x of them side by side in a block, `loads` in flight a thread. A block has no
// more threads above each other than there are loads for.
static inline void plan_splits(column_plan *plan, unsigned x, int64_t length, int loads,
                               int64_t wanted_blocks, int64_t most_splits)
{
    unsigned y = COLUMN_THREADS / x;
    plan->blocks = (plan->groups + x - 1) / x;
    const int64_t batch = (int64_t)y * loads, batches = (length + batch - 1) / batch;
    int64_t splits = wanted_blocks / plan->blocks;
    splits = splits < batches ? splits : batches;
    splits = splits < most_splits ? splits : most_splits;
    splits = splits > 1 ? splits : 1;
    plan->segment = (batches + splits - 1) / splits * batch;
    plan->splits = plan->segment > 0 ? (length + plan->segment - 1) / plan->segment : 1;
    while (y > 1 && y / 2 * loads >= length)
        y /= 2;
    plan->block = dim3(x, y);
}

// A plan without splits where that takes up to `few_rounds`, else one with splits.
static inline void plan_rounds(column_plan *plan, unsigned x, int64_t length, int loads, int group_bytes,
                               int64_t wanted_blocks, int64_t most_splits, int64_t few_rounds)
{
    const unsigned narrow = narrower(x, plan->groups, length, loads, group_bytes);
    if (most_splits <= 1 || rounds_of(narrow, length, loads) <= few_rounds)
        plan_splits(plan, narrow, length, loads, 1, 1);
    else
        plan_splits(plan, x, length, loads, wanted_blocks, most_splits);
}

// How `rows` = outer * inner rows of `length` elements are laid out over blocks of COLUMN_THREADS.
// `most_splits` as the workspace and the machine allow.
static inline column_plan plan_columns(int64_t rows, int64_t length, int n, int64_t wanted_blocks,
                                       int64_t most_splits)
{
    column_plan plan;
    plan.groups = rows / n;
    unsigned x = 1;
    while (x < WARP && x < plan.groups)
        x *= 2;
    plan_rounds(&plan, x, length, COLUMN_LOADS, n * (int)sizeof(scalar_t), wanted_blocks, most_splits,
                FEW_ROUNDS);
    return plan;
}

// The sums of `splits` partial sums a row: by so many threads a row that each has one batch. Fewer rows side by
// side may then read sectors of which they use a part; the partial sums are few, and in L2.
static inline column_plan plan_partials(int64_t rows, int64_t splits)
{
    column_plan plan;
    plan.groups = rows;
    unsigned x = WARP;
    while (x > 1 && (x / 2 >= rows || COLUMN_THREADS / x * COLUMN_LOADS < splits))
        x /= 2;
    plan_splits(&plan, x, splits, COLUMN_LOADS, 1, 1);
    return plan;
}

template <int N, class T, class Out>
static assay_status launch_columns(const column_plan &plan, const T *x, Out *out, int64_t length,
                                   int64_t inner, assay_stream stream)
{
    return assay::launch(sum_columns<N, T, Out>, dim3((unsigned)plan.blocks, (unsigned)plan.splits),
                         plan.block, 0, stream, x, out, plan.groups, length, inner, plan.segment);
}

#endif
