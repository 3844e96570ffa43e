/* What bounds a kernel: one rule decides, and says with which numbers. The rules are one table (classify.c), after Nsight Compute's
 * speed-of-light rule; docs/bottlenecks.md explains it. Nothing here measures, and nothing here ranks kernels. */
#ifndef ASSAY_PROFILE_CLASSIFY_H
#define ASSAY_PROFILE_CLASSIFY_H

#include "profile/findings.h"

enum { BOTTLENECK_CHANGES = 3 };

typedef struct bottleneck_rule {
    const char *key;
    bottleneck_kind kind;
    const char *condition, *source;
} bottleneck_rule;

typedef struct bottleneck {
    bottleneck_kind kind;
    const char *part;            /* what of it: "DRAM", "tensor cores", "registers", "barrier" ... */
    const bottleneck_rule *rule; /* the rule that decided */
    char numbers[FINDING_TEXT];  /* of the rule */
    double confidence;           /* 0 to 1 */
    char why[FINDING_TEXT];      /* of the confidence */
    int finding_count, change_count;
    finding findings[FINDINGS_MAX];             /* the severest first */
    const finding *changes[BOTTLENECK_CHANGES]; /* those whose change the evidence favours, into `findings` */
} bottleneck;

/* Classify a kernel from its metrics. Always a verdict; BOTTLENECK_UNKNOWN says which metrics are missing. `out` borrows lines of
 * the kernel and must not be copied: `changes` points into it. */
void bottleneck_classify(const evidence *given, bottleneck *out);

/* For who decides by other numbers: fill findings and changes of `out`, whose kind is set. */
void bottleneck_explain(const evidence *given, bottleneck *out);

/* "memory-bound", "launch-bound", "balanced", "unknown" */
const char *bottleneck_name(bottleneck_kind kind);
/* The table of rules, in the order in which they are tried. */
const bottleneck_rule *bottleneck_rules(int *count);

/* What ncu's own speed-of-light rule said of the kernel, as a kind; BOTTLENECK_UNKNOWN where its words are not known or not there.
 * *saturated: it said that one of the two is above 80%, and not which. */
bottleneck_kind bottleneck_of_ncu(const profiled_kernel *kernel, int *saturated);
/* Does the kind go with what ncu said? ncu's rule knows no launch-bound, and no occupancy-bound but of a small grid: there ours refines
 * what it calls latency. */
int bottleneck_agrees(bottleneck_kind kind, bottleneck_kind ncu, int saturated);

#endif
