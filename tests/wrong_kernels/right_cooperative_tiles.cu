// Right: a row by a tile of eight threads of cooperative groups.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <assay/kernel.h>
#include "softmax.h"

namespace cg = cooperative_groups;
static __global__ void softmax_kernel(const scalar_t *x, scalar_t *out, int64_t rows, int64_t length,
                                      int64_t inner)
{
    const cg::thread_block block = cg::this_thread_block();
    const cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
    const int64_t row = (int64_t)blockIdx.x * (blockDim.x / 8) + tile.meta_group_rank();
    if (row >= rows)
        return;
    const int64_t first = row / inner * length * inner + row % inner;
    float m = -INFINITY;
    for (int64_t j = tile.thread_rank(); j < length; j += tile.size()) {
        const float v = assay::to_float(x[first + j * inner]);
        m = v > m || isnan(v) ? v : m;
    }
    for (int o = 4; o; o >>= 1) {
        const float v = tile.shfl_xor(m, o);
        m = v > m || isnan(v) ? v : m;
    }
    float sum = 0.0f;
    for (int64_t j = tile.thread_rank(); j < length; j += tile.size())
        sum += __expf(assay::to_float(x[first + j * inner]) - m);
    sum = cg::reduce(tile, sum, cg::plus<float>());
    tile.sync();
    for (int64_t j = tile.thread_rank(); j < length; j += tile.size())
        out[first + j * inner] =
            assay::from_float<scalar_t>(__fdividef(__expf(assay::to_float(x[first + j * inner]) - m), sum));
}

extern "C" assay_status softmax_run(const softmax_args *a, assay_stream s)
{
    const int64_t rows = a->outer * a->inner;
    if (rows == 0 || a->length == 0)
        return ASSAY_OK;
    return assay::launch(softmax_kernel, dim3((unsigned)((rows + 11) / 12)), dim3(96), 0, s,
                         (const scalar_t *)a->x, (scalar_t *)a->out, rows, a->length, a->inner);
}
