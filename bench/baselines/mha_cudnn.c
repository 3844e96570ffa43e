/* Baseline of `mha`: cuDNN's fused attention, through the operation graph that its flash-attention engines recognise:
 *
 *   scores = scale * q k^T;  scores = row + shift >= column ? scores : lowest (if causal; shift: not 0 if bottom right)
 *   p = exp(scores - max(scores)) / sum(exp(scores - max(scores)));  out = p v
 *
 * with everything between q, k, v and out kept in f32 on chip, but p, which is rounded to the inputs' type before it multiplies v.
 * Source of the pattern: cuDNN documentation, "Graph API", fused attention forward. f16 and bf16 only: cuDNN has no attention in
 * f32. Every plan the heuristics offer is timed, the fastest kept. cuDNN is looked for when the baseline is prepared. */
#include "bench/baselines/cudnn_plans.h"
#include "bench/baselines/baseline_search.h"
#include "mha.h"
#include <float.h>

BASELINE_DECLARE(mha);

enum {
    UID_Q = 1,
    UID_K,
    UID_V,
    UID_OUT,
    UID_SCALE,
    UID_LOWEST,
    UID_SHIFT,
    UID_BETWEEN /* and up: what stays on chip */
};

static struct {
    cudnn_handle handle;
    assay_stream stream; /* the one the handle is set to */
    cudnn_graph graph;
    void *workspace;
    float scale, lowest;
    int64_t batch, heads, group, queries, keys, key_padding, dim, causal_shift;
    int32_t causal, shift;
    int chosen, ready;
} sdpa;

typedef struct score_chain { /* building the graph: shapes of what stays on chip, and the next free name */
    cudnn_graph *g;
    cudnn_shape matrix, column;
    int64_t next_uid;
} score_chain;

static cudnn_descriptor between(score_chain *c, int data_type, cudnn_shape shape)
{
    return cudnn_tensor(c->g, c->next_uid++, data_type, shape, CUDNN_BETWEEN);
}

static cudnn_descriptor number(cudnn_graph *g, int64_t uid)
{
    return cudnn_tensor(g, uid, CUDNN_FLOAT, cudnn_packed(1, 1, 1, 1), CUDNN_BY_VALUE);
}

static cudnn_descriptor apply(score_chain *c, int mode, cudnn_shape shape, cudnn_descriptor x,
                              cudnn_descriptor b)
{
    cudnn_descriptor y = between(c, CUDNN_FLOAT, shape);
    cudnn_pointwise(c->g, mode, CUDNN_FLOAT, -1, x, b, NULL, y);
    return y;
}

/* Query i sees the keys j <= i + shift. */
static cudnn_descriptor add_causal_mask(score_chain *c, cudnn_descriptor scores, int64_t shift)
{
    cudnn_descriptor row = between(c, CUDNN_INT32, c->matrix), column = between(c, CUDNN_INT32, c->matrix);
    cudnn_descriptor seen = between(c, CUDNN_BOOLEAN, c->matrix), out = between(c, CUDNN_FLOAT, c->matrix);
    cudnn_pointwise(c->g, CUDNN_P_GEN_INDEX, CUDNN_FLOAT, 2, scores, NULL, NULL, row);
    cudnn_pointwise(c->g, CUDNN_P_GEN_INDEX, CUDNN_FLOAT, 3, scores, NULL, NULL, column);
    if (shift != 0) {
        cudnn_descriptor shifted = between(c, CUDNN_INT32, c->matrix);
        cudnn_descriptor by =
            cudnn_tensor(c->g, UID_SHIFT, CUDNN_INT32, cudnn_packed(1, 1, 1, 1), CUDNN_BY_VALUE);
        cudnn_pointwise(c->g, CUDNN_P_ADD, CUDNN_INT32, -1, row, by, NULL, shifted);
        row = shifted;
    }
    cudnn_pointwise(c->g, CUDNN_P_CMP_GE, CUDNN_BOOLEAN, -1, row, column, NULL, seen);
    cudnn_pointwise(c->g, CUDNN_P_BINARY_SELECT, CUDNN_FLOAT, -1, scores, number(c->g, UID_LOWEST), seen,
                    out);
    return out;
}

/* The last division rounds p to the type of v, as the engines demand. They also demand the logarithm of the softmax's
 * denominator, which nobody reads here, so it never leaves the chip. */
