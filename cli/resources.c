/* assay resources: registers, spills, shared memory, occupancy and code of compiled kernels, and whether they keep their budgets. */
#include "cli.h"
#include "json_file.h"
#include "resources.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct resources_arguments {
    cli_options common;
    const char *arch;
    int check, propose, kernels;
} resources_arguments;

static const struct argp_option options_list[] = {
    {"arch", 'a', "ARCH", 0, "only this architecture, such as sm_90a", 1},
    {"kernels", 'k', NULL, 0, "a line for each kernel, with its instructions where they could be read", 1},
    {"check", 'c', NULL, 0, "hold the figures against the budgets of op.json", 1},
    {"propose", 'p', NULL, 0, "print budgets for op.json that today's figures just meet", 1},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    resources_arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = state->child_inputs[1] = &a->common;
        return 0;
    case 'a':
        a->arch = argument;
        return 0;
    case 'k':
        a->kernels = 1;
        return 0;
    case 'c':
        a->check = 1;
        return 0;
    case 'p':
        a->propose = 1;
        return 0;
    case ARGP_KEY_END:
        if (a->common.filter.sizes != NULL)
            argp_error(state, "--size: a kernel is compiled once for all sizes");
        if (a->check && a->propose)
            argp_error(state, "--check and --propose exclude each other");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* A module and what its record says; `resources` is borrowed from the record. */
typedef struct module {
    const workspace_op *op;
    const char *variant, *dtype;
    char name[3 * ASSAY_NAME_MAX];
    module_record record;
    const json_t *resources;
} module;

typedef struct module_list {
    assay_case *cases;
    module *items;
    int count;
} module_list;

static void release_modules(module_list *list)
{
    for (int i = 0; i < list->count; i++)
        module_record_release(&list->items[i].record);
    free(list->items);
    free(list->cases);
}

static int same_module(const assay_case *a, const module *m)
{
    return a->op == m->op && strcmp(a->variant, m->variant) == 0 &&
           strcmp(assay_dtype_name(a->dtype), m->dtype) == 0;
}

static assay_status read_module(const workspace *ws, const assay_case *c, module *m, assay_error *error)
{
    char path[PATH_MAX];
    m->op = c->op;
    m->variant = c->variant;
    m->dtype = assay_dtype_name(c->dtype);
    snprintf(m->name, sizeof m->name, "%s.%s.%s", c->op->spec->name, c->variant, m->dtype);
    case_module_path(ws, c, path, sizeof path);
    if (access(path, R_OK) != 0)
        return assay_error_set(error, ASSAY_ERR_ENVIRONMENT,
                               "%s is not built: build the target module_%s_%s_%s", m->name,
                               c->op->spec->name, c->variant, m->dtype);
    const assay_status status = module_record_read(path, &m->record, error);
    if (status == ASSAY_OK)
        m->resources = json_object_get(m->record.json, "resources");
    return status;
}

/* Cases of the filter with each module once: cases of one module differ in size only, but are no neighbours. */
static assay_status list_modules(const workspace *ws, const case_filter *filter, module_list *list,
                                 assay_error *error)
{
    int case_count;
    assay_status status = workspace_list_cases(ws, filter, 0, &list->cases, &case_count, error);
    if (status != ASSAY_OK)
        return status;
    list->items = calloc((size_t)case_count + 1, sizeof *list->items);
    if (list->items == NULL)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    for (int i = 0; i < case_count && status == ASSAY_OK; i++) {
        int seen = 0;
        for (int j = list->count; j-- > 0 && !seen;)
            seen = same_module(&list->cases[i], &list->items[j]);
        if (!seen &&
            (status = read_module(ws, &list->cases[i], &list->items[list->count], error)) == ASSAY_OK)
            list->count++;
    }
    return status;
}

/* ---- the table ------------------------------------------------------------------------------------------------------- */

static void print_cell(const json_t *object, const char *key, int width)
{
    const json_t *value = json_object_get(object, key);
    if (json_is_number(value))
        printf(" %*.0f", width, json_number_value(value));
    else
        printf(" %*s", width, "-");
}

static void print_kernel(const json_t *kernel)
{
    const json_t *occupancy = json_object_get(kernel, "occupancy");
    printf("    %s\n     ", json_get_text(kernel, "name", "?"));
    print_cell(kernel, "registers", 4);
    printf(" registers,");
    print_cell(kernel, "spill_store_bytes", 1);
    printf(" + ");
    print_cell(kernel, "spill_load_bytes", 1);
    printf(" bytes spilled,");
    print_cell(kernel, "stack_bytes", 1);
    printf(" stack,");
    print_cell(kernel, "static_shared_bytes", 1);
    printf(" shared%s,",
           json_is_true(json_object_get(kernel, "dynamic_shared")) ? " and more at launch" : "");
    print_cell(kernel, "code_bytes", 1);
    printf(" code");
    if (json_is_object(occupancy))
        printf("; %.0f threads a block (%s): occupancy %s%.0f%%, limited by %s",
               json_get_number(kernel, "block_threads", 0), json_get_text(kernel, "block_from", "?"),
               json_is_true(json_object_get(occupancy, "upper_bound")) ? "at most " : "",
               json_get_number(occupancy, "percent", 0), json_get_text(occupancy, "limited_by", "?"));
    else if (json_object_get(kernel, "occupancy_reason") != NULL)
        printf("; occupancy not known: %s", json_get_text(kernel, "occupancy_reason", ""));
    putchar('\n');
    size_t index;
    json_t *warning;
    json_array_foreach(json_object_get(kernel, "warnings"), index, warning)
        printf("      %s\n", json_string_value(warning));
}

/* "      412 instructions: global_load 32:4 128:8, fma 64, ..." */
static void print_mix(const json_t *mix)
{
    const char *class, *key;
    json_t *value, *inner;
    const char *between = ": ";
    if (!json_is_object(mix))
        return;
    printf("      %.0f instructions", json_get_number(mix, "total", 0));
    json_object_foreach((json_t *)mix, class, value)
    {
        if (strcmp(class, "total") == 0)
            continue;
        printf("%s%s", between, class);
        between = ", ";
        if (json_is_integer(value))
            printf(" %lld", (long long)json_integer_value(value));
        json_object_foreach(value, key, inner) printf(" %s:%lld", key, (long long)json_integer_value(inner));
    }
    putchar('\n');
}

static void print_arch(const module *m, const char *arch, const json_t *part, int with_kernels)
{
    static const struct {
        const char *key;
        int width;
    } columns[] = {{"kernels", 7},     {"registers", 9},    {"spill_bytes", 7},
                   {"stack_bytes", 6}, {"shared_bytes", 7}, {"code_bytes", 8}};
    const json_t *summary = json_object_get(part, "summary");
    printf("%-36s %-8s", m->name, arch);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        print_cell(summary, columns[i].key, columns[i].width);
    const json_t *percent = json_object_get(summary, "occupancy_percent");
    if (json_is_number(percent))
        printf(" %8.0f%%\n", json_number_value(percent));
    else
        printf(" %9s\n", "-");
    size_t index;
    json_t *kernel;
    json_array_foreach(json_object_get(part, "kernels"), index, kernel)
    {
        if (with_kernels) {
            print_kernel(kernel);
            print_mix(json_object_get(kernel, "instructions"));
        }
    }
}

static void print_table(const module_list *list, const resources_arguments *a)
{
    const char *reason = "";
    printf("%-36s %-8s %7s %9s %7s %6s %7s %8s %9s\n", "module", "arch", "kernels", "registers", "spilled",
           "stack", "shared", "code", "occupancy");
    for (int i = 0; i < list->count; i++) {
        const module *m = &list->items[i];
        const char *arch;
        json_t *part;
        if (m->resources == NULL)
            printf("%-36s %s\n", m->name, strcmp(m->record.status, "ok") ? m->record.status : "no figures");
        json_object_foreach(json_object_get(m->resources, "architectures"), arch, part)
        {
            if (a->arch == NULL || strcmp(a->arch, arch) == 0)
                print_arch(m, arch, part, a->kernels);
        }
        reason = *reason ? reason : json_get_text(m->resources, "instructions_reason", "");
    }
    puts("\nLargest of a module's kernels, in bytes; code is of all of them, occupancy the lowest.");
    if (a->kernels && *reason)
        printf("Instructions are not shown: %s\n", reason);
}

static json_t *modules_json(const module_list *list, const char *arch)
{
    json_t *modules = json_array();
    for (int i = 0; i < list->count; i++) {
        const module *m = &list->items[i];
        json_t *resources = m->resources ? json_copy((json_t *)m->resources) : json_null();
        if (arch != NULL && m->resources != NULL) {
            json_t *only = json_object();
            json_object_set(only, arch, (json_t *)resources_of_arch(m->resources, arch));
            json_object_set_new(resources, "architectures", only);
        }
        json_array_append_new(modules, json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:o}", "name", m->name, "op",
                                                 m->op->spec->name, "variant", m->variant, "dtype", m->dtype,
                                                 "status", m->record.status, "compiler", m->record.compiler,
                                                 "resources", resources));
    }
    return modules;
}

