/* The archive of a build without SQLite and zlib: every call says what is missing. */
#include "tune/archive/archive_export.h"

static assay_status refuse(assay_error *error)
{
    return assay_error_set(
        error, ASSAY_ERR_UNSUPPORTED,
        "this build has no archive of tuning runs: install SQLite and zlib (apt-get install "
        "libsqlite3-dev zlib1g-dev) and configure again");
}

assay_status archive_open(const char *path, archive_mode mode, archive **out, assay_error *error)
{
    (void)path, (void)mode;
    *out = 0;
    return refuse(error);
}

void archive_close(archive *a)
{
    (void)a;
}

assay_status archive_begin_run(archive *a, archive_run *run, assay_error *error)
{
    (void)a, (void)run;
    return refuse(error);
}

assay_status archive_find_run(archive *a, const archive_run *like, archive_run *out, int *found,
                              assay_error *error)
{
    (void)a, (void)like, (void)out;
    *found = 0;
    return refuse(error);
}

assay_status archive_set_default(archive *a, int64_t run_id, double default_us, assay_error *error)
{
    (void)a, (void)run_id, (void)default_us;
    return refuse(error);
}

assay_status archive_end_run(archive *a, int64_t run_id, const char *end, assay_error *error)
{
    (void)a, (void)run_id, (void)end;
    return refuse(error);
}

assay_status archive_record(archive *a, int64_t run_id, archive_candidate *c, assay_error *error)
{
    (void)a, (void)run_id, (void)c;
    return refuse(error);
}

assay_status archive_replay(archive *a, int64_t run_id, archive_each each, void *context, assay_error *error)
{
    (void)a, (void)run_id, (void)each, (void)context;
    return refuse(error);
}

assay_status archive_best(archive *a, const archive_filter *filter, int limit, archive_each each,
                          void *context, assay_error *error)
{
    (void)a, (void)filter, (void)limit, (void)each, (void)context;
    return refuse(error);
}

assay_status archive_history(archive *a, const archive_filter *filter, int limit, archive_each each,
                             void *context, assay_error *error)
{
    (void)a, (void)filter, (void)limit, (void)each, (void)context;
    return refuse(error);
}

assay_status archive_walk(archive *a, const archive_filter *filter, archive_each each, void *context,
                          assay_error *error)
{
    (void)a, (void)filter, (void)each, (void)context;
    return refuse(error);
}

assay_status archive_merge(archive *a, const char *path, archive_merge_counts *counts, assay_error *error)
{
    (void)a, (void)path, (void)counts;
    return refuse(error);
}

assay_status archive_import_t4(archive *a, const char *path, const archive_problem *problem, long *added,
                               assay_error *error)
{
    (void)a, (void)path, (void)problem;
    *added = 0;
    return refuse(error);
}
