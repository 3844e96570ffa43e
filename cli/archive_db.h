/* Finding and opening the archive of tuning runs, for the commands that read it. */
#ifndef ASSAY_CLI_ARCHIVE_DB_H
#define ASSAY_CLI_ARCHIVE_DB_H

#include "cli/cli.h"
#include "tune/archive/archive.h"

/* --db if given, else $ASSAY_ARCHIVE, else the only results/CARD/tuning.db of the build folder. `out` has 4200 bytes. */
assay_status cli_archive_path(const cli_options *common, const char *db, char *out, assay_error *error);

#endif
