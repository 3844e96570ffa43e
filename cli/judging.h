/* What `assay verify` and `assay sanitize` share: how judging is done, and what is said at its end. */
#ifndef ASSAY_CLI_JUDGING_H
#define ASSAY_CLI_JUDGING_H

#include "cli/cli.h"
#include "verify/verify.h"

/* Input of cli_judging_argp: --time-limit, --jobs and --quiet. 0 where one is not given. */
typedef struct cli_judging {
    double time_limit_s;
    int jobs, quiet;
} cli_judging;

extern const struct argp cli_judging_argp;

/* The counts behind a run, also of a quiet one, and the seed of its inputs unless that is 0; or all cases as JSON; nothing for a dry run. */
void cli_print_summary(const cli_options *options, const verify_summary *summary, uint64_t seed);

/* A line for each case that failed, on stdout: what --quiet leaves. */
void cli_print_failures(const verify_summary *summary);

#endif
