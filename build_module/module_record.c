/* The record of a compiled module; see module_compile.h. */
#include "build_module/module_compile.h"
#include "core/json_file.h"
#include "core/utf8.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOG_BYTES = 4000 };

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

assay_status compile_write_record(const compile_job *job, const char *hash, const char *code_hash,
                                  const process_result *run, json_t *resources, assay_error *error)
{
    const json_t *toolchain = job->toolchain;
    const module_request *request = job->request;
    const contest_kernel *contest = job->contest;
    const int ok = run->end == PROCESS_EXITED && run->code == 0;
    char log[LOG_BYTES + 1];
    if (run->output != NULL)
        drop_report(run->output);
    snprintf(log, sizeof log, "%s", run->output ? run->output : "");
    utf8_repair(log);
    char *flags = join_words(json_object_get(toolchain, "flags"));
    char *arch = join_words(json_object_get(toolchain, "arch"));
    json_t *record =
        json_pack("{s:i, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:O, s:s, s:s, s:s, s:s%, s:f}",
                  "schema", 1, "op", request->op->spec->name, "variant", job->variant, "dtype",
                  assay_dtype_name(request->dtype), "device", job->ws->device, "status",
                  ok                 ? "ok"
                  : contest->refusal ? contest->refusal
                                     : "does not compile",
                  "library", ok ? file_base_name(job->library) : "", "source", request->source,
                  "source_sha256", hash, "code_sha256", code_hash, "tunables", job->tunables, "compiler",
                  json_get_text(toolchain, "compiler_version", ""), "flags", flags, "arch", arch, "log", log,
                  strlen(log), "seconds", run->seconds);
    free(flags);
    free(arch);
    if (record == NULL) {
        json_decref(resources);
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    }
    read_head_comment(request->source, record);
    if (contest->is_one) {
        json_object_set_new(record, "entry", json_string("solve"));
        json_object_set_new(record, "synchronises", json_boolean(contest->source.synchronises));
    }
    if (job->winner != NULL)
        json_object_set(record, "winner", job->winner);
    if (job->table != NULL)
        json_object_set(record, "table", job->table);
    if (request->is_outside)
        json_object_set_new(record, "outside", json_true());
    if (resources != NULL)
        json_object_set_new(record, "resources", resources);
    const assay_status status = json_file_write(request->record, record, 0, error);
    json_decref(record);
    return status;
}
