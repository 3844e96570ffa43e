/* assay tune: search the best values of a kernel's tunables. */
#include "cli/tune_cards.h"
#include "cli/tune_plan.h"
#include "cli/tune_shapes.h"
#include "cli/tune_slurm.h"
#include "core/json_file.h"
#include "core/process.h"
#include "core/case_options.h"
#include "core/tuned_variant.h"
#include "history/compare.h"
#include "tune/evaluate/screen.h"
#include "tune/strategies/strategy.h"
#include "tune/tuner/tuning_analysis.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void list_strategies(void)
{
    for (int i = 0; strategy_name(i); i++)
        printf("%-24s %s\n", strategy_name(i), strategy_about(i));
}

static assay_status find_mode(tune_arguments *a, assay_error *error)
{
    timing_modes modes = 0;
    if (!a->mode)
        return ASSAY_OK;
    const assay_status status = timing_modes_parse(a->mode, &modes, error);
    for (int m = 0; m < TIMING_MODES && status == ASSAY_OK; m++)
        if (modes == timing_mode_bit((timing_mode)m)) {
            a->options.evaluate.mode = (timing_mode)m;
            return ASSAY_OK;
        }
    return status != ASSAY_OK ? status
                              : assay_error_set(error, ASSAY_ERR_INVALID,
                                                "--mode: one mode is expected, not \"%s\"", a->mode);
}

/* What was asked for, spelt out. */
static void make_command(tune_arguments *a, const workspace *ws, const workspace_op *op)
{
    const tune_options *o = &a->options;
    assay_case c = {.op = op, .dtype = o->dtype};
    char which[400];
    snprintf(c.variant, sizeof c.variant, "%s", o->variant);
    snprintf(c.size, sizeof c.size, "%s", o->size);
    case_options(ws, &c, NULL, which, sizeof which);
    snprintf(a->command, sizeof a->command, "assay tune %s %s --strategy %s --seed %llu", op->spec->name,
             which, o->strategy ? o->strategy : "bayesian", (unsigned long long)o->seed);
    if (o->evaluations > 0)
        snprintf(a->command + strlen(a->command), sizeof a->command - strlen(a->command),
                 " --evaluations %ld", o->evaluations);
    if (o->budget_s > 0)
        snprintf(a->command + strlen(a->command), sizeof a->command - strlen(a->command), " --budget %gs",
                 o->budget_s);
    if (a->devices)
        snprintf(a->command + strlen(a->command), sizeof a->command - strlen(a->command), " --devices %.200s",
                 a->devices);
    if (o->no_finals)
        snprintf(a->command + strlen(a->command), sizeof a->command - strlen(a->command), " --no-finals");
    if (a->space)
        snprintf(a->command + strlen(a->command), sizeof a->command - strlen(a->command), " --space '%s'",
                 a->space);
    if (a->mode)
        snprintf(a->command + strlen(a->command), sizeof a->command - strlen(a->command), " --mode %s",
                 a->mode);
    a->options.command = a->command;
}

/* The fastest finalist that is right and was faster by its mean than the default that stays; -1: none was. */
static int find_untold(const tune_outcome *out)
{
    int fastest = 0;
    for (int i = 1; i < out->finalist_count; i++)
        if (!out->finalists[i].wrong && out->finalists[i].us < out->finalists[fastest].us)
            fastest = i;
    return out->winner == 0 && fastest > 0 ? fastest : -1;
}

static void print_untold(const tune_outcome *out)
{
    char text[TUNED_VARIANT_TEXT_MAX];
    const int i = find_untold(out);
    if (i < 0)
        return;
    tuned_variant_text(&out->finalists[i].candidate->tuned, text);
    printf("the fastest by its mean, %s, %.4g us, cannot be told from it%s%s\n", text, out->finalists[i].us,
           out->finalists[i].why[0] ? ": " : "", out->finalists[i].why);
}

static void print_end(const tune_outcome *out, int no_finals)
{
    char text[TUNED_VARIANT_TEXT_MAX];
    printf("%d evaluations in %.0f s (%s)", out->count, out->seconds, out->end);
    for (int i = 0; i < EVALUATION_STATUS_COUNT; i++)
        if (out->counts[i] > 0)
            printf(", %d %s", out->counts[i], evaluation_status_name((evaluation_status)i));
    putchar('\n');
    if (out->winner >= 0) {
        const tune_finalist *w = &out->finalists[out->winner];
        tuned_variant_text(&w->candidate->tuned, text);
        if (out->winner == 0)
            printf("same: no configuration is measurably faster than the default, %s, %.4g us\n", text,
                   w->us);
        else if (w->verdict == COMPARE_FASTER)
            printf("faster: %s, %.4g us, default %.4g us: %+.2f%% (95%%: %+.2f%% to %+.2f%%)\n", text, w->us,
                   out->finalists[0].us, 100 * (w->ratio.ratio - 1), 100 * (w->ratio.low95 - 1),
                   100 * (w->ratio.high95 - 1));
        else
            printf("winner: %s, %.4g us; the default could not be timed\n", text, w->us);
        print_untold(out);
        if (!isnan(tuning_regret(out)))
            printf("regret against the whole space: %.2f%%\n", 100 * tuning_regret(out));
        if (out->winner > 0 && !out->saved[0])
            printf("not saved; --save writes it to the op's folder for the next build\n");
    } else if (strcmp(out->end, "interrupted") == 0)
        printf("interrupted; the same command goes on\n");
    else if (!no_finals)
        printf("no winner: no configuration is right at all sizes and edge cases and was timed\n");
    if (out->saved[0])
        printf("saved to %s; build again to use it\n", out->saved);
    if (out->report[0])
        printf("report: %s\n", out->report);
}

