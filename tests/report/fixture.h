/* Made-up results for the report's tests: a workspace in a temporary folder, two ops, and files for any
 * case. The device is called "Example GPU" so that nobody takes a time for a measurement. Times follow from
 * the arguments alone. */
#ifndef ASSAY_TESTS_REPORT_FIXTURE_H
#define ASSAY_TESTS_REPORT_FIXTURE_H

#include "core/workspace.h"

typedef struct fixture {
    char root[256];
    workspace *ws;
    int cpu;
} fixture;

/* A new empty workspace under `root` (NULL: a new temporary folder) for "cpu" or "cuda"; ops "scale" and
 * "product". Aborts on failure. */
void fixture_open(fixture *f, const char *root, const char *device);
/* The workspace of a build, whose ops are real; results of the made-up card go to the folder `results`. */
void fixture_attach(fixture *f, const char *build, const char *results);
/* Close; remove the folder if fixture_open made it. */
void fixture_close(fixture *f);

typedef struct fixture_case {                       /* NULL and 0 mean the usual */
    const char *op, *name, *dtype, *size;           /* a name that begins with "baseline_" is a baseline's */
    int unranked;                                   /* of a baseline */
    double cold_us, hot_us, burst_us, sustained_us; /* 0: not timed in this mode */
    const char *status, *reason, *math_mode, *sha, *output_check;
    const char *time;
    double
        moved; /* bytes that counters saw over those of the definition, twice that through L2; 0: nobody counted */
    unsigned flaws;     /* RESULT_FLAW_ of all samples */
    int samples;        /* a repetition; 0: three */
    double interval;    /* half of the mean's 95% interval over the mean; 0: a thousandth */
    double overhead_us; /* of cold times; 0: 3.05 */
    const char *with;   /* another candidate of its group: "baseline_torch_eager"; NULL: it stood alone */
    int64_t m;          /* first dimension, where it is not that of op.json */
    const char *reference, *op_json; /* hashes; NULL: today's */
    const char *host, *uuid, *driver, *flush;
    int method_version, locked_mhz; /* version 0: the present one; -1: 0 */
} fixture_case;

/* Write bench/ and verify/ files. A verdict of "fail" has a failing check; `attempts` lists the statuses,
 * oldest first, comma-separated (NULL: just `status`). */
void fixture_result(const fixture *f, const fixture_case *c);
void fixture_verdict(const fixture *f, const fixture_case *c, const char *status, const char *reason,
                     const char *attempts);
void fixture_ceilings(const fixture *f);
void fixture_module(const fixture *f, const fixture_case *c, const char *status, const char *sha);

/* Any text as a file below the results folder. */
void fixture_text(const fixture *f, const char *file, const char *text);

/* A file of the workspace read whole, malloc'ed; aborts if it is not there. `file` is relative to the root. */
char *fixture_read(const fixture *f, const char *file);
int fixture_exists(const fixture *f, const char *file);

/* The golden files are of these: results, verdicts and a module of one op and dtype, in every state. */
void fixture_fill_golden(const fixture *f);
/* All cases of both ops with baselines, a bound and ceilings, a few of them failing: what a real card's folder
 * looks like. */
void fixture_fill_card(const fixture *f);
/* A few f32 cases with the reference as the only baseline, no ceilings: what the CPU device leaves. */
void fixture_fill_cpu(const fixture *f);

/* Kernels, a baseline and a copy of every op that the workspace has: what tests of commands need of a card. */
void fixture_fill_ops(const fixture *f);

#endif
