/* The benchmarks of a group as Google Benchmark names and filters them: each candidate by each timing mode of the plan. */
#ifndef ASSAY_BENCH_BENCHMARK_LIST_H
#define ASSAY_BENCH_BENCHMARK_LIST_H

#include "bench/plan/group_plan.h"
#include "bench/timing/gbench.h"

typedef struct benchmark_list {
    int count;
    gbench_benchmark *items; /* owned */
    int *selected;           /* owned: 1 if --benchmark_filter matches */
    int selected_count;
} benchmark_list;

/* "softmax/v4_optimized/bf16/large/cold"; `name` is a variant's, or a baseline's with its prefix. */
void benchmark_name(const group_plan *plan, const char *name, timing_mode mode, char *out, size_t bytes);

assay_status benchmark_list_make(const group_plan *plan, benchmark_list *out, assay_error *error);
void benchmark_list_release(benchmark_list *list);
/* The modes of a candidate that the filter matches. */
timing_modes benchmark_list_modes(const benchmark_list *list, const group_plan *plan, const char *name);

#endif