/* ---- budgets --------------------------------------------------------------------------------------------------------- */

typedef struct check_state {
    const module *m;
    const char *arch; /* NULL or the only one looked at */
    json_t *list;     /* every excess, for --json */
    int quiet, excesses, checked, without;
} check_state;

static void report_excess(void *context, const resources_excess *excess)
{
    check_state *s = context;
    char value[32] = "not known";
    if (excess->value == excess->value)
        snprintf(value, sizeof value, "%.0f", excess->value);
    if (!s->quiet)
        printf("%s %s: %s of %s is %s, over its budget of %.0f (budgets.%s.%s in %s/op.json)\n", s->m->name,
               excess->arch, excess->limit, excess->kernel, value, excess->budget, s->m->variant,
               excess->arch, s->m->op->spec->directory);
    json_array_append_new(s->list, json_pack("{s:s, s:s, s:s, s:s, s:o, s:f}", "module", s->m->name, "arch",
                                             excess->arch, "kernel", excess->kernel, "limit", excess->limit,
                                             "value", json_number(excess->value), "budget", excess->budget));
}

static assay_status check_module(check_state *s, assay_error *error)
{
    json_t *budget;
    int checked = 0;
    const assay_status status = resources_read_budget(s->m->op, s->m->variant, &budget, error);
    if (status != ASSAY_OK)
        return status;
    if (budget != NULL && s->arch != NULL) {
        json_t *only = json_object(), *limits = json_object_get(budget, s->arch);
        if (limits != NULL)
            json_object_set(only, s->arch, limits);
        json_decref(budget);
        budget = only;
    }
    if (strcmp(s->m->record.status, "skipped") == 0) {
        /* A kernel that has nothing to say about this dtype keeps any budget. */
    } else if (budget != NULL && s->m->resources == NULL) {
        s->excesses++;
        if (!s->quiet)
            printf("%s: %s, so its budget is not kept\n", s->m->name,
                   strcmp(s->m->record.status, "ok") ? s->m->record.status
                                                     : "its record has no figures; build it again");
    } else if (budget != NULL) {
        s->excesses += resources_check(s->m->resources, budget, s->m->dtype, report_excess, s, &checked);
    }
    s->checked += checked;
    s->without += checked == 0;
    json_decref(budget);
    return ASSAY_OK;
}

