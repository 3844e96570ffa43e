/* See module_device_code.h. */
#include "build_module/module_device_code.h"
#include "core/json_file.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHECK_LIMIT_S = 120, MOST_PLACES = 8 };

/* One line of Clang's output is about device code that uses what is the host's:
 *   k.cu:9:3: error: reference to __host__ function 'f' in __global__ function
 *   k.cu:9:3: error: no matching function for call to 'f'      and, right behind,
 *   k.cu:4:7: note: candidate function not viable: call to __host__ function from __device__ function */
static int is_reference(const char *line)
{
    return strstr(line, " error: reference to __host__ ") != NULL;
}

static int is_host_candidate(const char *line)
{
    return strstr(line, " note: candidate ") != NULL &&
           strstr(line, "call to __host__ function from __") != NULL;
}

typedef struct findings {
    char text[4000];
    int count;
} findings;

static void add_finding(findings *f, const char *error_line)
{
    const char *what = strstr(error_line, " error: ");
    const size_t used = strlen(f->text);
    if (what == NULL || f->count++ >= MOST_PLACES)
        return;
    snprintf(f->text + used, sizeof f->text - used,
             "%.*s error: device code uses what only host code may: %s\n", (int)(what - error_line),
             error_line, what + strlen(" error: "));
}

static void read_output(char *output, findings *f)
{
    const char *error_line = NULL; /* that its notes have not yet been found to be about host code */
    char *save = NULL;
    for (char *line = strtok_r(output, "\n", &save); line != NULL; line = strtok_r(NULL, "\n", &save)) {
        if (strstr(line, " error: ") != NULL)
            error_line = line;
        if (error_line == NULL || (!is_reference(line) && !is_host_candidate(line)))
            continue;
        add_finding(f, error_line);
        error_line = NULL;
    }
}

assay_status compile_check_device_code(const compile_job *job, process_result *run, assay_error *error)
{
    const json_t *toolchain = json_object_get(job->ws->manifest, "device_code_toolchain");
    if (!job->request->is_outside || !json_is_object(toolchain))
        return ASSAY_OK;
    compile_command *c = calloc(1, sizeof *c);
    compile_job *check = malloc(sizeof *check);
    findings *found = calloc(1, sizeof *found);
    process_result result = {.end = PROCESS_NOT_STARTED};
    assay_status status = ASSAY_OK;
    if (c == NULL || check == NULL || found == NULL) {
        status = assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    } else {
        *check = *job;
        check->toolchain = toolchain;
        check->defines[0] = '\0'; /* its headers are read before any definition */
        snprintf(check->depfile, sizeof check->depfile, "/dev/null"); /* the compiler's own is kept */
        compile_build_command(check, c);
        process_run(c->words, CHECK_LIMIT_S, 1, &result);
        if (result.end == PROCESS_EXITED && result.code != 0 && result.output != NULL)
            read_output(result.output, found);
    }
    if (found != NULL && found->count > 0) {
        process_result_release(run);
        *run = (process_result){.end = PROCESS_EXITED, .code = 1, .output = strdup(found->text)};
    }
    process_result_release(&result);
    free(c);
    free(check);
    free(found);
    return status;
}
