/* The rows and the last line of the commands that judge; see judging.h. */
#include "cli/judging.h"
#include "core/json_file.h"
#include "core/utf8.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct argp_option judging_options[] = {
    {"time-limit", 'L', "SECONDS", 0, "longest time for a case, or for each edge case; defaults are below",
     1},
    {"jobs", 'J', "N", 0, "processes at the same time; defaults are below", 1},
    {"quiet", 'q', NULL, 0, "a line for each failure only", 1},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    cli_judging *judging = state->input;
    char *end = NULL;
    switch (key) {
    case 'L':
        judging->time_limit_s = strtod(argument, &end);
        if (*end != '\0' || !(judging->time_limit_s > 0))
            argp_error(state, "--time-limit: a positive number of seconds is expected, not \"%s\"", argument);
        return 0;
    case 'J':
        judging->jobs = (int)strtol(argument, &end, 10);
        if (*end != '\0' || judging->jobs < 1)
            argp_error(state, "--jobs: a positive number is expected, not \"%s\"", argument);
        return 0;
    case 'q':
        judging->quiet = 1;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp cli_judging_argp = {.options = judging_options, .parser = parse};

void cli_print_failures(const verify_summary *summary)
{
    size_t i;
    json_t *entry;
    json_array_foreach(summary->cases, i, entry)
    {
        const char *status = json_get_text(entry, "status", "");
        if (strcmp(status, "pass") != 0 && strcmp(status, "skipped") != 0 && strcmp(status, "error") != 0)
            clean_printf(stdout, "FAIL %s: %s\n", json_get_text(entry, "name", ""),
                         json_get_text(entry, "reason", status));
    }
}

void cli_print_summary(const cli_options *options, const verify_summary *summary, uint64_t seed)
{
    if (options->json) {
        cli_print_json(json_pack("{s:I, s:i, s:i, s:i, s:i, s:O*}", "seed", (json_int_t)seed, "passed",
                                 summary->passed, "failed", summary->failed, "skipped", summary->skipped,
                                 "errors", summary->errors, "cases", summary->cases));
        return;
    }
    if (options->dry_run)
        return;
    printf("%d passed, %d failed", summary->passed, summary->failed);
    if (summary->skipped > 0)
        printf(", %d skipped", summary->skipped);
    if (summary->errors > 0)
        printf(", %d could not be judged", summary->errors);
    printf("%s\n", summary->interrupted ? " (interrupted)" : "");
    if (seed != 0) /* whatever was found is found again by it */
        printf("inputs: --seed %llu\n", (unsigned long long)seed);
}
