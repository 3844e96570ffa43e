/* Compiling a module: command line, dependency file, source hash, record. */
#include "toolchain.h"
#include "json_file.h"
#include "module_contest.h"
#include "process.h"
#include "utf8.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <sha256.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_WORDS = 256, LOG_BYTES = 4000, COMPILE_LIMIT_S = 900 };

typedef struct command {
    const char *words[MAX_WORDS + 1];
    char storage[65536];
    size_t used;
    int count;
} command;

static void add_word(command *c, const char *prefix, const char *word)
{
    const size_t need = strlen(prefix) + strlen(word) + 1;
    if (c->count == MAX_WORDS || c->used + need > sizeof c->storage)
        return; /* a toolchain of hundreds of words is a broken assay.json; the compiler will say so */
    c->words[c->count++] = c->storage + c->used;
    c->used += (size_t)snprintf(c->storage + c->used, need, "%s%s", prefix, word) + 1;
}

static void add_list(command *c, const char *prefix, const json_t *list)
{
    size_t index;
    json_t *item;
    json_array_foreach(list, index, item) add_word(c, prefix, json_string_value(item));
}

/* The tunables of the variant with their defaults, replaced by the request's overrides. */
static assay_status collect_tunables(const module_request *request, const char *variant, json_t *tunables,
                                     assay_error *error)
{
    const opspec_variant_tunables *set = opspec_find_tunables(request->op->spec, variant);
    for (int i = 0; set != NULL && i < set->count; i++)
        json_object_set_new(tunables, set->tunables[i].name, json_integer(set->tunables[i].def));
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
static void add_inspection(command *c, const char *folder)
{
    if (folder == NULL)
        return;
    add_word(c, "", "-Xptxas");
    add_word(c, "", "-v");
    add_word(c, "", "--keep");
    add_word(c, "", "--keep-dir");
    add_word(c, "", folder);
}

static void build_command(const json_t *toolchain, const module_request *request, const json_t *tunables,
                          const contest_kernel *contest, const char *library, const char *depfile,
                          const char *keep_folder, command *c)
{
    static const char *const dtype_defines[ASSAY_DTYPE_COUNT] = {
        "ASSAY_DTYPE_F32=1", "ASSAY_DTYPE_F16=1", "ASSAY_DTYPE_BF16=1", "", "ASSAY_DTYPE_TF32=1"};
    const int host_compiler = strcmp(json_get_text(toolchain, "kind", ""), "cxx") == 0;
    const char *name;
    json_t *value;
    char text[ASSAY_NAME_MAX + 32];
    add_word(c, "", json_get_text(toolchain, "compiler", "c++"));
    add_list(c, "", json_object_get(toolchain, "flags"));
    add_inspection(c, keep_folder);
    add_word(c, "-D", dtype_defines[request->dtype]);
    json_object_foreach((json_t *)tunables, name, value)
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
    add_word(c, "", depfile);
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
    add_word(c, "", library);
    add_list(c, "", json_object_get(toolchain, "link"));
    c->words[c->count] = NULL;
}

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

/* Next path of a make-style dependency list; understands "\ " and line continuations. Returns NULL at the end. */
static const char *next_dependency(const char *text, char *path, size_t path_bytes)
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

/* What makes a module what it is: the kernel, every header it includes, flags, architectures, compiler and tunables. The files' own
 * hashes are sorted, so that neither the place of the tree nor that of the toolkit counts; nor do include paths. */
static void hash_sources(const json_t *toolchain, const module_request *request, const json_t *tunables,
                         const contest_kernel *contest, const char *dependencies, char out[65])
{
    SHA2_CTX hash;
    SHA256Init(&hash);
    char *hashes[1024], path[PATH_MAX];
    int count = 0;
    const char *at = dependencies ? strchr(dependencies, ':') : NULL;
    for (at = at ? at + 1 : NULL;
         at != NULL && count < 1024 && (at = next_dependency(at, path, sizeof path)) != NULL;)
        if ((hashes[count] = hash_file(path)) != NULL)
            count++;
    if (count == 0 && (hashes[0] = hash_file(request->source)) != NULL)
        count = 1;
    qsort(hashes, (size_t)count, sizeof *hashes, compare_text);
    for (int i = 0; i < count; i++) {
        SHA256Update(&hash, (const uint8_t *)hashes[i], strlen(hashes[i]));
        free(hashes[i]);
    }
    json_t *rest = json_pack("{s:O?, s:O?, s:s, s:O, s:s}", "flags", json_object_get(toolchain, "flags"),
                             "arch", json_object_get(toolchain, "arch"), "compiler",
                             json_get_text(toolchain, "compiler_version", ""), "tunables", tunables, "dtype",
                             assay_dtype_name(request->dtype));
    if (contest->source.form != NULL)
        json_object_set(rest, "solve", contest->source.form);
    char *text = json_dumps(rest, JSON_SORT_KEYS | JSON_COMPACT);
    SHA256Update(&hash, (const uint8_t *)text, strlen(text));
    free(text);
    json_decref(rest);
    SHA256End(&hash, out);
}

/* The dependency file handed to the build has the record as its target: the library may not exist. */
static assay_status write_depfile(const module_request *request, const char *dependencies, assay_error *error)
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

/* Head comment of a kernel file: its first line is the title, the rest the technique. Understands // and C comments. */
static void read_head_comment(const char *source, json_t *record)
{
    char *text, title[256] = "", body[4000] = "";
    if (text_file_read(source, &text, NULL, NULL) != ASSAY_OK)
        return;
    int line_number = 0, in_block = strncmp(text, "/*", 2) == 0;
    char *save = NULL;
    for (char *at = text, *line; (line = strtok_r(at, "\n", &save)) != NULL; at = NULL) {
        while (isspace((unsigned char)*line))
            line++;
        if (!in_block && strncmp(line, "//", 2) != 0)
            break;
        char *end = in_block ? strstr(line, "*/") : NULL;
        if (end != NULL)
            *end = '\0';
        line += strspn(line, "/*! ");
        if (line_number++ == 0)
            snprintf(title, sizeof title, "%s", line);
        else
            snprintf(body + strlen(body), sizeof body - strlen(body), "%s%s", body[0] ? "\n" : "", line);
        if (end != NULL)
            break;
    }
    free(text);
    utf8_repair(title);
    utf8_repair(body);
    json_object_set_new(record, "title", json_string(title));
    json_object_set_new(record, "technique", json_string(body));
}

static char *join_words(const json_t *list)
{
    char *text = calloc(1, 2048);
    size_t index;
    json_t *item;
    json_array_foreach(list, index, item)
        snprintf(text + strlen(text), 2048 - strlen(text), "%s%s", index ? " " : "", json_string_value(item));
    return text;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Take the assembler's report of registers and the like out of the compiler's output: the log is for messages. Its advice,
 * which has a number such as (C7510), stays. */
static void drop_report(char *text)
{
    char *to = text;
    for (char *line = text; *line != '\0';) {
        const size_t length = strcspn(line, "\n") + (strchr(line, '\n') != NULL);
        const char *info = length > 10 && strncmp(line, "ptxas info", 10) == 0 ? line : NULL;
        const char *advice = info ? strstr(line, ": (C") : NULL;
        const int usage = (info != NULL && (advice == NULL || advice > line + length)) ||
                          (strncmp(line, "    ", 4) == 0 && strstr(line, " bytes stack frame") != NULL &&
                           strstr(line, " bytes stack frame") < line + length);
        if (!usage) {
            memmove(to, line, length);
            to += length;
        }
        line += length;
    }
    *to = '\0';
}

/* The intermediate files of one compile, and the folder itself. */
static void remove_folder(const char *folder)
{
    char path[PATH_MAX + 272];
    DIR *entries = opendir(folder);
    for (struct dirent *entry; entries != NULL && (entry = readdir(entries)) != NULL;) {
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlink(path);
    }
    if (entries != NULL)
        closedir(entries);
    rmdir(folder);
}

static json_t *inspect(const json_t *toolchain, const module_request *request, const json_t *tunables,
                       const char *keep_folder, const process_result *run)
{
    const module_inspection inspection = {.folder = keep_folder,
                                          .report = run->output ? run->output : "",
                                          .toolchain = toolchain,
                                          .tunables = tunables};
    return request->inspect(&inspection);
}

static assay_status write_record(const workspace *ws, const module_request *request, const char *variant,
                                 const json_t *tunables, const contest_kernel *contest, const char *library,
                                 const char *hash, const process_result *run, json_t *resources,
                                 assay_error *error)
{
    const json_t *toolchain = json_object_get(ws->manifest, "toolchain");
    const int ok = run->end == PROCESS_EXITED && run->code == 0;
    char log[LOG_BYTES + 1];
    if (run->output != NULL)
        drop_report(run->output);
    snprintf(log, sizeof log, "%s", run->output ? run->output : "");
    utf8_repair(log);
    char *flags = join_words(json_object_get(toolchain, "flags"));
    json_t *record =
        json_pack("{s:i, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:O, s:s, s:s, s:s%, s:f}", "schema", 1,
                  "op", request->op->spec->name, "variant", variant, "dtype",
                  assay_dtype_name(request->dtype), "device", ws->device, "status",
                  ok                 ? "ok"
                  : contest->refusal ? contest->refusal
                                     : "does not compile",
                  "library", ok ? base_name(library) : "", "source", request->source, "source_sha256", hash,
                  "tunables", tunables, "compiler", json_get_text(toolchain, "compiler_version", ""), "flags",
                  flags, "log", log, strlen(log), "seconds", run->seconds);
    free(flags);
    if (record == NULL) {
        json_decref(resources);
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    }
    read_head_comment(request->source, record);
    if (contest->is_one) {
        json_object_set_new(record, "entry", json_string("solve"));
        json_object_set_new(record, "synchronises", json_boolean(contest->source.synchronises));
    }
    if (resources != NULL)
        json_object_set_new(record, "resources", resources);
    const assay_status status = json_file_write(request->record, record, 0, error);
    json_decref(record);
    return status;
}

/* Run the compiler, or take the refusal for what it would have said. */
static void run_compiler(const command *c, const contest_kernel *contest, process_result *run)
{
    if (contest->refusal == NULL) {
        process_run(c->words, COMPILE_LIMIT_S, 1, run);
        return;
    }
    *run = (process_result){.end = PROCESS_EXITED, .code = 1, .output = strdup(contest->reason)};
}

static assay_status compile_contest_into(const workspace *ws, const module_request *request,
                                         const char *variant, const json_t *tunables,
                                         const contest_kernel *contest, assay_error *error)
{
    const json_t *toolchain = json_object_get(ws->manifest, "toolchain");
    char library[PATH_MAX], temporary[PATH_MAX + 16], own_depfile[PATH_MAX + 16], keep[PATH_MAX + 16];
    const char *keep_folder = NULL;
    const size_t stem = strlen(request->record) - 5; /* without ".json" */
    snprintf(library, sizeof library, "%.*s.so", (int)stem, request->record);
    snprintf(temporary, sizeof temporary, "%s.tmp", library);
    snprintf(own_depfile, sizeof own_depfile, "%s.d", temporary);
    snprintf(keep, sizeof keep, "%s.keep", temporary);
    if (request->inspect != NULL && strcmp(json_get_text(toolchain, "kind", ""), "nvcc") == 0) {
        remove_folder(keep); /* of a compile that was killed */
        if (make_folders(keep, error) != ASSAY_OK)
            return ASSAY_ERR_IO;
        keep_folder = keep;
    }
    command *c = calloc(1, sizeof *c);
    if (c == NULL)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    build_command(toolchain, request, tunables, contest, temporary, own_depfile, keep_folder, c);
    process_result run;
    run_compiler(c, contest, &run);
    assay_status status = ASSAY_OK;
    if (run.end == PROCESS_NOT_STARTED)
        status = assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "compiler %s could not be started: %s",
                                 c->words[0], strerror(run.code));
    else if (run.end == PROCESS_INTERRUPTED)
        status =
            assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "interrupted while compiling %s", request->source);
    free(c);
    if (status == ASSAY_OK) {
        char *dependencies = NULL, hash[65];
        if (access(own_depfile, R_OK) == 0)
            text_file_read(own_depfile, &dependencies, NULL, NULL);
        if (contest->is_one)
            contest_name_original(contest, request->source, &dependencies);
        hash_sources(toolchain, request, tunables, contest, dependencies, hash);
        json_t *resources = NULL;
        /* A module of an older source must not stay behind when the new one does not compile. */
        if (run.end == PROCESS_EXITED && run.code == 0) {
            if (rename(temporary, library) != 0)
                status =
                    assay_error_set(error, ASSAY_ERR_IO, "cannot replace %s: %s", library, strerror(errno));
            if (keep_folder != NULL)
                resources = inspect(toolchain, request, tunables, keep_folder, &run);
        } else if (contest->refusal != NULL && strcmp(contest->refusal, "skipped") == 0) {
            status =
                text_file_write(library, "", 0, error); /* an output that is missing is made at every build */
        } else {
            unlink(library);
        }
        if (status == ASSAY_OK)
            status = write_depfile(request, dependencies, error);
        if (status == ASSAY_OK)
            status =
                write_record(ws, request, variant, tunables, contest, library, hash, &run, resources, error);
        else
            json_decref(resources);
        free(dependencies);
    }
    unlink(temporary);
    unlink(own_depfile);
    if (keep_folder != NULL)
        remove_folder(keep_folder);
    process_result_release(&run);
    return status;
}

