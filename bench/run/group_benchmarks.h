/* The candidates of a group as benchmarks of Google Benchmark. Only the files of a group and of its plan include this header. */
#ifndef ASSAY_BENCH_GROUP_BENCHMARKS_H
#define ASSAY_BENCH_GROUP_BENCHMARKS_H

#include "bench/run/group_repetitions.h"

/* All repetitions of one mode, of the candidates that take part, in random order. ASSAY_OK also when single candidates dropped out. */
assay_status group_measure_mode(group *g, timing_mode mode, assay_error *error);

/* What an empty kernel takes. */
void group_measure_overhead(group *g);

#endif
