/* Case enumeration, names and paths. Everything is derived from op.json and the files on disk. */
#include "core/tuned_variant.h"
#include "core/list.h"
#include "core/workspace.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct name_set {
    char names[256][ASSAY_NAME_MAX];
    int count;
} name_set;

static void name_set_add(name_set *set, const char *name)
{
    for (int i = 0; i < set->count; i++)
        if (strcmp(set->names[i], name) == 0)
            return;
    if (set->count < 256)
        snprintf(set->names[set->count++], ASSAY_NAME_MAX, "%s", name);
}

/* Every entry of a filter must match something there is. */
static assay_status check_filter(const char *what, const char *list, const name_set *known,
                                 int (*selects)(const char *list, const char *name), assay_error *error)
{
    for (list_item item = {0}; list_next(list, &item);) {
        char wanted[ASSAY_NAME_MAX * 2], there[400] = "";
        snprintf(wanted, sizeof wanted, "%.*s", item.length, item.text);
        int found = item.length == 0;
        for (int i = 0; i < known->count; i++) {
            found |= selects(wanted, known->names[i]);
            snprintf(there + strlen(there), sizeof there - strlen(there), "%s%s", i ? ", " : "",
                     known->names[i]);
        }
        if (!found)
            return assay_error_set(error, ASSAY_ERR_INVALID, "unknown %s \"%s\"; there are: %s", what, wanted,
                                   there);
    }
    return ASSAY_OK;
}

static assay_status check_names(const workspace *ws, const case_filter *filter, int with_edge,
                                assay_error *error)
{
    name_set *sets = calloc(4, sizeof *sets);
    if (sets == NULL)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    for (int o = 0; o < ws->op_count; o++)
        name_set_add(&sets[0], ws->ops[o].spec->name);
    assay_status status = check_filter("op", filter->ops, &sets[0], list_selects, error);
    for (int o = 0; o < ws->op_count; o++) {
        const workspace_op *op = &ws->ops[o];
        if (!list_selects(filter->ops, op->spec->name))
            continue;
        for (int i = 0; i < op->variant_count; i++)
            name_set_add(&sets[1], op->variants[i]);
        for (int i = 0; i < op->spec->dtype_count; i++)
            name_set_add(&sets[2], assay_dtype_name(op->spec->dtypes[i]));
        for (int i = 0; i < op->spec->size_count; i++)
            name_set_add(&sets[3], op->spec->sizes[i].name);
    }
    if (with_edge)
        name_set_add(&sets[3], "edge");
    if (with_edge)
        name_set_add(&sets[3], "huge");
    if (status == ASSAY_OK)
        status = check_filter("variant", filter->variants, &sets[1], list_selects_variant, error);
    if (status == ASSAY_OK)
        status = check_filter("dtype", filter->dtypes, &sets[2], list_selects, error);
    if (status == ASSAY_OK)
        status = check_filter("size", filter->sizes, &sets[3], list_selects, error);
    free(sets);
    return status;
}

static void add_cases_of_size(const workspace_op *op, const case_filter *filter, assay_dtype dtype,
                              const char *size, assay_case *cases, int *count)
{
    if (!list_selects(filter->sizes, size) || !opspec_has_case(op->spec, dtype, size))
        return;
    for (int v = 0; v < op->variant_count; v++) {
        if (!list_selects_variant(filter->variants, op->variants[v]) ||
            !opspec_variant_has_dtype(op->spec, op->variants[v], dtype))
            continue;
        assay_case *c = &cases[(*count)++];
        c->op = op;
        c->dtype = dtype;
        snprintf(c->variant, sizeof c->variant, "%s", op->variants[v]);
        snprintf(c->size, sizeof c->size, "%s", size);
    }
}

assay_status workspace_list_cases(const workspace *ws, const case_filter *filter, int with_edge,
                                  assay_case **out, int *count, assay_error *error)
{
    static const case_filter all = {0};
    if (filter == NULL)
        filter = &all;
    assay_status status = check_names(ws, filter, with_edge, error);
    if (status != ASSAY_OK)
        return status;
    size_t most = 0;
    for (int o = 0; o < ws->op_count; o++)
        most +=
            (size_t)ws->ops[o].variant_count * ASSAY_DTYPE_COUNT * (OPSPEC_MAX_SIZES + OPSPEC_MAX_SHAPES + 2);
    assay_case *cases = calloc(most ? most : 1, sizeof *cases);
    if (cases == NULL)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    *count = 0;
    for (int o = 0; o < ws->op_count; o++) {
        const workspace_op *op = &ws->ops[o];
        if (!list_selects(filter->ops, op->spec->name))
            continue;
        for (int d = 0; d < op->spec->dtype_count; d++) {
            if (!list_selects(filter->dtypes, assay_dtype_name(op->spec->dtypes[d])))
                continue;
            for (int s = 0; s < op->spec->size_count; s++)
                add_cases_of_size(op, filter, op->spec->dtypes[d], op->spec->sizes[s].name, cases, count);
            if (with_edge)
                add_cases_of_size(op, filter, op->spec->dtypes[d], "edge", cases, count);
            if (with_edge && filter->sizes &&
                filter->sizes[0]) /* takes most of a card's memory: on request */
                add_cases_of_size(op, filter, op->spec->dtypes[d], "huge", cases, count);
        }
    }
    *out = cases;
    return ASSAY_OK;
}

void case_name(const assay_case *c, char *out, size_t out_bytes)
{
    snprintf(out, out_bytes, "%s.%s.%s.%s", c->op->spec->name, c->variant, assay_dtype_name(c->dtype),
             c->size);
}

void case_module_path(const workspace *ws, const assay_case *c, char *out, size_t out_bytes)
{
    const int configured = tuned_variant_is(c->variant);
    snprintf(out, out_bytes, "%s/%s%s.%s.%s.json", configured ? ws->path : ws->modules,
             configured ? tuned_variant_folder(c->variant, "") : "", c->op->spec->name, c->variant,
             assay_dtype_name(c->dtype));
}

void case_verdict_path(const workspace *ws, const assay_case *c, char *out, size_t out_bytes)
{
    snprintf(out, out_bytes, "%s/%sverify/%s.%s.%s.%s.json", ws->results,
             tuned_variant_folder(c->variant, c->size), c->op->spec->name, c->variant,
             assay_dtype_name(c->dtype), c->size);
}

void case_result_path(const workspace *ws, const assay_case *c, char *out, size_t out_bytes)
{
    snprintf(out, out_bytes, "%s/%sbench/%s.%s.%s.%s.json", ws->results,
             tuned_variant_folder(c->variant, c->size), c->op->spec->name, c->variant,
             assay_dtype_name(c->dtype), c->size);
}
