/* What a module was made from: its source hash and its dependency file; see module_compile.h. */
#include "build_module/compile.h"
#include "build_module/module_compile.h"
#include "core/json_file.h"
#include <ctype.h>
#include <sha256.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILES = 1024 };

/* SHA-256 of one file as text; of nothing if it cannot be read. */
static char *hash_file(const char *path)
{
    char *text = NULL, *hex = malloc(SHA256_DIGEST_STRING_LENGTH);
    size_t bytes = 0;
    SHA2_CTX hash;
    SHA256Init(&hash);
    if (hex != NULL && text_file_read(path, &text, &bytes, NULL) == ASSAY_OK)
        SHA256Update(&hash, (const uint8_t *)text, bytes);
    free(text);
    return hex != NULL ? SHA256End(&hash, hex) : NULL;
}

const char *compile_next_dependency(const char *text, char *path, size_t path_bytes)
{
    while (*text == '\\' || isspace((unsigned char)*text))
        text++;
    size_t used = 0;
    while (*text != '\0' && !isspace((unsigned char)*text)) {
        if (text[0] == '\\' && text[1] == ' ')
            text++;
        if (used + 1 < path_bytes)
            path[used++] = *text;
        text++;
    }
    path[used] = '\0';
    return used > 0 ? text : NULL;
}

static int compare_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Feed the hash with the files of a make-style list; returns how many. Their own hashes are sorted, so that neither the place of the tree nor that
 * of the toolkit counts; nor do include paths. */
static int hash_listed(const char *dependencies, SHA2_CTX *hash)
{
    char *hashes[MOST_FILES], path[PATH_MAX];
    int count = 0;
    const char *at = dependencies ? strchr(dependencies, ':') : NULL;
    for (at = at ? at + 1 : NULL;
         at != NULL && count < MOST_FILES && (at = compile_next_dependency(at, path, sizeof path)) != NULL;)
        if ((hashes[count] = hash_file(path)) != NULL)
            count++;
    qsort(hashes, (size_t)count, sizeof *hashes, compare_text);
    for (int i = 0; i < count; i++) {
        SHA256Update(hash, (const uint8_t *)hashes[i], strlen(hashes[i]));
        free(hashes[i]);
    }
    return count;
}

assay_status compile_hash_listed(const char *depfile, const char *out, assay_error *error)
{
    char *list = NULL, text[SHA256_DIGEST_STRING_LENGTH + 1];
    SHA2_CTX hash;
    assay_status status = text_file_read(depfile, &list, NULL, error);
    if (status != ASSAY_OK)
        return status;
    SHA256Init(&hash);
    const int count = hash_listed(list, &hash);
    free(list);
    if (count == 0)
        return assay_error_set(error, ASSAY_ERR_FORMAT, "%s: no file is listed there", depfile);
    SHA256End(&hash, text);
    strcat(text, "\n");
    return text_file_write(out, text, strlen(text), error);
}

/* Flags that nvcc takes from where it is started; without any, nothing. */
static void add_environment(json_t *rest, const compile_job *job)
{
    static const char *const names[] = {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"};
    if (strcmp(json_get_text(job->toolchain, "kind", ""), "nvcc") != 0)
        return;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value && *value)
            json_object_set_new(rest, names[i], json_string(value));
    }
}

void compile_hash_sources(const compile_job *job, const char *dependencies, char out[65])
{
    SHA2_CTX hash;
    SHA256Init(&hash);
    if (hash_listed(dependencies, &hash) == 0) {
        char *own = hash_file(job->request->source);
        if (own != NULL)
            SHA256Update(&hash, (const uint8_t *)own, strlen(own));
        free(own);
    }
    json_t *rest = json_pack("{s:O?, s:O?, s:s, s:O, s:s}", "flags", json_object_get(job->toolchain, "flags"),
                             "arch", json_object_get(job->toolchain, "arch"), "compiler",
                             json_get_text(job->toolchain, "compiler_version", ""), "tunables", job->tunables,
                             "dtype", assay_dtype_name(job->request->dtype));
    if (job->contest->source.form != NULL)
        json_object_set(rest, "solve", job->contest->source.form);
    add_environment(rest, job);
    if (job->table != NULL)
        json_object_set(rest, "table", json_object_get(job->table, "rows"));
    char *text = json_dumps(rest, JSON_SORT_KEYS | JSON_COMPACT);
    SHA256Update(&hash, (const uint8_t *)text, strlen(text));
    free(text);
    json_decref(rest);
    SHA256End(&hash, out);
}

assay_status compile_write_depfile(const module_request *request, const char *dependencies,
                                   assay_error *error)
{
    if (request->depfile == NULL)
        return ASSAY_OK;
    const char *list = dependencies ? strchr(dependencies, ':') : NULL;
    const size_t bytes = strlen(request->record) + (list ? strlen(list) : strlen(request->source)) +
                         strlen(request->op->spec->directory) + 64;
    char *text = malloc(bytes);
    if (text == NULL)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    if (list != NULL)
        snprintf(text, bytes, "%s%s", request->record, list);
    else
        snprintf(text, bytes, "%s: %s\n", request->record, request->source);
    const assay_status status = text_file_write(request->depfile, text, strlen(text), error);
    free(text);
    return status;
}
