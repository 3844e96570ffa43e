/* A job array of Slurm: its script, submitting it, and what its tasks do. Slurm is asked by its own commands (sbatch, squeue, sacct); nothing
 * of it is linked. Each task is one `assay` command with a folder of its own, FOLDER/NUMBER/:
 *
 *     log.txt     what the command printed, over all its starts
 *     status      its exit status, once it ended by itself; a task that Slurm stops has none
 */
#ifndef ASSAY_TUNE_EXECUTOR_SLURM_H
#define ASSAY_TUNE_EXECUTOR_SLURM_H

#include <assay/status.h>

enum { SLURM_ID_BYTES = 32, SLURM_MOST_TASKS = 1000, SLURM_STATE_BYTES = 40 };

typedef struct slurm_task {
    const char *const *words; /* the command behind the program's name; NULL-terminated */
    int is_open;              /* 1: part of the array that is submitted */
} slurm_task;

typedef struct slurm_job {
    const char *folder;  /* absolute, and there */
    const char *program; /* path of assay */
    const char *options; /* for sbatch, as given, with blanks between them; NULL: none */
    const slurm_task *tasks;
    int count;
} slurm_job;

/* The script FOLDER/job.sh of the open tasks: a job array that may be requeued. malloc'ed. ASSAY_ERR_INVALID: a folder that Slurm's file
 * names cannot hold. */
assay_status slurm_script(const slurm_job *job, char **text, assay_error *error);

/* Write the script and hand it to sbatch; `id` gets the job's number. ASSAY_ERR_ENVIRONMENT: there is no sbatch, or it refused, with what it
 * said. */
assay_status slurm_submit(const slurm_job *job, char id[SLURM_ID_BYTES], assay_error *error);

typedef enum slurm_phase { SLURM_GONE, SLURM_PENDING, SLURM_RUNNING, SLURM_ENDED } slurm_phase;

typedef struct slurm_task_state {
    slurm_phase phase;             /* SLURM_GONE: Slurm's controller no longer knows the task, or never did */
    char state[SLURM_STATE_BYTES]; /* Slurm's word for it: "RUNNING", "TIMEOUT"; "": not known */
} slurm_task_state;

/* What squeue says of the tasks of a job; of those that it has forgotten, what sacct says, where there is accounting. ASSAY_ERR_ENVIRONMENT:
 * squeue did not answer, which may pass. */
assay_status slurm_poll(const char *id, slurm_task_state *states, int count, assay_error *error);

/* One line of squeue ("3|RUNNING") or sacct ("17_3|COMPLETED") into `states`; a line of anything else is passed over. */
void slurm_take_line(const char *line, slurm_task_state *states, int count);

#endif
