/* The history of a program that was built without SQLite or zlib: every call says so. Built instead of the
 * real files. */
#include "history/history.h"
#include "history/ingest.h"

static assay_status missing(assay_error *error)
{
    return assay_error_set(
        error, ASSAY_ERR_ENVIRONMENT,
        "this Assay was built without SQLite or zlib and keeps no history; install libsqlite3-dev and "
        "zlib1g-dev and build again");
}

assay_status history_open(const char *path, history_mode mode, history **out, assay_error *error)
{
    (void)path, (void)mode;
    *out = NULL;
    return missing(error);
}

void history_close(history *h)
{
    (void)h;
}

assay_status history_each_row(history *h, const history_filter *filter, history_row_fn each, void *context,
                              assay_error *error)
{
    (void)h, (void)filter, (void)each, (void)context;
    return missing(error);
}

assay_status history_each_revision(history *h, const history_filter *filter,
                                   int (*each)(void *context, const history_revision *revision),
                                   void *context, assay_error *error)
{
    (void)h, (void)filter, (void)each, (void)context;
    return missing(error);
}

assay_status history_each_card(history *h, int (*each)(void *context, const history_card *card),
                               void *context, assay_error *error)
{
    (void)h, (void)each, (void)context;
    return missing(error);
}

assay_status history_each_fact(history *h, const history_filter *filter,
                               int (*each)(void *context, const history_fact *value), void *context,
                               assay_error *error)
{
    (void)h, (void)filter, (void)each, (void)context;
    return missing(error);
}

assay_status history_each_result(history *h, const history_filter *filter, result_load load,
                                 assay_status (*each)(void *context, result *r, assay_error *error),
                                 void *context, assay_error *error)
{
    (void)h, (void)filter, (void)load, (void)each, (void)context;
    return missing(error);
}

assay_status history_result(history *h, int64_t result_id, result_load load, result **out, assay_error *error)
{
    (void)h, (void)result_id, (void)load;
    *out = NULL;
    return missing(error);
}

assay_status history_snapshot(history *h, const char *slug, const char *kind, int64_t time, json_t **out,
                              assay_error *error)
{
    (void)h, (void)slug, (void)kind, (void)time;
    *out = NULL;
    return missing(error);
}

assay_status history_find_revision(history *h, const char *text, char commit[64], assay_error *error)
{
    (void)h, (void)text, (void)commit;
    return missing(error);
}

assay_status history_ingest(history *h, const char *const *paths, int count, const ingest_options *options,
                            ingest_summary *summary, assay_error *error)
{
    (void)h, (void)paths, (void)count, (void)options;
    *summary = (ingest_summary){0};
    return missing(error);
}
