/* Module records and loading of modules. */
#include "core/json_file.h"
#include "core/workspace.h"
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static void copy_key(const json_t *json, const char *key, char *out, size_t out_bytes)
{
    snprintf(out, out_bytes, "%s", json_get_text(json, key, ""));
}

/* Paths in a record are absolute or relative to the record. */
static void resolve_beside(const char *record_path, char *path, size_t path_bytes)
{
    const char *slash = strrchr(record_path, '/');
    char joined[8400];
    if (path[0] == '/' || path[0] == '\0' || slash == NULL)
        return;
    snprintf(joined, sizeof joined, "%.*s/%s", (int)(slash - record_path), record_path, path);
    snprintf(path, path_bytes, "%.4095s", joined);
}

assay_status module_record_read(const char *path, module_record *record, assay_error *error)
{
    memset(record, 0, sizeof *record);
    const assay_status status = json_file_read(path, &record->json, error);
    if (status != ASSAY_OK)
        return status;
    copy_key(record->json, "status", record->status, sizeof record->status);
    copy_key(record->json, "library", record->library, sizeof record->library);
    copy_key(record->json, "source", record->source, sizeof record->source);
    copy_key(record->json, "source_sha256", record->source_sha256, sizeof record->source_sha256);
    copy_key(record->json, "compiler", record->compiler, sizeof record->compiler);
    copy_key(record->json, "flags", record->flags, sizeof record->flags);
    copy_key(record->json, "log", record->log, sizeof record->log);
    if (json_get_number(record->json, "schema", 0) != 1 || record->status[0] == '\0') {
        module_record_release(record);
        return assay_error_set(error, ASSAY_ERR_FORMAT,
                               "%s: not a module record of schema 1; build the modules again", path);
    }
    resolve_beside(path, record->library, sizeof record->library);
    return ASSAY_OK;
}

void module_record_release(module_record *record)
{
    json_decref(record->json);
    record->json = NULL;
}

void module_first_error(const module_record *record, char *out, size_t out_bytes)
{
    const char *line = strstr(record->log, "error");
    while (line != NULL && line > record->log && line[-1] != '\n')
        line--;
    if (line == NULL)
        line = record->log + strspn(record->log, "\n");
    snprintf(out, out_bytes, "%.*s", (int)strcspn(line, "\n"), line);
}

assay_status module_check(const module_record *record, assay_error *error)
{
    if (strcmp(record->status, "skipped") == 0)
        return assay_error_set(error, ASSAY_ERR_CHECK, "%s", record->log);
    if (strcmp(record->status, "ok") != 0) {
        const char *file = strrchr(record->source, '/');
        char line[300];
        module_first_error(record, line, sizeof line);
        return assay_error_set(error, ASSAY_ERR_CHECK, "%s: %s: %s", file ? file + 1 : record->source,
                               record->status, line);
    }
    return ASSAY_OK;
}

assay_status module_open_library(const char *path, const char *op, assay_run_fn *run, assay_error *error)
{
    char symbol[ASSAY_NAME_MAX + 8];
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return assay_error_set(error, ASSAY_ERR_CHECK, "cannot load module %s: %s", path, dlerror());
    snprintf(symbol, sizeof symbol, "%s_run", op);
    *(void **)run = dlsym(library, symbol);
    if (*run == NULL)
        return assay_error_set(error, ASSAY_ERR_CHECK,
                               "module %s has no entry point: export  extern \"C\" assay_status %s(const "
                               "%s_args *, assay_stream)",
                               path, symbol, op);
    return ASSAY_OK;
}

assay_status module_load(const module_record *record, const char *op, assay_run_fn *run, assay_error *error)
{
    const assay_status status = module_check(record, error);
    return status == ASSAY_OK ? module_open_library(record->library, op, run, error) : status;
}
