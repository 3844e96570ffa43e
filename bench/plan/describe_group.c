/* A planned group as the document that its worker reads: see plan.h. */
#include "bench/plan/benchmark_list.h"
#include "bench/plan/plan.h"
#include <stdio.h>
#include <string.h>

static void join(char *list, size_t list_bytes, const char *name)
{
    const size_t used = strlen(list);
    snprintf(list + used, list_bytes - used, "%s%s", used ? "," : "", name);
}

void plan_describe_group(const plan *p, const planned_group *g, const char *only, const char *socket,
                         const char *no_socket, described_group *out)
{
    *out = (described_group){.plan = {.workspace = p->ws->path,
                                      .op = g->op->spec->name,
                                      .dtype = assay_dtype_name(g->dtype),
                                      .size = g->size,
                                      .device = p->options->device_ordinal,
                                      .method = g->method,
                                      .give_up_us = p->options->give_up_us,
                                      .confined = p->options->confined ? p->ws->results : NULL,
                                      .modes_named = p->options->modes != 0,
                                      .torch_socket = socket,
                                      .torch_missing = socket || !no_socket[0] ? NULL : no_socket}};
    if (opspec_is_shape(g->size))
        out->plan.shape = opspec_find_size(g->op->spec, g->size);
    for (int i = 0; i < g->variant_count; i++)
        if (g->variants[i].verified && !g->variants[i].kept &&
            (!only || strcmp(only, g->variants[i].name) == 0))
            join(out->variants, sizeof out->variants, g->variants[i].name);
    const char *only_baseline = only ? result_baseline_in(only) : NULL;
    for (int i = 0; i < g->baseline_count; i++)
        if (!g->baselines[i].kept &&
            (!only || (only_baseline && strcmp(only_baseline, g->baselines[i].name) == 0)))
            join(out->baselines, sizeof out->baselines, g->baselines[i].name);
    out->plan.variants = out->variants;
    out->plan.baselines = out->baselines;
}

/* What --benchmark_filter leaves out is not measured, and what it matches is, fresh or not. */
assay_status plan_select(plan *p, assay_error *error)
{
    assay_status status = ASSAY_OK;
    for (int i = 0; i < p->group_count && status == ASSAY_OK; i++) {
        planned_group *g = &p->groups[i];
        described_group described;
        benchmark_list benchmarks;
        const timing_modes all = g->method.modes;
        char full[RESULT_FULL_NAME_MAX];
        plan_describe_group(p, g, NULL, NULL, "", &described);
        status = benchmark_list_make(&described.plan, &benchmarks, error);
        for (int v = 0; v < g->variant_count && status == ASSAY_OK; v++)
            g->variants[v].selected =
                benchmark_list_modes(&benchmarks, &described.plan, g->variants[v].name) == all;
        for (int b = 0; b < g->baseline_count && status == ASSAY_OK; b++) {
            snprintf(full, sizeof full, RESULT_BASELINE_PREFIX "%.63s", g->baselines[b].name);
            g->baselines[b].selected = benchmark_list_modes(&benchmarks, &described.plan, full) == all;
        }
        if (p->options->benchmark_options && status == ASSAY_OK)
            g->stale = benchmarks.selected_count > 0;
        benchmark_list_release(&benchmarks);
    }
    return status;
}
