/* Inside the loop: the state of a run and the steps of a version. Of optimize.c, loop_state.c and loop_steps.c only. */
#ifndef ASSAY_OPTIMIZE_LOOP_H
#define ASSAY_OPTIMIZE_LOOP_H

#include "optimize/attempt.h"
#include "optimize/optimize.h"
#include "optimize/versus.h"
#include <assay/device.h>
#include <limits.h>

typedef struct loop {
    const workspace *base;
    const optimize_options *options;
    json_t *state; /* owned */
    char out[PATH_MAX - 64];
    assay_device_info device;
} loop;

/* The state of OUT, or a new one. ASSAY_ERR_INVALID: it is of another kernel, op or request. *resumed: versions that are done. */
assay_status loop_load(loop *l, int *resumed, assay_error *error);
assay_status loop_save(const loop *l, assay_error *error);

/* OUT/vN, with "/" and a file's name behind it unless that is NULL. */
void loop_path(const loop *l, int version, const char *file, char out[PATH_MAX]);
/* The version that is being worked on, and the best one; borrowed. */
json_t *loop_current(const loop *l);
int loop_best(const loop *l);

/* A workspace of OUT/work, freshly opened. Close it. */
assay_status loop_open(const loop *l, outside *o, assay_error *error);

/* Step of the current version: it moves on to the next step and saves. */
assay_status loop_ask(loop *l, json_t *version, assay_error *error);
assay_status loop_judge(loop *l, json_t *version, assay_error *error);
assay_status loop_time(loop *l, json_t *version, assay_error *error);

/* What bounds a version that was timed in `o` under `name`: its pages, and "profile" of the version. */
assay_status loop_profile(loop *l, const outside *o, json_t *version, const char *name, assay_error *error);

/* Why no further version is made; NULL: go on. */
const char *loop_stop_reason(const loop *l);

void loop_say(const loop *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
