/* Compiling modules of configurations on all cores, beside whatever this process does meanwhile (measuring on a GPU). Each module is
 * made by assay-module; a compiler that hangs costs its own module. */
#ifndef ASSAY_TUNE_EVALUATE_COMPILE_POOL_H
#define ASSAY_TUNE_EVALUATE_COMPILE_POOL_H

#include "build_module/tuned_module.h"

enum { COMPILE_POOL_JOBS = 128, COMPILE_POOL_MESSAGE = 400 };

/* What became of one module. */
typedef struct compiled_module {
    int done;            /* 0: interrupted before it */
    int current;         /* 1: it was there already */
    assay_status status; /* as tuned_module_make(); ASSAY_ERR_ENVIRONMENT also where its job was killed */
    char message[COMPILE_POOL_MESSAGE];
    double seconds;
} compiled_module;

typedef struct compile_pool {
    int count, jobs;
    long pids[COMPILE_POOL_JOBS];
    compiled_module *modules; /* shared with the jobs; in the order given, filled after compile_pool_wait() */
    void *shared;
    size_t shared_bytes;
} compile_pool;

/* Start. `modules` and what it points to must stay until compile_pool_wait(). `jobs` 0: one a core. */
assay_status compile_pool_begin(const tuned_module *modules, int count, int jobs, double limit_s,
                                compile_pool *pool, assay_error *error);
/* 1 once all have ended; does not wait. */
int compile_pool_is_done(compile_pool *pool);
/* Wait for all. Release afterwards. */
void compile_pool_wait(compile_pool *pool);
/* Also stops what still runs. */
void compile_pool_release(compile_pool *pool);

#endif
