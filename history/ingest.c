/* Files into the history, batch by batch: see ingest.h. */
#include "history/ingest.h"
#include "history/ingest_files.h"
#include "history/ingest_rows.h"
#include "core/json_file.h"
#include "history/result_file.h"
#include "history/revisions.h"
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 64 };

typedef struct ingest_job {
    history *h;
    ingest_writer *writer;
    const ingest_options *options;
    ingest_summary *summary;
    assay_error first_unreadable;
} ingest_job;

static void note_unreadable(ingest_job *job, const assay_error *fault)
{
    job->summary->unreadable++;
    if (job->options->messages)
        fprintf(job->options->messages, "%s\n", fault->message);
}

static void read_batch(ingest_job *job, char *const *paths, int count, ingest_record *records,
                       int *record_count)
{
    *record_count = 0;
    for (int i = 0; i < count; i++) {
        json_t *assay = NULL;
        assay_error fault = {0};
        assay_status status = result_file_read(paths[i], &assay, &fault);
        if (status == ASSAY_OK) {
            status = ingest_record_make(assay, &records[*record_count], &fault);
            if (status != ASSAY_OK)
                ingest_record_release(&records[*record_count]);
        }
        if (status == ASSAY_OK)
            ++*record_count;
        else
            note_unreadable(job, &fault);
    }
}

static assay_status write_batch(ingest_job *job, const ingest_record *records, int count, assay_error *error)
{
    int outcomes[INGEST_COMPLETED + 1] = {0};
    assay_status status = db_exec(job->h, "BEGIN IMMEDIATE", error);
    if (status != ASSAY_OK)
        return status;
    for (int i = 0; status == ASSAY_OK && i < count; i++) {
        ingest_outcome outcome;
        status = ingest_writer_put(job->writer, &records[i], &outcome, error);
        if (status == ASSAY_OK)
            outcomes[outcome]++;
    }
    if (status == ASSAY_OK)
        status = db_exec(job->h, "COMMIT", error);
    if (status != ASSAY_OK) {
        sqlite3_exec(job->h->db, "ROLLBACK", NULL, NULL, NULL);
        return status;
    }
    job->summary->files += count;
    job->summary->added += outcomes[INGEST_ADDED];
    job->summary->known += outcomes[INGEST_KNOWN];
    job->summary->completed += outcomes[INGEST_COMPLETED];
    return ASSAY_OK;
}

static assay_status ingest_results(ingest_job *job, const file_list *files, assay_error *error)
{
    assay_status status = ASSAY_OK;
    for (int first = 0; status == ASSAY_OK && first < files->count; first += BATCH) {
        ingest_record records[BATCH];
        int count = 0;
        read_batch(job, files->paths + first, files->count - first < BATCH ? files->count - first : BATCH,
                   records, &count);
        status = write_batch(job, records, count, error);
        for (int i = 0; i < count; i++)
            ingest_record_release(&records[i]);
    }
    return status;
}

static int is_json(const struct dirent *item)
{
    const size_t length = strlen(item->d_name);
    return item->d_name[0] != '.' && length > 5 && strcmp(item->d_name + length - 5, ".json") == 0;
}

/* env.json names neither its card nor its time: those of the first result beside it. */
static void ask_neighbour(const char *path, char *slug, size_t bytes, int64_t *time)
{
    char folder[4352], file[4700];
    snprintf(folder, sizeof folder, "%.*s/bench", (int)(strrchr(path, '/') ? strrchr(path, '/') - path : 0),
             path);
    struct dirent **items = NULL;
    const int count = scandir(folder, &items, is_json, alphasort);
    for (int i = 0; i < count; i++) {
        json_t *assay = NULL;
        snprintf(file, sizeof file, "%s/%s", folder, items[i]->d_name);
        free(items[i]);
        if (slug[0] != '\0' || result_file_read(file, &assay, NULL) != ASSAY_OK)
            continue;
        snprintf(slug, bytes, "%s", json_get_text(json_object_get(assay, "device"), "slug", ""));
        *time = result_time(json_get_text(assay, "time", ""));
        json_decref(assay);
    }
    free(items);
}

static assay_status put_snapshot(ingest_job *job, const char *slug, const char *kind, int64_t time,
                                 const json_t *root, assay_error *error)
{
    sqlite3_stmt *s = NULL;
    char *text = json_dumps(root, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(15));
    if (!text)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for a snapshot");
    assay_status status = db_prepare(
        job->h,
        "INSERT INTO snapshot (slug, kind, time, document) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING", &s,
        error);
    if (status == ASSAY_OK) {
        db_bind_text(s, 1, slug);
        db_bind_text(s, 2, kind);
        sqlite3_bind_int64(s, 3, time);
        db_bind_text(s, 4, text);
        if (sqlite3_step(s) != SQLITE_DONE)
            status = db_error(job->h, "write", error);
        else
            job->summary->snapshots += sqlite3_changes(job->h->db);
    }
    sqlite3_finalize(s);
    free(text);
    return status;
}

static assay_status ingest_snapshot(ingest_job *job, const char *path, assay_error *error)
{
    json_t *root = NULL;
    assay_error fault = {0};
    char slug[256];
    if (json_file_read(path, &root, &fault) != ASSAY_OK) {
        note_unreadable(job, &fault);
        return ASSAY_OK;
    }
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    const char *kind = strcmp(name, "env.json") == 0 ? "env" : "ceilings";
    snprintf(slug, sizeof slug, "%s", json_get_text(json_object_get(root, "device"), "slug", ""));
    int64_t time = result_time(json_get_text(root, "time", ""));
    if (slug[0] == '\0' || time == 0)
        ask_neighbour(path, slug, sizeof slug, &time);
    const assay_status status = slug[0] != '\0' ? put_snapshot(job, slug, kind, time, root, error)
                                                : ASSAY_OK; /* of no card: of no use */
    json_decref(root);
    return status;
}

static assay_status find_all(const char *const *paths, int count, file_list *results, file_list *snapshots,
                             assay_error *error)
{
    assay_status status = ASSAY_OK;
    for (int i = 0; status == ASSAY_OK && i < count; i++)
        status = find_result_files(paths[i], results, snapshots, error);
    file_list_sort(results);
    file_list_sort(snapshots);
    if (status == ASSAY_OK && results->count == 0 && snapshots->count == 0)
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "%s%s: no result files (OP.NAME.DTYPE.SIZE.json) there", count ? paths[0] : "",
                               count > 1 ? " and others" : "");
    return status;
}

assay_status history_ingest(history *h, const char *const *paths, int count, const ingest_options *options,
                            ingest_summary *summary, assay_error *error)
{
    file_list results = {0}, snapshots = {0};
    *summary = (ingest_summary){0};
    ingest_job job = {.h = h, .options = options, .summary = summary};
    assay_status status = find_all(paths, count, &results, &snapshots, error);
    if (status == ASSAY_OK)
        status = ingest_writer_open(h, &job.writer, error);
    if (status == ASSAY_OK)
        status = ingest_results(&job, &results, error);
    for (int i = 0; status == ASSAY_OK && i < snapshots.count; i++)
        status = ingest_snapshot(&job, snapshots.paths[i], error);
    ingest_writer_close(job.writer);
    if (status == ASSAY_OK && options->source && options->source[0] != '\0')
        status = revisions_ask_git(h, options->source, error);
    file_list_release(&results);
    file_list_release(&snapshots);
    if (status == ASSAY_OK && summary->unreadable > 0)
        return assay_error_set(error, ASSAY_ERR_FORMAT, "%d files could not be used", summary->unreadable);
    return status;
}
