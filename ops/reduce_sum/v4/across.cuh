// Sums along a dimension that is not the last (inner > 1) for step 4, whatever the alignment and however
// short the columns: 16-byte loads all the same.
//
// A group is WIDE neighbouring columns, as in columns.cuh, and the last group of a slab may have fewer. Row j
// of the slab begins j * inner elements behind the first one, so a group's elements lie across two chunks of
// 16 bytes unless inner is a multiple of WIDE. Both chunks are read; neighbouring threads read the second
// one, too, so memory delivers it once.
#ifndef ASSAY_OPS_REDUCE_SUM_V4_ACROSS_CUH
#define ASSAY_OPS_REDUCE_SUM_V4_ACROSS_CUH

#include <assay/hopper.h>
#include "../../common/chunk_across.h"
#include "columns.cuh"

constexpr int ACROSS_LOADS = 4; // a thread's loads in flight, of two chunks each

// The WIDE elements of the two chunks from element `off` on, added to sums.
static __device__ __forceinline__ void add_across(float *sums, const uint4 &first, const uint4 &next, int off)
{
    constexpr int WIDE = assay::vec16<scalar_t>::size;
    const uint4 bits = chunk_across(first, next, off * (int)sizeof(scalar_t) / 2);
    assay::vec16<scalar_t> v;
    memcpy(&v, &bits, sizeof v);
#pragma unroll
    for (int lane = 0; lane < WIDE; lane++)
        sums[lane] += assay::to_float(v[lane]);
}

// The first `count` of WIDE sums, in as few stores as their type and place allow.
template <class Out>
static __device__ __forceinline__ void store_sums(Out *out, const float *sums, int count)
{
    constexpr int WIDE = assay::vec16<scalar_t>::size, EACH = assay::vec16<Out>::size;
    if (count >= WIDE && (uintptr_t)out % 16 == 0) {
#pragma unroll
        for (int first = 0; first < WIDE; first += EACH) {
            assay::vec16<Out> v;
#pragma unroll
            for (int lane = 0; lane < EACH; lane++)
                v[lane] = assay::from_float<Out>(sums[first + lane]);
            assay::store_vec(out + first, v);
        }
        return;
    }
#pragma unroll
    for (int lane = 0; lane < WIDE; lane++)
        if (lane < count)
            out[lane] = assay::from_float<Out>(sums[lane]);
}

// Blocks, threads and `segment` as for sum_columns(). x is on a 16-byte boundary and ends at `end`, before
// which the last slab's last row may end, too: elements that are missing count as zeros.
template <class Out>
static __global__ void __launch_bounds__(COLUMN_THREADS)
    sum_across(const scalar_t *__restrict__ x, const scalar_t *__restrict__ end, Out *__restrict__ out,
               int64_t slabs, int64_t length, int64_t inner, int64_t segment)
{
    constexpr int WIDE = assay::vec16<scalar_t>::size;
    const int64_t per_slab = (inner + WIDE - 1) / WIDE;
    const int64_t group = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int64_t slab = slabs > 1          ? group / per_slab
                         : group < per_slab ? 0
                                            : 1, // a division takes its time
        column = (group - slab * per_slab) * WIDE;
    const int64_t first = blockIdx.y * segment, last = first + segment < length ? first + segment : length;
    float sums[WIDE] = {};
    if (slab < slabs) {
        const int step = blockDim.y;
        x += (slab * length + first + threadIdx.y) * inner + column;
        for (int64_t left = last - first - threadIdx.y; left > 0; left -= ACROSS_LOADS * step) {
            const int64_t rows = left < ACROSS_LOADS * step ? (left - 1) / step : ACROSS_LOADS - 1;
            const int64_t stride = step * inner,
                          room = end - x - 2 * WIDE; // rows up to there have both chunks
            if (room >= 0) {
                uint4 chunks[ACROSS_LOADS][2];
#pragma unroll
                for (int k = 0; k < ACROSS_LOADS; k++) { // a load past the end reads again and does not count
                    const scalar_t *p = x + (k <= rows && k * stride <= room ? k * stride : 0);
                    const int off = (int)((uintptr_t)p / sizeof(scalar_t) % WIDE);
                    const uint4 *chunk = reinterpret_cast<const uint4 *>(p - off);
                    chunks[k][0] = __ldcs(chunk);
                    chunks[k][1] = __ldcs(chunk + (off > 0 ? 1 : 0));
                }
#pragma unroll
                for (int k = 0; k < ACROSS_LOADS; k++)
                    if (k <= rows && k * stride <= room)
                        add_across(sums, chunks[k][0], chunks[k][1],
                                   (int)((uintptr_t)(x + k * stride) / sizeof(scalar_t) % WIDE));
            }
            if (rows * stride > room) // the last rows of x, by elements
                for (int64_t k = 0; k <= rows; k++)
#pragma unroll
                    for (int lane = 0; lane < WIDE; lane++)
                        if (k * stride > room && end - x - k * stride > lane)
                            sums[lane] += assay::to_float(x[k * stride + lane]);
            x += ACROSS_LOADS * stride;
        }
    }
    gather_sums<WIDE>(sums);
    if (threadIdx.y == 0 && slab < slabs)
        store_sums(out + (blockIdx.y * slabs + slab) * inner + column, sums,
                   inner - column < WIDE ? (int)(inner - column) : WIDE);
}

// As plan_columns(). Threads of a group that would have nothing to add stand side by side instead, as long as
// there are blocks for all multiprocessors. `few_rounds` as for plan_rounds().
static inline column_plan plan_across(int64_t slabs, int64_t length, int64_t inner, int64_t wanted_blocks,
                                      int64_t most_splits, int64_t few_rounds)
{
    constexpr int WIDE = assay::vec16<scalar_t>::size;
    column_plan plan;
    plan.groups = slabs * ((inner + WIDE - 1) / WIDE);
    const int64_t sms = assay::multiprocessor_count();
    const auto wider = [&](unsigned x) {
        return x < WARP ? x < plan.groups
                        : x < COLUMN_THREADS && COLUMN_THREADS / x / 2 * ACROSS_LOADS >= length &&
                              plan.groups >= 2 * x * sms;
    };
    unsigned x = 1;
    while (wider(x))
        x *= 2;
    plan_rounds(&plan, x, length, ACROSS_LOADS, 16, wanted_blocks, most_splits, few_rounds);
    return plan;
}

template <class Out>
static assay_status launch_across(const column_plan &plan, const scalar_t *x, int64_t count, Out *out,
                                  int64_t slabs, int64_t length, int64_t inner, assay_stream stream)
{
    return assay::launch(sum_across<Out>, dim3((unsigned)plan.blocks, (unsigned)plan.splits), plan.block, 0,
                         stream, x, x + count, out, slabs, length, inner, plan.segment);
}

#endif
