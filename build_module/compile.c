/* Compiling a module from start to end; see compile.h. Its parts are in module_compile.h. */
#include "build_module/compile.h"
#include "build_module/device_view.h"
#include "build_module/module_compile.h"
#include "build_module/module_device_code.h"
#include "build_module/module_run.h"
#include "core/json_file.h"
#include "core/text_stream.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COMPILE_LIMIT_S = 900, OUTSIDE_LIMIT_S = 300 };

static json_t *inspect(const compile_job *job, const process_result *run)
{
    const module_inspection inspection = {.folder = job->keep_folder,
                                          .report = run->output ? run->output : "",
                                          .toolchain = job->toolchain,
                                          .tunables = job->tunables};
    return job->request->inspect(&inspection);
}

/* A kernel was refused: is it the kernel? A compiler without its assembler or linker (an empty PATH) refuses an empty file as well. */
static assay_status check_environment(const compile_job *job, const char *compiler, assay_error *error)
{
    const int is_nvcc = strcmp(json_get_text(job->toolchain, "kind", ""), "nvcc") == 0;
    const char *words[] = {compiler,    "-x", is_nvcc ? "cu" : "c++", "-shared", "-o", job->temporary,
                           "/dev/null", NULL};
    process_result run = {.end = PROCESS_NOT_STARTED};
    process_run(words, COMPILE_LIMIT_S, 1, &run);
    const int works = run.end == PROCESS_EXITED && run.code == 0;
    if (!works && run.end != PROCESS_INTERRUPTED)
        assay_error_set(error, ASSAY_ERR_ENVIRONMENT,
                        "compiler %s cannot even compile an empty file; is PATH right? It says: %.300s",
                        compiler, run.output ? run.output : "nothing");
    process_result_release(&run);
    return works ? ASSAY_OK : ASSAY_ERR_ENVIRONMENT;
}

/* A compiler that was killed, or stopped at its time limit, cannot say so itself. First, as a record keeps the beginning of a log. */
static void prepend_end(process_result *run)
{
    char end[128], *text = NULL;
    size_t bytes = 0;
    FILE *out = text_stream_open(&text, &bytes);
    if (out == NULL)
        return;
    process_describe(run, end, sizeof end);
    fprintf(out, "error: compiler %s\n%s", end, run->output ? run->output : "");
    if (text_stream_close(out, &text)) {
        free(run->output);
        run->output = text;
    }
}

/* Run the compiler, or take a refusal for what it would have said. */
static assay_status run_compiler(const compile_job *job, process_result *run, assay_error *error)
{
    if (job->contest->refusal != NULL) {
        *run = (process_result){.end = PROCESS_EXITED, .code = 1, .output = strdup(job->contest->reason)};
        return ASSAY_OK;
    }
    compile_command *c = calloc(1, sizeof *c);
    *run = (process_result){.end = PROCESS_NOT_STARTED};
    if (c == NULL)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    compile_build_command(job, c);
    compile_run(job, c, job->request->is_outside ? OUTSIDE_LIMIT_S : COMPILE_LIMIT_S, run);
    assay_status status = ASSAY_OK;
    if (run->end == PROCESS_NOT_STARTED)
        status = assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "compiler %s could not be started: %s",
                                 c->words[0], strerror(run->code));
    else if (run->end == PROCESS_INTERRUPTED)
        status = assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "interrupted while compiling %s",
                                 job->request->source);
    else if (run->end == PROCESS_EXITED && run->code != 0)
        status = check_environment(job, c->words[0], error);
    else if (run->end != PROCESS_EXITED)
        prepend_end(run);
    free(c);
    return status;
}

/* Put the library in its place. A module of an older source must not stay behind when the new one does not compile. */
static assay_status keep_library(const compile_job *job, const process_result *run, assay_error *error)
{
    const char *refusal = job->contest->refusal;
    if (run->end == PROCESS_EXITED && run->code == 0)
        return rename(job->temporary, job->library) == 0
                   ? ASSAY_OK
                   : assay_error_set(error, ASSAY_ERR_IO, "cannot replace %s: %s", job->library,
                                     strerror(errno));
    if (refusal != NULL &&
        strcmp(refusal, "skipped") == 0) /* an output that is missing is made at every build */
        return text_file_write(job->library, "", 0, error);
    unlink(job->library);
    return ASSAY_OK;
}

static int is_cubin(const struct dirent *entry)
{
    const char *end = strrchr(entry->d_name, '.');
    return end != NULL && strcmp(end, ".cubin") == 0;
}

