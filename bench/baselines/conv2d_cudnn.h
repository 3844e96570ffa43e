/* Convolution with bias through cuDNN: all of the baselines conv2d_cudnn.c and conv2d_cudnn_nhwc.c but the layout that each is for, which it
 * defines as CONV_CHANNELS_LAST. A baseline takes problems whose tensors have that layout, as they lie, and does not offer the others: with
 * tensors in another layout a user would have to convert them first. cuDNN is looked for when the baseline is prepared.
 *
 * Candidates are of three kinds: plans of one fused graph, convolution and bias, with the sum kept in f32 between the two; plans of a plain
 * convolution; and the algorithms of the calls before graphs (cudnn_algorithms.h). The last two are followed by what adds the bias in place. All are timed (baseline_search.h), the fastest is kept. Math mode: sums in f32, f32 operands not rounded to tf32.
 * A candidate counts as long as its output agrees with that of a plain sum of products (output_agreement.h): Winograd and FFT may lose
 * accuracy, and engines exist that do without saying so. */
#ifndef ASSAY_BENCH_CONV2D_CUDNN_H
#define ASSAY_BENCH_CONV2D_CUDNN_H

#include "bench/baselines/cudnn_algorithms.h"
#include "bench/baselines/cudnn_plans.h"
#include "bench/baselines/output_agreement.h"
#include "bench/baselines/baseline_search.h"
#include "conv2d.h"

enum { UID_X = 1, UID_W, UID_BIAS, UID_SUM, UID_OUT };

static struct {
    cudnn_handle handle;
    assay_stream stream; /* the one the handle is set to */
    cudnn_graph fused, plain, add_bias;
    cudnn_algorithms old;
    void *workspace;
    int64_t workspace_bytes;
    int chosen;      /* candidate: fused plans come first, then plain ones, then algorithms */
    int chosen_bias; /* see conv_run_bias() */
    char differs[BASELINE_MOST_CANDIDATES]; /* 1: its output is not as accurate as a sum of products */
    int64_t n, c, h, w, k, r, s;
    cudnn_convolution_how how;
    int ready;
} conv;

static inline cudnn_convolution_how conv_how(const conv2d_args *a)
{
    return (cudnn_convolution_how){.stride = {a->stride, a->stride_w},
                                   .padding = {a->padding, a->padding_w},
                                   .dilation = {a->dilation, a->dilation_w},
                                   .groups = a->groups};
}

static inline cudnn_shape conv_shape(int64_t n, int64_t c, int64_t h, int64_t w)
{
    return CONV_CHANNELS_LAST ? cudnn_channels_last(n, c, h, w) : cudnn_packed(n, c, h, w);
}

static inline cudnn_descriptor conv_tensor(cudnn_graph *g, int64_t uid, cudnn_shape shape)
{
    return cudnn_tensor(g, uid, CUDNN_IO_TYPE, shape, CUDNN_IN_MEMORY);
}

/* The convolution itself, into `y`. */
static inline void conv_add_product(cudnn_graph *g, const conv2d_args *a, cudnn_descriptor y)
{
    cudnn_descriptor x = conv_tensor(g, UID_X, conv_shape(a->n, a->c, a->h, a->w));
    cudnn_descriptor w = conv_tensor(g, UID_W, conv_shape(a->k, a->c / a->groups, a->r, a->s));
    const cudnn_convolution_how how = conv_how(a);
    cudnn_convolution(g, &how, x, w, y);
}

static inline int conv_build_fused(cudnn_graph *g, const conv2d_args *a)
{
    const cudnn_shape out = conv_shape(a->n, a->k, a->p, a->q);
    cudnn_descriptor sum = cudnn_tensor(g, UID_SUM, CUDNN_FLOAT, out, CUDNN_BETWEEN);
    cudnn_descriptor bias = conv_tensor(g, UID_BIAS, conv_shape(1, a->k, 1, 1));
    cudnn_descriptor y = conv_tensor(g, UID_OUT, out);
    conv_add_product(g, a, sum);
    cudnn_pointwise(g, CUDNN_P_ADD, CUDNN_FLOAT, -1, sum, bias, NULL, y);
    return cudnn_graph_finish(g);
}

static inline int conv_build_plain(cudnn_graph *g, const conv2d_args *a)
{
    conv_add_product(g, a, conv_tensor(g, UID_OUT, conv_shape(a->n, a->k, a->p, a->q)));
    return cudnn_graph_finish(g);
}

