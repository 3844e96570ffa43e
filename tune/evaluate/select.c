/* Problems and configurations by name: see select.h. */
#include "tune/evaluate/select.h"
#include "build_module/tuned_module.h"
#include "core/list.h"
#include "core/process.h"
#include "tune/evaluate/constraints.h"
#include <stdio.h>
#include <stdlib.h>

/* Bounds of the output, too, which the reference knows. */
static assay_status check_problem(const workspace_op *op, const opspec_size *size, assay_error *error)
{
    const assay_op_impl *impl;
    assay_problem problem;
    const assay_status status = workspace_load_impl(op, &impl, error);
    return status == ASSAY_OK
               ? opspec_build_problem(op->spec, impl, op->spec->dtypes[0], &size->dims, NULL, &problem, error)
               : status;
}

assay_status select_shape(const workspace_op *op, const char *dims, const char *params,
                          char name[ASSAY_NAME_MAX], assay_error *error)
{
    json_t *shape = NULL;
    const opspec_size *size = NULL;
    assay_status status = opspec_parse_shape(op->spec, dims, params, &shape, error);
    if (status == ASSAY_OK)
        status = opspec_add_shape(op->spec, shape, &size, error);
    if (status == ASSAY_OK)
        status = check_problem(op, size, error);
    if (status == ASSAY_OK)
        snprintf(name, ASSAY_NAME_MAX, "%s", size->name);
    json_decref(shape);
    return status;
}

/* Constraints may name dimensions and the bytes of an element, so each case is asked. */
static assay_status check_constraints(const workspace *ws, const workspace_op *op, const tuned_variant *tuned,
                                      const char *dtypes, const char *sizes, assay_error *error)
{
    const case_filter filter = {
        .ops = op->spec->name, .variants = tuned->name, .dtypes = dtypes, .sizes = sizes};
    assay_case *cases = NULL;
    int count = 0;
    assay_status status = workspace_list_cases(ws, &filter, 1, &cases, &count, error);
    for (int i = 0; i < count && status == ASSAY_OK; i++)
        status = tuned_check_constraints(ws, op, tuned, cases[i].dtype, cases[i].size, error);
    free(cases);
    return status;
}

assay_status select_configuration(const workspace *ws, const workspace_op *op, const char *variant,
                                  const char *values, const char *dtypes, const char *sizes,
                                  tuned_variant *tuned, assay_error *error)
{
    assay_status status = tuned_variant_parse(op->spec, variant, values, tuned, error);
    if (status == ASSAY_OK)
        status = workspace_add_tuned(ws, op, tuned, error);
    return status == ASSAY_OK ? check_constraints(ws, op, tuned, dtypes, sizes, error) : status;
}

assay_status select_make_modules(const workspace *ws, const workspace_op *op, const tuned_variant *tuned,
                                 const char *dtypes, assay_error *error)
{
    enum { COMPILE_LIMIT_S = 900 };
    assay_status status = ASSAY_OK;
    for (int i = 0; i < op->spec->dtype_count && status == ASSAY_OK; i++) {
        const assay_dtype dtype = op->spec->dtypes[i];
        const tuned_module module = {.ws = ws, .op = op, .tuned = tuned, .dtype = dtype};
        if (list_selects(dtypes, assay_dtype_name(dtype)) &&
            opspec_variant_has_dtype(op->spec, tuned->variant, dtype))
            status = tuned_module_make(&module, COMPILE_LIMIT_S, error);
        if (status == ASSAY_OK && process_interrupted())
            status = assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "interrupted while compiling");
    }
    return status;
}