static cudnn_descriptor add_softmax(score_chain *c, cudnn_descriptor scores)
{
    cudnn_descriptor max = between(c, CUDNN_FLOAT, c->column), sum = between(c, CUDNN_FLOAT, c->column);
    cudnn_descriptor p = between(c, CUDNN_IO_TYPE, c->matrix);
    cudnn_reduction(c->g, CUDNN_REDUCE_MAX, scores, max);
    cudnn_descriptor differences = apply(c, CUDNN_P_SUB, c->matrix, scores, max);
    cudnn_descriptor exponentials = apply(c, CUDNN_P_EXP, c->matrix, differences, NULL);
    cudnn_reduction(c->g, CUDNN_REDUCE_ADD, exponentials, sum);
    (void)apply(c, CUDNN_P_ADD, c->column, max, apply(c, CUDNN_P_LOG, c->column, sum, NULL));
    cudnn_pointwise(c->g, CUDNN_P_DIV, CUDNN_FLOAT, -1, exponentials, sum, NULL, p);
    return p;
}

static int build_attention(cudnn_graph *g, const mha_args *a)
{
    const int64_t b = a->batch, h = a->heads, l = a->queries, s = a->keys, d = a->dim;
    const int64_t kh = h / a->group; /* heads of k and v, which a product deals out to those of q */
    const int64_t head = (s + a->key_padding) * d;
    const cudnn_shape transposed = {{b, kh, d, s}, {kh * head, head, 1, d}}, /* k^T is k, read across */
        values = {{b, kh, s, d}, {kh * head, head, d, 1}};
    score_chain c = {g, cudnn_packed(b, h, l, s), cudnn_packed(b, h, l, 1), UID_BETWEEN};
    cudnn_descriptor q = cudnn_tensor(g, UID_Q, CUDNN_IO_TYPE, cudnn_packed(b, h, l, d), CUDNN_IN_MEMORY);
    cudnn_descriptor k = cudnn_tensor(g, UID_K, CUDNN_IO_TYPE, transposed, CUDNN_IN_MEMORY);
    cudnn_descriptor v = cudnn_tensor(g, UID_V, CUDNN_IO_TYPE, values, CUDNN_IN_MEMORY);
    cudnn_descriptor out = cudnn_tensor(g, UID_OUT, CUDNN_IO_TYPE, cudnn_packed(b, h, l, d), CUDNN_IN_MEMORY);
    cudnn_descriptor products = between(&c, CUDNN_FLOAT, c.matrix);
    cudnn_matmul(g, q, k, products);
    cudnn_descriptor scores = apply(&c, CUDNN_P_MUL, c.matrix, products, number(g, UID_SCALE));
    if (a->causal)
        scores = add_causal_mask(&c, scores, a->causal_shift);
    cudnn_matmul(g, add_softmax(&c, scores), v, out);
    return cudnn_graph_finish(g);
}

static int enqueue(const mha_args *a, int candidate)
{
    cudnn_bindings bindings = {.count = 0};
    cudnn_bind(&bindings, UID_Q, a->q);
    cudnn_bind(&bindings, UID_K, a->k);
    cudnn_bind(&bindings, UID_V, a->v);
    cudnn_bind(&bindings, UID_OUT, a->out);
    cudnn_bind(&bindings, UID_SCALE, &sdpa.scale);
    if (sdpa.causal)
        cudnn_bind(&bindings, UID_LOWEST, &sdpa.lowest);
    if (sdpa.causal && sdpa.causal_shift != 0)
        cudnn_bind(&bindings, UID_SHIFT, &sdpa.shift);
    return cudnn_run(sdpa.handle, sdpa.graph.plans[candidate].plan, &bindings, sdpa.workspace);
}

static int try_plan(void *context, int candidate, assay_stream stream)
{
    (void)stream; /* the handle's */
    return enqueue((const mha_args *)context, candidate) == CUDNN_OK;
}

void mha_release(void)
{
    if (cudnn_found.library) {
        cudnn_graph_release(&sdpa.graph);
        if (sdpa.handle)
            cudnn.destroy(sdpa.handle);
    }
    cudaFree(sdpa.workspace); /* NULL is fine */
    memset(&sdpa, 0, sizeof sdpa);
}

static assay_status open_cudnn(assay_stream stream)
{
    assay_status status = cudnn_load();
    if (status == ASSAY_OK)
        status = cudnn_check(cudnn.create(&sdpa.handle), "handle");
    return status == ASSAY_OK ? cudnn_check(cudnn.set_stream(sdpa.handle, sdpa.stream = stream), "stream")
                              : status;
}

