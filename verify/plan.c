/* From filter and options to a list of cases; see plan.h. */
#include "verify/plan.h"
#include "core/json_file.h"
#include "results/case_verdict.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Cases of a module from outside the tree: those of its op and dtype, under its own name. */
static assay_status plan_module(const workspace *ws, const case_filter *filter, const char *path,
                                planned_case **plan, int *count, assay_error *error)
{
    module_record record;
    assay_case *cases = NULL;
    int case_count = 0;
    assay_status status = module_record_read(path, &record, error);
    if (status != ASSAY_OK)
        return status;
    const char *op = json_get_text(record.json, "op", ""), *dtype = json_get_text(record.json, "dtype", "");
    const workspace_op *found = workspace_find_op(ws, op);
    if (!found) {
        status = assay_error_set(error, ASSAY_ERR_INVALID,
                                 "%s: the op \"%s\" of this module is not in the workspace", path, op);
    } else {
        const case_filter own = {.ops = op,
                                 .variants = found->variants[0],
                                 .dtypes = dtype,
                                 .sizes = filter ? filter->sizes : NULL};
        status = workspace_list_cases(ws, &own, 1, &cases, &case_count, error);
    }
    planned_case *grown =
        status == ASSAY_OK ? realloc(*plan, (size_t)(*count + case_count + 1) * sizeof **plan) : NULL;
    for (int i = 0; grown && i < case_count; i++) {
        planned_case *planned = &grown[(*count)++];
        *planned = (planned_case){.c = cases[i], .module = path};
        snprintf(planned->c.variant, sizeof planned->c.variant, "%s",
                 json_get_text(record.json, "variant", "outside"));
    }
    if (grown)
        *plan = grown;
    free(cases);
    module_record_release(&record);
    return status;
}

static assay_status plan_workspace(const workspace *ws, const case_filter *filter, int unjudged_only,
                                   planned_case **plan, int *count, assay_error *error)
{
    assay_case *cases = NULL;
    const assay_status status = workspace_list_cases(ws, filter, 1, &cases, count, error);
    if (status != ASSAY_OK)
        return status;
    *plan = calloc((size_t)*count + 1, sizeof **plan);
    const int listed = *count;
    *count = 0;
    for (int i = 0; *plan && i < listed; i++)
        if (!unjudged_only || !case_is_verified(ws, &cases[i]))
            (*plan)[(*count)++].c = cases[i];
    free(cases);
    return *plan ? ASSAY_OK : assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
}

assay_status verify_plan_make(const workspace *ws, const case_filter *filter, const verify_options *options,
                              planned_case **plan, int *count, assay_error *error)
{
    assay_status status = ASSAY_OK;
    *plan = NULL;
    *count = 0;
    if (options->module_count == 0)
        status = plan_workspace(ws, filter, options->unjudged_only, plan, count, error);
    for (int i = 0; i < options->module_count && status == ASSAY_OK; i++)
        status = plan_module(ws, filter, options->modules[i], plan, count, error);
    if (status == ASSAY_OK && *count == 0 && !options->unjudged_only)
        status =
            assay_error_set(error, ASSAY_ERR_INVALID, "no case matches; \"assay list\" shows what there is");
    return status;
}

int verify_plan_group(const planned_case *plan, int count, int first, int most)
{
    const assay_case *head = &plan[first].c;
    int n = 1;
    while (n < most && first + n < count) {
        const assay_case *next = &plan[first + n].c;
        if (next->op != head->op || next->dtype != head->dtype || strcmp(next->size, head->size) != 0)
            break;
        n++;
    }
    return n;
}
