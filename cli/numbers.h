/* Numbers and times on the command line. A text that is none, or is out of bounds, ends the program as argp_error() does: one line with the
 * option and what is expected, status 2. */
#ifndef ASSAY_CLI_NUMBERS_H
#define ASSAY_CLI_NUMBERS_H

#include "bench/plan/bench.h"
#include <argp.h>

/* A number of [least, most]; `option` is its name without dashes. */
double cli_parse_number(struct argp_state *state, const char *option, const char *text, double least,
                        double most);
long cli_parse_whole(struct argp_state *state, const char *option, const char *text, long least, long most);
/* "90", "90s", "10m" or "2h" as seconds, above 0. */
double cli_parse_duration(struct argp_state *state, const char *option, const char *text);

/* The values of --repetitions ('r'), --warmup-ms ('w'), --sample-ms ('m') and --device ('d'), which the commands that time have under these
 * keys and with their own defaults; of another key ARGP_ERR_UNKNOWN. */
error_t cli_parse_timing(int key, char *argument, bench_options *options, struct argp_state *state);

#endif