/* out = sum + bias, where both lie at the same address. */
static inline int conv_build_add_bias(cudnn_graph *g, const conv2d_args *a)
{
    const cudnn_shape out = conv_shape(a->n, a->k, a->p, a->q);
    cudnn_descriptor sum = conv_tensor(g, UID_SUM, out);
    cudnn_descriptor bias = conv_tensor(g, UID_BIAS, conv_shape(1, a->k, 1, 1));
    cudnn_descriptor y = conv_tensor(g, UID_OUT, out);
    cudnn_pointwise(g, CUDNN_P_ADD, CUDNN_FLOAT, -1, sum, bias, NULL, y);
    return cudnn_graph_finish(g);
}

/* Build one of the graphs and list its plans; a graph that cuDNN does not take has none. */
static inline void conv_list(cudnn_graph *g, int (*build)(cudnn_graph *, const conv2d_args *),
                             const conv2d_args *a)
{
    g->handle = conv.handle;
    if (build(g, a))
        cudnn_list_plans(g);
}

static inline void conv_list_algorithms(const conv2d_args *a)
{
    const cudnn_shape x = conv_shape(a->n, a->c, a->h, a->w), y = conv_shape(a->n, a->k, a->p, a->q);
    const cudnn_shape w = conv_shape(a->k, a->c / a->groups, a->r, a->s);
    const cudnn_convolution_how how = conv_how(a);
    const cudnn_shape bias = conv_shape(1, a->k, 1, 1);
    cudnn_list_algorithms(&conv.old, conv.handle, &x, &w, &y, &bias, CONV_CHANNELS_LAST, &how);
}

static inline int64_t conv_most_workspace(const cudnn_graph *g)
{
    int64_t most = 0;
    for (int i = 0; i < g->plan_count; i++)
        most = g->plans[i].workspace_bytes > most ? g->plans[i].workspace_bytes : most;
    return most;
}

static inline assay_status conv_allocate(void)
{
    const cudnn_graph *graphs[] = {&conv.fused, &conv.plain, &conv.add_bias};
    for (int i = 0; i < 3; i++) {
        const int64_t bytes = conv_most_workspace(graphs[i]);
        conv.workspace_bytes = bytes > conv.workspace_bytes ? bytes : conv.workspace_bytes;
    }
    for (int i = 0; i < conv.old.count; i++)
        if (conv.old.workspace_bytes[i] > conv.workspace_bytes)
            conv.workspace_bytes = conv.old.workspace_bytes[i];
    return conv.workspace_bytes > 0
               ? baseline_check_cuda(cudaMalloc(&conv.workspace, (size_t)conv.workspace_bytes), "workspace")
               : ASSAY_OK;
}

static inline int conv_run_fused(const cudnn_plan *plan, const conv2d_args *b)
{
    cudnn_bindings bindings = {.count = 0};
    cudnn_bind(&bindings, UID_X, b->x);
    cudnn_bind(&bindings, UID_W, b->weight);
    cudnn_bind(&bindings, UID_BIAS, b->bias);
    cudnn_bind(&bindings, UID_OUT, b->out);
    return cudnn_run(conv.handle, plan->plan, &bindings, conv.workspace);
}

static inline int conv_run_plain(const cudnn_plan *plan, const conv2d_args *b)
{
    cudnn_bindings bindings = {.count = 0};
    cudnn_bind(&bindings, UID_X, b->x);
    cudnn_bind(&bindings, UID_W, b->weight);
    cudnn_bind(&bindings, UID_OUT, b->out);
    return cudnn_run(conv.handle, plan->plan, &bindings, conv.workspace);
}

/* A plan of add_bias, or after those the call that adds tensors. */
static inline int conv_run_bias(int way, const conv2d_args *b)
{
    cudnn_bindings bindings = {.count = 0};
    if (way == conv.add_bias.plan_count)
        return cudnn_add_bias(&conv.old, conv.handle, b->bias, b->out);
    cudnn_bind(&bindings, UID_SUM, b->out);
    cudnn_bind(&bindings, UID_BIAS, b->bias);
    cudnn_bind(&bindings, UID_OUT, b->out);
    return cudnn_run(conv.handle, conv.add_bias.plans[way].plan, &bindings, conv.workspace);
}

/* Where a candidate's number leads: its plan, or NULL and the index of its algorithm. */
static inline const cudnn_plan *conv_plan_of(int candidate, int *algorithm)
{
    const int fused = conv.fused.plan_count, plain = conv.plain.plan_count;
    *algorithm = candidate - fused - plain;
    return candidate < fused ? &conv.fused.plans[candidate]
           : *algorithm < 0  ? &conv.plain.plans[candidate - fused]
                             : NULL;
}

static inline int conv_run_candidate(int candidate, const conv2d_args *b)
{
    int algorithm;
    const cudnn_plan *plan = conv_plan_of(candidate, &algorithm);
    if (candidate < conv.fused.plan_count)
        return conv_run_fused(plan, b);
    const int status = plan ? conv_run_plain(plan, b)
                            : cudnn_run_algorithm(&conv.old, conv.handle, algorithm, b->x, b->weight, b->out,
                                                  conv.workspace);
    return status == CUDNN_OK ? conv_run_bias(conv.chosen_bias, b) : status;
}

