/* --shrink[=GB]: sizes that do not fit the device are made smaller, and said so, for `assay bench` and `assay generate`. */
#ifndef ASSAY_CLI_SHRINK_H
#define ASSAY_CLI_SHRINK_H

#include "cli/cli.h"

/* What the option asks for. */
typedef struct cli_shrink {
    int asked;
    double gigabytes; /* of 1e9 bytes, in place of what the device has free; 0: what it has */
} cli_shrink;

#define CLI_SHRINK_OPTION                                                                                \
    {                                                                                                    \
        "shrink", 'z', "GB", OPTION_ARG_OPTIONAL,                                                        \
            "beside a size that needs more memory than the device has free (or than GB) take a smaller " \
            "one, its largest dimension halved until it fits; without this the size is only skipped",    \
            1                                                                                            \
    }

struct argp_state;
void cli_parse_shrink(struct argp_state *state, const char *argument, cli_shrink *shrink);

/* The shapes in place of sizes of `op` that do not fit (verify/fit_sizes.h), appended to `shrunk` and added to the op. With `out` a line
 * each. Nothing where the option was not given. ASSAY_ERR_ENVIRONMENT: no device, or no reference of the op. */
assay_status cli_shrink_sizes(const workspace *ws, const workspace_op *op, const case_filter *filter,
                              const cli_shrink *shrink, FILE *out, json_t *shrunk, assay_error *error);

#endif
