/* One worker process: see run_worker.h. */
#include "bench/plan/run_worker.h"
#include "core/json_file.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_OPTIONS = 32 };

static void name_program(const plan *p, char *path, size_t bytes)
{
    snprintf(path, bytes, "%s/assay-bench-group", p->ws->libexec);
}

/* The plan of the group that is measured, or was last: it may be run by hand. */
static assay_status write_plan(const plan *p, const described_group *described, char *path, size_t bytes,
                               assay_error *error)
{
    snprintf(path, bytes, "%s/plan.json", p->ws->results);
    json_t *document = group_plan_json(&described->plan);
    const assay_status status = json_file_write(path, document, 0, error);
    json_decref(document);
    return status;
}

static const char *last_line(char *output)
{
    if (!output)
        return "";
    size_t length = strlen(output);
    while (length > 0 && output[length - 1] == '\n')
        output[--length] = '\0';
    const char *line = strrchr(output, '\n');
    return line ? line + 1 : output;
}

/* Of an exit status that every worker would end with. */
static assay_status judge(const process_result *ended, const char *program, const char *text,
                          const char *line, assay_error *error)
{
    const int code = ended->end == PROCESS_EXITED ? ended->code : -1;
    if (ended->end == PROCESS_NOT_STARTED)
        return assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "%s %s", program, text);
    if (code == ASSAY_EXIT_ENVIRONMENT)
        return assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "%.300s", line);
    if (code == ASSAY_EXIT_USAGE)
        return assay_error_set(error, ASSAY_ERR_INVALID, "%.300s", line);
    return ASSAY_OK;
}

assay_status run_worker(const plan *p, const described_group *described, group_process *shared,
                        benchmark_out *out, double limit_s, FILE *progress, worker_end *end,
                        assay_error *error)
{
    char program[4300], path[4300], parent[32], text[128];
    process_result ended;
    name_program(p, program, sizeof program);
    snprintf(parent, sizeof parent, "%ld", (long)getpid());
    assay_status status = write_plan(p, described, path, sizeof path, error);
    if (status != ASSAY_OK)
        return status;
    const char *argv[MOST_OPTIONS + 10] = {program, "--plan", path, "--parent", parent};
    int count = 5;
    for (const char *const *option = p->options->benchmark_options; option && *option && count < MOST_OPTIONS;
         option++)
        if (strncmp(*option, "--benchmark_out", strlen("--benchmark_out")) != 0)
            argv[count++] = *option;
    if (out->path[0]) {
        argv[count++] = out->worker_option;
        argv[count++] = out->worker_format;
    }
    const char *const serving[] = {program, "--parent", parent, "--serve", NULL};
    if (!shared || !group_process_run(shared, serving, path, limit_s, &ended))
        process_run(argv, limit_s, 1, &ended);
    end->end = ended.end;
    if (progress && ended.output && ended.end != PROCESS_INTERRUPTED) {
        fputs(ended.output, progress);
        fflush(progress);
    }
    process_describe(&ended, text, sizeof text);
    const char *line = last_line(ended.output);
    snprintf(end->why, sizeof end->why, "timing it %s: %.300s", text, line);
    status = judge(&ended, program, text, line, error);
    process_result_release(&ended);
    return status == ASSAY_OK ? benchmark_out_add(out, error) : status;
}

void print_worker_command(const plan *p, const described_group *described, FILE *out)
{
    char program[4300];
    json_t *document = group_plan_json(&described->plan);
    char *text = json_dumps(document, JSON_COMPACT);
    name_program(p, program, sizeof program);
    fprintf(out, "%s --plan -", program);
    for (const char *const *option = p->options->benchmark_options; option && *option; option++)
        fprintf(out, " '%s'", *option);
    fprintf(out, " <<'END'\n%s\nEND\n", text ? text : "");
    fflush(out);
    free(text);
    json_decref(document);
}
