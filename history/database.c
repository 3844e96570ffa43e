/* Opening and closing a history: the kind of database that it is. */
#include "history/database.h"
#include <stdlib.h>

static const database_kind kind = {.name = "history",
                                   .made_by = "assay ingest",
                                   .repair = "move it away and ingest the result files again",
                                   .made_again = " and ingest the result files again",
                                   .table = "test_case",
                                   .schema_sql = history_schema_sql,
                                   .schema = HISTORY_SCHEMA};

assay_status history_open(const char *path, history_mode mode, history **out, assay_error *error)
{
    *out = NULL;
    history *h = calloc(1, sizeof *h);
    if (!h)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for the history");
    const assay_status status =
        database_open(path, mode == HISTORY_WRITE ? DATABASE_WRITE : DATABASE_READ, &kind, &h->base, error);
    if (status == ASSAY_OK)
        *out = h;
    else
        history_close(h);
    return status;
}

void history_close(history *h)
{
    if (!h)
        return;
    database_close(&h->base);
    free(h);
}