/* The hash of the machine code of the library and, where nvcc left them, of its cubins; "" where it is not known. */
static void hash_code(const compile_job *job, char hex[65])
{
    enum { MOST = 32 };
    char paths[MOST][2 * PATH_MAX];
    const char *files[MOST + 1] = {job->library};
    struct dirent **entries = NULL;
    const int found = job->keep_folder ? scandir(job->keep_folder, &entries, is_cubin, alphasort) : 0;
    int count = 1;
    for (int i = 0; i < found; i++) {
        if (count <= MOST) {
            snprintf(paths[count - 1], sizeof paths[0], "%s/%s", job->keep_folder, entries[i]->d_name);
            files[count] = paths[count - 1];
            count++;
        }
        free(entries[i]);
    }
    free(entries);
    hex[0] = '\0';
    if (job->request->code_hash != NULL && found >= 0 && found <= MOST)
        job->request->code_hash(files, count, hex);
}

/* Library, dependency file and record of a compiler's run. */
static assay_status keep_results(const compile_job *job, process_result *run, assay_error *error)
{
    const module_request *request = job->request;
    char *dependencies = NULL, hash[65], code[65] = "";
    if (access(job->depfile, R_OK) == 0)
        text_file_read(job->depfile, &dependencies, NULL, NULL);
    if (job->contest->is_one)
        contest_name_original(job->contest, request->source, &dependencies);
    device_view_judge(job, dependencies, run);
    compile_hash_sources(job, dependencies, hash);
    assay_status status = keep_library(job, run, error);
    if (status == ASSAY_OK)
        status = compile_write_depfile(request, dependencies, error);
    if (status == ASSAY_OK) {
        const int compiled = run->end == PROCESS_EXITED && run->code == 0;
        json_t *resources = compiled && job->keep_folder != NULL ? inspect(job, run) : NULL;
        if (compiled)
            hash_code(job, code);
        status = compile_write_record(job, hash, code, run, resources, error);
    }
    free(dependencies);
    return status;
}

/* What include/assay/tuned.h takes. */
static void write_table(FILE *out, const json_t *table)
{
    static const char *const parts[] = {"least", "most", "values"};
    const json_t *names = json_object_get(table, "tunables");
    size_t index, i;
    json_t *row, *name, *value;
    fprintf(out, "#define ASSAY_TUNED_DIMS %zu\n#define ASSAY_TUNED_VALUES %zu\n",
            json_array_size(json_object_get(table, "dims")), json_array_size(names));
    json_array_foreach(names, index, name)
        fprintf(out, "#define ASSAY_TUNED_INDEX_%s %zu\n", json_string_value(name), index);
    fputs("#define ASSAY_TUNED_TABLE", out);
    json_array_foreach(json_object_get(table, "rows"), index, row)
    {
        for (size_t p = 0; p < 3; p++) {
            fputs(p == 0 ? " \\\n    {{" : ", {", out);
            json_array_foreach(json_object_get(row, parts[p]), i, value)
                fprintf(out, "%s%lld", i ? ", " : "", (long long)json_integer_value(value));
            fputs(p == 2 ? "}}," : "}", out);
        }
    }
    fputc('\n', out);
}

/* For the CPU device tunables are defined behind the device's headers, which come before the first line of a kernel: a tunable may have a
 * name that is used there. The header stays, as the module depends on it. */
static assay_status write_defines(compile_job *job, assay_error *error)
{
    const char *name;
    json_t *value;
    char *text = NULL;
    size_t bytes = 0;
    if (!job->table && (strcmp(json_get_text(job->toolchain, "kind", ""), "cxx") != 0 ||
                        json_object_size(job->tunables) == 0))
        return ASSAY_OK;
    FILE *out = text_stream_open(&text, &bytes);
    if (out == NULL)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    json_object_foreach(job->tunables, name, value)
        fprintf(out, "#define %s %lld\n", name, (long long)json_integer_value(value));
    if (json_array_size(json_object_get(job->table, "rows")) > 0)
        write_table(out, job->table);
    assay_status status = text_stream_close(out, &text)
                              ? ASSAY_OK
                              : assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    snprintf(job->defines, sizeof job->defines, "%.*s.tunables.h",
             (int)(strlen(job->request->record) - strlen(".json")), job->request->record);
    if (status == ASSAY_OK)
        status = text_file_write(job->defines, text, bytes, error);
    free(text);
    return status;
}

