/* From options to tunings: see tune_plan.h. */
#include "cli/tune_plan.h"
#include "core/json_file.h"
#include "core/list.h"
#include "tune/evaluate/select.h"
#include "tune/space/space.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static assay_status add(tune_plan *plan, const planned_tuning *t, assay_error *error)
{
    planned_tuning *grown = realloc(plan->items, (size_t)(plan->count + 1) * sizeof *grown);
    if (!grown)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    plan->items = grown;
    plan->items[plan->count++] = *t;
    return ASSAY_OK;
}

static void take_name(const list_item *item, char out[ASSAY_NAME_MAX])
{
    snprintf(out, ASSAY_NAME_MAX, "%.*s", item->length, item->text);
}

static assay_status plan_size(const tune_arguments *a, tune_plan *plan, planned_tuning *t, const char *name,
                              assay_error *error)
{
    const opspec *spec = t->op->spec;
    const opspec_size *size = opspec_find_size(spec, name);
    if (!size || !opspec_has_case(spec, t->dtype, size->name))
        return a->all
                   ? ASSAY_OK
                   : assay_error_set(error, ASSAY_ERR_INVALID,
                                     "--size: %s has no size \"%s\" for %s; \"assay list\" shows the sizes",
                                     spec->name, name, assay_dtype_name(t->dtype));
    snprintf(t->size, sizeof t->size, "%s", size->name);
    return add(plan, t, error);
}

static assay_status plan_sizes(const tune_arguments *a, tune_plan *plan, planned_tuning *t,
                               assay_error *error)
{
    char name[ASSAY_NAME_MAX];
    assay_status status = ASSAY_OK;
    if (a->common.dims) {
        status = select_shape(t->op, a->common.dims, a->common.params, t->size, error);
        return status == ASSAY_OK ? add(plan, t, error) : status;
    }
    if (list_count(a->common.filter.sizes) == 0)
        return plan_size(a, plan, t, "large", error);
    for (list_item item = {0}; status == ASSAY_OK && list_next(a->common.filter.sizes, &item);) {
        take_name(&item, name);
        status = plan_size(a, plan, t, name, error);
    }
    return status;
}

/* Unless variants are named, the last one: later steps are the faster ones. */
static assay_status plan_variants(const tune_arguments *a, tune_plan *plan, planned_tuning *t,
                                  assay_error *error)
{
    const workspace_op *op = t->op;
    const int every = list_count(a->common.filter.variants) > 0;
    assay_status status = ASSAY_OK;
    t->variant[0] = '\0';
    for (int i = op->variant_count - 1; i >= 0 && status == ASSAY_OK && (every || !t->variant[0]); i--)
        if (list_selects_variant(a->common.filter.variants, op->variants[i]) &&
            opspec_find_tunables(op->spec, op->variants[i]) &&
            opspec_variant_has_dtype(op->spec, op->variants[i], t->dtype)) {
            snprintf(t->variant, sizeof t->variant, "%s", op->variants[i]);
            status = plan_sizes(a, plan, t, error);
        }
    return t->variant[0] || a->all
               ? status
               : assay_error_set(error, ASSAY_ERR_INVALID,
                                 "no variant of %s that was asked for has tunables for %s; \"assay list "
                                 "--tunables\" shows which have",
                                 op->spec->name, assay_dtype_name(t->dtype));
}

static assay_status plan_op(const tune_arguments *a, tune_plan *plan, const workspace_op *op,
                            assay_error *error)
{
    char name[ASSAY_NAME_MAX];
    planned_tuning t = {.op = op, .dtype = op->spec->dtypes[0]};
    assay_status status = ASSAY_OK;
    if (list_count(a->common.filter.dtypes) == 0)
        return plan_variants(a, plan, &t, error);
    for (list_item item = {0}; status == ASSAY_OK && list_next(a->common.filter.dtypes, &item);) {
        take_name(&item, name);
        if (assay_dtype_parse(name, &t.dtype) && opspec_has_dtype(op->spec, t.dtype))
            status = plan_variants(a, plan, &t, error);
        else if (!a->all)
            status = assay_error_set(error, ASSAY_ERR_INVALID, "--dtype: %s has no dtype \"%s\"",
                                     op->spec->name, name);
    }
    return status;
}

/* OP_tuning where an op is tuned once, else a name of its own. */
static void name_reports(tune_plan *plan)
{
    for (int i = 0; i < plan->count; i++) {
        planned_tuning *t = &plan->items[i];
        int of_op = 0;
        for (int k = 0; k < plan->count; k++)
            of_op += plan->items[k].op == t->op;
        if (of_op == 1)
            snprintf(t->report, sizeof t->report, "%s_tuning", t->op->spec->name);
        else
            snprintf(t->report, sizeof t->report, "%s_%s_%s_%s_tuning", t->op->spec->name, t->variant,
                     assay_dtype_name(t->dtype), t->size);
    }
}

assay_status tune_plan_make(workspace *ws, const tune_arguments *a, tune_plan *plan, assay_error *error)
{
    const char *ops = a->common.filter.ops;
    *plan = (tune_plan){0};
    if (!a->all && list_count(ops) == 0)
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "one op is expected, as in: assay tune softmax; or --all");
    if (a->common.dims && a->common.filter.sizes)
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "--dims: the dimensions are the size; --size is for those of op.json");
    assay_status status = cli_check_filter(ws, &(case_filter){.ops = ops}, error);
    for (int i = 0; i < ws->op_count && status == ASSAY_OK; i++)
        if (list_selects(ops, ws->ops[i].spec->name))
            status = plan_op(a, plan, &ws->ops[i], error);
    if (status == ASSAY_OK && plan->count == 0)
        status = assay_error_set(error, ASSAY_ERR_INVALID,
                                 "no op has such a tuning; \"assay list --tunables\" shows what there is");
    name_reports(plan);
    return status;
}

assay_status tune_plan_take_space(const char *file, const tune_plan *plan, assay_error *error)
{
    const planned_tuning *first = &plan->items[0];
    opspec *spec = first->op->spec;
    json_t *root = NULL;
    for (int i = 1; i < plan->count; i++)
        if (plan->items[i].op != first->op || strcmp(plan->items[i].variant, first->variant) != 0)
            return assay_error_set(error, ASSAY_ERR_INVALID,
                                   "--space: it is for one op and variant; this asks for several");
    assay_status status = json_file_read(file, &root, error);
    for (int i = 0; i < spec->tunables_count && status == ASSAY_OK; i++)
        if (strcmp(spec->tunables[i].variant, first->variant) == 0)
            status = space_t1_tunables(root, file, &spec->tunables[i], error);
    json_decref(root);
    return status;
}

void tune_plan_release(tune_plan *plan)
{
    free(plan->items);
    *plan = (tune_plan){0};
}

void planned_tuning_label(const planned_tuning *t, char *out, size_t out_bytes)
{
    snprintf(out, out_bytes, "%s %s %s %s", t->op->spec->name, t->variant, assay_dtype_name(t->dtype),
             t->size);
}