/* 0, 1 without a winner, or without finals without one success; 130. */
static int exit_of(const tune_outcome *out, int no_finals)
{
    if (strcmp(out->end, "interrupted") == 0)
        return 130;
    return out->winner >= 0 || (no_finals && out->best >= 0) ? ASSAY_EXIT_OK : ASSAY_EXIT_CHECK;
}

/* What a task of a cluster leaves: --json's object, and the row that --save writes. */
static assay_status write_outcome(const tune_arguments *a, const tune_outcome *outcome, assay_error *error)
{
    if (!a->outcome || strcmp(outcome->end, "interrupted") == 0)
        return ASSAY_OK;
    json_t *json = tune_outcome_json(outcome), *row = tune_winner_row(&a->options, outcome);
    json_object_set_new(json, "row", row ? row : json_null());
    const assay_status status = json_file_write(a->outcome, json, 0, error);
    json_decref(json);
    return status;
}

static assay_status tune_one(workspace *ws, tune_arguments *a, const planned_tuning *t, json_t *documents,
                             int *exit_status, assay_error *error)
{
    tune_outcome outcome = {.best = -1, .winner = -1};
    a->options.variant = t->variant;
    a->options.size = t->size;
    a->options.dtype = t->dtype;
    a->options.report = a->report ? a->report : t->report;
    make_command(a, ws, t->op);
    if (a->common.dry_run) {
        printf("%s\n", a->command);
        return ASSAY_OK;
    }
    assay_status status = tune_run(ws, t->op, &a->options, &outcome, error);
    if (status == ASSAY_OK)
        status = write_outcome(a, &outcome, error);
    if (status == ASSAY_OK && a->common.json)
        json_array_append_new(documents, tune_outcome_json(&outcome));
    else if (status == ASSAY_OK)
        print_end(&outcome, a->options.no_finals);
    if (status == ASSAY_OK && exit_of(&outcome, a->options.no_finals) != ASSAY_EXIT_OK)
        *exit_status = exit_of(&outcome, a->options.no_finals);
    tune_outcome_release(&outcome);
    return status;
}

/* One after the other; a failure of one that is no finding ends them. */
static assay_status tune_here(workspace *ws, tune_arguments *a, const tune_plan *plan, int *exit_status,
                              assay_error *error)
{
    json_t *documents = json_array();
    assay_status status = ASSAY_OK;
    for (int i = 0; i < plan->count && status == ASSAY_OK && !process_interrupted(); i++)
        status = tune_one(ws, a, &plan->items[i], documents, exit_status, error);
    if (json_array_size(documents) > 0) /* what is done is not lost with what failed */
        cli_print_json(a->all || plan->count > 1 ? json_incref(documents)
                                                 : json_incref(json_array_get(documents, 0)));
    json_decref(documents);
    return status;
}

static assay_status make_plan(workspace *ws, tune_arguments *a, tune_plan *plan, assay_error *error)
{
    assay_status status = find_mode(a, error);
    if (status == ASSAY_OK)
        status = tune_plan_make(ws, a, plan, error);
    if (status == ASSAY_OK && a->space)
        status = tune_plan_take_space(a->space, plan, error);
    if (status == ASSAY_OK && (a->report || a->outcome) && plan->count > 1)
        status = assay_error_set(error, ASSAY_ERR_INVALID,
                                 "--report and --outcome name the file of one tuning; this asks for %d",
                                 plan->count);
    return status;
}

static assay_status tune_all(workspace *ws, tune_arguments *a, const tune_plan *plan, int *exit_status,
                             assay_error *error)
{
    return a->sweep_shapes > 0             ? tune_by_shape(ws, a, plan, exit_status, error)
           : a->slurm                      ? tune_on_slurm(ws, a, plan, exit_status, error)
           : a->devices && plan->count > 1 ? tune_on_cards(ws, a, plan, exit_status, error)
                                           : tune_here(ws, a, plan, exit_status, error);
}

