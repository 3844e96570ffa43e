/* The file of an experience log in a build without SQLite: only the entries that come with Assay can be read. */
#include "tune/experience/experience_entry.h"

static assay_status refuse(assay_error *error)
{
    return assay_error_set(
        error, ASSAY_ERR_UNSUPPORTED,
        "this build keeps no experience of its own: install SQLite and zlib (apt-get install "
        "libsqlite3-dev zlib1g-dev) and configure again");
}

assay_status experience_file_read(const char *path, json_t **entries, json_t **uids, assay_error *error)
{
    (void)path;
    *entries = *uids = NULL;
    return refuse(error);
}

assay_status experience_file_rows(const char *path, experience_row **rows, char **texts, size_t *count,
                                  assay_error *error)
{
    (void)path;
    *rows = NULL;
    *texts = NULL;
    *count = 0;
    return refuse(error);
}

assay_status experience_file_documents(const char *path, const char *const *uids, size_t count,
                                       json_t *documents, assay_error *error)
{
    (void)path, (void)uids, (void)documents;
    return count == 0 ? ASSAY_OK : refuse(error);
}

assay_status experience_file_add(const char *path, const json_t *entries, assay_error *error)
{
    (void)path, (void)entries;
    return refuse(error);
}
