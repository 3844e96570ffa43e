/* Which folder holds the results of one card. */
#include "cli/cli.h"
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_results_of_card(const char *folder)
{
    char path[PATH_MAX + 8];
    snprintf(path, sizeof path, "%s/bench", folder);
    if (access(path, X_OK) == 0)
        return 1;
    snprintf(path, sizeof path, "%s/verify", folder);
    return access(path, X_OK) == 0;
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

assay_status cli_find_card(const char *folder, char *out, assay_error *error)
{
    char path[PATH_MAX + 300], names[400] = "";
    snprintf(path, sizeof path, "%s/results", folder);
    if (access(path, X_OK) == 0) /* a build folder may have other folders of the names below */
        return cli_find_card(path, out, error);
    if (is_results_of_card(folder)) {
        snprintf(out, PATH_MAX, "%s", folder);
        return ASSAY_OK;
    }
    struct dirent **entries;
    const int count = scandir(folder, &entries, is_visible, alphasort);
    int cards = 0;
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        if (is_results_of_card(path)) {
            snprintf(out, PATH_MAX, "%s", path);
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", cards++ ? ", " : "",
                     entries[i]->d_name);
        }
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    if (cards == 1)
        return ASSAY_OK;
    if (cards == 0)
        return assay_error_set(
            error, ASSAY_ERR_INVALID,
            "%s: no results there (a folder with bench/ or verify/ is expected); run `assay bench` first",
            folder);
    return assay_error_set(error, ASSAY_ERR_INVALID, "%s holds results of several cards (%s); name one",
                           folder, names);
}
