/* Opening and closing an archive: the kind of database that it is. */
#include "tune/archive/database.h"
#include <stdlib.h>

static const database_kind kind = {.name = "archive",
                                   .made_by = "assay tune",
                                   .repair = "merge its readable copy into a new one",
                                   .made_again = "",
                                   .table = "candidate",
                                   .schema_sql = archive_schema_sql,
                                   .schema = ARCHIVE_SCHEMA};

assay_status archive_open(const char *path, archive_mode mode, archive **out, assay_error *error)
{
    *out = NULL;
    archive *a = calloc(1, sizeof *a);
    if (a == NULL)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for the archive");
    const assay_status status =
        database_open(path, mode == ARCHIVE_WRITE ? DATABASE_WRITE : DATABASE_READ, &kind, &a->base, error);
    if (status == ASSAY_OK)
        *out = a;
    else
        archive_close(a);
    return status;
}

void archive_close(archive *a)
{
    if (a == NULL)
        return;
    for (size_t i = 0; i < sizeof a->texts / sizeof *a->texts; i++)
        free(a->texts[i]);
    free(a->samples);
    database_close(&a->base);
    free(a);
}
