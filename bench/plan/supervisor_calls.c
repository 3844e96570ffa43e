/* What torch and Triton would have to compile for a plan: see bench_list_calls() in bench.h. */
#include "bench/run/arm.h"
#include "bench/plan/bench.h"
#include "bench/plan/supervisor.h"
#include "results/case_verdict.h"
#include <string.h>

/* A case that must be judged first may pass, and then makes its group stale. */
static int may_become_stale(const plan *p, const planned_group *g)
{
    for (int i = 0; i < g->variant_count; i++) {
        assay_case c = {.op = g->op, .dtype = g->dtype};
        memcpy(c.variant, g->variants[i].name, sizeof c.variant);
        memcpy(c.size, g->size, sizeof c.size);
        if (!g->variants[i].verified && !case_is_verified(p->ws, &c))
            return 1;
    }
    return 0;
}

/* Shapes and parameters without data; 0 if the op has none at this size, which the group's worker will say. */
static int describe_problem(const plan *p, const planned_group *g, assay_problem *problem)
{
    const assay_op_impl *impl = NULL;
    const opspec_size *size = opspec_find_size(g->op->spec, g->size);
    return size && workspace_load_impl(g->op, &impl, NULL) == ASSAY_OK &&
           opspec_build_problem(g->op->spec, impl, g->dtype, opspec_size_dims(size, p->device.kind), NULL,
                                problem, NULL) == ASSAY_OK;
}

static void add_calls(const plan *p, const planned_group *g, json_t *calls)
{
    assay_problem problem;
    int described = 0;
    for (int i = 0; i < g->peer_count; i++) {
        const char *peer = g->peers[i].name;
        if (g->peers[i].kept || !arm_is_remote(peer) || strcmp(arm_remote_mode(peer), "eager") == 0)
            continue;
        if (!described && !describe_problem(p, g, &problem))
            return;
        described = 1;
        json_array_append_new(calls, arm_remote_describe(g->op->spec, &problem, peer));
    }
}

json_t *bench_list_calls(workspace *ws, const case_filter *filter, const bench_options *options, int judging)
{
    plan p = {.ws = ws, .options = options};
    json_t *calls = NULL;
    if (plan_read_device(&p, NULL) == ASSAY_OK && plan_make(&p, filter, NULL) == ASSAY_OK) {
        calls = json_array();
        for (int i = 0; i < p.group_count; i++)
            if (p.groups[i].stale || (judging && may_become_stale(&p, &p.groups[i])))
                add_calls(&p, &p.groups[i], calls);
    }
    plan_release(&p);
    return calls;
}