static assay_status compile_into(const workspace *ws, const module_request *request, const char *variant,
                                 const json_t *tunables, assay_error *error)
{
    contest_kernel *contest = calloc(1, sizeof *contest);
    if (contest == NULL)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    const json_t *toolchain = json_object_get(ws->manifest, "toolchain");
    const int on_cpu = strcmp(json_get_text(toolchain, "kind", ""), "cxx") == 0;
    assay_status status = contest_open(request, on_cpu, contest, error);
    if (status == ASSAY_OK)
        status = compile_contest_into(ws, request, variant, tunables, contest, error);
    contest_close(contest);
    free(contest);
    return status;
}

assay_status module_compile(const workspace *ws, const module_request *request, module_record *record,
                            assay_error *error)
{
    char variant[ASSAY_NAME_MAX], folder[PATH_MAX];
    const char *file = base_name(request->source);
    snprintf(variant, sizeof variant, "%.*s", (int)strcspn(file, "."), file);
    if (request->variant != NULL)
        snprintf(variant, sizeof variant, "%s", request->variant);
    if (access(request->source, R_OK) != 0)
        return assay_error_set(error, ASSAY_ERR_INVALID, "cannot read kernel file %s: %s", request->source,
                               strerror(errno));
    if (json_object_get(ws->manifest, "toolchain") == NULL)
        return assay_error_set(error, ASSAY_ERR_ENVIRONMENT,
                               "%s has no toolchain (a bundle?): kernels cannot be compiled here", ws->path);
    if (!opspec_has_dtype(request->op->spec, request->dtype))
        return assay_error_set(error, ASSAY_ERR_INVALID, "op %s has no dtype %s", request->op->spec->name,
                               assay_dtype_name(request->dtype));
    const size_t length = strlen(request->record);
    if (length < 6 || strcmp(request->record + length - 5, ".json") != 0)
        return assay_error_set(error, ASSAY_ERR_INVALID, "%s: the module record must end in .json",
                               request->record);
    json_t *tunables = json_object();
    snprintf(folder, sizeof folder, "%s", request->record);
    char *slash = strrchr(folder, '/');
    assay_status status = ASSAY_OK;
    if (slash != NULL && slash != folder) {
        *slash = '\0';
        status = make_folders(folder, error);
    }
    if (status == ASSAY_OK)
        status = collect_tunables(request, variant, tunables, error);
    if (status == ASSAY_OK)
        status = compile_into(ws, request, variant, tunables, error);
    json_decref(tunables);
    return status == ASSAY_OK ? module_record_read(request->record, record, error) : status;
}
