/* assay tune: search the best values of a kernel's tunables. */
#include "cli/tune_options.h"
#include "core/list.h"
#include "core/process.h"
#include "history/compare.h"
#include "tune/evaluate/screen.h"
#include "tune/evaluate/select.h"
#include "tune/strategies/strategy.h"
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

/* The last one that the filter selects: later steps are the faster ones. */
static assay_status find_variant(const tune_arguments *a, const workspace_op *op, char out[ASSAY_NAME_MAX],
                                 assay_error *error)
{
    out[0] = '\0';
    for (int i = 0; i < op->variant_count; i++)
        if (list_selects_variant(a->common.filter.variants, op->variants[i]) &&
            opspec_find_tunables(op->spec, op->variants[i]) &&
            opspec_variant_has_dtype(op->spec, op->variants[i], a->options.dtype))
            snprintf(out, ASSAY_NAME_MAX, "%s", op->variants[i]);
    return out[0] ? ASSAY_OK
                  : assay_error_set(error, ASSAY_ERR_INVALID,
                                    "no variant of %s that was asked for has tunables for %s; \"assay list "
                                    "--tunables\" shows which have",
                                    op->spec->name, assay_dtype_name(a->options.dtype));
}

static assay_status find_dtype(tune_arguments *a, const workspace_op *op, assay_error *error)
{
    const char *name = a->common.filter.dtypes;
    a->options.dtype = op->spec->dtypes[0];
    if (name &&
        (!assay_dtype_parse(name, &a->options.dtype) || !opspec_has_dtype(op->spec, a->options.dtype)))
        return assay_error_set(error, ASSAY_ERR_INVALID, "--dtype: %s has no dtype \"%s\"; one is expected",
                               op->spec->name, name);
    return ASSAY_OK;
}

static assay_status find_size(const tune_arguments *a, const workspace_op *op, char out[ASSAY_NAME_MAX],
                              assay_error *error)
{
    const opspec_size *size =
        opspec_find_size(op->spec, a->common.filter.sizes ? a->common.filter.sizes : "large");
    if (a->common.dims && a->common.filter.sizes)
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "--dims: the dimensions are the size; --size is for those of op.json");
    if (a->common.dims)
        return select_shape(op, a->common.dims, a->common.params, out, error);
    if (!size || !opspec_has_case(op->spec, a->options.dtype, size->name))
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "--size: %s has no size \"%s\" for %s; \"assay list\" shows the sizes",
                               op->spec->name, a->common.filter.sizes, assay_dtype_name(a->options.dtype));
    snprintf(out, ASSAY_NAME_MAX, "%s", size->name);
    return ASSAY_OK;
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
    if (a->mode)
        snprintf(a->command + strlen(a->command), sizeof a->command - strlen(a->command), " --mode %s",
                 a->mode);
    a->options.command = a->command;
}

static void print_end(const tune_outcome *out)
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
        if (out->winner > 0 && !out->saved[0])
            printf("not saved; --save writes it to the op's folder for the next build\n");
    } else if (strcmp(out->end, "interrupted") == 0)
        printf("interrupted; the same command goes on\n");
    else
        printf("no winner: no configuration is right at all sizes and edge cases and was timed\n");
    if (out->saved[0])
        printf("saved to %s; build again to use it\n", out->saved);
    if (out->report[0])
        printf("report: %s\n", out->report);
}

/* 0, 1 without a winner, 130. */
static int exit_of(const tune_outcome *out)
{
    return strcmp(out->end, "interrupted") == 0 ? 130 : out->winner >= 0 ? ASSAY_EXIT_OK : ASSAY_EXIT_CHECK;
}

