/* Compare strategies over recorded spaces: assay-simulate-tuning [OPTION...] FILE... */
#include "core/json_file.h"
#include "core/list.h"
#include "tune/simulation/simulate.h"
#include "tune/strategies/strategy.h"
#include <argp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FILES = 256 };

typedef struct options {
    const char *strategies, *files[MAX_FILES];
    int file_count, repeats, json;
    long evaluations;
    uint64_t seed;
} options;

static const struct argp_option option_table[] = {
    {"strategy", 's', "LIST", 0, "only these strategies (default: all)", 0},
    {"repeats", 'r', "N", 0, "repeats of each, with seeds of their own (default: 100)", 0},
    {"evaluations", 'n', "N", 0, "evaluations of a repeat (default: until the cutoff, 200 to 400)", 0},
    {"seed", 'S', "N", 0, "first seed (default: 1)", 0},
    {"json", 'j', NULL, 0, "print JSON, with the curve of each strategy", 0},
    {0}};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    options *o = state->input;
    switch (key) {
    case 's':
        o->strategies = argument;
        return 0;
    case 'r':
        o->repeats = atoi(argument);
        return 0;
    case 'n':
        o->evaluations = atol(argument);
        return 0;
    case 'S':
        o->seed = strtoull(argument, NULL, 10);
        return 0;
    case 'j':
        o->json = 1;
        return 0;
    case ARGP_KEY_ARG:
        if (o->file_count == MAX_FILES)
            argp_error(state, "at most %d files", MAX_FILES);
        o->files[o->file_count++] = argument;
        return 0;
    case ARGP_KEY_END:
        if (o->file_count == 0 || o->repeats < 1)
            argp_error(state,
                       "a recorded space (T4 or a cache of Kernel Tuner) and at least one repeat are needed");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static json_t *outcome_json(const recorded *r, const char *name, const simulate_outcome *o)
{
    json_t *curve = json_array();
    for (long i = 0; i < o->evaluations; i++)
        json_array_append_new(curve, json_real(o->fraction[i]));
    return json_pack("{s:s, s:s, s:I, s:I, s:f, s:f, s:f, s:o, s:f, s:i, s:o}", "space", r->name, "strategy",
                     name, "evaluations", (json_int_t)o->evaluations, "cutoff", (json_int_t)o->cutoff,
                     "score", o->score, "score_low95", o->score_low, "score_high95", o->score_high,
                     "evaluations_to_95_percent_median", json_number(o->target_median),
                     "evaluations_to_95_percent_mean", o->target_mean, "reached", o->reached,
                     "fraction_of_optimum", curve);
}

static void print_row(const char *name, const simulate_outcome *o, int repeats)
{
    char median[32];
    snprintf(median, sizeof median, isfinite(o->target_median) ? "%.0f" : "-", o->target_median);
    printf("  %-24s %6s  %8.1f  %4d/%-4d  %6.3f [%.3f, %.3f]  %.3f\n", name, median, o->target_mean,
           o->reached, repeats, o->score, o->score_low, o->score_high, o->fraction[o->evaluations - 1]);
}

static assay_status simulate_file(const options *o, const char *path, json_t *rows, assay_error *error)
{
    recorded *r = NULL;
    assay_status status = recorded_read(path, &r, error);
    if (status != ASSAY_OK)
        return status;
    if (!o->json)
        printf("%s: %s, %ld configurations, %ld work, optimum %.3f us, median %.3f us, cutoff after %ld\n"
               "  strategy                 to 95%%: median   mean   reached    score [95%%]            "
               "best/optimum\n",
               path, r->name, r->count, r->success_count, r->optimum, r->median, simulate_cutoff(r));
    for (int i = 0; status == ASSAY_OK && strategy_name(i); i++) {
        if (!list_selects(o->strategies, strategy_name(i)))
            continue;
        simulate_outcome out;
        const simulate_plan plan = {.strategy = strategy_name(i),
                                    .repeats = o->repeats,
                                    .seed = o->seed,
                                    .evaluations = o->evaluations};
        status = simulate_strategy(r, &plan, &out, error);
        if (status != ASSAY_OK)
            break;
        if (o->json)
            json_array_append_new(rows, outcome_json(r, strategy_name(i), &out));
        else
            print_row(strategy_name(i), &out, o->repeats);
        fflush(stdout);
        simulate_release(&out);
    }
    recorded_free(r);
    return status;
}

static const struct argp parser = {
    option_table, parse,
    "FILE...",    "Replay search strategies over recorded spaces and compare them with random search.",
    NULL,         NULL,
    NULL};

int main(int argc, char **argv)
{
    options o = {.repeats = 100, .seed = 1};
    assay_error error = {0};
    json_t *rows = json_array();
    argp_err_exit_status = ASSAY_EXIT_USAGE;
    argp_parse(&parser, argc, argv, 0, NULL, &o);
    for (int i = 0; i < o.file_count; i++) {
        if (simulate_file(&o, o.files[i], rows, &error) != ASSAY_OK) {
            fprintf(stderr, "%s: %s\n", argv[0], error.message);
            return assay_status_exit(error.status);
        }
    }
    if (o.json && json_dumpf(rows, stdout, JSON_INDENT(1)) == 0)
        putchar('\n');
    json_decref(rows);
    return ASSAY_EXIT_OK;
}
