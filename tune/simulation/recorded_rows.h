/* Inside recorded*.c only: rows of either file form before the space is known. */
#ifndef ASSAY_TUNE_RECORDED_ROWS_H
#define ASSAY_TUNE_RECORDED_ROWS_H

#include "tune/space/evaluation.h"
#include <assay/status.h>
#include <jansson.h>

typedef struct recorded_row {
    json_t *configuration; /* borrowed: values by parameter */
    evaluation_status status;
    double objective, cost_s;
} recorded_row;

typedef struct recorded_rows {
    json_t *root;
    recorded_row *row;
    size_t count;
    char name[128];
} recorded_rows;

/* The file as rows; release with recorded_rows_release. */
assay_status recorded_rows_read(const char *path, recorded_rows *out, assay_error *error);
void recorded_rows_release(recorded_rows *rows);

#endif
