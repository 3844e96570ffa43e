// rmsnorm, step 4: the row is read once and stays in registers.
//
// Everything together. The threads of a row hold it in registers as up to 32 floats each, loaded by independent 16-byte
// accesses that are all issued before the first use (../common/rows.h); their sums of squares are reduced by shuffles inside
// a warp and one exchange through shared memory between warps, one barrier a row.
// - Short rows: part of a warp or a warp a row and several rows a block. Long ones: a block a row. Where rows are few, each is
//   given more threads with fewer vectors, until the machine is full.
// - The weight is the same for all rows and comes from L1 or L2 (../common/norm_rows.h).
// - Rows longer than a block can hold go batch by batch, and are read again for writing from the last batch, still in
//   registers, back to the first.
// - Rows that start off a 16-byte boundary (odd lengths): the few elements before the first and behind the last whole
//   vector go to one thread each, beside its vectors; the weight is then read element by element.
// Expected effect: the rate of a device copy from 1024 columns on for all types; small sizes a little above an empty kernel.
// Tunables: VECTORS_PER_THREAD (16-byte vectors a thread holds where rows are plenty), FILL_THREADS (threads that count
// as a full machine; below it rows are spread over more threads), LARGE_BLOCK (most threads of a block whose threads hold
// 32 elements: fewer leave each more registers).
#include <assay/kernel.h>
#include "../common/overflow.h"
#include "../common/norm_rows.h"
#include "rmsnorm.h"

struct sum_reduction {
    using state = float;
    static __device__ __forceinline__ float nothing() { return 0.0f; }

    template <int LANES>
    static __device__ __forceinline__ float lanes(float sum)
    {
#pragma unroll
        for (int offset = LANES / 2; offset > 0; offset /= 2)
            sum += __shfl_xor_sync(0xffffffffu, sum, offset);
        return sum;
    }
};

// Sum of the squares of a batch times scale^2; missing vectors hold zeros.
template <int VECTORS>
static __device__ __forceinline__ float sum_squares(const row_batch<VECTORS> &part, float scale)
{
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < VECTORS; k++) {
        float of_vector = 0.0f; // one short chain a vector, side by side
#pragma unroll
        for (int lane = 0; lane < WIDE; lane++) {
            const float scaled = part.e[k][lane] * scale;
            of_vector = fmaf(scaled, scaled, of_vector);
        }
        sum += of_vector;
    }
    return sum;
}

// The template parameters are those of ../common/rows.h; MANY: more than one batch.
template <int VECTORS, int WIDTH, bool MANY>
static __global__ void __launch_bounds__(WIDTH == BLOCK_ROW ? norm_threads(VECTORS) : WARP_ROW_THREADS)
    rmsnorm_rows(const scalar_t *__restrict__ x, const scalar_t *__restrict__ weight,
                 scalar_t *__restrict__ out, int64_t rows, int64_t length, float eps)
{
    const row_share<VECTORS, WIDTH, MANY> share(x, rows, length);
    const int t = share.t, threads = share.threads;
    x += share.row * length;
    out += share.row * length;
    row_batch<VECTORS> part;
    part.load(x + share.start(share.last), t, threads, share.count(share.last), 0);
    const float edge_x = share.has_edge ? assay::to_float(x[share.edge]) : 0.0f;
    const row_parameter<VECTORS, MANY> w(weight, share.head, t, threads, share.count(0));

    float scale = 1.0f, squares;
    for (bool again = false;; again = true) {
        squares = edge_x * scale * (edge_x * scale);
        for (int64_t i = 0; i <= share.last; i++) {
            if (MANY)
                part.load(x + share.start(i), t, threads, share.count(i), 0);
            squares += sum_squares(part, scale);
        }
        squares = reduce_row<WIDTH, sum_reduction>(squares);
        const bool finite = is_finite(squares);
        if (again || __all_sync(0xffffffffu, finite)) // one answer for a block, as it has one row
            break;
        scale = finite ? 1.0f : SCALED_DOWN;
        if (WIDTH == BLOCK_ROW)
            __syncthreads(); // the exchange may now be used again
    }
    const float factor = rsqrtf(__fdividef(squares, (float)length) + eps * scale * scale);

    if (share.has_edge)
        out[share.edge] =
            assay::from_float<scalar_t>(edge_x * scale * factor * assay::to_float(weight[share.edge]));
    write_row(share, part, x, out, [&](int k, int64_t i, float *result) {
        float ws[WIDE];
        w.get(k, i, ws);
#pragma unroll
        for (int lane = 0; lane < WIDE; lane++)
            result[lane] = part.e[k][lane] * scale * factor * ws[lane];
    });
}

struct rmsnorm_kernels {
    static constexpr int block_threads(int vectors) { return norm_threads(vectors); }
    template <int VECTORS, int WIDTH, bool MANY>
    static auto of()
    {
        return rmsnorm_rows<VECTORS, WIDTH, MANY>;
    }
};

extern "C" assay_status rmsnorm_run(const rmsnorm_args *args, assay_stream stream)
{
    if (args->rows == 0 || args->length == 0)
        return ASSAY_OK;
    return launch_rows<rmsnorm_kernels>(
        args->rows, args->length, stream, static_cast<const scalar_t *>(args->x),
        static_cast<const scalar_t *>(args->weight), static_cast<scalar_t *>(args->out), args->rows,
        args->length, static_cast<float>(args->eps));
}
