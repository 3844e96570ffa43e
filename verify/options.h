/* What a correctness run is asked. */
#ifndef ASSAY_VERIFY_OPTIONS_H
#define ASSAY_VERIFY_OPTIONS_H

#include "core/workspace.h"

typedef struct verify_options {
    double time_limit_s; /* for each problem of a case; 0: 120 s, eight times that in a sanitizer build */
    uint64_t seed;       /* of the inputs; 0: the default, which is the same in every run */
    const char *claims;  /* extras of op.json that kernels from outside claim, comma-separated; or NULL */
    int dry_run;         /* only name the cases */
    int quiet;           /* no lines on stdout */
    int jobs; /* cases judged at the same time; 0: the default: half the cores on a GPU, 1 on the CPU device */
    int every_check; /* 1: a check that fails does not end those that follow, to learn what each finds alone */
    int first_failure; /* 1: the first edge case that fails ends the run of all of them */
    /* Only these edge cases of op.json, comma-separated; NULL: all, and those that it does not list. */
    const char *edges;
    int unjudged_only; /* skip cases whose verdict belongs to the module that is there now */
    /* Records of modules from outside the tree (assay-module): these are judged instead of the workspace's variants, at the
     * filter's sizes. Their verdicts go to RESULTS/outside/verify/, or RESULTS/checked/verify/ for modules compiled to be watched. */
    const char *const *modules;
    int module_count, checked;
    int confined; /* 1: the kernels are from outside: each runs in a worker of its own, confined (docs/security.md) */
} verify_options;

#endif
