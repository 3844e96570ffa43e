/* Confining a program whose code is not trusted, with what this machine has: namespaces, Landlock, seccomp, limits. No library is needed.
 * What could be had is said, never assumed: docs/security.md. */
#ifndef ASSAY_CORE_CONFINE_H
#define ASSAY_CORE_CONFINE_H

#include "core/process.h"
#include <jansson.h>
#include <stdint.h>

/* Bits of what holds for a program. */
enum {
    CONFINE_NETWORK = 1 << 0,   /* a network of its own, without any connection */
    CONFINE_IPC = 1 << 1,       /* no shared memory or queues of others */
    CONFINE_PROCESSES = 1 << 2, /* sees and signals only what it started, and that ends with it */
    CONFINE_FILES =
        1 << 3, /* Landlock: writes below /dev only, reads only what is listed, starts no other program */
    CONFINE_CALLS = 1 << 4,      /* seccomp: no ptrace, no memory and no signals of other processes */
    CONFINE_PRIVILEGES = 1 << 5, /* no new privileges, no capabilities */
    CONFINE_LIMITS = 1 << 6,     /* processor time, open files, size of files, no core dumps */
    CONFINE_MEMORY = 1 << 7,     /* bytes of its own that it may write */
    CONFINE_ALONE = 1 << 8       /* starts no process, so that none outlives it and they are not too many */
};

/* Lists end with NULL, and may be NULL. */
typedef struct confine_rules {
    const char *const *readable; /* files and folders beside the system's own */
    const char *const *
        writable; /* folders in which it may make, write, replace and remove files; a compiler's first one becomes TMPDIR */
    int starts_programs; /* 1: a compiler: it may start the system's programs and those of readable folders, and sees nothing of /etc and /proc */
    double cpu_s;        /* of each process; 0: no limit */
    int64_t memory_bytes; /* 0: no limit */
    int gpu; /* 1: it opens a GPU: it may write below /proc/self and in /dev/shm, which is its own in a process namespace of its own */
    unsigned without; /* bits that are not asked for */
} confine_rules;

/* Bits to leave out in turn where a GPU's driver does not start under all of them; from all measures to those that were seen to work on
 * every node (docs/security.md). */
enum { CONFINE_GPU_STEPS = 5 };
extern const unsigned confine_gpu_steps[CONFINE_GPU_STEPS];

/* process_start() with the rules. *measures gets the bits that hold. In a process namespace of its own the program is not the first
 * process (which its own signals could not end) but the second one: a signal's number is then its exit status less 128. */
long confine_start(const process_plan *plan, const confine_rules *rules, unsigned *measures,
                   int *error_number);
/* process_run() with the rules, captured. Its end is as if the program had been started by process_run(). */
void confine_run(const char *const *argv, const confine_rules *rules, double time_limit_s, unsigned *measures,
                 process_result *result);

/* The rules for this process from now on, for a program that loads what it does not trust later. It must have one thread. A process
 * namespace cannot be entered this way, and the program may start nothing more. Returns the bits that hold. */
unsigned confine_self(const confine_rules *rules);

/* What this machine offers, found out by confining a program that does nothing. */
unsigned confine_offers(void);

/* ["network namespace", ...]; new reference. And the same in one line. */
json_t *confine_json(unsigned measures);
void confine_describe(unsigned measures, char *out, size_t out_bytes);

#endif
