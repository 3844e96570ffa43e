/* --set, --dims and --params: one configuration of a variant on one problem, for `assay verify` and `assay bench`. */
#ifndef ASSAY_CLI_CONFIGURED_H
#define ASSAY_CLI_CONFIGURED_H

#include "cli/cli.h"
#include "core/tuned_variant.h"

/* The configuration, whose `count` is 0 without --set, and the shape's name; the filter points to the names afterwards. */
typedef struct cli_configured {
    tuned_variant tuned;
    char size[ASSAY_NAME_MAX];
} cli_configured;

/* argp child parser, whose input is a cli_options. */
extern const struct argp cli_configured_argp;

/* Check what the options ask for, add it to the workspace, with `compile` make the configuration's module for each dtype of the
 * filter, and let the filter select it. Nothing happens without one of the three options. ASSAY_ERR_INVALID names what is wrong: a name, a value, a constraint,
 * a dimension. */
assay_status cli_configure(workspace *ws, cli_options *options, int compile, cli_configured *configured,
                           assay_error *error);

#endif