static inline int conv_try(void *context, int candidate, assay_stream stream)
{
    (void)stream; /* the handle's */
    return !conv.differs[candidate] &&
           conv_run_candidate(candidate, (const conv2d_args *)context) == CUDNN_OK;
}

static inline int conv_try_bias(void *context, int candidate, assay_stream stream)
{
    (void)stream; /* the handle's */
    return conv_run_bias(candidate, (const conv2d_args *)context) == CUDNN_OK;
}

static inline int conv_transforms(int candidate)
{
    int algorithm;
    const cudnn_plan *plan = conv_plan_of(candidate, &algorithm);
    return plan ? plan->transforms : cudnn_algorithm_transforms(conv.old.algorithm[algorithm]);
}

/* What a candidate computes, over an output that was filled with NaN; NULL if it does not run. */
static inline void *conv_take_output(int candidate, const conv2d_args *a, assay_stream stream)
{
    const int64_t count = a->n * a->k * a->p * a->q;
    if (cudaMemsetAsync(a->out, 0xff, (size_t)count * BASELINE_ELEMENT_BYTES, stream) != cudaSuccess ||
        conv_run_candidate(candidate, a) != CUDNN_OK)
        return NULL;
    return agreement_take(a->out, count, stream);
}

/* The output that the others are held to: of the implicit GEMM among the older algorithms, which is a plain sum of products; where it does
 * not run, of the first candidate that is not known to transform its operands. */
static inline void *conv_take_expected(int candidates, const conv2d_args *a, assay_stream stream)
{
    void *expected = NULL;
    for (int any = 0; any <= 1 && !expected; any++)
        for (int i = 0; i < candidates && !expected; i++) {
            int algorithm;
            const cudnn_plan *plan = conv_plan_of(i, &algorithm);
            const int is_plain = !plan && conv.old.algorithm[algorithm] == CUDNN_ALGORITHM_IMPLICIT_GEMM;
            expected = is_plain || (any && !conv_transforms(i)) ? conv_take_output(i, a, stream) : NULL;
        }
    return expected;
}

/* Mark the candidates whose output is another one; none if there is nothing to hold them to. */
static inline void conv_mark_differing(int candidates, const conv2d_args *a, assay_stream stream)
{
    void *expected = conv_take_expected(candidates, a, stream);
    for (int i = 0; i < candidates && expected; i++) {
        void *got = conv_take_output(i, a, stream);
        conv.differs[i] = !agreement_holds(expected, got, a->n * a->k * a->p * a->q);
        free(got);
    }
    free(expected);
}

static inline assay_status conv_use_stream(assay_stream stream)
{
    if (stream == conv.stream)
        return ASSAY_OK;
    conv.stream = stream;
    return cudnn_check(cudnn.set_stream(conv.handle, stream), "stream");
}

static inline void conv_note_choice(const baseline_search *search)
{
    int algorithm;
    char what[48];
    const cudnn_plan *plan = conv_plan_of(conv.chosen, &algorithm);
    const int is_fused = conv.chosen < conv.fused.plan_count;
    const int64_t bytes = plan ? plan->workspace_bytes : conv.old.workspace_bytes[algorithm];
    if (plan)
        snprintf(what, sizeof what, "engine %lld", (long long)plan->engine);
    else
        snprintf(what, sizeof what, "algorithm %s", cudnn_algorithm_name(conv.old.algorithm[algorithm]));
    snprintf(baseline_notes.choice, sizeof baseline_notes.choice,
             "%s, %s, %s; fastest of %d that ran (%d fused and %d plain plans, %d algorithms); workspace "
             "%lld KiB",
             CONV_CHANNELS_LAST ? "channels last" : "NCHW", what,
             is_fused ? "bias fused" : "bias by a second launch", search->ran, conv.fused.plan_count,
             conv.plain.plan_count, conv.old.count, (long long)(bytes >> 10));
}

/* Choose how a bias is added by itself; returns how many candidates need that, none where nothing adds one. */
static inline int conv_choose_bias(const conv2d_args *args, assay_stream stream)
{
    baseline_search search = {.enqueue = conv_try_bias, .context = (void *)(uintptr_t)args, .stream = stream};
    conv.chosen_bias = baseline_search_fastest(&search, conv.add_bias.plan_count + conv.old.described);
    return conv.chosen_bias >= 0 ? conv.plain.plan_count + conv.old.count : 0;
}

