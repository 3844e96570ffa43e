/* See module_device_code.h. */
#include "build_module/module_device_code.h"
#include "build_module/module_run.h"
#include "core/json_file.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHECK_LIMIT_S = 120, MOST_PLACES = 8 };

/* Two lines of Clang's output are about device code that uses what is the host's, an error and, among its notes, where that is:
 *   k.cu:9:3: error: reference to __host__ function 'f' in __global__ function
 *   k.cu:4:7: note: 'f' declared here
 *   k.cu:9:3: error: no matching function for call to 'f'
 *   k.cu:4:7: note: candidate function not viable: call to __host__ function from __device__ function */
static int is_reference(const char *line)
{
    return strstr(line, " error: reference to __host__ ") != NULL;
}

static int names_host_code(const char *error_line, const char *note)
{
    return is_reference(error_line) ? strstr(note, " declared here") != NULL
                                    : strstr(note, " note: candidate ") != NULL &&
                                          strstr(note, "call to __host__ function from __") != NULL;
}

/* What the device's own headers declare is the device's, marked or not. */
static int is_in_device_headers(const json_t *toolchain, const char *note)
{
    size_t index;
    json_t *folder;
    json_array_foreach(json_object_get(toolchain, "include"), index, folder)
    {
        const size_t length = strlen(json_string_value(folder));
        if (strncmp(note, json_string_value(folder), length) == 0 && note[length] == '/')
            return 1;
    }
    return 0;
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

static void read_output(const json_t *toolchain, char *output, findings *f)
{
    const char *error_line = NULL; /* whose notes have not yet named host code */
    char *save = NULL;
    for (char *line = strtok_r(output, "\n", &save); line != NULL; line = strtok_r(NULL, "\n", &save)) {
        if (strstr(line, " error: ") != NULL) {
            error_line = line;
        } else if (error_line != NULL && strstr(line, " note: ") != NULL &&
                   names_host_code(error_line, line) && !is_in_device_headers(toolchain, line)) {
            add_finding(f, error_line);
            error_line = NULL;
        }
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
        compile_run(check, c, CHECK_LIMIT_S, &result);
        if (result.end == PROCESS_EXITED && result.code != 0 && result.output != NULL)
            read_output(toolchain, result.output, found);
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
