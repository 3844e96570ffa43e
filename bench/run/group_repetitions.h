/* The repetitions of a group's candidates. Only the files of a group include this header. */
#ifndef ASSAY_BENCH_GROUP_REPETITIONS_H
#define ASSAY_BENCH_GROUP_REPETITIONS_H

#include "bench/run/group_candidates.h"

/* All repetitions of one figure, candidates alternating. ASSAY_OK also when single candidates dropped out. */
assay_status group_measure_figure(group *g, const char *figure, assay_error *error);
void group_measure_floor(group *g);

#endif
