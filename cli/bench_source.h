/* `assay bench OP --source FILE`: one kernel from outside the tree, judged, and timed where its verdict passes. */
#ifndef ASSAY_CLI_BENCH_SOURCE_H
#define ASSAY_CLI_BENCH_SOURCE_H

#include "bench/plan/bench.h"
#include "cli/cli.h"

typedef struct bench_source_arguments {
    const cli_options *common; /* the op; variants of the tree to time beside it; dtypes, sizes */
    const char *file, *claims;
    const assay_device_info *card;
    const bench_options *options;
} bench_source_arguments;

/* Judge, time and print. `ws` is the build, its card is known. Returns the exit status. */
int bench_source_run(workspace *ws, const bench_source_arguments *a);

#endif
