/* One configuration of a variant on one problem: see configured.h. */
#include "cli/configured.h"
#include "core/list.h"
#include "tune/evaluate/select.h"
#include <stdio.h>

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

static assay_status add_shape(const workspace_op *op, cli_options *options, cli_configured *configured,
                              assay_error *error)
{
    if (!options->dims)
        return assay_error_set(error, ASSAY_ERR_INVALID, "--params: is for a problem given with --dims");
    if (options->filter.sizes)
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "--dims: the dimensions are the size; --size is for those of op.json");
    options->filter.sizes = configured->size;
    return select_shape(op, options->dims, options->params, configured->size, error);
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

static assay_status add_configuration(const workspace *ws, const workspace_op *op, cli_options *options,
                                      int compile, cli_configured *configured, assay_error *error)
{
    char variant[ASSAY_NAME_MAX];
    tuned_variant *tuned = &configured->tuned;
    assay_error why = {0};
    assay_status status = find_variant(op, options, variant, error);
    if (status != ASSAY_OK)
        return status;
    status = select_configuration(ws, op, variant, options->set, options->filter.dtypes,
                                  options->filter.sizes, tuned, &why);
    if (status != ASSAY_OK)
        return assay_error_set(error, status, "--set: %s", why.message);
    options->filter.variants = tuned->name;
    return compile && !options->dry_run ? select_make_modules(ws, op, tuned, options->filter.dtypes, error)
                                        : ASSAY_OK;
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
