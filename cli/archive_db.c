/* Finding the archive of tuning runs: see archive_db.h. */
#include "cli/archive_db.h"
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_BYTES = 4200 };

static assay_status choose(const char *base, const glob_t *found, char *out, assay_error *error)
{
    char names[300] = "";
    if (found->gl_pathc == 1)
        return snprintf(out, PATH_BYTES, "%s", found->gl_pathv[0]), ASSAY_OK;
    if (found->gl_pathc == 0)
        return assay_error_set(
            error, ASSAY_ERR_INVALID,
            "no archive of tuning runs under %s: run `assay tune` first, or name one with --db", base);
    for (size_t i = 0; i < found->gl_pathc && strlen(names) < 200; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%.90s", i ? ", " : "",
                 found->gl_pathv[i] + strlen(base) + 1);
    return assay_error_set(error, ASSAY_ERR_INVALID,
                           "%s holds archives of several cards (%s); name one with --db", base, names);
}

assay_status cli_archive_path(const cli_options *common, const char *db, char *out, assay_error *error)
{
    const char *named = db ? db : getenv("ASSAY_ARCHIVE");
    char pattern[4200];
    workspace *ws = NULL;
    glob_t found = {0};
    if (named && named[0] != '\0')
        return snprintf(out, PATH_BYTES, "%s", named), ASSAY_OK;
    assay_status status = workspace_open(common->build, &ws, error);
    if (status != ASSAY_OK)
        return status;
    snprintf(pattern, sizeof pattern, "%s/*/tuning.db", ws->results_base);
    glob(pattern, 0, NULL, &found);
    status = choose(ws->results_base, &found, out, error);
    globfree(&found);
    workspace_close(ws);
    return status;
}
