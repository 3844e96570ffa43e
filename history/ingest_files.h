/* Which files a list of files and folders means. Knows names only, never contents. */
#ifndef ASSAY_HISTORY_INGEST_FILES_H
#define ASSAY_HISTORY_INGEST_FILES_H

#include <assay/status.h>

typedef struct file_list {
    char **paths; /* owned, sorted, unique */
    int count, capacity;
} file_list;
void file_list_release(file_list *list);

/* Append `path`, or what lies below it: result files to `results`, ceilings.json and env.json to `snapshots` (which may be NULL).
 * ASSAY_ERR_INVALID: not there. */
assay_status find_result_files(const char *path, file_list *results, file_list *snapshots,
                               assay_error *error);

void file_list_sort(file_list *list);

#endif
