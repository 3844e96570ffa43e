/* --set, --dims and --params: one configuration of a variant on one problem, for `assay verify` and `assay bench`. */
#ifndef ASSAY_CLI_CONFIGURED_H
#define ASSAY_CLI_CONFIGURED_H

#include "cli/cli.h"

/* Where the names lie that the filter points to afterwards. */
typedef struct cli_configured {
    char variant[ASSAY_NAME_MAX], size[ASSAY_NAME_MAX];
} cli_configured;

/* argp child parser, whose input is a cli_options. */
extern const struct argp cli_configured_argp;

/* Check what the options ask for, add it to the workspace, compile the configuration for each dtype of the filter, and let the filter
 * select it. Nothing happens without one of the three options. ASSAY_ERR_INVALID names what is wrong: a name, a value, a constraint,
 * a dimension. */
assay_status cli_configure(workspace *ws, cli_options *options, cli_configured *configured,
                           assay_error *error);

#endif
