/* assay sweep: shapes that nobody chose, verified and timed beside the best baseline. */
#include "cli/sweep_options.h"
#include "cli/verify_modules.h"
#include "core/list.h"
#include "core/process.h"
#include "sweep/draw.h"
#include "sweep/report.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT_ON_CUDA = 100, COUNT_ON_CPU = 40, LIMIT_CHECKED_S = 960 };

/* The ladder's last step: later ones are the faster ones, and what is written in Triton beside it is no step. */
static const char *last_step(const workspace_op *op)
{
    static const char beside[] = "_triton";
    for (int i = op->variant_count - 1; i >= 0; i--) {
        const size_t length = strlen(op->variants[i]);
        if (length < strlen(beside) || strcmp(op->variants[i] + length - strlen(beside), beside) != 0)
            return op->variants[i];
    }
    return op->variant_count > 0 ? op->variants[op->variant_count - 1] : NULL;
}

static const char *choose_variants(const sweep_arguments *a, const workspace_op *op)
{
    if (a->common.filter.variants)
        return strcmp(a->common.filter.variants, "all") == 0 ? NULL : a->common.filter.variants;
    return last_step(op);
}

static void choose_baselines(const workspace *ws, const sweep_arguments *a, const opspec *spec, char *out,
                             size_t bytes)
{
    size_t used = 0;
    out[0] = '\0';
    if (a->baselines && strcmp(a->baselines, "all") != 0)
        snprintf(out, bytes, "%s", strcmp(a->baselines, "none") == 0 ? "" : a->baselines);
    else if (strcmp(ws->device, "cpu") == 0) /* libraries need a GPU */
        snprintf(out, bytes, "reference");
    else if (!a->baselines)
        sweep_quick_baselines(spec, out, bytes);
    else
        for (int i = 0; i < spec->baseline_count && used < bytes; i++)
            used += (size_t)snprintf(out + used, bytes - used, "%s%s", used ? "," : "", spec->baselines[i]);
}

static void make_command(const sweep_arguments *a, const workspace_op *op, const sweep_options *o, int drawn,
                         char *out, size_t bytes)
{
    size_t used = (size_t)snprintf(out, bytes, "assay sweep %s", op->spec->name);
    const char *const texts[][2] = {{"--variant", a->common.filter.variants},
                                    {"--dtype", a->common.filter.dtypes},
                                    {"--family", a->families},
                                    {"--source", a->source},
                                    {"--shapes", a->shapes},
                                    {"--baselines", a->baselines},
                                    {"--require", a->require_text}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts && used < bytes; i++)
        if (texts[i][1])
            used += (size_t)snprintf(out + used, bytes - used, " %s %s", texts[i][0], texts[i][1]);
    if (drawn > 0 && used < bytes)
        used += (size_t)snprintf(out + used, bytes - used, " --count %d --seed %llu", drawn,
                                 (unsigned long long)a->seed);
    if (used < bytes && a->check)
        used += (size_t)snprintf(out + used, bytes - used, " --check");
    if (used < bytes && a->timed)
        used += (size_t)snprintf(out + used, bytes - used, " --timed");
    if (used < bytes && a->verify_only)
        used += (size_t)snprintf(out + used, bytes - used, " --verify-only");
    if (used < bytes && o->mode != TIMING_COLD)
        snprintf(out + used, bytes - used, " --mode %s", timing_mode_name(o->mode));
}

static assay_status find_shapes(const workspace *ws, const sweep_arguments *a, const workspace_op *op,
                                int count, shape_list *list, assay_error *error)
{
    const assay_op_impl *impl;
    const assay_status status = workspace_load_impl(op, &impl, error);
    return status != ASSAY_OK ? status
           : a->shapes        ? shape_list_read(op->spec, impl, a->shapes, list, error)
                       : draw_shapes(op->spec, impl, ws->device, a->families, a->seed, count, list, error);
}

