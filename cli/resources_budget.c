/* assay resources: budgets checked and proposed. The rule is resources_check's. */
#include "cli/resources_command.h"
#include "core/json_file.h"
#include <stdio.h>
#include <string.h>

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
                                                     : "its record has no metrics; build it again");
    } else if (budget != NULL) {
        s->excesses += resources_check(s->m->resources, budget, s->m->dtype, report_excess, s, &checked);
    }
    s->checked += checked;
    s->without += checked == 0;
    json_decref(budget);
    return ASSAY_OK;
}

int resources_check_budgets(const module_list *list, const resources_arguments *a, assay_error *error)
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
                                 "metrics", s.checked, "excesses", s.list));
    else if (s.checked == 0 && s.excesses == 0)
        printf("skipped: op.json has no budget for what is compiled here (assay resources --propose prints "
               "one)\n");
    else
        printf("%d metrics of %d modules checked, %d over budget%s\n", s.checked, list->count - s.without,
               s.excesses, s.without ? "; the other modules have no budget" : "");
    json_decref(s.list);
    return s.excesses > 0 ? ASSAY_EXIT_CHECK : s.checked == 0 ? ASSAY_EXIT_SKIPPED : ASSAY_EXIT_OK;
}

/* Modules of one variant are not neighbours either: cases are ordered by dtype before variant. */
json_t *resources_propose(const module_list *list)
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
