/* What the commands that use the history share: which file it is, how it is opened, and filters that only a
 * history has. */
#ifndef ASSAY_CLI_HISTORY_DB_H
#define ASSAY_CLI_HISTORY_DB_H

#include "cli/cli.h"
#include "history/history.h"

/* --db, --card, --commit, --status, --modes, --since, --until, --clean and --latest. */
typedef struct history_options {
    const char *db;
    history_filter filter;
} history_options;

/* argp child parser of --db, whose input is a history_options. */
extern const struct argp cli_db_argp;

/* Children of a command that lists what a history holds: the common options, the filter of cases, the history's filter. */
extern const struct argp_child cli_history_children[];

/* All that was given of both filters, in the history's. */
const history_filter *cli_history_filter(history_options *options, const cli_options *common);

/* FILE of --db, else $ASSAY_HISTORY, else history.db in the workspace's folder (--build or found), else in
 * the current folder. */
assay_status cli_history_path(const cli_options *common, const char *db, char *out, size_t out_bytes,
                              assay_error *error);

/* Open it; the message printed and the exit status returned on failure. */
int cli_open_history(const char *command, const cli_options *common, const char *db, history_mode mode,
                     history **h);

/* What git calls `name` (a branch, a tag, HEAD) in the workspace's source tree or here, or `name` itself, cut
 * to the buffer. */
void cli_resolve_commit(const cli_options *common, const char *name, char commit[64]);

#endif