static int check(const module_list *list, const resources_arguments *a, assay_error *error)
{
    check_state s = {.quiet = a->common.json, .arch = a->arch, .list = json_array()};
    for (int i = 0; i < list->count; i++) {
        s.m = &list->items[i];
        if (check_module(&s, error) != ASSAY_OK) {
            json_decref(s.list);
            return cli_fail("resources", error);
        }
    }
    if (a->common.json)
        cli_print_json(json_pack("{s:i, s:i, s:i, s:O}", "modules", list->count, "without_budget", s.without,
                                 "figures", s.checked, "excesses", s.list));
    else if (s.checked == 0 && s.excesses == 0)
        printf("skipped: op.json has no budget for what is compiled here (assay resources --propose prints "
               "one)\n");
    else
        printf("%d figures of %d modules checked, %d over budget%s\n", s.checked, list->count - s.without,
               s.excesses, s.without ? "; the other modules have no budget" : "");
    json_decref(s.list);
    return s.excesses > 0 ? ASSAY_EXIT_CHECK : s.checked == 0 ? ASSAY_EXIT_SKIPPED : ASSAY_EXIT_OK;
}

/* Modules of one variant are not neighbours either: cases are ordered by dtype before variant. */
static json_t *propose(const module_list *list)
{
    json_t *variants = json_object(), *out = json_object(), *dtypes;
    const char *key;
    for (int i = 0; i < list->count; i++) {
        const module *m = &list->items[i];
        char name[2 * ASSAY_NAME_MAX];
        snprintf(name, sizeof name, "%s %s", m->op->spec->name, m->variant);
        if (json_object_get(variants, name) == NULL)
            json_object_set_new(variants, name, json_object());
        if (m->resources != NULL)
            json_object_set(json_object_get(variants, name), m->dtype, (json_t *)m->resources);
    }
    json_object_foreach(variants, key, dtypes)
    {
        char op[ASSAY_NAME_MAX];
        snprintf(op, sizeof op, "%.*s", (int)strcspn(key, " "), key);
        if (json_object_get(out, op) == NULL)
            json_object_set_new(out, op, json_pack("{s:{}}", "budgets"));
        json_object_set_new(json_object_get(json_object_get(out, op), "budgets"), key + strlen(op) + 1,
                            resources_propose_budget(dtypes));
    }
    json_decref(variants);
    return out;
}