/* Name the files of a compile, and make the folder for the intermediate ones if they are wanted. */
static assay_status prepare_files(compile_job *job, assay_error *error)
{
    const char *record = job->request->record;
    snprintf(job->library, sizeof job->library, "%.*s.so", (int)strlen(record) - 5,
             record); /* without ".json" */
    snprintf(job->scratch, sizeof job->scratch, "%s.scratch", job->library);
    snprintf(job->temporary, sizeof job->temporary,
             job->request->is_outside ? "%s.scratch/module.so" : "%s.tmp", job->library);
    snprintf(job->depfile, sizeof job->depfile, "%s.d", job->temporary);
    snprintf(job->keep, sizeof job->keep, "%s.keep", job->temporary);
    compile_remove_folder(job->scratch); /* of a compile that was killed */
    if (job->request->is_outside && make_folders(job->scratch, error) != ASSAY_OK)
        return ASSAY_ERR_IO;
    if (job->request->inspect == NULL || strcmp(json_get_text(job->toolchain, "kind", ""), "nvcc") != 0)
        return ASSAY_OK;
    compile_remove_folder(job->keep); /* of a compile that was killed */
    if (make_folders(job->keep, error) != ASSAY_OK)
        return ASSAY_ERR_IO;
    job->keep_folder = job->keep;
    return ASSAY_OK;
}

static assay_status compile(compile_job *job, assay_error *error)
{
    process_result run = {.end = PROCESS_NOT_STARTED};
    assay_status status = prepare_files(job, error);
    if (status == ASSAY_OK)
        status = write_defines(job, error);
    if (status == ASSAY_OK)
        status = run_compiler(job, &run, error);
    if (status == ASSAY_OK && run.end == PROCESS_EXITED && run.code == 0)
        status = compile_check_device_code(job, &run, error);
    if (status == ASSAY_OK)
        status = keep_results(job, &run, error);
    unlink(job->temporary);
    unlink(job->depfile);
    if (job->keep_folder != NULL)
        compile_remove_folder(job->keep_folder);
    compile_remove_folder(job->scratch);
    process_result_release(&run);
    return status;
}

static const json_t *toolchain_of(const workspace *ws, const module_request *request)
{
    return json_object_get(ws->manifest, request->checked ? "checked_toolchain" : "toolchain");
}

static assay_status compile_into(const workspace *ws, const module_request *request, const char *variant,
                                 json_t *tunables, json_t *winner, json_t *table, assay_error *error)
{
    contest_kernel *contest = calloc(1, sizeof *contest);
    compile_job job = {.ws = ws,
                       .request = request,
                       .toolchain = toolchain_of(ws, request),
                       .variant = variant,
                       .tunables = tunables,
                       .winner = winner,
                       .table = table,
                       .contest = contest};
    if (contest == NULL)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    const int on_cpu = strcmp(json_get_text(job.toolchain, "kind", ""), "cxx") == 0;
    assay_status status = contest_open(request, on_cpu, contest, error);
    if (status == ASSAY_OK)
        status = compile(&job, error);
    contest_close(contest);
    free(contest);
    return status;
}

assay_status module_compile(const workspace *ws, const module_request *request, module_record *record,
                            assay_error *error)
{
    char variant[ASSAY_NAME_MAX], folder[PATH_MAX];
    const char *file = file_base_name(request->source);
    snprintf(variant, sizeof variant, "%.*s", (int)strcspn(file, "."), file);
    if (request->variant != NULL)
        snprintf(variant, sizeof variant, "%s", request->variant);
    if (access(request->source, R_OK) != 0)
        return assay_error_set(error, ASSAY_ERR_INVALID, "cannot read kernel file %s: %s", request->source,
                               strerror(errno));
    if (request->checked && !json_is_object(toolchain_of(ws, request)))
        return assay_error_set(
            error, ASSAY_ERR_ENVIRONMENT,
            "%s cannot compile kernels whose accesses are watched: that needs the CPU device and a build "
            "without sanitizers",
            ws->path);
    if (toolchain_of(ws, request) == NULL)
        return assay_error_set(error, ASSAY_ERR_ENVIRONMENT,
                               "%s has no toolchain (a bundle?): kernels cannot be compiled here", ws->path);
    if (!opspec_has_dtype(request->op->spec, request->dtype))
        return assay_error_set(error, ASSAY_ERR_INVALID, "op %s has no dtype %s", request->op->spec->name,
                               assay_dtype_name(request->dtype));
    const size_t length = strlen(request->record);
    if (length < 6 || strcmp(request->record + length - 5, ".json") != 0)
        return assay_error_set(error, ASSAY_ERR_INVALID, "%s: the module record must end in .json",
                               request->record);
    json_t *tunables = json_object(), *winner = NULL, *table = NULL;
    snprintf(folder, sizeof folder, "%s", request->record);
    char *slash = strrchr(folder, '/');
    assay_status status = ASSAY_OK;
    if (slash != NULL && slash != folder) {
        *slash = '\0';
        status = make_folders(folder, error);
    }
    if (status == ASSAY_OK)
        status = compile_collect_tunables(ws, request, variant, tunables, &winner, &table, error);
    if (status == ASSAY_OK)
        status = compile_into(ws, request, variant, tunables, winner, table, error);
    json_decref(tunables);
    json_decref(winner);
    json_decref(table);
    return status == ASSAY_OK ? module_record_read(request->record, record, error) : status;
}