static inline assay_status conv_choose(const conv2d_args *args, assay_stream stream)
{
    const int in_two = conv_choose_bias(args, stream), candidates = conv.fused.plan_count + in_two;
    if (candidates == 0)
        return baseline_fail(ASSAY_ERR_UNSUPPORTED, "no plan with this arithmetic for this problem",
                             conv.fused.failed   ? conv.fused.why
                             : conv.plain.failed ? conv.plain.why
                                                 : "the heuristics offer none");
    conv_mark_differing(candidates, args, stream);
    baseline_search search = {.enqueue = conv_try, .context = (void *)(uintptr_t)args, .stream = stream};
    conv.chosen = baseline_search_fastest(&search, candidates);
    if (conv.chosen < 0)
        return baseline_fail(ASSAY_ERR_UNSUPPORTED, "plans", "none ran");
    conv_note_choice(&search);
    return ASSAY_OK;
}

static inline void conv_keep_shape(const conv2d_args *a)
{
    conv.n = a->n, conv.c = a->c, conv.h = a->h, conv.w = a->w, conv.k = a->k, conv.r = a->r, conv.s = a->s;
    conv.how = conv_how(a);
}

static inline int conv_is_same_shape(const conv2d_args *a)
{
    const cudnn_convolution_how how = conv_how(a);
    return conv.n == a->n && conv.c == a->c && conv.h == a->h && conv.w == a->w && conv.k == a->k &&
           conv.r == a->r && conv.s == a->s && memcmp(&conv.how, &how, sizeof how) == 0 &&
           a->channels_last == CONV_CHANNELS_LAST;
}

static inline int conv_has_output(const conv2d_args *a)
{
    return a->n > 0 && a->k > 0 && a->p > 0 && a->q > 0;
}

static inline void conv_release(void)
{
    if (cudnn_found.library) {
        cudnn_graph_release(&conv.add_bias);
        cudnn_graph_release(&conv.plain);
        cudnn_graph_release(&conv.fused);
        cudnn_algorithms_release(&conv.old);
        if (conv.handle)
            cudnn.destroy(conv.handle);
    }
    cudaFree(conv.workspace); /* NULL is fine */
    memset(&conv, 0, sizeof conv);
}

static inline assay_status conv_offers(const conv2d_args *args)
{
    if (args->channels_last != CONV_CHANNELS_LAST)
        return baseline_fail(
            ASSAY_ERR_UNSUPPORTED, "layout",
            CONV_CHANNELS_LAST
                ? "this baseline is for channels last, and these tensors have them first; see cudnn"
                : "this baseline is for channels first, and these tensors have them last; see "
                  "cudnn_nhwc");
    if (args->c == 0)
        return baseline_fail(ASSAY_ERR_UNSUPPORTED, "shape",
                             "cuDNN has no convolution without input channels");
    return ASSAY_OK;
}

static inline assay_status conv_open(assay_stream stream)
{
    const assay_status status = cudnn_check(cudnn.create(&conv.handle), "handle");
    return status == ASSAY_OK ? cudnn_check(cudnn.set_stream(conv.handle, conv.stream = stream), "stream")
                              : status;
}

/* The output is overwritten. */
static inline assay_status conv_prepare(const conv2d_args *args, assay_stream stream)
{
    conv_list(&conv.fused, conv_build_fused, args);
    conv_list(&conv.plain, conv_build_plain, args);
    conv_list(&conv.add_bias, conv_build_add_bias, args);
    conv_list_algorithms(args);
    const assay_status status = conv_allocate();
    return status == ASSAY_OK ? conv_choose(args, stream) : status;
}

BASELINE_DECLARE(conv2d);

void conv2d_release(void)
{
    conv_release();
}

assay_status conv2d_prepare(const conv2d_args *args, assay_stream stream)
{
    conv2d_release();
    memset(&baseline_notes, 0, sizeof baseline_notes);
    assay_status status = conv_offers(args);
    if (status == ASSAY_OK)
        status = cudnn_load();
    if (status == ASSAY_OK)
        status = conv_open(stream);
    if (status == ASSAY_OK && conv_has_output(args))
        status = conv_prepare(args, stream);
    if (status != ASSAY_OK) {
        conv2d_release();
        return status;
    }
    conv_keep_shape(args);
    conv.ready = 1;
    return ASSAY_OK;
}

assay_status conv2d_run(const conv2d_args *args, assay_stream stream)
{
    if (!conv.ready || !conv_is_same_shape(args))
        return baseline_fail(ASSAY_ERR_INVALID, "run", "not prepared for this shape");
    if (!conv_has_output(args))
        return ASSAY_OK;
    const assay_status status = conv_use_stream(stream);
    return status == ASSAY_OK ? cudnn_check(conv_run_candidate(conv.chosen, args), "run") : status;
}

#endif