static assay_status tune_one(workspace *ws, tune_arguments *a, const workspace_op *op, int *exit_status,
                             assay_error *error)
{
    char variant[ASSAY_NAME_MAX], size[ASSAY_NAME_MAX];
    tune_outcome outcome = {.best = -1, .winner = -1};
    assay_status status = find_dtype(a, op, error);
    if (status == ASSAY_OK)
        status = find_variant(a, op, variant, error);
    if (status == ASSAY_OK)
        status = find_size(a, op, size, error);
    if (status != ASSAY_OK)
        return status;
    a->options.variant = variant;
    a->options.size = size;
    make_command(a, ws, op);
    if (a->common.dry_run) {
        printf("%s\n", a->command);
        return ASSAY_OK;
    }
    status = tune_run(ws, op, &a->options, &outcome, error);
    if (status == ASSAY_OK && a->common.json)
        cli_print_json(tune_outcome_json(&outcome));
    else if (status == ASSAY_OK)
        print_end(&outcome);
    if (status == ASSAY_OK && exit_of(&outcome) != ASSAY_EXIT_OK)
        *exit_status = exit_of(&outcome);
    tune_outcome_release(&outcome);
    return status;
}

static int has_tunables(const tune_arguments *a, const workspace_op *op)
{
    tune_arguments probe = *a;
    char variant[ASSAY_NAME_MAX];
    return find_dtype(&probe, op, NULL) == ASSAY_OK && find_variant(&probe, op, variant, NULL) == ASSAY_OK;
}

static assay_status tune_all(workspace *ws, tune_arguments *a, int *exit_status, assay_error *error)
{
    const workspace_op *one = a->common.filter.ops ? workspace_find_op(ws, a->common.filter.ops) : NULL;
    assay_status status = find_mode(a, error);
    if (status == ASSAY_OK)
        status = cli_check_filter(ws, &(case_filter){.ops = a->common.filter.ops}, error);
    if (status == ASSAY_OK && !a->all && !one)
        status = assay_error_set(error, ASSAY_ERR_INVALID,
                                 "one op is expected, as in: assay tune softmax; or --all");
    if (status == ASSAY_OK && !a->all)
        return tune_one(ws, a, one, exit_status, error);
    for (int i = 0; i < ws->op_count && status == ASSAY_OK && !process_interrupted(); i++)
        if (list_selects(a->common.filter.ops, ws->ops[i].spec->name) && has_tunables(a, &ws->ops[i]))
            status = tune_one(ws, a, &ws->ops[i], exit_status, error);
    return status;
}

int command_tune(int argc, char **argv)
{
    static const struct argp_child children[] = {
        {&cli_common_argp, 0, NULL, 0}, {&cli_filter_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {
        .options = tune_options_list,
        .parser = tune_options_parse,
        .args_doc = "OP",
        .doc = "Search the best values of a kernel's tunables: each configuration is compiled, verified and "
               "timed; the best are "
               "timed again, interleaved with the default, and one is named by the rules of `assay compare`. "
               "Each evaluation is "
               "kept as soon as it is done, so a run that was killed goes on with the same command.\v"
               "Without --variant, --dtype and --size: the last variant with tunables, the op's first dtype, "
               "large.\n"
               "Exit status: 0 done, 1 no configuration is right and timed, 2 wrong use, 3 something needed "
               "is missing, 77 "
               "skipped: no device, 130 interrupted.",
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
    int exit_status = cli_open("tune", &a.common, &ws);
    if (exit_status != ASSAY_EXIT_OK)
        return exit_status;
    tune_arguments_finish(&a);
    process_watch_interrupts();
    assay_status status = cli_open_device(ws, &device, &error);
    assay_device_close(device);
    if (status == ASSAY_ERR_ENVIRONMENT) {
        fprintf(stderr, "assay tune: skipped: %s\n", error.message);
        workspace_close(ws);
        return ASSAY_EXIT_SKIPPED;
    }
    if (status == ASSAY_OK && a.screen)
        status = screen_open(a.screen, &a.options.evaluate.screen, &error);
    if (status == ASSAY_OK)
        status = tune_all(ws, &a, &exit_status, &error);
    workspace_close(a.options.evaluate.screen);
    if (status != ASSAY_OK)
        exit_status = process_interrupted() ? 130 : cli_fail("tune", &error);
    workspace_close(ws);
    return exit_status;
}
