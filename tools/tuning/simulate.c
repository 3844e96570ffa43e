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
    const char *strategies, *from, *files[MAX_FILES];
    int file_count, repeats, json;
    double goal;
    long evaluations;
    uint64_t seed;
} options;

static const struct argp_option option_table[] = {
    {"strategy", 's', "LIST", 0, "only these strategies (default: all)", 0},
    {"repeats", 'r', "N", 0, "repeats of each, with seeds of their own (default: 100)", 0},
    {"evaluations", 'n', "N", 0, "evaluations of a repeat (default: until the cutoff, 200 to 400)", 0},
    {"seed", 'S', "N", 0, "first seed (default: 1)", 0},
    {"from", 'f', "VALUES", 0,
     "the configuration that is evaluated first, \"TILE=16,STAGES=3\" (default: none): what the kernel has "
     "without tuning",
     0},
    {"goal", 'g', "FRACTION", 0, "of the optimum, for the column beside that of 95% (default: 0.98)", 0},
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
    case 'f':
        o->from = argument;
        return 0;
    case 'g':
        o->goal = atof(argument);
        if (!(o->goal > 0 && o->goal <= 1))
            argp_error(state, "--goal: a fraction above 0 and up to 1 is expected, not \"%s\"", argument);
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
    return json_pack("{s:s, s:s, s:I, s:I, s:f, s:f, s:f, s:o, s:f, s:i, s:I, s:o, s:i, s:o, s:o}", "space",
                     r->name, "strategy", name, "evaluations", (json_int_t)o->evaluations, "cutoff",
                     (json_int_t)o->cutoff, "score", o->score, "score_low95", o->score_low, "score_high95",
                     o->score_high, "evaluations_to_95_percent_median", json_number(o->target_median),
                     "evaluations_to_95_percent_mean", o->target_mean, "reached", o->reached,
                     "random_to_95_percent_median", (json_int_t)simulate_random_median(r, SIMULATE_TARGET),
                     "evaluations_to_goal_median", json_number(o->goal_median), "goal_reached",
                     o->goal_reached, "regret_median", json_number(o->regret_median), "fraction_of_optimum",
                     curve);
}

static void print_row(const recorded *r, const char *name, const simulate_outcome *o, int repeats)
{
    char median[32], goal[32], faster[32];
    const double random = (double)simulate_random_median(r, SIMULATE_TARGET);
    snprintf(median, sizeof median, isfinite(o->target_median) ? "%.0f" : "-", o->target_median);
    snprintf(goal, sizeof goal, isfinite(o->goal_median) ? "%.0f" : "-", o->goal_median);
    snprintf(faster, sizeof faster, isfinite(o->target_median) ? "%.1fx" : "-", random / o->target_median);
    printf("  %-24s %6s  %8.1f  %4d/%-4d %7s  %6s  %6.2f%%  %6.3f [%.3f, %.3f]  %.3f\n", name, median,
           o->target_mean, o->reached, repeats, faster, goal, 100 * o->regret_median, o->score, o->score_low,
           o->score_high, o->fraction[o->evaluations - 1]);
}

static void print_head(const options *o, const char *path, const recorded *r, const configuration *start)
{
    const double goal = o->goal > 0 ? o->goal : SIMULATE_GOAL;
    printf("%s: %s, %ld configurations, %ld work, optimum %.3f us, median %.3f us, cutoff after %ld\n", path,
           r->name, r->count, r->success_count, r->optimum, r->median, simulate_cutoff(r));
    printf("random search, exact medians: %ld evaluations to 95%%, %ld to %.0f%%\n",
           simulate_random_median(r, SIMULATE_TARGET), simulate_random_median(r, goal), 100 * goal);
    const evaluation *first = start ? recorded_at(r, start) : NULL;
    if (first && first->status == EVALUATION_SUCCESS)
        printf("from %s: %.3f us, %.1f%% of the optimum\n", o->from, first->objective,
               100 * r->optimum / first->objective);
    printf("  strategy                 to 95%%: median   mean   reached  random/  to %3.0f%%   regret   "
           "score [95%%]  "
           "          "
           "best/optimum\n",
           100 * goal);
}

/* The values that are evaluated first; ASSAY_ERR_INVALID where nothing was recorded of them. */
static assay_status find_start(const options *o, const recorded *r, configuration *start, assay_error *error)
{
    const assay_status status = configuration_parse(r->space, o->from, start, error);
    return status != ASSAY_OK || recorded_at(r, start)
               ? status
               : assay_error_set(error, ASSAY_ERR_INVALID, "--from: %s is not in the recorded space",
                                 o->from);
}

static assay_status simulate_file(const options *o, const char *path, json_t *rows, assay_error *error)
{
    recorded *r = NULL;
    assay_status status = recorded_read(path, &r, error);
    if (status != ASSAY_OK)
        return status;
    configuration start;
    if (o->from)
        status = find_start(o, r, &start, error);
    if (status == ASSAY_OK && !o->json)
        print_head(o, path, r, o->from ? &start : NULL);
    for (int i = 0; status == ASSAY_OK && strategy_name(i); i++) {
        if (!list_selects(o->strategies, strategy_name(i)))
            continue;
        simulate_outcome out;
        const simulate_plan plan = {.strategy = strategy_name(i),
                                    .repeats = o->repeats,
                                    .seed = o->seed,
                                    .evaluations = o->evaluations,
                                    .start = o->from ? &start : NULL,
                                    .goal = o->goal};
        status = simulate_strategy(r, &plan, &out, error);
        if (status != ASSAY_OK)
            break;
        if (o->json)
            json_array_append_new(rows, outcome_json(r, strategy_name(i), &out));
        else
            print_row(r, strategy_name(i), &out, o->repeats);
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
