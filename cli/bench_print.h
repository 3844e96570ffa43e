/* What assay bench says at its end, in one line or, with --json, as an object. */
#ifndef ASSAY_CLI_BENCH_PRINT_H
#define ASSAY_CLI_BENCH_PRINT_H

#include "bench/plan/bench.h"
#include "cli/cli.h"
#include "report/report.h"

/* `against`: how the fastest kernels stand to their baselines. `shrunk`: what --shrink came to, for --json. */
void bench_print(const workspace *ws, const cli_options *common, const bench_summary *s,
                 const report_standings *against, json_t *shrunk);

#endif
