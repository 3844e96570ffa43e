/* Slurm's commands: see slurm.h. */
#include "tune/executor/slurm.h"
#include "core/json_file.h"
#include "core/process.h"
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ANSWER_LIMIT_S = 120, MOST_OPTIONS = 64 };

/* A word as the shell reads it back. */
static void put_quoted(FILE *f, const char *word)
{
    fputc('\'', f);
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", f);
        else
            fputc(*word, f);
    fputc('\'', f);
}

static void put_array(FILE *f, const slurm_job *job)
{
    const char *between = "";
    fputs("#SBATCH --array=", f);
    for (int i = 0; i < job->count; i++) {
        if (!job->tasks[i].is_open)
            continue;
        fprintf(f, "%s%d", between, i);
        between = ",";
    }
    fputc('\n', f);
}

/* The status is written by renaming: a task that is killed in between has none. 130 is a task that was asked to stop. */
static void put_script(FILE *f, const slurm_job *job)
{
    fputs("#!/bin/sh\n# Written by assay tune. A task that Slurm requeues goes on where it stopped.\n"
          "#SBATCH --job-name=assay-tune\n#SBATCH --requeue\n#SBATCH --open-mode=append\n",
          f);
    put_array(f, job);
    fprintf(f, "#SBATCH --output=\"%s/%%a/log.txt\"\n", job->folder);
    fputs("case $SLURM_ARRAY_TASK_ID in\n", f);
    for (int i = 0; i < job->count; i++) {
        fprintf(f, "%d) set --", i);
        for (int w = 0; job->tasks[i].words[w]; w++) {
            fputc(' ', f);
            put_quoted(f, job->tasks[i].words[w]);
        }
        fputs(" ;;\n", f);
    }
    fputs("*) echo \"no task $SLURM_ARRAY_TASK_ID\" >&2; exit 2 ;;\nesac\nfolder=", f);
    put_quoted(f, job->folder);
    fputs("/$SLURM_ARRAY_TASK_ID\n", f);
    put_quoted(f, job->program);
    fputs(
        " \"$@\"\nstatus=$?\n"
        "[ \"$status\" -eq 130 ] || { echo \"$status\" >\"$folder/status.new\" && mv \"$folder/status.new\" "
        "\"$folder/status\"; }\nexit \"$status\"\n",
        f);
}

assay_status slurm_script(const slurm_job *job, char **text, assay_error *error)
{
    size_t bytes;
    *text = NULL;
    if (strpbrk(job->folder, "%\"\\\n"))
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "%s: Slurm cannot write into a folder with %%, a quote, a backslash or a line "
                               "break in its name",
                               job->folder);
    FILE *f = open_memstream(text, &bytes);
    if (f)
        put_script(f, job);
    if (!f || fclose(f) != 0) {
        free(*text);
        *text = NULL;
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    }
    return ASSAY_OK;
}

/* sbatch, its options, the script. `words` is what the options are cut out of. */
static assay_status fill_arguments(char *words, const char *script, const char *argv[MOST_OPTIONS + 4],
                                   assay_error *error)
{
    int count = 0;
    argv[count++] = "sbatch";
    argv[count++] = "--parsable";
    char *rest = NULL;
    for (char *word = strtok_r(words, " \t\n", &rest); word; word = strtok_r(NULL, " \t\n", &rest)) {
        if (count == MOST_OPTIONS + 2)
            return assay_error_set(error, ASSAY_ERR_INVALID, "--executor-options: more than %d options",
                                   MOST_OPTIONS);
        argv[count++] = word;
    }
    argv[count++] = script;
    argv[count] = NULL;
    return ASSAY_OK;
}

/* The job's number, or what sbatch said in place of it. Warnings come in lines of their own. */
static assay_status take_id(const process_result *r, char id[SLURM_ID_BYTES], assay_error *error)
{
    const char *said = r->output ? r->output : "";
    for (const char *line = said; line && r->end == PROCESS_EXITED && r->code == 0;
         line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        const size_t digits = strspn(line, "0123456789");
        if (digits == 0 || digits >= SLURM_ID_BYTES || !strchr("\n;", line[digits]))
            continue;
        snprintf(id, SLURM_ID_BYTES, "%.*s", (int)digits, line);
        return ASSAY_OK;
    }
    if (r->end == PROCESS_NOT_STARTED)
        return assay_error_set(error, ASSAY_ERR_ENVIRONMENT,
                               "there is no sbatch on PATH: --executor slurm needs a machine that submits to "
                               "a Slurm cluster");
    return assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "sbatch did not take the job: %.300s", said);
}