static assay_status allocate_workspace(void)
{
    int64_t most = 0;
    for (int i = 0; i < sdpa.graph.plan_count; i++)
        most = sdpa.graph.plans[i].workspace_bytes > most ? sdpa.graph.plans[i].workspace_bytes : most;
    return most > 0 ? baseline_check_cuda(cudaMalloc(&sdpa.workspace, (size_t)most), "workspace") : ASSAY_OK;
}

static assay_status choose_plan(const mha_args *args, assay_stream stream)
{
    sdpa.graph.handle = sdpa.handle;
    if (!build_attention(&sdpa.graph, args) || cudnn_list_plans(&sdpa.graph) == 0)
        return baseline_fail(ASSAY_ERR_UNSUPPORTED, "no plan for this problem",
                             sdpa.graph.failed ? sdpa.graph.why : "the heuristics offer none");
    const assay_status status = allocate_workspace();
    if (status != ASSAY_OK)
        return status;
    mha_args copy = *args;
    baseline_search search = {.enqueue = try_plan, .context = &copy, .stream = stream};
    sdpa.chosen = baseline_search_fastest(&search, sdpa.graph.plan_count);
    if (sdpa.chosen < 0)
        return baseline_fail(ASSAY_ERR_UNSUPPORTED, "plans", "none ran");
    const cudnn_plan *plan = &sdpa.graph.plans[sdpa.chosen];
    snprintf(baseline_notes.choice, sizeof baseline_notes.choice,
             "engine %lld; fastest of %d plans that ran, of %d offered; workspace %lld KiB",
             (long long)plan->engine, search.ran, sdpa.graph.offered,
             (long long)(plan->workspace_bytes >> 10));
    return ASSAY_OK;
}

static void keep_problem(const mha_args *args)
{
    sdpa.scale = (float)args->scale;
    sdpa.lowest = -FLT_MAX; /* finite, so that no part of a row is all -infinity on the way */
    sdpa.batch = args->batch, sdpa.heads = args->heads, sdpa.group = args->group;
    sdpa.queries = args->queries, sdpa.keys = args->keys, sdpa.dim = args->dim;
    sdpa.key_padding = args->key_padding;
    sdpa.causal = args->causal, sdpa.causal_shift = args->causal_shift;
    sdpa.shift = (int32_t)args->causal_shift;
}

static int has_output(const mha_args *args)
{
    return args->batch > 0 && args->heads > 0 && args->queries > 0 && args->dim > 0;
}

assay_status mha_prepare(const mha_args *args, assay_stream stream)
{
    mha_release();
    memset(&baseline_notes, 0, sizeof baseline_notes);
    assay_status status = open_cudnn(stream);
    if (status == ASSAY_OK && CUDNN_IO_TYPE == CUDNN_FLOAT)
        status = baseline_fail(ASSAY_ERR_UNSUPPORTED, "dtype", "cuDNN has no fused attention in f32");
    if (status == ASSAY_OK && args->causal && args->causal_shift < 0)
        status = baseline_fail(ASSAY_ERR_UNSUPPORTED, "mask", "rows that see no key would not be zeros");
    if (status == ASSAY_OK) {
        keep_problem(args);
        if (has_output(args) && args->keys > 0)
            status = choose_plan(args, stream);
    }
    if (status != ASSAY_OK) {
        mha_release();
        return status;
    }
    sdpa.ready = 1;
    return ASSAY_OK;
}

static int is_same_problem(const mha_args *args)
{
    return args->batch == sdpa.batch && args->heads == sdpa.heads && args->queries == sdpa.queries &&
           args->keys == sdpa.keys && args->dim == sdpa.dim && args->causal == sdpa.causal &&
           args->group == sdpa.group && args->causal_shift == sdpa.causal_shift &&
           args->key_padding == sdpa.key_padding && (float)args->scale == sdpa.scale;
}

assay_status mha_run(const mha_args *args, assay_stream stream)
{
    if (!sdpa.ready || !is_same_problem(args))
        return baseline_fail(ASSAY_ERR_INVALID, "run", "not prepared for this problem");
    if (!has_output(args))
        return ASSAY_OK;
    if (args->keys == 0)
        return baseline_zero_output(args->out, args->batch * args->heads * args->queries, args->dim, stream);
    if (stream != sdpa.stream) {
        const assay_status status = cudnn_check(cudnn.set_stream(sdpa.handle, stream), "stream");
        if (status != ASSAY_OK)
            return status;
        sdpa.stream = stream;
    }
    return cudnn_check(enqueue(args, sdpa.chosen), "run");
}
