/* Tunings as the tasks of a cluster's job, inside `assay tune` only. The folder of the job, BUILD/slurm/KEY/, has a workspace for each task,
 * so that no two machines write one archive or one file:
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

/* Fill c->tasks, c->folder and c->program; nothing is written. c->tasks is malloc'ed. */
assay_status cluster_make_tasks(cluster *c, const tune_plan *plan, assay_error *error);
/* 1 if the task's tuning has ended and its outcome is there. */
int cluster_is_done(const cluster_task *t);
/* Remove a file of the task's folder, if it is there. */
void cluster_forget(const cluster_task *t, const char *name);
assay_status cluster_write_workspace(const cluster *c, const cluster_task *t, assay_error *error);
/* For --new: what a task has so far is joined, and its archive goes, so that it finds no run to go on with. */
assay_status cluster_set_apart(const cluster *c, const cluster_task *t, assay_error *error);

/* The last line of a task's log that begins with `start`; "" where there is none. */
void cluster_last_line(const cluster_task *t, const char *start, char *out, size_t out_bytes);
/* Print how a task ended. */
void cluster_tell_end(cluster *c, cluster_task *t);
/* Archives, results, reports and with --save winners of all tasks that are done. *exit_status as tune_on_slurm() has it. */
assay_status cluster_join(cluster *c, int *exit_status, assay_error *error);

#endif
