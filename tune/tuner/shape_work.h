/* Times of configurations at shapes: up to WORKSPACE_MAX_TUNED configurations at a few shapes at once, so that workers are kept and a shape's
 * expected output is computed once for all of these by each job that verifies. Inside the tuner only. */
#ifndef ASSAY_TUNE_SHAPE_WORK_H
#define ASSAY_TUNE_SHAPE_WORK_H

#include "tune/tuner/tuning.h"

enum { SHAPE_MOST_CONFIGURATIONS = 64 };

/* What is to be measured. Borrowed. */
typedef struct shape_work {
    workspace *ws; /* with its card chosen, or in a card's process */
    const workspace_op *op;
    const tune_options *options;
    const char *const *names; /* of the shapes */
    int count, configuration_count;
    const tuned_variant *configurations;
    const unsigned char
        *allowed;             /* [shape * configuration_count + configuration]: by op.json's constraints */
    const char (*hashes)[65]; /* source_sha256 of the compiled modules; "": it did not compile */
    const int *order;         /* the shapes, as they are to be measured */
    int cards;                /* that work beside each other */
    double until_s; /* of process_clock_s(): after the first shapes no others are begun then; 0: no limit */
} shape_work;

/* Times of the configurations at a shape, in us; NAN: wrong, not allowed or not timed. */
typedef assay_status (*shape_taken)(void *context, int shape, const double *us, assay_error *error);

/* Measure every `step`-th shape of the order from `first` on. What has a verdict and a time of what is there now is not measured again. */
assay_status shape_work_run(const shape_work *w, int first, int step, shape_taken taken, void *context,
                            assay_error *error);

/* The same divided over devices, a process for each, before anything here asks for a device. Ratios are taken at one shape, whose times are
 * all of one card. `info`: the device that opened first. ASSAY_ERR_INVALID: they are of different kinds. ASSAY_ERR_ENVIRONMENT: a process ended early; what
 * it measured is kept. */
assay_status shape_work_on_cards(const shape_work *w, const int *numbers, assay_device_info *info,
                                 shape_taken taken, void *context, assay_error *error);

#endif
