// layernorm, step 4: the row is read once and stays in registers.
//
// Everything together. The threads of a row hold it in registers as up to 32 floats each, loaded by independent 16-byte
// accesses that are all issued before the first use (../common/rows.h):
// - Each thread finds mean and squared distances of its own elements, in two passes over its registers. The triples (n, mean,
//   M2) are then reduced together, by shuffles inside a warp and one exchange through shared memory between warps: one barrier
//   a row where the definition's order, mean before variance, would cost two.
// - Short rows: part of a warp or a warp a row and several rows a block. Long ones: a block a row. Where rows are few, each is
//   given more threads with fewer vectors, until the machine is full.
// - Weight and bias are the same for all rows and come from L1 or L2 (../common/norm_rows.h).
// - Rows longer than a block can hold go batch by batch, and are read again for writing from the last batch, still in
//   registers, back to the first.
// - Rows that start off a 16-byte boundary (odd lengths): the few elements before the first and behind the last whole
//   vector go to one thread each, beside its vectors; weight and bias are then read element by element.
// Expected effect: the rate of a device copy from 1024 columns on for all types; small sizes a little above an empty kernel.
// Tunables: VECTORS_PER_THREAD (16-byte vectors a thread holds where rows are plenty), FILL_THREADS (threads that count
// as a full machine; below it rows are spread over more threads), LARGE_BLOCK (most threads of a block whose threads hold
// 32 elements: fewer leave each more registers).
#include <assay/kernel.h>
#include "../common/overflow.h"
#include "../common/norm_rows.h"
#include "layernorm.h"
#include "moments.h"

struct moments_reduction {
    using state = moments;
    static __device__ __forceinline__ moments nothing() { return {0.0f, 0.0f, 0.0f}; }

    // First the mean of the lanes, then the squared distances from it, so that a lane divides once and not once a step.
    template <int LANES>
    static __device__ __forceinline__ moments lanes(moments part)
    {
        float n = part.n, sum = part.n * part.mean;
#pragma unroll
        for (int offset = LANES / 2; offset > 0; offset /= 2) {
            n += __shfl_xor_sync(0xffffffffu, n, offset);
            sum += __shfl_xor_sync(0xffffffffu, sum, offset);
        }
        const float mean = __fdividef(sum, fmaxf(n, 1.0f)), delta = part.mean - mean;
        float m2 = fmaf(part.n * delta, delta, part.m2);
#pragma unroll
        for (int offset = LANES / 2; offset > 0; offset /= 2)
            m2 += __shfl_xor_sync(0xffffffffu, m2, offset);
        return {n, mean, m2};
    }
};

template <int VECTORS>
struct layernorm_batch : row_batch<VECTORS> {
    using row_batch<VECTORS>::e;

    // Moments of the vectors that are there, their elements times `scale` and relative to `first`.
    __device__ __forceinline__ moments measure(int t, int threads, int count, float scale, float first) const
    {
        float n = 0.0f, sum = 0.0f, m2 = 0.0f;
#pragma unroll
        for (int k = 0; k < VECTORS; k++) {
            float of_vector = 0.0f;
#pragma unroll
            for (int lane = 0; lane < WIDE; lane++)
                of_vector += fmaf(e[k][lane], scale, -first);
            if (t + k * threads < count) {
                sum += of_vector;
                n += WIDE;
            }
        }
        const float mean = __fdividef(sum, fmaxf(n, 1.0f));
#pragma unroll
        for (int k = 0; k < VECTORS; k++) {
            float of_vector = 0.0f;
#pragma unroll
            for (int lane = 0; lane < WIDE; lane++) {
                const float distance = fmaf(e[k][lane], scale, -first) - mean;
                of_vector = fmaf(distance, distance, of_vector);
            }
            if (t + k * threads < count)
                m2 += of_vector;
        }
        return {n, mean, m2};
    }
};

// The template parameters are those of ../common/rows.h; MANY: more than one batch.
template <int VECTORS, int WIDTH, bool MANY>
static __global__ void __launch_bounds__(WIDTH == BLOCK_ROW ? norm_threads(VECTORS) : WARP_ROW_THREADS)
    layernorm_rows(const scalar_t *__restrict__ x, const scalar_t *__restrict__ weight,
                   const scalar_t *__restrict__ bias, scalar_t *__restrict__ out, int64_t rows,
                   int64_t length, float eps)
{
    const row_share<VECTORS, WIDTH, MANY> share(x, rows, length);
    const int t = share.t, threads = share.threads;
    x += share.row * length;
    out += share.row * length;
    layernorm_batch<VECTORS> part;
    part.load(x + share.start(share.last), t, threads, share.count(share.last), 0);
    const float edge_x = share.has_edge ? assay::to_float(x[share.edge]) : 0.0f;
    const float first_x = share.row < rows ? assay::to_float(x[0]) : 0.0f;
    const row_parameter<VECTORS, MANY> w(weight, share.head, t, threads, share.count(0)),
        b(bias, share.head, t, threads, share.count(0));

    float scale = 1.0f, first;
    moments whole;
    for (bool again = false;; again = true) {
        first = first_x * scale;
        moments mine = {share.has_edge ? 1.0f : 0.0f, share.has_edge ? edge_x * scale - first : 0.0f, 0.0f};
        for (int64_t i = 0; i <= share.last; i++) {
            if (MANY)
                part.load(x + share.start(i), t, threads, share.count(i), 0);
            mine = merge(mine, part.measure(t, threads, share.count(i), scale, first));
        }
        whole = reduce_row<WIDTH, moments_reduction>(mine);
        const bool finite = is_finite(whole.m2);
        if (again || __all_sync(0xffffffffu, finite)) // one answer for a block, as it has one row
            break;
        scale = finite ? 1.0f : SCALED_DOWN;
        if (WIDTH == BLOCK_ROW)
            __syncthreads(); // the exchange may now be used again
    }
    const float factor = rsqrtf(__fdividef(whole.m2, (float)length) + eps * scale * scale);

    if (share.has_edge)
        out[share.edge] = assay::from_float<scalar_t>(fmaf((edge_x * scale - first - whole.mean) * factor,
                                                           assay::to_float(weight[share.edge]),
                                                           assay::to_float(bias[share.edge])));
    write_row(share, part, x, out, [&](int k, int64_t i, float *result) {
        float ws[WIDE], bs[WIDE];
        w.get(k, i, ws);
        b.get(k, i, bs);
#pragma unroll
        for (int lane = 0; lane < WIDE; lane++)
            result[lane] =
                fmaf((fmaf(part.e[k][lane], scale, -first) - whole.mean) * factor, ws[lane], bs[lane]);
    });
}

struct layernorm_kernels {
    static constexpr int block_threads(int vectors) { return norm_threads(vectors); }
    template <int VECTORS, int WIDTH, bool MANY>
    static auto of()
    {
        return layernorm_rows<VECTORS, WIDTH, MANY>;
    }
};

extern "C" assay_status layernorm_run(const layernorm_args *args, assay_stream stream)
{
    if (args->rows == 0 || args->length == 0)
        return ASSAY_OK;
    return launch_rows<layernorm_kernels>(
        args->rows, args->length, stream, static_cast<const scalar_t *>(args->x),
        static_cast<const scalar_t *>(args->weight), static_cast<const scalar_t *>(args->bias),
        static_cast<scalar_t *>(args->out), args->rows, args->length, static_cast<float>(args->eps));
}
