/* What a provider is told. */
#include "tune/providers/provider_internal.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SHOWN = 10, MOST_SOURCE_BYTES = 200000 };

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

static json_t *parameters_json(const space *s)
{
    json_t *rows = json_array();
    configuration c;
    space_default(s, &c);
    for (int i = 0; i < space_parameter_count(s); i++) {
        const space_parameter *p = space_parameter_at(s, i);
        json_t *values = json_array(), *own = NULL;
        for (int k = 0; k < p->value_count; k++) {
            c.index[i] = (uint16_t)k;
            json_t *all = configuration_to_json(s, &c);
            json_array_append(values, json_object_get(all, p->name));
            if (k == p->default_index)
                own = json_incref(json_object_get(all, p->name));
            json_decref(all);
        }
        json_array_append_new(rows, json_pack("{s:s, s:o, s:o, s:s}", "name", p->name, "values", values,
                                              "default", own, "role", space_role_name(p->role)));
    }
    return rows;
}

static json_t *constraints_json(const space *s)
{
    json_t *rows = json_array();
    for (int i = 0; i < space_constraint_count(s); i++)
        json_array_append_new(rows, json_string(space_constraint_text(s, i)));
    return rows;
}

static int by_objective(const void *a, const void *b)
{
    const double x = (*(const provider_attempt *const *)a)->evaluation.objective;
    const double y = (*(const provider_attempt *const *)b)->evaluation.objective;
    return x < y ? -1 : x > y;
}

static json_t *best_json(const provider_prompt *p)
{
    json_t *rows = json_array();
    const provider_attempt **order = malloc(((size_t)p->attempt_count + 1) * sizeof *order);
    int count = 0;
    for (int i = 0; order && i < p->attempt_count; i++)
        if (p->attempts[i].evaluation.status == EVALUATION_SUCCESS)
            order[count++] = &p->attempts[i];
    if (order)
        qsort(order, (size_t)count, sizeof *order, by_objective);
    for (int i = 0; i < count && i < MOST_SHOWN; i++)
        json_array_append_new(rows,
                              json_pack("{s:o, s:f}", "values",
                                        configuration_to_json(p->space, &order[i]->evaluation.configuration),
                                        "us", order[i]->evaluation.objective));
    free(order);
    return rows;
}

static json_t *failed_json(const provider_prompt *p)
{
    json_t *rows = json_array();
    for (int i = p->attempt_count - 1; i >= 0 && json_array_size(rows) < MOST_SHOWN; i--) {
        const provider_attempt *a = &p->attempts[i];
        if (a->evaluation.status != EVALUATION_SUCCESS)
            json_array_append_new(
                rows, json_pack("{s:o, s:s, s:s}", "values",
                                configuration_to_json(p->space, &a->evaluation.configuration), "status",
                                evaluation_status_name(a->evaluation.status), "reason", or_empty(a->reason)));
    }
    return rows;
}

json_t *provider_prompt_json(const provider_prompt *p, int count)
{
    json_t *root =
        json_pack("{s:i, s:s, s:i, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o}", "schema", 1,
                  "task", "propose configurations of a GPU kernel's parameters", "count", count, "goal",
                  p->goal ? p->goal : "least time, with a right result", "op", or_empty(p->op), "variant",
                  or_empty(p->variant), "dtype", or_empty(p->dtype), "size", or_empty(p->size), "dims",
                  or_empty(p->dims), "device", or_empty(p->device), "arch", or_empty(p->arch), "parameters",
                  parameters_json(p->space), "constraints", constraints_json(p->space), "best", best_json(p),
                  "failed", failed_json(p));
    if (p->facts)
        json_object_set(root, "facts", (json_t *)p->facts);
    if (p->experience)
        json_object_set(root, "experience", (json_t *)p->experience);
    if (p->source && strlen(p->source) < MOST_SOURCE_BYTES)
        json_object_set_new(root, "source", json_string(p->source));
    json_object_set_new(
        root, "reply",
        json_string("JSON only: {\"candidates\": [{\"values\": {NAME: VALUE for every parameter, from its "
                    "values, holding all constraints}, \"reason\": one sentence}]}"));
    return root;
}