static int run(const workspace *ws, const resources_arguments *a)
{
    module_list list = {0};
    assay_error error = {0};
    int exit_status = ASSAY_EXIT_OK;
    if (list_modules(ws, &a->common.filter, &list, &error) != ASSAY_OK)
        exit_status = cli_fail("resources", &error);
    else if (a->check)
        exit_status = check(&list, a, &error);
    else if (a->propose)
        cli_print_json(propose(&list));
    else if (a->common.json)
        cli_print_json(
            json_pack("{s:s, s:o}", "device", ws->device, "modules", modules_json(&list, a->arch)));
    else
        print_table(&list, a);
    release_modules(&list);
    return exit_status;
}

int command_resources(int argc, char **argv)
{
    static const struct argp_child children[] = {
        {&cli_common_argp, 0, NULL, 0}, {&cli_filter_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {
        .options = options_list,
        .parser = parse,
        .doc =
            "Show what compiled CUDA kernels need of the hardware: registers, spills, stack, shared memory, "
            "occupancy, code. Needs no GPU.\v"
            "The figures are read when a module is compiled (docs/resources.md). With --check, exit status 1 "
            "says "
            "that a kernel is over its budget and 77 that there is no budget.",
        .children = children,
    };
    resources_arguments a = {0};
    cli_parse(&argp, argc, argv, &a);
    workspace *ws;
    int exit_status = cli_open("resources", &a.common, &ws);
    if (exit_status != ASSAY_EXIT_OK)
        return exit_status;
    if (strcmp(ws->device, "cuda") != 0) {
        printf("skipped: this build is for the %s device; registers and spills exist in CUDA builds "
               "(-DASSAY_DEVICE=cuda, which needs nvcc and no GPU)\n",
               ws->device);
        exit_status = ASSAY_EXIT_SKIPPED;
    } else {
        exit_status = run(ws, &a);
    }
    workspace_close(ws);
    return exit_status;
}