/* Everything that is printed and written of one op. *exit_status becomes 1 where a shape is wrong or a requirement missed. */
static assay_status tell(const workspace *ws, const sweep_arguments *a, const sweep_outcome *out,
                         sweep_request *request, json_t *documents, int *exit_status, assay_error *error)
{
    sweep_summary *summary = malloc(sizeof *summary);
    char missed[300] = "", path[4400];
    if (!summary)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    sweep_summarise(out, summary);
    if (!out->interrupted && !sweep_require_holds(&a->require, summary, missed, sizeof missed))
        *exit_status = ASSAY_EXIT_CHECK;
    if (summary->all.wrong > 0)
        *exit_status = ASSAY_EXIT_CHECK;
    request->missed = missed;
    if (a->common.json)
        json_array_append_new(documents, sweep_json(out, summary, request));
    else
        sweep_print(out, summary, request, stdout);
    const assay_status status =
        sweep_report_write(ws, out, summary, request, a->no_plots, path, sizeof path, error);
    if (status == ASSAY_OK && !a->common.json)
        printf("%s\n%s\n", request->command, path);
    free(summary);
    return status;
}

/* The modules of --check and --source. */
static assay_status compile(const workspace *ws, const sweep_arguments *a, const case_filter *filter,
                            sweep_options *o, made_modules *made, assay_error *error)
{
    if (!a->check && !a->source)
        return ASSAY_OK;
    if (a->check && strcmp(ws->device, "cpu") != 0)
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "--check is the CPU device's; on a GPU use: assay sanitize");
    case_filter small = *filter;
    small.sizes = "small";
    const made_modules_request which = {.source = a->source, .checked = a->check};
    const assay_status status = made_modules_compile(ws, &small, &which, 1, made, error);
    o->modules = made->records;
    o->module_count = made->count;
    o->checked = a->check;
    o->confined = a->source != NULL;
    return status == ASSAY_OK && made->count == 0
               ? assay_error_set(error, ASSAY_ERR_INVALID,
                                 "no kernel matches; \"assay list\" shows what there is")
               : status;
}

/* One op. `budget_s` 0: none. */
static assay_status sweep_op(workspace *ws, const sweep_arguments *a, const workspace_op *op, double budget_s,
                             json_t *documents, int *exit_status, assay_error *error)
{
    char baselines[OPSPEC_MAX_BASELINES * ASSAY_NAME_MAX];
    shape_list list = {0};
    sweep_outcome out = {0};
    made_modules made = {0};
    sweep_options o = a->options;
    const int cpu = strcmp(ws->device, "cpu") == 0;
    const int count = a->count ? a->count : cpu ? COUNT_ON_CPU : COUNT_ON_CUDA;
    o.timed = a->timed || (!cpu && !a->verify_only && !a->check && !a->source);
    o.variants = choose_variants(a, op);
    o.dtypes = a->common.filter.dtypes;
    o.budget_s = budget_s;
    o.seed = a->seed;
    o.limit_s = o.limit_s > 0 ? o.limit_s : a->check ? LIMIT_CHECKED_S : 0;
    choose_baselines(ws, a, op->spec, baselines, sizeof baselines);
    o.bench.baselines = baselines;
    assay_status status = find_shapes(ws, a, op, count, &list, error);
    const case_filter filter = {.ops = op->spec->name, .variants = o.variants, .dtypes = o.dtypes};
    if (status == ASSAY_OK)
        status = cli_check_filter(ws, &filter, error);
    if (status == ASSAY_OK && o.timed)
        status = bench_check_baselines(ws, &filter, o.bench.baselines, error);
    if (status == ASSAY_OK && sweep_require_asks(&a->require) && !o.timed)
        status = assay_error_set(error, ASSAY_ERR_INVALID,
                                 "--require is about times; on the CPU device add --timed");
    if (status == ASSAY_OK && (a->list || a->common.dry_run))
        shape_list_print(&list, stdout);
    else if (status == ASSAY_OK) {
        sweep_request request = {.device =
                                     strrchr(ws->results, '/') ? strrchr(ws->results, '/') + 1 : ws->device,
                                 .baselines = baselines[0] ? baselines : "none",
                                 .seed = a->shapes ? 0 : a->seed,
                                 .timed = o.timed,
                                 .mode = o.mode};
        make_command(a, op, &o, a->shapes ? 0 : count, request.command, sizeof request.command);
        status = compile(ws, a, &filter, &o, &made, error);
        if (status == ASSAY_OK)
            status = sweep_run(ws, op, &list, &o, &out, error);
        if (status == ASSAY_OK)
            status = tell(ws, a, &out, &request, documents, exit_status, error);
        if (*exit_status == ASSAY_EXIT_OK && out.errors > 0)
            *exit_status = out.error_exit;
    }
    sweep_outcome_release(&out);
    made_modules_release(&made);
    shape_list_release(&list);
    return status;
}

