/* Numbers on the command line: see numbers.h. */
#include "cli/numbers.h"
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

double cli_parse_number(struct argp_state *state, const char *option, const char *text, double least,
                        double most)
{
    char *end = NULL;
    const double value = strtod(text, &end);
    if (end == text || *end != '\0' || !(value >= least && value <= most))
        argp_error(state, "--%s: a number from %g to %g is expected, not \"%s\"", option, least, most, text);
    return value;
}

long cli_parse_whole(struct argp_state *state, const char *option, const char *text, long least, long most)
{
    char *end = NULL;
    errno = 0;
    const long value = strtol(text, &end, 10);
    if (end == text || *end != '\0' || errno == ERANGE || value < least || value > most)
        argp_error(state, "--%s: a whole number from %ld to %ld is expected, not \"%s\"", option, least, most,
                   text);
    return value;
}

double cli_parse_duration(struct argp_state *state, const char *option, const char *text)
{
    char *end = NULL;
    const double value = strtod(text, &end);
    const double unit = strcmp(end, "h") == 0                   ? 3600
                        : strcmp(end, "m") == 0                 ? 60
                        : strcmp(end, "s") == 0 || *end == '\0' ? 1
                                                                : 0;
    if (end == text || unit == 0 || !(value > 0 && value * unit < 1e9))
        argp_error(state, "--%s: a time such as 90s, 10m or 2h is expected, not \"%s\"", option, text);
    return value * unit;
}

error_t cli_parse_timing(int key, char *argument, bench_options *options, struct argp_state *state)
{
    switch (key) {
    case 'r':
        options->repetitions = (int)cli_parse_whole(state, "repetitions", argument, 1, 100000);
        return 0;
    case 'w':
        options->warmup_ms = cli_parse_number(state, "warmup-ms", argument, 0, 1e6);
        return 0;
    case 'm':
        options->sample_ms = cli_parse_number(state, "sample-ms", argument, 0.001, 1e6);
        return 0;
    case 'd':
        options->device_ordinal = (int)cli_parse_whole(state, "device", argument, 0, INT_MAX);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}