assay_status slurm_submit(const slurm_job *job, char id[SLURM_ID_BYTES], assay_error *error)
{
    char *text = NULL, *words = NULL, script[PATH_MAX];
    const char *argv[MOST_OPTIONS + 4];
    process_result r;
    snprintf(script, sizeof script, "%s/job.sh", job->folder);
    assay_status status = slurm_script(job, &text, error);
    if (status == ASSAY_OK)
        status = text_file_write(script, text, strlen(text), error);
    if (status == ASSAY_OK && !(words = strdup(job->options ? job->options : "")))
        status = assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    if (status == ASSAY_OK)
        status = fill_arguments(words, script, argv, error);
    if (status == ASSAY_OK) {
        process_run(argv, ANSWER_LIMIT_S, 1, &r);
        status = take_id(&r, id, error);
        process_result_release(&r);
    }
    free(words);
    free(text);
    return status;
}

static slurm_phase phase_of(const char *state)
{
    static const char *const waiting[] = {"PENDING",      "CONFIGURING", "REQUEUED",     "REQUEUE_HOLD",
                                          "SPECIAL_EXIT", "REQUEUE_FED", "RESV_DEL_HOLD"};
    static const char *const running[] = {"RUNNING", "COMPLETING", "SUSPENDED", "RESIZING",
                                          "STOPPED", "SIGNALING",  "STAGE_OUT"};
    for (size_t i = 0; i < sizeof waiting / sizeof *waiting; i++)
        if (strcmp(state, waiting[i]) == 0)
            return SLURM_PENDING;
    for (size_t i = 0; i < sizeof running / sizeof *running; i++)
        if (strcmp(state, running[i]) == 0)
            return SLURM_RUNNING;
    return SLURM_ENDED;
}

void slurm_take_line(const char *line, slurm_task_state *states, int count)
{
    const char *bar = strchr(line, '|'), *number = line;
    if (!bar)
        return;
    for (const char *c = line; c < bar; c++)
        if (*c == '_')
            number = c + 1;
    char *end;
    const long task = strtol(number, &end, 10);
    if (end == number || end != bar || task < 0 || task >= count || !isupper((unsigned char)bar[1]))
        return;
    slurm_task_state *s = &states[task];
    /* "CANCELLED by 1000" */
    snprintf(s->state, sizeof s->state, "%.*s", (int)strcspn(bar + 1, " |\n"), bar + 1);
    s->phase = phase_of(s->state);
}

static void take_lines(const char *text, slurm_task_state *states, int count)
{
    for (const char *line = text; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        slurm_take_line(line, states, count);
}

assay_status slurm_poll(const char *id, slurm_task_state *states, int count, assay_error *error)
{
    const char *const squeue[] = {"squeue",         "--noheader", "--array", "--states=all",
                                  "--format=%K|%T", "--jobs",     id,        NULL};
    const char *const sacct[] = {
        "sacct", "--noheader", "--parsable2", "--allocations", "--format=JobID,State", "--jobs", id, NULL};
    process_result r;
    memset(states, 0, (size_t)count * sizeof *states);
    process_run(squeue, ANSWER_LIMIT_S, 1, &r);
    const char *said = r.output ? r.output : "";
    const int answered = r.end == PROCESS_EXITED && r.code == 0,
              forgotten = r.end == PROCESS_EXITED && strstr(said, "Invalid job id") != NULL;
    const assay_status status =
        answered || forgotten
            ? ASSAY_OK
            : assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "squeue does not answer: %.200s", said);
    if (answered)
        take_lines(said, states, count);
    process_result_release(&r);
    if (!forgotten)
        return status;
    process_run(sacct, ANSWER_LIMIT_S, 1, &r); /* without accounting it has nothing to say */
    if (r.end == PROCESS_EXITED && r.code == 0 && r.output)
        take_lines(r.output, states, count);
    process_result_release(&r);
    for (int i = 0; i < count; i++) /* accounting may lag: what the controller has forgotten does not run */
        states[i].phase = states[i].phase == SLURM_GONE ? SLURM_GONE : SLURM_ENDED;
    return ASSAY_OK;
}
