/* Modules of configurations: see tuned_module.h. */
#include "build_module/tuned_module.h"
#include "build_module/module_compile.h"
#include "core/json_file.h"
#include "core/process.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void add_word(tuned_module_command *c, int *count, const char *option, const char *value)
{
    c->words[(*count)++] = option;
    c->words[(*count)++] = value;
}

static void make_record_path(const tuned_module *m, char *out, size_t bytes)
{
    assay_case which = {.op = m->op, .dtype = m->dtype};
    snprintf(which.variant, sizeof which.variant, "%s", m->tuned->name);
    case_module_path(m->ws, &which, out, bytes);
}

/* The command that makes it. */
static void tuned_module_describe(const tuned_module *m, tuned_module_command *c)
{
    int count = 1;
    make_record_path(m, c->record, sizeof c->record);
    snprintf(c->program, sizeof c->program, "%s/assay-module", m->ws->libexec);
    workspace_variant_source(m->op, m->tuned->variant, c->source, sizeof c->source);
    snprintf(c->depfile, sizeof c->depfile, "%.*s.d", (int)(strlen(c->record) - strlen(".json")), c->record);
    c->words[0] = c->program;
    add_word(c, &count, "--workspace", m->ws->path);
    add_word(c, &count, "--op", m->op->spec->name);
    add_word(c, &count, "--source", c->source);
    add_word(c, &count, "--variant", m->tuned->name);
    add_word(c, &count, "--dtype", assay_dtype_name(m->dtype));
    add_word(c, &count, "--out", c->record);
    add_word(c, &count, "--depfile", c->depfile);
    for (int i = 0; i < m->tuned->count; i++) {
        snprintf(c->defines[i], sizeof c->defines[i], "%s=%lld", m->tuned->values[i].name,
                 (long long)m->tuned->values[i].value);
        c->words[count++] = "--define";
        c->words[count++] = c->defines[i];
    }
    c->words[count] = NULL;
}

void tuned_module_request(const tuned_variant *tuned, tuned_defines *storage, module_request *request)
{
    request->variant = tuned->name;
    for (int i = 0; i < tuned->count; i++) {
        snprintf(storage->text[i], sizeof storage->text[i], "%s=%lld", tuned->values[i].name,
                 (long long)tuned->values[i].value);
        request->defines[request->define_count++] = storage->text[i];
    }
}

/* The hash that the record would have if it were made now, from the files that the compile before depended on. */
static int hash_now(const tuned_module *m, const tuned_module_command *c, char hash[65])
{
    char *dependencies = NULL;
    const contest_kernel contest = {0};
    json_t *tunables = json_object();
    const module_request request = {.op = m->op, .source = c->source, .dtype = m->dtype};
    const compile_job job = {.ws = m->ws,
                             .request = &request,
                             .toolchain = json_object_get(m->ws->manifest, "toolchain"),
                             .variant = m->tuned->name,
                             .tunables = tunables,
                             .contest = &contest};
    for (int i = 0; i < m->tuned->count; i++)
        json_object_set_new(tunables, m->tuned->values[i].name, json_integer(m->tuned->values[i].value));
    const int known = text_file_read(c->depfile, &dependencies, NULL, NULL) == ASSAY_OK;
    if (known)
        compile_hash_sources(&job, dependencies, hash);
    free(dependencies);
    json_decref(tunables);
    return known;
}

static int is_current(const tuned_module *m, const tuned_module_command *c)
{
    module_record record;
    char hash[65];
    if (module_record_read(c->record, &record, NULL) != ASSAY_OK)
        return 0;
    const int compiled = strcmp(record.status, "ok") == 0;
    const int current = (!compiled || access(record.library, R_OK) == 0) && hash_now(m, c, hash) &&
                        strcmp(hash, record.source_sha256) == 0;
    module_record_release(&record);
    return current;
}

int tuned_module_is_current(const tuned_module *m)
{
    tuned_module_command *c = malloc(sizeof *c);
    if (c)
        tuned_module_describe(m, c);
    const int current = c && is_current(m, c);
    free(c);
    return current;
}

static assay_status make(const tuned_module_command *c, const tuned_module *m, double time_limit_s,
                         assay_error *error)
{
    process_result run;
    char how[128], text[TUNED_VARIANT_TEXT_MAX];
    assay_status status = ASSAY_OK;
    process_run(c->words, time_limit_s, 1, &run);
    process_describe(&run, how, sizeof how);
    tuned_variant_text(m->tuned, text);
    if (run.end == PROCESS_TIMED_OUT)
        status = assay_error_set(error, ASSAY_ERR_CHECK, "compiling %s with %.300s %s", m->tuned->variant,
                                 text, how);
    else if (run.end != PROCESS_EXITED || run.code != ASSAY_EXIT_OK)
        status = assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "compiling %s with %.300s: %s %s: %.600s",
                                 m->tuned->variant, text, c->program, how, run.output ? run.output : "");
    if (status != ASSAY_OK && error)
        error->message[strcspn(error->message, "\n")] = '\0';
    process_result_release(&run);
    return status;
}

assay_status tuned_module_make(const tuned_module *m, double time_limit_s, assay_error *error)
{
    if (!json_is_object(json_object_get(m->ws->manifest, "toolchain")))
        return assay_error_set(error, ASSAY_ERR_ENVIRONMENT,
                               "%s has no toolchain (a bundle?): configurations cannot be compiled here",
                               m->ws->path);
    tuned_module_command *c = malloc(sizeof *c);
    if (!c)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    tuned_module_describe(m, c);
    const assay_status status = is_current(m, c) ? ASSAY_OK : make(c, m, time_limit_s, error);
    free(c);
    return status;
}

assay_status tuned_module_hash(const tuned_module *m, char hash[65], int *compiles, assay_error *error)
{
    char path[4400];
    module_record record;
    make_record_path(m, path, sizeof path);
    const assay_status status = module_record_read(path, &record, error);
    if (status != ASSAY_OK)
        return status;
    snprintf(hash, 65, "%s", record.source_sha256);
    *compiles = strcmp(record.status, "ok") == 0;
    module_record_release(&record);
    return ASSAY_OK;
}
