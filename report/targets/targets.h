/* Targets: what kernels should reach on a card (targets.json), held against the results of that card. Reads results through the report's
 * model, so a figure that a report would not count (stale, unstable, above its roof, of a wrong output) does not count here. */
#ifndef ASSAY_BENCH_TARGETS_H
#define ASSAY_BENCH_TARGETS_H

#include "report/report_model.h"
#include <jansson.h>

typedef enum target_verdict { TARGET_MET, TARGET_MISSED, TARGET_NOT_MEASURED } target_verdict;

/* One condition of one op, dtype and size. Texts are ready for people. */
typedef struct target_cell {
    int op, dtype, size; /* as in the model; size -1 where the op has no such size */
    const char *op_name, *dtype_name, *size_name, *figure;
    char target[96];  /* ">= 1.10x best peer" */
    double wanted;    /* in the condition's unit */
    double measured;  /* the same; NAN where there is none */
    char unit[8];     /* "x", "%", "TFLOP/s" */
    char kernel[48];  /* "v4_optimized"; "" where there is none */
    double kernel_us; /* NAN where there is none */
    char against[64]; /* what it is compared with, and its time */
    char reason[256]; /* why it was not measured */
    target_verdict verdict;
} target_cell;

typedef struct target_list {
    target_cell *cells;
    int count, capacity;
    int met, missed, not_measured;
    json_t *file; /* keeps the texts alive */
} target_list;

/* Read the targets of the model's card and judge each. Release also after a failure. ASSAY_ERR_INVALID: no such card, an unknown op,
 * dtype or key. Cells come in the order of the file. */
assay_status targets_evaluate(const report_model *model, const char *file, target_list *list,
                              assay_error *error);
void targets_release(target_list *list);

/* Leave only cells of the filter's ops, dtypes and sizes; the counts follow. */
void targets_keep(target_list *list, const case_filter *filter, int missed_only);

/* Whether the file has targets for a card. A file that is not there or cannot be read has none. */
int targets_has_card(const char *file, const char *slug);

/* The list as a Markdown document with a heading: counts, then what was missed, not measured and met, each as a table. Written to a temporary
 * name and renamed. */
assay_status targets_write(const report_model *model, const target_list *list, const char *path,
                           assay_error *error);

/* A table of aligned columns, or of Markdown; both end with the counts. */
void targets_print(const report_model *model, const target_list *list, int markdown, FILE *out);
/* {"device", "commit", "met", "missed", "not_measured", "cells": [...]}. New reference. */
json_t *targets_json(const report_model *model, const target_list *list);

const char *target_verdict_text(target_verdict verdict);

#endif
