/* Results in few files: see results_archive.h. */
#include "results/results_archive.h"
#include "core/json_file.h"
#include "core/text_stream.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A list, because a memory stream keeps the addresses of its text and length. */
typedef struct open_file {
    struct open_file *next;
    char path[4400];
    FILE *stream;
    char *text;
    size_t bytes;
} open_file;

struct results_archive {
    char folder[4096];
    open_file *files;
};

results_archive *results_archive_open(const char *folder)
{
    results_archive *archive = calloc(1, sizeof *archive);
    if (archive)
        snprintf(archive->folder, sizeof archive->folder, "%s", folder);
    return archive;
}

static FILE *open_stream(results_archive *archive, const char *kind, const char *op)
{
    char path[4400];
    snprintf(path, sizeof path, "%s/%s/%.64s.jsonl", archive->folder, kind, op);
    for (open_file *file = archive->files; file; file = file->next)
        if (strcmp(file->path, path) == 0)
            return file->stream;
    open_file *file = calloc(1, sizeof *file);
    if (!file)
        return NULL;
    memcpy(file->path, path, sizeof path);
    file->stream = text_stream_open(&file->text, &file->bytes);
    file->next = archive->files;
    archive->files = file;
    return file->stream;
}

/* Takes over the text. */
static assay_status add_line(results_archive *archive, const char *kind, const char *op, char *text,
                             assay_error *error)
{
    FILE *stream = text ? open_stream(archive, kind, op) : NULL;
    const int written = stream && fprintf(stream, "%s\n", text) > 0;
    free(text);
    return written ? ASSAY_OK
                   : assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for an archive of results");
}

assay_status results_archive_add(results_archive *archive, const result *r, result_load load,
                                 assay_error *error)
{
    char *text = NULL;
    const assay_status status = result_write_text(r, load, &text, NULL, error);
    return status == ASSAY_OK ? add_line(archive, "bench", r->id.op, text, error) : status;
}

assay_status results_archive_add_verdict(results_archive *archive, const json_t *verdict, assay_error *error)
{
    const char *op = json_get_text(verdict, "op", "");
    if (op[0] == '\0' || op[0] == '.' || strchr(op, '/'))
        return assay_error_set(error, ASSAY_ERR_FORMAT, "a verdict does not say of which op it is");
    return add_line(archive, "verify", op, json_dumps(verdict, JSON_COMPACT | JSON_REAL_PRECISION(15)),
                    error);
}

static assay_status close_file(open_file *file, int write, assay_error *error)
{
    assay_status status = ASSAY_OK;
    if (file->stream && !text_stream_close(file->stream, &file->text))
        status = assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for an archive of results");
    if (write && status == ASSAY_OK && file->stream)
        status = text_file_write(file->path, file->text, file->bytes, error);
    free(file->text);
    free(file);
    return status;
}

assay_status results_archive_close(results_archive *archive, int write, int *files, assay_error *error)
{
    assay_status status = ASSAY_OK;
    int written = 0;
    while (archive->files) {
        open_file *file = archive->files;
        archive->files = file->next;
        const assay_status closed = close_file(file, write && status == ASSAY_OK, error);
        status = status == ASSAY_OK ? closed : status;
        written += write && status == ASSAY_OK;
    }
    free(archive);
    if (files)
        *files = written;
    return status;
}
