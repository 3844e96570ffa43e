/* --benchmark_out of many groups: see benchmark_out.h. */
#include "bench/plan/benchmark_out.h"
#include "bench/timing/gbench.h"
#include "core/json_file.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void benchmark_out_begin(benchmark_out *out, const char *folder)
{
    *out = (benchmark_out){.path = gbench_out_path(), .format = gbench_out_format()};
    snprintf(out->worker_path, sizeof out->worker_path, "%s/.benchmark_out", folder);
    snprintf(out->worker_option, sizeof out->worker_option, "--benchmark_out=%s", out->worker_path);
    snprintf(out->worker_format, sizeof out->worker_format, "--benchmark_out_format=%s", out->format);
}

static assay_status add_json(benchmark_out *out, assay_error *error)
{
    json_t *file = NULL;
    const assay_status status = json_file_read(out->worker_path, &file, error);
    if (status == ASSAY_OK && out->whole)
        json_array_extend(json_object_get(out->whole, "benchmarks"), json_object_get(file, "benchmarks"));
    else if (status == ASSAY_OK)
        out->whole = json_incref(file);
    json_decref(file);
    return status;
}

/* Of a table the rows alone, if its head is there already. */
static const char *skip_head(const benchmark_out *out, const char *text)
{
    if (!out->text || strcmp(out->format, "csv") != 0)
        return text;
    const char *head = strncmp(text, "name,", 5) == 0 ? text : strstr(text, "\nname,");
    const char *end = head ? strchr(head + 1, '\n') : NULL;
    return end ? end + 1 : "";
}

static assay_status add_text(benchmark_out *out, assay_error *error)
{
    char *text = NULL;
    size_t bytes;
    const assay_status status = text_file_read(out->worker_path, &text, &bytes, error);
    if (status != ASSAY_OK)
        return status;
    const char *more = skip_head(out, text);
    const size_t used = out->text ? strlen(out->text) : 0;
    char *grown = realloc(out->text, used + strlen(more) + 1);
    if (grown) {
        strcpy(grown + used, more);
        out->text = grown;
    }
    free(text);
    return grown ? ASSAY_OK : assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for --benchmark_out");
}

assay_status benchmark_out_add(benchmark_out *out, assay_error *error)
{
    if (!out->path[0] || access(out->worker_path, R_OK) != 0)
        return ASSAY_OK;
    const assay_status status =
        strcmp(out->format, "json") == 0 ? add_json(out, error) : add_text(out, error);
    unlink(out->worker_path);
    return status;
}

assay_status benchmark_out_end(benchmark_out *out, assay_error *error)
{
    assay_status status = ASSAY_OK;
    if (out->whole)
        status = json_file_write(out->path, out->whole, 0, error);
    else if (out->text)
        status = text_file_write(out->path, out->text, strlen(out->text), error);
    json_decref(out->whole);
    free(out->text);
    out->whole = NULL;
    out->text = NULL;
    return status;
}
