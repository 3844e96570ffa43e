/* --ref FILE.c and --about FILE.json of the commands that take a kernel from outside: an op of the user's own. */
#ifndef ASSAY_CLI_GIVEN_H
#define ASSAY_CLI_GIVEN_H

#include "cli/cli.h"

typedef struct cli_given {
    const char *reference; /* NULL: the op is one of the workspace's */
    const char *about;
} cli_given;

/* argp child parser, whose input is a cli_given. */
extern const struct argp cli_given_argp;

/* Make the op in `folder` (NULL: below outside/ of the build folder) and put its workspace, which has no other op, in the place of *ws,
 * whose device is open. The filter names the op then. Nothing is done without a reference. */
assay_status cli_use_given(workspace **ws, const cli_given *given, const char *kernel, const char *folder,
                           case_filter *filter, assay_error *error);

#endif