/* On a cluster the machine that submits needs no device, and of a table over several devices their processes alone open them. */
static int needs_device(const tune_arguments *a)
{
    return !a->slurm && !a->common.dry_run && !(a->sweep_shapes > 0 && a->device_count > 1);
}

/* One tuning is spread over the devices that are named, or over all GPUs that are like the first; of one device it stays in this
 * process. Before this process asks for a device. */
static assay_status start_cards(workspace *ws, tune_arguments *a, const tune_plan *plan, tune_cards *cards,
                                assay_error *error)
{
    int *numbers = a->numbers, count = 0;
    assay_status status = ASSAY_OK;
    if (!needs_device(a) || plan->count != 1)
        return ASSAY_OK;
    if (a->devices)
        status = tune_read_devices(a->devices, numbers, TUNE_MOST_CARDS, &count, error);
    else if (strcmp(ws->device, "cuda") == 0 && !a->device_given)
        count = tune_cards_alike(ws->device, numbers);
    if (status != ASSAY_OK || count == 0)
        return status;
    a->device_count = count;
    if (count > 1 && a->sweep_shapes == 0) {
        a->options.variant = plan->items[0].variant;
        a->options.size = plan->items[0].size;
        a->options.dtype = plan->items[0].dtype;
        status = tune_cards_start(ws, plan->items[0].op, &a->options, numbers, count, cards, error);
        a->options.cards = cards;
    }
    if (strcmp(ws->device, "cuda") == 0) /* any number is the CPU device */
        a->options.evaluate.bench.device_ordinal = numbers[0];
    if (status == ASSAY_OK && count > 1 && !a->common.json)
        printf("on %d devices, %s\n", count,
               a->devices ? "as named" : "all that are like the first; --devices names fewer");
    return status;
}

int command_tune(int argc, char **argv)
{
    static const struct argp_child children[] = {
        {&cli_common_argp, 0, NULL, 0}, {&cli_filter_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {
        .options = tune_options_list,
        .parser = tune_options_parse,
        .args_doc = "OP[,OP...]",
        .doc =
            "Search the best values of a kernel's tunables: each configuration is compiled, verified and "
            "timed; the best are "
            "timed again, interleaved with the default, and one is named by the rules of `assay compare`. "
            "Each evaluation is "
            "kept as soon as it is done, so a run that was killed goes on with the same command.\v"
            "Without --variant, --dtype and --size: the last variant with tunables, the op's first dtype, "
            "large. Several of each are tuned one after the other, or with --executor slurm as the tasks of "
            "one job array.\n"
            "Exit status: 0 done, 1 no configuration of a tuning is right and timed, 2 wrong use, 3 "
            "something "
            "needed is missing or a task of the cluster failed, 77 skipped: no device, 130 interrupted.",
        .children = children,
    };
    tune_arguments a;
    tune_arguments_init(&a);
    cli_parse(&argp, argc, argv, &a);
    if (a.options.strategy && strcmp(a.options.strategy, "help") == 0) {
        list_strategies();
        return ASSAY_EXIT_OK;
    }
    workspace *ws;
    assay_device *device = NULL;
    assay_error error = {0};
    tune_plan plan = {0};
    static tune_cards cards;
    int exit_status = cli_open("tune", &a.common, &ws);
    if (exit_status != ASSAY_EXIT_OK)
        return exit_status;
    tune_arguments_finish(&a);
    process_watch_interrupts();
    assay_status status = make_plan(ws, &a, &plan, &error);
    if (status == ASSAY_OK && a.screen)
        status = screen_open(a.screen, &a.options.evaluate.screen, &error);
    if (status == ASSAY_OK)
        status = start_cards(ws, &a, &plan, &cards, &error);
    const int is_ready = status == ASSAY_OK;
    if (status == ASSAY_OK && needs_device(&a))
        status = cli_choose_card(ws, &a.options.evaluate.bench.device_ordinal, &error);
    a.options.finals.device_ordinal = a.options.evaluate.bench.device_ordinal;
    if (status == ASSAY_OK && needs_device(&a))
        status = cli_open_device(ws, &device, &error);
    assay_device_close(device);
    const int is_skipped = is_ready && status == ASSAY_ERR_ENVIRONMENT && !a.options.cards;
    if (status == ASSAY_OK)
        status = tune_all(ws, &a, &plan, &exit_status, &error);
    tune_cards_stop(&cards);
    tune_plan_release(&plan);
    workspace_close(a.options.evaluate.screen);
    if (is_skipped) {
        fprintf(stderr, "assay tune: skipped: %s\n", error.message);
        exit_status = ASSAY_EXIT_SKIPPED;
    } else if (status != ASSAY_OK)
        exit_status = process_interrupted() ? 130 : cli_fail("tune", &error);
    workspace_close(ws);
    return exit_status;
}
