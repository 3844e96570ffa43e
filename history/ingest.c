/* Files into the history, batch by batch: see ingest.h. */
#include "history/ingest.h"
#include "core/json_file.h"
#include "core/utf8.h"
#include "history/ingest_rows.h"
#include "history/revisions.h"
#include "results/results_folder.h"
#include <stdlib.h>
#include <string.h>

enum { BATCH = 64 };

typedef struct ingest_job {
    history *h;
    ingest_writer *writer;
    const ingest_options *options;
    ingest_summary *summary;
    ingest_record batch[BATCH]; /* read and not written yet */
    int count;
    char slug[256], path[4352]; /* card, path and time of the last result: those of an env.json beside it */
    int64_t time;
    int found; /* results, snapshots and faults */
} ingest_job;

static void note_unreadable(ingest_job *job, const char *path, const char *reason)
{
    job->summary->unreadable++;
    if (job->options->messages)
        clean_printf(job->options->messages, "%s: %s\n", path, reason);
}

static assay_status put_batch(ingest_job *job, int outcomes[INGEST_COMPLETED + 1], assay_error *error)
{
    assay_status status = db_exec(&job->h->base, "BEGIN IMMEDIATE", error);
    if (status != ASSAY_OK)
        return status;
    for (int i = 0; status == ASSAY_OK && i < job->count; i++) {
        ingest_outcome outcome;
        status = ingest_writer_put(job->writer, &job->batch[i], &outcome, error);
        if (status == ASSAY_OK)
            outcomes[outcome]++;
    }
    if (status == ASSAY_OK)
        status = db_exec(&job->h->base, "COMMIT", error);
    if (status != ASSAY_OK)
        sqlite3_exec(job->h->base.db, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

static void release_batch(ingest_job *job)
{
    for (int i = 0; i < job->count; i++)
        ingest_record_release(&job->batch[i]);
    job->count = 0;
}

static assay_status write_batch(ingest_job *job, assay_error *error)
{
    int outcomes[INGEST_COMPLETED + 1] = {0};
    const assay_status status = put_batch(job, outcomes, error);
    if (status == ASSAY_OK) {
        job->summary->files += job->count;
        job->summary->added += outcomes[INGEST_ADDED];
        job->summary->known += outcomes[INGEST_KNOWN];
        job->summary->completed += outcomes[INGEST_COMPLETED];
    }
    release_batch(job);
    return status;
}

static assay_status add_result(ingest_job *job, const char *path, result *r, assay_error *error)
{
    snprintf(job->path, sizeof job->path, "%s", path);
    snprintf(job->slug, sizeof job->slug, "%s", r->device.slug);
    job->time = r->time;
    const assay_status status = ingest_record_make(r, &job->batch[job->count++], error);
    return status == ASSAY_OK && job->count == BATCH ? write_batch(job, error) : status;
}

/* ---- snapshots ----------------------------------------------------------------------------------------- */

static assay_status put_snapshot(ingest_job *job, const char *slug, const char *kind, int64_t time,
                                 const json_t *root, assay_error *error)
{
    sqlite3_stmt *s = NULL;
    char *text = json_dumps(root, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(15));
    if (!text)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for a snapshot");
    assay_status status = db_prepare(
        &job->h->base,
        "INSERT INTO snapshot (slug, kind, time, document) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING", &s,
        error);
    if (status == ASSAY_OK) {
        db_bind_text(s, 1, slug);
        db_bind_text(s, 2, kind);
        sqlite3_bind_int64(s, 3, time);
        db_bind_text(s, 4, text);
        if (sqlite3_step(s) != SQLITE_DONE)
            status = db_error(&job->h->base, "write", error);
        else
            job->summary->snapshots += sqlite3_changes(job->h->base.db);
    }
    sqlite3_finalize(s);
    free(text);
    return status;
}

/* A snapshot lies above its results, whose paths come before it in the order of paths. */
static int is_beside_last_result(const ingest_job *job, const char *path, const char *name)
{
    return strncmp(job->path, path, (size_t)(name - path)) == 0;
}

/* ceilings.json says its card and time; env.json does not, and belongs to the results beside it. */
static assay_status add_snapshot(ingest_job *job, const char *path, assay_error *error)
{
    json_t *root = NULL;
    assay_error fault = {0};
    if (json_file_read(path, &root, &fault) != ASSAY_OK) {
        note_unreadable(job, path, fault.message);
        return ASSAY_OK;
    }
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    const char *slug = json_get_text(json_object_get(root, "device"), "slug", "");
    int64_t time = result_time_parse(json_get_text(root, "time", ""));
    if ((slug[0] == '\0' || time == 0) && is_beside_last_result(job, path, name))
        slug = job->slug, time = job->time;
    const assay_status status =
        slug[0] != '\0'
            ? put_snapshot(job, slug, strcmp(name, "env.json") == 0 ? "env" : "ceilings", time, root, error)
            : ASSAY_OK; /* of no card: of no use */
    json_decref(root);
    return status;
}

/* ---- all files ----------------------------------------------------------------------------------------- */

static assay_status add_item(void *context, results_item *item, assay_error *error)
{
    ingest_job *job = context;
    job->found++;
    switch (item->kind) {
    case RESULTS_RESULT:
        return add_result(job, item->path, item->result, error);
    case RESULTS_SNAPSHOT:
        return add_snapshot(job, item->path, error);
    default:
        note_unreadable(job, item->path, item->reason);
        return ASSAY_OK;
    }
}

static assay_status add_paths(ingest_job *job, const char *const *paths, int count, assay_error *error)
{
    assay_status status = ASSAY_OK;
    for (int i = 0; status == ASSAY_OK && i < count; i++)
        status = results_each(paths[i], RESULTS_WITH_RESULTS | RESULTS_WITH_SNAPSHOTS, RESULT_LOAD_SAMPLES,
                              add_item, job, error);
    if (status == ASSAY_OK && job->count > 0)
        status = write_batch(job, error);
    release_batch(job);
    if (status == ASSAY_OK && job->found == 0)
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "%s%s: no result files (OP.NAME.DTYPE.SIZE.json) there", count ? paths[0] : "",
                               count > 1 ? " and others" : "");
    return status;
}

assay_status history_ingest(history *h, const char *const *paths, int count, const ingest_options *options,
                            ingest_summary *summary, assay_error *error)
{
    *summary = (ingest_summary){0};
    ingest_job *job = calloc(1, sizeof *job);
    if (!job)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for an ingest");
    job->h = h, job->options = options, job->summary = summary;
    assay_status status = ingest_writer_open(h, &job->writer, error);
    if (status == ASSAY_OK)
        status = add_paths(job, paths, count, error);
    ingest_writer_close(job->writer);
    free(job);
    if (status == ASSAY_OK && options->source && options->source[0] != '\0')
        status = revisions_ask_git(h, options->source, error);
    if (status == ASSAY_OK && summary->unreadable > 0)
        return assay_error_set(error, ASSAY_ERR_FORMAT, "%d files could not be used", summary->unreadable);
    return status;
}
