/* Tunings as tasks that run at the same time, on a cluster or on the cards of this machine; inside `assay tune` only. The folder of the job,
 * BUILD/slurm/KEY/ or BUILD/devices/KEY/, has a workspace for each task, so that no two write one archive or one file:
 *
 *     job.json                the job's number and its tasks; job.sh its script
 *     N/assay.json            the build's, with results, logs and plots in N/
 *     N/outcome.json          what the tuning found, once it is done
 *     N/log.txt, N/status     see tune/executor/slurm.h */
#ifndef ASSAY_CLI_TUNE_CLUSTER_H
#define ASSAY_CLI_TUNE_CLUSTER_H

#include "cli/tune_plan.h"
#include "tune/executor/slurm.h"
#include <limits.h>

enum { CLUSTER_WORDS = 20 + TUNE_PASSED, CLUSTER_LABEL_BYTES = 4 * ASSAY_NAME_MAX };

typedef struct cluster_task {
    const planned_tuning *tuning;
    char folder[PATH_MAX], outcome[PATH_MAX + 16], label[CLUSTER_LABEL_BYTES];
    const char *words[CLUSTER_WORDS];
    slurm_task_state state;
    int told; /* 1: its end was printed */
} cluster_task;

typedef struct cluster {
    workspace *ws;
    tune_arguments *a;
    char folder[4096], program[PATH_MAX], id[SLURM_ID_BYTES];
    cluster_task *tasks;
    int count;
    char last[400]; /* what was printed of the whole */
} cluster;

/* Fill c->tasks, c->folder and c->program; nothing is written. c->tasks is malloc'ed. `kind`: the
 * folder of the build folder for such jobs. */
assay_status cluster_make_tasks(cluster *c, const char *kind, const tune_plan *plan, assay_error *error);
/* 1 if the task's tuning has ended and its outcome is there. */
int cluster_is_done(const cluster_task *t);
/* Remove a file of the task's folder, if it is there. */
void cluster_forget(const cluster_task *t, const char *name);
assay_status cluster_write_workspace(const cluster *c, const cluster_task *t, assay_error *error);
/* Add to a task's command. Borrowed. */
void cluster_add_word(cluster_task *t, const char *word);

/* Lock the job's folder, which is made if it is missing, and read what an earlier call left: c->id, unless there was none, and whether its
 * results were joined. */
assay_status cluster_open(cluster *c, int *joined, assay_error *error);
/* After a join, and with --new, every task is tuned again; with --new without the run that it could go on with. */
assay_status cluster_forget_outcomes(const cluster *c, int joined, assay_error *error);
assay_status cluster_write_job(const cluster *c, int joined, assay_error *error);

/* The last line of a task's log that begins with `start`; "" where there is none. */
void cluster_last_line(const cluster_task *t, const char *start, char *out, size_t out_bytes);
/* Print how a task ended. */
void cluster_tell_end(cluster *c, cluster_task *t);
/* Archives, results, reports and with --save winners of all tasks that are done; the job is then joined, unless a task
 * has no outcome. *exit_status as tune_on_slurm() has it. */
assay_status cluster_end(cluster *c, int *exit_status, assay_error *error);

#endif
