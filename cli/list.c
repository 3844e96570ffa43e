/* assay list: the cases there are, as text or JSON. */
#include "cli/cli.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t *dims_json(const opspec_dims *dims)
{
    json_t *object = json_object();
    for (int i = 0; i < dims->count; i++)
        json_object_set_new(object, dims->dim[i].name, json_integer(dims->dim[i].value));
    return object;
}

/* Of the pseudo-sizes "edge" and "huge", the cases that this dtype has. */
static int count_problems(const assay_case *c)
{
    const opspec *spec = c->op->spec;
    const int is_huge = strcmp(c->size, "huge") == 0, count = is_huge ? spec->huge_count : spec->edge_count;
    int found = 0;
    for (int i = 0; i < count; i++)
        found += opspec_edge_applies(&(is_huge ? spec->huge_cases : spec->edges)[i], c->dtype, c->variant);
    return found;
}

static void print_case(const workspace *ws, const assay_case *c)
{
    char name[4 * ASSAY_NAME_MAX];
    case_name(c, name, sizeof name);
    printf("%-52s", name);
    const opspec_size *size = opspec_find_size(c->op->spec, c->size);
    const opspec_dims *dims = size ? opspec_size_dims(size, ws->device) : NULL;
    for (int i = 0; dims != NULL && i < dims->count; i++)
        printf(" %s=%lld", dims->dim[i].name, (long long)dims->dim[i].value);
    if (dims == NULL)
        printf(" %d %s cases", count_problems(c), c->size);
    putchar('\n');
}

static json_t *case_json(const workspace *ws, const assay_case *c)
{
    char name[4 * ASSAY_NAME_MAX];
    case_name(c, name, sizeof name);
    const opspec_size *size = opspec_find_size(c->op->spec, c->size);
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:o}", "name", name, "op", c->op->spec->name, "variant",
                     c->variant, "dtype", assay_dtype_name(c->dtype), "size", c->size, "dims",
                     size ? dims_json(opspec_size_dims(size, ws->device)) : json_object());
}

typedef struct list_arguments {
    cli_options common;
    int tunables;
} list_arguments;

static const struct argp_option options_list[] = {
    {"tunables", 'T', NULL, 0,
     "show the kernels' tunables instead: values, the default in brackets, constraints", 1},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    list_arguments *a = state->input;
    (void)argument;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = state->child_inputs[1] = &a->common;
        return 0;
    case 'T':
        a->tunables = 1;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void print_tunables(const opspec *spec, const opspec_variant_tunables *set)
{
    printf("%s %s\n", spec->name, set->variant);
    for (int i = 0; i < set->count; i++) {
        const opspec_tunable *t = &set->tunables[i];
        printf("  %-24s", t->name);
        for (int v = 0; v < t->value_count; v++)
            printf(t->values[v] == t->def ? " [%lld]" : " %lld", (long long)t->values[v]);
        putchar('\n');
    }
    for (int i = 0; i < set->constraint_count; i++)
        printf("  constraint: %s\n", set->constraints[i]);
}

static json_t *tunables_json(const opspec *spec, const opspec_variant_tunables *set)
{
    json_t *tunables = json_object(), *constraints = json_array();
    for (int i = 0; i < set->count; i++) {
        const opspec_tunable *t = &set->tunables[i];
        json_t *values = json_array();
        for (int v = 0; v < t->value_count; v++)
            json_array_append_new(values, json_integer(t->values[v]));
        json_object_set_new(tunables, t->name,
                            json_pack("{s:o, s:I}", "values", values, "default", (json_int_t)t->def));
    }
    for (int i = 0; i < set->constraint_count; i++)
        json_array_append_new(constraints, json_string(set->constraints[i]));
    return json_pack("{s:s, s:s, s:o, s:o}", "op", spec->name, "variant", set->variant, "tunables", tunables,
                     "constraints", constraints);
}

/* Of the variants that the cases are of. */
static void list_tunables(const assay_case *cases, int count, int json)
{
    json_t *list = json_array();
    for (int i = 0; i < count; i++) {
        const opspec *spec = cases[i].op->spec;
        const opspec_variant_tunables *set = opspec_find_tunables(spec, cases[i].variant);
        int seen = set == NULL;
        for (int before = 0; before < i && !seen; before++)
            seen = cases[before].op == cases[i].op && strcmp(cases[before].variant, cases[i].variant) == 0;
        if (!seen && json)
            json_array_append_new(list, tunables_json(spec, set));
        else if (!seen)
            print_tunables(spec, set);
    }
    if (json)
        cli_print_json(json_incref(list));
    json_decref(list);
}

int command_list(int argc, char **argv)
{
    static const struct argp argp = {.options = options_list,
                                     .parser = parse,
                                     .doc = "List the cases (op x variant x dtype x size) of the build.",
                                     .children = cli_filter_children};
    list_arguments a = {0};
    cli_parse(&argp, argc, argv, &a);
    const cli_options options = a.common;
    workspace *ws;
    const int exit_status = cli_open("list", &options, &ws);
    if (exit_status != ASSAY_EXIT_OK)
        return exit_status;
    assay_error error = {0};
    assay_case *cases;
    int count;
    if (workspace_list_cases(ws, &options.filter, 1, &cases, &count, &error) != ASSAY_OK) {
        workspace_close(ws);
        return cli_fail("list", &error);
    }
    json_t *list = json_array();
    int ops = 0;
    if (a.tunables)
        list_tunables(cases, count, options.json);
    for (int i = 0; i < count && !a.tunables; i++) {
        ops += i == 0 || cases[i].op != cases[i - 1].op; /* cases of one op are neighbours */
        if (options.json)
            json_array_append_new(list, case_json(ws, &cases[i]));
        else
            print_case(ws, &cases[i]);
    }
    if (options.json && !a.tunables)
        cli_print_json(json_pack("{s:s, s:O}", "device", ws->device, "cases", list));
    else if (!a.tunables)
        printf("%d cases of %d ops\n", count, ops);
    json_decref(list);
    free(cases);
    workspace_close(ws);
    return ASSAY_EXIT_OK;
}
