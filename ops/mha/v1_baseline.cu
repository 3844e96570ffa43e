// mha, step 1: the formula in two kernels, with the scores kept in memory.
//
// The first kernel gives each score a thread, which multiplies a row of q with a row of k. The second gives
// each element of the output a thread, which walks along its row of scores twice, for the maximum and for the
// weighted sum. The scores are as many as queries times keys, so they go through memory; a workspace of
// bounded size holds those of a group of rows, and the two kernels take turns over the groups.
// Everything is read again by every thread that needs it: a row of k by every query, a score by every column
// of the output. Neighbouring threads of the first kernel read different rows of k, so one load touches many
// lines; and every multiply-add pays two loads.
// Expected effect: under one percent of the arithmetic peak, the same for every dtype.
// Tunables: none.
#include <assay/kernel.h>
#include "mha.h"

static constexpr int kBlock = 16;

struct v1_shape {
    int64_t queries, keys, key_rows, dim, group, causal_shift;
    float scale;
    bool causal;
};

// scores[r][j] for the rows first_row + r, r < rows, counted over all heads. Masked keys get none.
static __global__ void mha_v1_scores(const scalar_t *q, const scalar_t *k, float *scores, int64_t first_row,
                                     int64_t rows, int64_t key_blocks, v1_shape s)
{
    const int64_t r = blockIdx.x / key_blocks * kBlock + threadIdx.y;
    const int64_t j = blockIdx.x % key_blocks * kBlock + threadIdx.x;
    const int64_t row = first_row + r, key_head = row / s.queries / s.group;
    if (r >= rows || j >= s.keys || (s.causal && j > row % s.queries + s.causal_shift))
        return;
    float sum = 0.0f;
    for (int64_t d = 0; d < s.dim; d++)
        sum +=
            assay::to_float(q[row * s.dim + d]) * assay::to_float(k[(key_head * s.key_rows + j) * s.dim + d]);
    scores[r * s.keys + j] = s.scale * sum;
}

static __global__ void mha_v1_output(const float *scores, const scalar_t *v, scalar_t *out, int64_t first_row,
                                     int64_t rows, v1_shape s)
{
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const int64_t r = i / s.dim, d = i % s.dim, row = first_row + r;
    if (r >= rows)
        return;
    const int64_t key_head = row / s.queries / s.group, visible = row % s.queries + 1 + s.causal_shift;
    const int64_t limit = s.causal && visible < s.keys ? visible : s.keys; // 0 or less: the row sees no key
    float max = -INFINITY;
    for (int64_t j = 0; j < limit; j++)
        max = fmaxf(max, scores[r * s.keys + j]);
    if (max == -INFINITY)
        max = 0.0f; // no key at all, or none that is possible: exp(-inf) = 0 then, not exp(-inf + inf)
    float weights = 0.0f, sum = 0.0f;
    for (int64_t j = 0; j < limit; j++) {
        const float weight = expf(scores[r * s.keys + j] - max);
        weights += weight;
        sum += weight * assay::to_float(v[(key_head * s.key_rows + j) * s.dim + d]);
    }
    out[row * s.dim + d] = assay::from_float<scalar_t>(limit > 0 ? sum / weights : 0.0f);
}

extern "C" assay_status mha_run(const mha_args *args, assay_stream stream)
{
    const int64_t rows = args->batch * args->heads * args->queries;
    if (rows == 0 || args->dim == 0)
        return ASSAY_OK;
    if (args->workspace_bytes < mha_workspace_bytes(rows, args->keys))
        return ASSAY_ERR_INVALID;
    const int64_t group = args->keys > 0 ? mha_workspace_bytes(rows, args->keys) / (4 * args->keys)
                                         : MHA_WORKSPACE_LIMIT / args->dim;
    const int64_t key_blocks = (args->keys + kBlock - 1) / kBlock;
    const v1_shape s = {
        args->queries, args->keys,         args->keys + args->key_padding,  args->dim,
        args->group,   args->causal_shift, static_cast<float>(args->scale), args->causal != 0};
    float *scores = static_cast<float *>(args->workspace);
    for (int64_t first = 0; first < rows; first += group) {
        const int64_t count = rows - first < group ? rows - first : group;
        const int64_t score_blocks = (count + kBlock - 1) / kBlock * key_blocks;
        const int64_t output_blocks = (count * args->dim + 255) / 256;
        if (score_blocks > INT32_MAX || output_blocks > INT32_MAX)
            return ASSAY_ERR_UNSUPPORTED;
        assay_status status = ASSAY_OK;
        if (score_blocks > 0)
            status =
                assay::launch(mha_v1_scores, dim3(static_cast<unsigned>(score_blocks)), dim3(kBlock, kBlock),
                              0, stream, static_cast<const scalar_t *>(args->q),
                              static_cast<const scalar_t *>(args->k), scores, first, count, key_blocks, s);
        if (status == ASSAY_OK)
            status = assay::launch(mha_v1_output, dim3(static_cast<unsigned>(output_blocks)), dim3(256), 0,
                                   stream, scores, static_cast<const scalar_t *>(args->v),
                                   static_cast<scalar_t *>(args->out), first, count, s);
        if (status != ASSAY_OK)
            return status;
    }
    return ASSAY_OK;
}
