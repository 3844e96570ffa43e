/* Tunings as tasks of a Slurm job, from submitting to waiting: see tune_slurm.h. */
#include "cli/tune_cluster.h"
#include "cli/tune_slurm.h"
#include "core/json_file.h"
#include "core/process.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FIRST_PAUSE_S = 1, LONGEST_PAUSE_S = 15 };

/* ---- the job ---- */

static assay_status poll_tasks(cluster *c, assay_error *error)
{
    slurm_task_state *states = calloc((size_t)c->count, sizeof *states);
    if (!states)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    const assay_status status = slurm_poll(c->id, states, c->count, error);
    for (int i = 0; i < c->count && status == ASSAY_OK; i++)
        c->tasks[i].state = states[i];
    free(states);
    return status;
}

static int count_phase(const cluster *c, slurm_phase phase)
{
    int count = 0;
    for (int i = 0; i < c->count; i++)
        count += c->tasks[i].state.phase == phase;
    return count;
}

static int count_active(const cluster *c)
{
    return count_phase(c, SLURM_PENDING) + count_phase(c, SLURM_RUNNING);
}

/* The tasks that have no outcome, as a new job. */
static assay_status submit(cluster *c, assay_error *error)
{
    slurm_task *tasks = calloc((size_t)c->count, sizeof *tasks);
    const slurm_job job = {.folder = c->folder,
                           .program = c->program,
                           .options = c->a->executor_options,
                           .tasks = tasks,
                           .count = c->count};
    assay_status status = tasks ? ASSAY_OK : assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    for (int i = 0; i < c->count && status == ASSAY_OK; i++) {
        tasks[i] = (slurm_task){c->tasks[i].words, !cluster_is_done(&c->tasks[i])};
        cluster_forget(&c->tasks[i], "status");
        status = cluster_write_workspace(c, &c->tasks[i], error);
    }
    if (status == ASSAY_OK)
        status = slurm_submit(&job, c->id, error);
    free(tasks);
    return status == ASSAY_OK ? cluster_write_job(c, 0, error) : status;
}

/* Continue an earlier job, or begin one. After a join, and with --new, all is tuned again. */
static assay_status begin(cluster *c, assay_error *error)
{
    int joined, open = 0;
    assay_status status = cluster_open(c, &joined, error);
    if (status == ASSAY_OK && c->id[0] && !joined)
        status = poll_tasks(c, error);
    const int active = count_active(c);
    if (status == ASSAY_OK && active > 0 && c->a->options.is_new)
        status = assay_error_set(
            error, ASSAY_ERR_INVALID,
            "--new: job %s of these tunings is still in the queue; \"scancel %s\" ends it", c->id, c->id);
    if (status == ASSAY_OK && active == 0)
        status = cluster_forget_outcomes(c, joined, error);
    for (int i = 0; i < c->count; i++)
        open += active == 0 && !cluster_is_done(&c->tasks[i]);
    if (status == ASSAY_OK && open > 0)
        status = submit(c, error);
    if (status == ASSAY_OK && !c->a->common.json)
        printf(active > 0 ? "job %s is in the queue: waiting for its %d tasks; logs in %s\n"
               : open > 0 ? "job %s submitted: %d tasks; logs in %s\n"
                          : "job %s has ended, %d tasks are open; logs in %s\n",
               c->id, active > 0 ? active : open, c->folder);
    fflush(stdout);
    return status;
}

/* ---- waiting ---- */

static void tell_progress(cluster *c)
{
    char now[400], line[100];
    int done = 0;
    for (int i = 0; i < c->count; i++) {
        cluster_task *t = &c->tasks[i];
        const int ended = t->state.phase == SLURM_ENDED || t->state.phase == SLURM_GONE;
        if (ended && !t->told)
            cluster_tell_end(c, t);
        done += ended;
    }
    snprintf(now, sizeof now, "%d pending, %d running, %d ended", count_phase(c, SLURM_PENDING),
             count_phase(c, SLURM_RUNNING), done);
    for (int i = 0; i < c->count && strlen(now) < 250; i++) {
        if (c->tasks[i].state.phase != SLURM_RUNNING)
            continue;
        cluster_last_line(&c->tasks[i], "[", line, sizeof line);
        if (line[0])
            snprintf(now + strlen(now), sizeof now - strlen(now), "; %.60s %.70s", c->tasks[i].label, line);
    }
    if (!c->a->common.json && strcmp(now, c->last) != 0)
        printf("%s\n", now);
    memcpy(c->last, now, sizeof now);
    fflush(stdout);
}

/* Until no task is in the queue. An answer that does not come is waited for, as long as a restart of Slurm's controller takes. */
static assay_status wait_for_tasks(cluster *c, assay_error *error)
{
    enum { MOST_SILENT = 40 };
    int silent = 0;
    for (double pause_s = FIRST_PAUSE_S; !process_interrupted();) {
        const assay_status status = poll_tasks(c, error);
        silent = status == ASSAY_OK ? 0 : silent + 1;
        if (status != ASSAY_OK && (status != ASSAY_ERR_ENVIRONMENT || silent == MOST_SILENT))
            return status;
        if (status == ASSAY_OK)
            tell_progress(c);
        if (status == ASSAY_OK && count_active(c) == 0)
            break;
        const struct timespec pause = {(time_t)pause_s, (long)((pause_s - (double)(time_t)pause_s) * 1e9)};
        nanosleep(&pause, NULL); /* a signal ends it */
        pause_s = pause_s * 1.3 < LONGEST_PAUSE_S ? pause_s * 1.3 : LONGEST_PAUSE_S;
    }
    if (error)
        error->message[0] = '\0';
    return ASSAY_OK;
}

/* What --dry-run prints: the script, whose folder is not made. */
static assay_status print_script(const cluster *c, assay_error *error)
{
    slurm_task *tasks = calloc((size_t)c->count, sizeof *tasks);
    const slurm_job job = {c->folder, c->program, c->a->executor_options, tasks, c->count};
    char *text = NULL;
    for (int i = 0; tasks && i < c->count; i++)
        tasks[i] = (slurm_task){c->tasks[i].words, 1};
    const assay_status status = tasks ? slurm_script(&job, &text, error)
                                      : assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    if (status == ASSAY_OK)
        printf("%s# sbatch %s %s/job.sh\n", text, c->a->executor_options ? c->a->executor_options : "",
               c->folder);
    free(text);
    free(tasks);
    return status;
}

assay_status tune_on_slurm(workspace *ws, tune_arguments *a, const tune_plan *plan, int *exit_status,
                           assay_error *error)
{
    cluster c = {.ws = ws, .a = a};
    assay_status status = cluster_make_tasks(&c, "slurm", plan, error);
    if (status == ASSAY_OK && a->common.dry_run)
        status = print_script(&c, error);
    else if (status == ASSAY_OK) {
        status = begin(&c, error);
        if (status == ASSAY_OK)
            status = wait_for_tasks(&c, error);
        if (status == ASSAY_OK && process_interrupted()) {
            *exit_status = 130;
            fprintf(
                stderr,
                "assay tune: interrupted; job %s goes on: the same command waits for it again and joins its "
                "results, \"scancel %s\" ends it\n",
                c.id, c.id);
        } else if (status == ASSAY_OK)
            status = cluster_end(&c, exit_status, error);
    }
    free(c.tasks);
    return status;
}
