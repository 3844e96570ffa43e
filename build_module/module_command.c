/* The compiler's command line; see module_compile.h. */
#include "build_module/module_compile.h"
#include "build_module/winner.h"
#include "core/json_file.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_word(compile_command *c, const char *prefix, const char *word)
{
    const size_t need = strlen(prefix) + strlen(word) + 1;
    if (c->count == COMPILE_MOST_WORDS || c->used + need > sizeof c->storage)
        return; /* a toolchain of hundreds of words is a broken assay.json; the compiler will say so */
    c->words[c->count++] = c->storage + c->used;
    c->used += (size_t)snprintf(c->storage + c->used, need, "%s%s", prefix, word) + 1;
}

static void add_list(compile_command *c, const char *prefix, const json_t *list)
{
    size_t index;
    json_t *item;
    json_array_foreach(list, index, item) add_word(c, prefix, json_string_value(item));
}

/* The winner's values in place of the defaults, and the table for what the shape decides. */
static assay_status take_winner(const workspace *ws, const module_request *request, const char *variant,
                                json_t *tunables, json_t **winner, json_t **table, assay_error *error)
{
    char path[4400];
    json_t *document = NULL;
    winner_path(ws, request->op, path, sizeof path);
    const assay_status status = winner_read(path, request->op->spec, &document, error);
    const json_t *row = winner_find(document, variant, request->dtype);
    if (row) {
        json_object_update(tunables, json_object_get(row, "tunables"));
        *winner = json_deep_copy(row);
    }
    *table = json_deep_copy(winner_find_table(document, variant, request->dtype));
    json_decref(document);
    return status;
}

assay_status compile_collect_tunables(const workspace *ws, const module_request *request, const char *variant,
                                      json_t *tunables, json_t **winner, json_t **table, assay_error *error)
{
    const opspec_variant_tunables *set = opspec_find_tunables(request->op->spec, variant);
    *winner = *table = NULL;
    for (int i = 0; set != NULL && i < set->count; i++)
        json_object_set_new(tunables, set->tunables[i].name, json_integer(set->tunables[i].def));
    if (set && request->define_count == 0 && !request->is_outside &&
        take_winner(ws, request, variant, tunables, winner, table, error) != ASSAY_OK)
        return ASSAY_ERR_FORMAT;
    for (int i = 0; i < request->define_count; i++) {
        char name[ASSAY_NAME_MAX];
        const char *equals = strchr(request->defines[i], '=');
        char *end = NULL;
        const long long value = equals ? strtoll(equals + 1, &end, 10) : 0;
        if (equals == NULL || equals - request->defines[i] >= ASSAY_NAME_MAX || end == equals + 1 ||
            *end != '\0')
            return assay_error_set(error, ASSAY_ERR_INVALID, "tunable \"%s\": NAME=INTEGER is expected",
                                   request->defines[i]);
        snprintf(name, sizeof name, "%.*s", (int)(equals - request->defines[i]), request->defines[i]);
        if (json_object_get(tunables, name) == NULL)
            return assay_error_set(error, ASSAY_ERR_INVALID, "%s has no tunable \"%s\" in op.json", variant,
                                   name);
        json_object_set_new(tunables, name, json_integer(value));
    }
    return ASSAY_OK;
}

/* What changes no code and hence does not count in the source hash: the assembler's report, and files kept in `folder`. */
static void add_inspection(compile_command *c, const char *folder)
{
    if (folder == NULL)
        return;
    add_word(c, "", "-Xptxas");
    add_word(c, "", "-v");
    add_word(c, "", "--keep");
    add_word(c, "", "--keep-dir");
    add_word(c, "", folder);
}

void compile_build_command(const compile_job *job, compile_command *c)
{
    static const char *const dtype_defines[ASSAY_DTYPE_COUNT] = {
        "ASSAY_DTYPE_F32=1", "ASSAY_DTYPE_F16=1", "ASSAY_DTYPE_BF16=1", "", "ASSAY_DTYPE_TF32=1"};
    const json_t *toolchain = job->toolchain,
                 *outside = json_object_get(job->ws->manifest, "outside_toolchain");
    const module_request *request = job->request;
    const contest_kernel *contest = job->contest;
    const int host_compiler = strcmp(json_get_text(toolchain, "kind", ""), "cxx") == 0;
    const char *name;
    json_t *value;
    char text[ASSAY_NAME_MAX + 32];
    add_word(c, "", json_get_text(toolchain, "compiler", "c++"));
    add_list(c, "", json_object_get(toolchain, "flags"));
    if (host_compiler && request->is_outside)
        add_list(c, "", json_object_get(outside, "flags"));
    add_inspection(c, job->keep_folder);
    add_word(c, "-D", dtype_defines[request->dtype]);
    if (job->defines[0] != '\0') {
        add_word(c, "", "-include");
        add_word(c, "", job->defines);
    } else
        json_object_foreach(job->tunables, name, value)
        {
            snprintf(text, sizeof text, "%s=%lld", name, (long long)json_integer_value(value));
            add_word(c, "-D", text);
        }
    add_list(c, "-I", json_object_get(toolchain, "include"));
    add_word(c, "-I", request->op->spec->directory);
    if (contest->is_one)
        add_word(c, "-I", contest->folder);
    add_word(c, "", "-MMD");
    add_word(c, "", "-MF");
    add_word(c, "", job->depfile);
    if (host_compiler) {
        add_word(c, "", "-x");
        add_word(c, "", "c++");
    }
    add_word(c, "", contest->is_one ? contest->generated : request->source);
    if (host_compiler) {
        add_word(c, "", "-x");
        add_word(c, "", "none");
    }
    add_word(c, "", "-o");
    add_word(c, "", job->temporary);
    add_list(c, "", json_object_get(toolchain, "link"));
    if (host_compiler && request->is_outside)
        add_list(c, "", json_object_get(outside, "link"));
    c->words[c->count] = NULL;
}
