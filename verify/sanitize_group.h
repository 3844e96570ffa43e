/* Kernels that share a process under one of compute-sanitizer's tools, and what becomes of each; sanitize.c says which. */
#ifndef ASSAY_VERIFY_SANITIZE_GROUP_H
#define ASSAY_VERIFY_SANITIZE_GROUP_H

#include "core/workspace.h"
#include "verify/summary.h"

typedef struct sanitize_options {
    const char *tools;   /* comma-separated; NULL: all of memcheck, racecheck, initcheck, synccheck */
    const char *program; /* compute-sanitizer; see sanitize_find_program */
    double time_limit_s; /* for one process; 0: 300 s, and 60 s for each further kernel in it */
    int jobs; /* at the same time; 0: as many as cores, 16 at most, and 2 GiB of free memory each */
    int dry_run, quiet;
} sanitize_options;

enum { SANITIZE_MOST_MODULES = 64 }; /* that one worker runs */

/* One kernel under one tool. */
typedef struct sanitize_case {
    char op[ASSAY_NAME_MAX], variant[ASSAY_NAME_MAX], dtype[8];
    const char *tool;
    char module[4400]; /* its record */
    int injected;      /* 1: the tool must find something */
} sanitize_case;

/* "sanitizer.memcheck.softmax.v4_optimized.f32" */
void sanitize_name_case(const sanitize_case *c, char *out, size_t out_bytes);

/* Run `count` cases of one op and tool, at most SANITIZE_MOST_MODULES: together, and if anything is amiss each by itself, which says whose it
 * is. An injected mistake comes alone. Outcomes go to the summary and, but for injected ones, to RESULTS/sanitizer/. */
void sanitize_run_group(const workspace *ws, const sanitize_options *options, const sanitize_case *cases,
                        int count, verify_summary *summary, assay_error *write_error);

#endif
