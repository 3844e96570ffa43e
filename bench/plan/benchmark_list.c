/* The benchmarks of a group: see benchmark_list.h. */
#include "bench/plan/benchmark_list.h"
#include "core/list.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void benchmark_name(const group_plan *plan, const char *name, timing_mode mode, char *out, size_t bytes)
{
    snprintf(out, bytes, "%s/%s/%s/%s/%s", plan->op, name, plan->dtype, plan->size, timing_mode_name(mode));
}

static void add(const group_plan *plan, const char *prefix, const char *names, benchmark_list *out)
{
    for (list_item candidate = {0}; list_next(names, &candidate);)
        for (int m = 0; m < TIMING_MODES; m++) {
            char name[2 * ASSAY_NAME_MAX];
            if (!(plan->method.modes & timing_mode_bit((timing_mode)m)))
                continue;
            gbench_benchmark *b = &out->items[out->count++];
            snprintf(name, sizeof name, "%s%.*s", prefix, candidate.length, candidate.text);
            benchmark_name(plan, name, (timing_mode)m, b->name, sizeof b->name);
            b->repetitions = plan->method.repetitions;
        }
}

assay_status benchmark_list_make(const group_plan *plan, benchmark_list *out, assay_error *error)
{
    const int most =
        (list_count(plan->variants) + list_count(plan->baselines)) * timing_modes_count(plan->method.modes) +
        1;
    *out = (benchmark_list){.items = calloc((size_t)most, sizeof *out->items),
                            .selected = calloc((size_t)most, sizeof *out->selected)};
    if (!out->items || !out->selected)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for %d benchmarks", most);
    add(plan, "", plan->variants, out);
    add(plan, RESULT_BASELINE_PREFIX, plan->baselines, out);
    out->selected_count = gbench_select(out->items, out->count, out->selected);
    return ASSAY_OK;
}

void benchmark_list_release(benchmark_list *list)
{
    free(list->items);
    free(list->selected);
    *list = (benchmark_list){.count = 0};
}

timing_modes benchmark_list_modes(const benchmark_list *list, const group_plan *plan, const char *name)
{
    timing_modes modes = 0;
    for (int m = 0; m < TIMING_MODES; m++) {
        char wanted[sizeof list->items->name];
        if (!(plan->method.modes & timing_mode_bit((timing_mode)m)))
            continue;
        benchmark_name(plan, name, (timing_mode)m, wanted, sizeof wanted);
        for (int i = 0; i < list->count; i++)
            if (list->selected[i] && strcmp(list->items[i].name, wanted) == 0)
                modes |= timing_mode_bit((timing_mode)m);
    }
    return modes;
}
