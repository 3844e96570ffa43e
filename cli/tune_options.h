/* The options of `assay tune`. */
#ifndef ASSAY_CLI_TUNE_OPTIONS_H
#define ASSAY_CLI_TUNE_OPTIONS_H

#include "cli/cli.h"
#include "tune/tuner/tuner.h"
#include <limits.h>

enum { TUNE_PASSED = 64 };

typedef struct tune_arguments {
    cli_options common;
    tune_options options;
    const char *mode, *screen;    /* NULL, or as given */
    const char *space;            /* NULL, or a T1 file */
    const char *outcome, *report; /* NULL, or as given: files of one tuning */
    int all, slurm, device_given;
    int sweep_shapes,
        held_out;     /* drawn shapes for a table by the shape, and beside them for its regret; 0: none */
    const char *only; /* NULL, or as given: the tunables that such a table may choose */
    int numbers[TUNE_MOST_CARDS],
        device_count; /* of --devices, or all that are alike; 0: the one of this process */
    const char *executor_options, *devices; /* NULL, or as given */
    char *passed
        [TUNE_PASSED]; /* options that a task of a cluster gets as well: "--seed=7"; owned by the process */
    int passed_count;
    bench_options
        timing; /* what is given of repetitions, warmup_ms, sample_ms (else -1) and device_ordinal (else 0) */
    char command[1024 + PATH_MAX]; /* that repeats it */
} tune_arguments;

/* argp's options and parser, whose input are tune_arguments from tune_arguments_init(). */
extern const struct argp_option tune_options_list[];
error_t tune_options_parse(int key, char *argument, struct argp_state *state);

void tune_arguments_init(tune_arguments *a);
/* After parsing: what follows from the options together. */
void tune_arguments_finish(tune_arguments *a);

#endif
