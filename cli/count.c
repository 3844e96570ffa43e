/* assay count: what each source line of a kernel does in one launch, counted exactly on the device ptx. */
#include "cli/cli.h"
#include "cli/counting.h"
#include "core/json_file.h"
#include "core/list.h"
#include "core/process.h"
#include "counts/budget.h"
#include "counts/predict.h"
#include "device/ptx/backend_ptx.h"
#include "results/result_file.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUDGET_SIZE "small"

typedef struct count_arguments {
    cli_options common;
    const char *source, *out, *predict;
    int check, propose, card_sizes;
} count_arguments;

static const struct argp_option options_list[] = {
    {"source", 'S', "FILE.cu", 0, "count this kernel file instead of the build's variants (needs an op)", 1},
    {"out", 'O', "DIR", 0, "write a result file a case, for assay compare BASE NEW", 1},
    {"check", 'c', NULL, 0,
     "hold variants against their budgets.VARIANT.counts in op.json, at the size " BUDGET_SIZE
     "; with --source the file, against the budget of --variant",
     1},
    {"card-sizes", 'C', NULL, 0,
     "count at the dimensions that a card has for a size, not at the smaller ones of the CPU device; may "
     "take minutes",
     1},
    {"predict", 'P', "DIR", 0,
     "also predict the time on the card whose results with their ceilings.json are in DIR; no measurement; "
     "counts as with --card-sizes",
     1},
    {"propose", 'p', NULL, 0, "print budgets that the variants keep", 1},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    count_arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = state->child_inputs[1] = &a->common;
        return 0;
    case 'S':
        a->source = argument;
        return 0;
    case 'O':
        if (argument[0] == '\0')
            argp_error(state, "--out: the name of a folder is empty");
        a->out = argument;
        return 0;
    case 'c':
        a->check = 1;
        return 0;
    case 'C':
        a->card_sizes = 1;
        return 0;
    case 'P':
        a->predict = argument;
        a->card_sizes = 1;
        return 0;
    case 'p':
        a->propose = 1;
        return 0;
    case ARGP_KEY_ARG:
        return cli_parse_op(argument, &a->common, state);
    case ARGP_KEY_END:
        if (a->common.filter.ops == NULL)
            argp_error(state, "an op is expected, as in: assay count softmax --variant v3");
        if ((a->check || a->propose) && a->common.filter.sizes)
            argp_error(state, "--size: budgets are for the size " BUDGET_SIZE);
        if ((a->check || a->propose) && a->card_sizes)
            argp_error(state, "--card-sizes, --predict: budgets are for the dimensions of the CPU device");
        if (a->propose && (a->check || a->source))
            argp_error(state,
                       "--propose is for the build's variants, and goes with neither --check nor --source");
        if (a->check && a->source && list_count(a->common.filter.variants) != 1)
            argp_error(state, "--check --source: --variant says against the budget of which one");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

typedef struct count_job {
    const count_arguments *a;
    const counting *device;
    const predict_card *card;            /* NULL: nothing is predicted */
    json_t *cases, *excesses, *proposed; /* what was counted; over budget; {"softmax": {"budgets": {...}}} */
    int checked, over;
    char name[512];        /* of the case, while its budget is checked */
    const char *budget_of; /* the variant whose budget counts; NULL: the module's own */
} count_job;

static void report_excess(void *context, const counts_excess *e)
{
    count_job *job = context;
    if (!job->a->common.json) {
        printf("%s: %s is %.6g, over its budget of %.6g", job->name, e->limit, e->value, e->budget);
        if (e->file)
            printf("; most of it at %s:%u", e->file, e->line);
        putchar('\n');
    }
    json_array_append_new(job->excesses,
                          json_pack("{s:s, s:s, s:f, s:f, s:s?, s:o}", "case", job->name, "limit", e->limit,
                                    "value", e->value, "budget", e->budget, "file", e->file, "line",
                                    e->file ? json_integer((json_int_t)e->line) : json_null()));
}

static json_t *member(json_t *object, const char *key)
{
    if (!json_object_get(object, key))
        json_object_set_new(object, key, json_object());
    return json_object_get(object, key);
}

static assay_status use_budget(count_job *job, const case_counts *counts, const workspace_op *op,
                               const char *variant, const char *dtype, assay_error *error)
{
    json_t *budget;
    int checked = 0;
    if (job->a->propose) {
        json_t *variants = member(member(job->proposed, op->spec->name), "budgets");
        json_object_set_new(member(member(variants, variant), "counts"), dtype,
                            counts_budget_propose(counts));
        return ASSAY_OK;
    }
    const assay_status status =
        counts_budget_read(op, job->budget_of ? job->budget_of : variant, &budget, error);
    if (status == ASSAY_OK)
        job->over += counts_budget_check(counts, budget, dtype, report_excess, job, &checked);
    job->checked += checked;
    json_decref(budget);
    return status;
}

static assay_status write_result(const count_job *job, const result *r, assay_error *error)
{
    char path[PATH_MAX], file[400];
    result_file_name(&r->id, file, sizeof file);
    snprintf(path, sizeof path, "%s/%s", job->a->out, file);
    return result_write_file(path, r, error);
}

static json_t *prediction_json(const prediction *p, const char *card)
{
    json_t *parts = json_object();
    for (int i = 0; i < PREDICT_PARTS; i++)
        json_object_set_new(parts, predict_part_names[i], json_number(p->part_us[i]));
    return json_pack("{s:s, s:o, s:[o, o], s:s, s:o, s:s}", "card", card, "us", json_number(p->us),
                     "interval80_us", json_number(p->low_us), json_number(p->high_us), "most",
                     predict_part_names[p->most], "parts_us", parts, "kind", "prediction, not a measurement");
}

/* What needs the counts as a result: its file, and the prediction, which `one` gets if it is not NULL. */
static assay_status use_result(const count_job *job, const case_counts *counts, const workspace_op *op,
                               const module_record *module, const char *size, json_t *one, assay_error *error)
{
    result *r;
    prediction p;
    assay_status status = counts_result(counts, job->device->ws, op, module, size,
                                        assay_device_get_info(job->device->device), &r, error);
    if (status == ASSAY_OK && job->a->out)
        status = write_result(job, r, error);
    if (status == ASSAY_OK && job->card) {
        predict_time(r, job->card, &predict_fitted, &p);
        if (one)
            json_object_set_new(one, "prediction", prediction_json(&p, job->card->name));
        else
            printf("predicted: %.3g us on %s, 80%% interval %.3g to %.3g us, mostly %s; a prediction, not a "
                   "measurement\n",
                   p.us, job->card->name, p.low_us, p.high_us, predict_part_names[p.most]);
    }
    result_free(r);
    return status;
}

static assay_status deliver(count_job *job, const case_counts *counts, const workspace_op *op,
                            const module_record *module, const char *size, assay_error *error)
{
    const char *variant = json_get_text(module->json, "variant", ""),
               *dtype = json_get_text(module->json, "dtype", "");
    snprintf(job->name, sizeof job->name, "%s.%s.%s.%s", op->spec->name, variant, dtype, size);
    json_t *one = NULL;
    if (job->a->common.json && !job->a->propose) {
        one = json_pack("{s:s, s:s, s:s, s:s, s:s}", "case", job->name, "op", op->spec->name, "variant",
                        variant, "dtype", dtype, "size", size);
        json_t *counted = counts_json(counts);
        json_object_update(one, counted);
        json_decref(counted);
        json_array_append_new(job->cases, one);
    } else if (!job->a->check && !job->a->propose) {
        printf("%s\n", job->name);
        for (int i = 0; i < counts->count; i++)
            device_ptx_print_kernel(&counts->kernels[i].of);
    }
    if (job->a->out || job->card) {
        const assay_status status = use_result(job, counts, op, module, size, one, error);
        if (status != ASSAY_OK)
            return status;
    }
    return job->a->check || job->a->propose ? use_budget(job, counts, op, variant, dtype, error) : ASSAY_OK;
}

/* One module at all sizes that are asked for. A kernel that is for other dtypes has nothing to count. */
static assay_status count_module(count_job *job, const char *path, const char *sizes, assay_error *error)
{
    module_record module;
    assay_status status = module_record_read(path, &module, error);
    if (status != ASSAY_OK)
        return status;
    const workspace_op *op = workspace_find_op(job->device->ws, json_get_text(module.json, "op", ""));
    for (list_item item = {0};
         status == ASSAY_OK && strcmp(module.status, "skipped") != 0 && list_next(sizes, &item);) {
        char size[ASSAY_NAME_MAX];
        case_counts counts;
        snprintf(size, sizeof size, "%.*s", item.length, item.text);
        status = counts_take(job->device->device, op, &module, size, job->a->card_sizes ? "cuda" : "ptx",
                             &counts, error);
        if (status == ASSAY_OK)
            status = deliver(job, &counts, op, &module, size, error);
        counts_release(&counts);
    }
    module_record_release(&module);
    return status;
}

/* A budget may be of some dtypes alone: "counts": {"bf16": {...}}. A limit beside them is for all. */
static int is_for_dtype(const json_t *budget, const char *dtype)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)budget, key, value)
    {
        if (!json_is_object(value) || strcmp(key, dtype) == 0)
            return 1;
    }
    return 0;
}

