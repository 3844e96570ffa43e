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
    CONFINE_MEMORY = 1 << 7      /* bytes of its own that it may write */
};

typedef struct confine_rules {
    const char *const *readable; /* files and folders beside the system's own; NULL-terminated */
    double cpu_s;                /* 0: no limit */
    int64_t memory_bytes;        /* 0: no limit */
} confine_rules;

/* process_start() with the rules. *measures gets the bits that hold. */
long confine_start(const process_plan *plan, const confine_rules *rules, unsigned *measures,
                   int *error_number);

/* What this machine offers, found out by confining a program that does nothing. */
unsigned confine_offers(void);

/* ["network namespace", ...]; new reference. And the same in one line. */
json_t *confine_json(unsigned measures);
void confine_describe(unsigned measures, char *out, size_t out_bytes);

#endif
