/* Run a program in its own process group with a time limit. Its end is described, never guessed: exit status, signal or
 * time-out. Ctrl-C reaches the child and is reported as interrupted, so callers stop after saving what they have. */
#ifndef ASSAY_CORE_PROCESS_H
#define ASSAY_CORE_PROCESS_H

#include <assay/status.h>
#include <stddef.h>

typedef enum process_end {
    PROCESS_EXITED,
    PROCESS_SIGNALED,
    PROCESS_TIMED_OUT,
    PROCESS_INTERRUPTED,
    PROCESS_NOT_STARTED
} process_end;

typedef struct process_result {
    process_end end;
    int code;       /* exit status, or signal number */
    double seconds; /* since it was started, or since the watch last started the time limit anew */
    char *
        output; /* stdout and stderr together if captured (the last 512 KiB), malloc'ed, NUL-terminated; else NULL */
} process_result;

/* argv is NULL-terminated; argv[0] is a path or found on PATH. time_limit_s <= 0: none. capture 0: output is inherited. */
void process_run(const char *const *argv, double time_limit_s, int capture, process_result *result);

/* Called every few milliseconds while the program runs. What it returns but 0 starts the time limit anew: for a program that does one
 * thing after the other, each with the whole limit. */
typedef int (*process_watch)(void *context);
void process_run_watched(const char *const *argv, double time_limit_s, int capture, process_watch watch,
                         void *context, process_result *result);
void process_result_release(process_result *result);

/* A program that is started and not waited for. */
typedef struct process_plan {
    const char *const *argv; /* as above */
    int input_fd, output_fd; /* become standard input, and standard output and error; -1: inherited */
    int namespaces;          /* CLONE_NEW... flags of clone(2); 0: none */
    int (*prepare)(
        void *context); /* NULL, or the child's last act before the program: 0, or an errno that ends it */
    void *context;
} process_plan;

/* Start it in a process group of its own; it ends with this process. Returns its id; -1 and *error_number where it did not start. */
long process_start(const process_plan *plan, int *error_number);

/* process_run(), captured, with a start of the caller's own, which returns what process_start() does. */
typedef long (*process_starter)(const process_plan *plan, void *context, int *error_number);
void process_run_started(const char *const *argv, double time_limit_s, process_starter start, void *context,
                         process_result *result);

/* "exited with status 3", "killed by signal 11 (Segmentation fault)", "timed out after 60 s" */
void process_describe(const process_result *result, char *out, size_t out_bytes);

/* 1 after the first SIGINT or SIGTERM once process_watch_interrupts() was called. */
void process_watch_interrupts(void);
int process_interrupted(void);

/* 1 if `pid` is `ancestor` or was started by it, at whatever remove. Linux: parents are looked up in /proc; 0 where they cannot be. */
int process_descends_from(long pid, long ancestor);

/* Absolute path of the running executable's folder. */
void process_executable_folder(char *out, size_t out_bytes);

/* Seconds of the monotonic clock, from any origin. */
double process_clock_s(void);

#endif