/* Only variants with a budget for the dtype are compiled for a check. `names` gets them as a list; "" there are none. */
static assay_status list_budgets(const workspace *ws, const case_filter *filter, const char *dtype,
                                 char names[2048], assay_error *error)
{
    const workspace_op *op = workspace_find_op(ws, filter->ops);
    size_t used = 0;
    names[0] = '\0';
    for (int i = 0; op && i < op->variant_count; i++) {
        json_t *budget;
        if (!list_selects_variant(filter->variants, op->variants[i]))
            continue;
        const assay_status status = counts_budget_read(op, op->variants[i], &budget, error);
        if (status != ASSAY_OK)
            return status;
        if (is_for_dtype(budget, dtype) && used < 2048)
            used += (size_t)snprintf(names + used, 2048 - used, "%s%s", used ? "," : "", op->variants[i]);
        json_decref(budget);
    }
    return ASSAY_OK;
}

static assay_status count_all(count_job *job, case_filter *filter, assay_error *error)
{
    made_modules made = {0};
    assay_status status = counting_modules(job->device, filter, job->a->source, &made, error);
    for (int i = 0; i < made.count && status == ASSAY_OK && !process_interrupted(); i++)
        status = count_module(job, made.records[i], filter->sizes, error);
    made_modules_release(&made);
    return status;
}

