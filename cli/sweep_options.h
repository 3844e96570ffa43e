/* The options of `assay sweep`. */
#ifndef ASSAY_CLI_SWEEP_OPTIONS_H
#define ASSAY_CLI_SWEEP_OPTIONS_H

#include "cli/cli.h"
#include "sweep/report.h"

typedef struct sweep_arguments {
    cli_options common;
    sweep_options options;
    const char *source, *shapes, *families, *require_text, *baselines;
    sweep_require require;
    uint64_t seed;
    int all, check, list, timed, verify_only, no_plots, count;
} sweep_arguments;

/* argp's options and parser, whose input are sweep_arguments from sweep_arguments_init(). */
extern const struct argp_option sweep_options_list[];
error_t sweep_options_parse(int key, char *argument, struct argp_state *state);

void sweep_arguments_init(sweep_arguments *a);
/* After parsing: what excludes what. */
assay_status sweep_arguments_check(const sweep_arguments *a, assay_error *error);

#endif
