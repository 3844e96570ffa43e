/* One configuration of a variant on one problem: see configured.h. */
#include "cli/configured.h"
#include "build_module/tuned_module.h"
#include "core/list.h"
#include "core/process.h"
#include "tune/evaluate/constraints.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct argp_option configured_options[] = {
    {"set", 'x', "LIST", 0,
     "one configuration of one variant: values of its tunables, TILE=16,STAGES=4; the others have op.json's "
     "defaults. \"assay list --tunables\" shows them",
     91},
    {"dims", 'D', "LIST", 0, "a problem of these dimensions instead of op.json's sizes: M=777,N=4096,K=4096",
     91},
    {"params", 'P', "LIST", 0, "with --dims: parameters of the op that differ from their defaults", 91},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    cli_options *options = state->input;
    switch (key) {
    case 'x':
        options->set = argument;
        return 0;
    case 'D':
        options->dims = argument;
        return 0;
    case 'P':
        options->params = argument;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp cli_configured_argp = {.options = configured_options, .parser = parse};

static assay_status find_op(const workspace *ws, const cli_options *options, const workspace_op **op,
                            assay_error *error)
{
    const char *option = options->set ? "--set" : options->dims ? "--dims" : "--params";
    *op = options->filter.ops ? workspace_find_op(ws, options->filter.ops) : NULL;
    if (*op)
        return ASSAY_OK;
    if (options->filter.ops && list_count(options->filter.ops) == 1)
        return cli_check_filter(ws, &options->filter, error); /* names the ops that there are */
    return assay_error_set(error, ASSAY_ERR_INVALID, "%s needs one op, as in: assay verify softmax %s ...",
                           option, option);
}

/* Bounds of the output, too, which the reference knows, and of every dtype asked for. */
static assay_status check_problem(const workspace_op *op, const opspec_size *size, assay_error *error)
{
    const assay_op_impl *impl;
    assay_problem problem;
    const assay_status status = workspace_load_impl(op, &impl, error);
    return status == ASSAY_OK
               ? opspec_build_problem(op->spec, impl, op->spec->dtypes[0], &size->dims, NULL, &problem, error)
               : status;
}

static assay_status add_shape(const workspace_op *op, cli_options *options, cli_configured *configured,
                              assay_error *error)
{
    json_t *shape = NULL;
    const opspec_size *size = NULL;
    if (!options->dims)
        return assay_error_set(error, ASSAY_ERR_INVALID, "--params: is for a problem given with --dims");
    if (options->filter.sizes)
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "--dims: the dimensions are the size; --size is for those of op.json");
    assay_status status = opspec_parse_shape(op->spec, options->dims, options->params, &shape, error);
    if (status == ASSAY_OK)
        status = opspec_add_shape(op->spec, shape, &size, error);
    if (status == ASSAY_OK)
        status = check_problem(op, size, error);
    json_decref(shape);
    if (status != ASSAY_OK)
        return status;
    snprintf(configured->size, sizeof configured->size, "%s", size->name);
    options->filter.sizes = configured->size;
    return ASSAY_OK;
}

/* The one variant that the filter selects. */
static assay_status find_variant(const workspace_op *op, const cli_options *options, char out[ASSAY_NAME_MAX],
                                 assay_error *error)
{
    int found = 0;
    for (int i = 0; i < op->variant_count; i++) {
        if (!options->filter.variants || !list_selects_variant(options->filter.variants, op->variants[i]))
            continue;
        snprintf(out, ASSAY_NAME_MAX, "%s", op->variants[i]);
        found++;
    }
    return found == 1
               ? ASSAY_OK
               : assay_error_set(error, ASSAY_ERR_INVALID,
                                 "--set needs one variant of %s: --variant v2_tiling, for example; %d are "
                                 "selected",
                                 op->spec->name, found);
}

static assay_status make_modules(const workspace *ws, const workspace_op *op, const tuned_variant *tuned,
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

/* Constraints may name dimensions and the bytes of an element, so each case is asked. */
static assay_status check_constraints(const workspace *ws, const workspace_op *op, const tuned_variant *tuned,
                                      const case_filter *filter, assay_error *error)
{
    assay_case *cases = NULL;
    int count = 0;
    assay_status status = workspace_list_cases(ws, filter, 1, &cases, &count, error);
    for (int i = 0; i < count && status == ASSAY_OK; i++)
        status = tuned_check_constraints(ws, op, tuned, cases[i].dtype, cases[i].size, error);
    free(cases);
    return status;
}

static assay_status add_configuration(const workspace *ws, const workspace_op *op, cli_options *options,
                                      int compile, cli_configured *configured, assay_error *error)
{
    char variant[ASSAY_NAME_MAX];
    tuned_variant *tuned = &configured->tuned;
    assay_error why = {0};
    assay_status status = find_variant(op, options, variant, error);
    if (status == ASSAY_OK &&
        (status = tuned_variant_parse(op->spec, variant, options->set, tuned, &why)) != ASSAY_OK)
        return assay_error_set(error, status, "--set: %s", why.message);
    if (status == ASSAY_OK)
        status = workspace_add_tuned(ws, op, tuned, error);
    if (status != ASSAY_OK)
        return status;
    options->filter.variants = tuned->name;
    status = check_constraints(ws, op, tuned, &options->filter, error);
    return status == ASSAY_OK && compile && !options->dry_run
               ? make_modules(ws, op, tuned, options->filter.dtypes, error)
               : status;
}

assay_status cli_configure(workspace *ws, cli_options *options, int compile, cli_configured *configured,
                           assay_error *error)
{
    const workspace_op *op;
    *configured = (cli_configured){.size = ""};
    if (!options->set && !options->dims && !options->params)
        return ASSAY_OK;
    assay_status status = find_op(ws, options, &op, error);
    if (status == ASSAY_OK && (options->dims || options->params))
        status = add_shape(op, options, configured, error);
    if (status == ASSAY_OK && options->set)
        status = add_configuration(ws, op, options, compile, configured, error);
    return status;
}