/* Each dtype with the variants that have a budget for it; without --dtype all that budgets name. `any`: there was one. */
static assay_status check_all(count_job *job, const workspace *ws, case_filter *filter, int *any,
                              assay_error *error)
{
    const workspace_op *op = workspace_find_op(ws, filter->ops);
    const char *asked = job->a->common.filter.dtypes;
    case_filter one = *filter;
    char names[2048];
    assay_status status = ASSAY_OK;
    *any = 0;
    for (int d = 0; d < ASSAY_DTYPE_COUNT && op && status == ASSAY_OK; d++) {
        one.dtypes = assay_dtype_name((assay_dtype)d);
        if (!opspec_has_dtype(op->spec, (assay_dtype)d) || !list_selects(asked, one.dtypes))
            continue;
        status = list_budgets(ws, filter, one.dtypes, names, error);
        if (status != ASSAY_OK || !names[0])
            continue;
        *any = 1;
        one.variants = names;
        job->budget_of = job->a->source ? names : NULL;
        status = count_all(job, &one, error);
    }
    return status;
}

static int print_outcome(const count_job *job)
{
    if (job->a->propose)
        cli_print_json(json_incref(job->proposed));
    else if (job->a->common.json)
        cli_print_json(json_pack("{s:i, s:s, s:O, s:i, s:O}", "schema", 1, "device",
                                 assay_device_get_info(job->device->device)->slug, "cases", job->cases,
                                 "checked", job->checked, "excesses", job->excesses));
    else if (job->a->check)
        printf("%d figures checked, %d over budget\n", job->checked, job->over);
    return job->over > 0 ? ASSAY_EXIT_CHECK : ASSAY_EXIT_OK;
}

static int run(workspace *ws, const count_arguments *a, assay_error *error)
{
    counting device = {0};
    predict_card card;
    int exit_status = ASSAY_EXIT_OK, has_budget = 1;
    case_filter filter = a->common.filter;
    count_job job = {.a = a,
                     .device = &device,
                     .cases = json_array(),
                     .excesses = json_array(),
                     .proposed = json_object()};
    filter.sizes = filter.sizes ? filter.sizes : BUDGET_SIZE;
    filter.dtypes = filter.dtypes ? filter.dtypes : "f32";
    assay_status status = cli_check_filter(ws, &filter, error);
    if (status == ASSAY_OK && a->predict)
        status = predict_card_read(a->predict, &card, error);
    job.card = a->predict ? &card : NULL;
    if (status == ASSAY_OK)
        status = counting_open(ws, &device, error);
    if (status == ASSAY_OK && a->check)
        status = check_all(&job, ws, &filter, &has_budget, error);
    else if (status == ASSAY_OK)
        status = count_all(&job, &filter, error);
    const int is_skipped = status == ASSAY_OK && !has_budget;
    if (status != ASSAY_OK)
        exit_status = cli_fail("count", error);
    else if (is_skipped) {
        fprintf(stderr,
                "skipped: no variant of %s has budgets.VARIANT.counts in op.json (assay count %s --propose "
                "prints one)\n",
                filter.ops, filter.ops);
        exit_status = ASSAY_EXIT_SKIPPED;
    } else
        exit_status = process_interrupted() ? 130 : print_outcome(&job);
    counting_close(&device);
    json_decref(job.cases);
    json_decref(job.excesses);
    json_decref(job.proposed);
    return exit_status;
}

int command_count(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options_list,
        .parser = parse,
        .args_doc = "OP",
        .doc =
            "Launch kernels once on the device ptx and print, for each source line, the warp instructions "
            "and their active lanes, "
            "sectors a request of global memory and wavefronts a request of shared memory with the least "
            "that could hold the "
            "bytes, divergent branches, barriers, atomics and tensor instructions. The numbers are exact and "
            "no times. Default: f32 at the size " BUDGET_SIZE ".\v"
            "Exit status: 0 done, 1 a kernel failed or a figure is over its budget, 2 wrong use, 3 something "
            "needed is missing, 77 --check: there is no budget.",
        .children = cli_filter_children,
    };
    count_arguments a = {0};
    cli_parse(&argp, argc, argv, &a);
    workspace *ws;
    int exit_status = cli_open("count", &a.common, &ws);
    if (exit_status != ASSAY_EXIT_OK)
        return exit_status;
    assay_error error = {0};
    process_watch_interrupts();
    exit_status = run(ws, &a, &error);
    workspace_close(ws);
    return exit_status;
}