/* With a budget each op gets an equal part of what is left. An op that cannot be swept ends the run of one, and is a line of --all. */
static assay_status sweep_ops(workspace *ws, const sweep_arguments *a, int *exit_status, assay_error *error)
{
    const double begin = process_clock_s();
    json_t *documents = json_array();
    assay_status status = ASSAY_OK;
    int found = 0;
    for (int i = 0; i < ws->op_count && status == ASSAY_OK && !process_interrupted(); i++) {
        const workspace_op *op = &ws->ops[i];
        const double left = a->options.budget_s - (process_clock_s() - begin),
                     share = left / (ws->op_count - i);
        const double budget = a->options.budget_s <= 0 ? 0
                              : !a->all                ? a->options.budget_s
                              : share > 0.001          ? share
                                                       : 0.001;
        if (!a->all && strcmp(op->spec->name, a->common.filter.ops) != 0)
            continue;
        found++;
        status = sweep_op(ws, a, op, budget, documents, exit_status, error);
    }
    if (status == ASSAY_OK && found == 0 && !process_interrupted())
        status = cli_check_filter(ws, &a->common.filter, error); /* names the ops that there are */
    if (status == ASSAY_OK && a->common.json && !a->list && !a->common.dry_run)
        cli_print_json(a->all ? json_incref(documents) : json_incref(json_array_get(documents, 0)));
    json_decref(documents);
    return status;
}

static assay_status open_device(workspace *ws, sweep_arguments *a, assay_error *error)
{
    assay_device *device = NULL;
    assay_status status = cli_choose_card(ws, &a->options.bench.device_ordinal, error);
    if (status == ASSAY_OK)
        status = cli_open_device(ws, &device, error);
    assay_device_close(device);
    return status;
}

int command_sweep(int argc, char **argv)
{
    static const struct argp argp = {
        .options = sweep_options_list,
        .parser = sweep_options_parse,
        .args_doc = "OP",
        .doc = "Draw shapes that nobody chose from op.json's \"sweep\", verify each and time it beside the "
               "best baseline, and say how "
               "the ratios are distributed: logs/OP_sweep.md. On the CPU device a fuzz of correctness over "
               "shapes. The last "
               "variant is swept unless --variant names others (\"all\": every one), in every dtype.\v"
               "The same seed gives the same shapes on every machine. Run again after an interrupt, it goes "
               "on where it stopped.\n"
               "Exit status: 0 done, 1 a shape is wrong or --require is missed, 2 wrong use, 3 something "
               "needed is missing, 77 "
               "skipped: no device, 130 interrupted.",
        .children = cli_filter_children,
    };
    sweep_arguments a;
    assay_error error = {0};
    sweep_arguments_init(&a);
    cli_parse(&argp, argc, argv, &a);
    if (sweep_arguments_check(&a, &error) != ASSAY_OK)
        return cli_fail("sweep", &error);
    workspace *ws;
    int exit_status = cli_open("sweep", &a.common, &ws);
    if (exit_status != ASSAY_EXIT_OK)
        return exit_status;
    a.options.progress = a.common.json ? NULL : stderr;
    process_watch_interrupts();
    assay_status status = a.list || a.common.dry_run ? ASSAY_OK : open_device(ws, &a, &error);
    if (status == ASSAY_ERR_ENVIRONMENT) {
        fprintf(stderr, "assay sweep: skipped: %s\n", error.message);
        exit_status = ASSAY_EXIT_SKIPPED;
    } else {
        if (status == ASSAY_OK)
            status = sweep_ops(ws, &a, &exit_status, &error);
        exit_status = status != ASSAY_OK      ? cli_fail("sweep", &error)
                      : process_interrupted() ? 130
                                              : exit_status;
    }
    workspace_close(ws);
    return exit_status;
}
