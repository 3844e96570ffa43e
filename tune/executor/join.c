/* Joining results folders: see join.h. */
#include "tune/executor/join.h"
#include "core/json_file.h"
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int is_newer(const struct stat *a, const struct stat *b)
{
    return a->st_mtim.tv_sec != b->st_mtim.tv_sec ? a->st_mtim.tv_sec > b->st_mtim.tv_sec
                                                  : a->st_mtim.tv_nsec > b->st_mtim.tv_nsec;
}

/* The copy keeps its time: joined again, it is known. */
static assay_status join_file(const char *from, const char *into, join_counts *counts, assay_error *error)
{
    struct stat theirs, ours;
    char *text;
    size_t bytes;
    if (stat(from, &theirs) == 0 && stat(into, &ours) == 0 && !is_newer(&theirs, &ours)) {
        counts->files_known++;
        return ASSAY_OK;
    }
    assay_status status = text_file_read(from, &text, &bytes, error);
    if (status != ASSAY_OK)
        return status;
    status = text_file_write(into, text, bytes, error);
    free(text);
    if (status == ASSAY_OK)
        (void)utimensat(AT_FDCWD, into, (const struct timespec[]){theirs.st_atim, theirs.st_mtim}, 0);
    counts->files_added += status == ASSAY_OK;
    return status;
}

static assay_status join_archive(const char *from, const char *into, join_counts *counts, assay_error *error)
{
    archive *a = NULL;
    archive_merge_counts n = {0};
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(into, '/') - into), into);
    assay_status status = make_folders(folder, error);
    if (status == ASSAY_OK)
        status = archive_open(into, ARCHIVE_WRITE, &a, error);
    if (status == ASSAY_OK)
        status = archive_merge(a, from, &n, error);
    archive_close(a);
    counts->archive.runs_added += n.runs_added;
    counts->archive.runs_known += n.runs_known;
    counts->archive.candidates_added += n.candidates_added;
    counts->archive.candidates_known += n.candidates_known;
    return status;
}

static int ends_with(const char *name, const char *end)
{
    const size_t bytes = strlen(name), tail = strlen(end);
    return bytes > tail && strcmp(name + bytes - tail, end) == 0;
}

static assay_status join_folder(const char *from, const char *into, join_counts *counts, assay_error *error)
{
    struct dirent **entries;
    assay_status status = ASSAY_OK;
    const int count = scandir(from, &entries, NULL, alphasort);
    if (count < 0)
        return assay_error_set(error, ASSAY_ERR_INVALID, "%s: no folder that can be read", from);
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        char theirs[PATH_MAX], ours[PATH_MAX];
        struct stat kind;
        const int fits = snprintf(theirs, sizeof theirs, "%s/%s", from, name) < PATH_MAX &&
                         snprintf(ours, sizeof ours, "%s/%s", into, name) < PATH_MAX;
        if (status == ASSAY_OK && fits && name[0] != '.' && stat(theirs, &kind) == 0) {
            if (S_ISDIR(kind.st_mode))
                status = join_folder(theirs, ours, counts, error);
            else if (strcmp(name, "tuning.db") == 0)
                status = join_archive(theirs, ours, counts, error);
            else if (ends_with(name, ".json"))
                status = join_file(theirs, ours, counts, error);
        }
        free(entries[i]);
    }
    free(entries);
    return status;
}

assay_status join_results(const char *from, const char *into, join_counts *counts, assay_error *error)
{
    *counts = (join_counts){0};
    const assay_status status = join_folder(from, into, counts, error);
    const archive_merge_counts *n = &counts->archive;
    return status != ASSAY_OK || counts->files_added || counts->files_known || n->runs_added || n->runs_known
               ? status
               : assay_error_set(error, ASSAY_ERR_INVALID, "%s: no results of a card there", from);
}
