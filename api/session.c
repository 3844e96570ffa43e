/* Sessions of libassay: opening, names, and what a selection makes part of the workspace. See include/assay/assay.h. */
#include "api/session_internal.h"
#include "core/json_file.h"
#include "core/list.h"
#include "tune/evaluate/select.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

assay_status assay_session_open(const char *build, assay_session **out, assay_error *error)
{
    assay_device *device = NULL;
    assay_session *s = calloc(1, sizeof *s);
    *out = NULL;
    if (!s)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    assay_status status = workspace_open(build, &s->ws, error);
    if (status == ASSAY_OK)
        status = assay_device_open(s->ws->device, 0, &device, error);
    if (status == ASSAY_OK)
        workspace_use_slug(s->ws, assay_device_get_info(device)->slug);
    assay_device_close(device); /* workers open it */
    if (status == ASSAY_OK)
        *out = s;
    else
        assay_session_close(s);
    return status;
}

void assay_session_close(assay_session *s)
{
    if (s)
        workspace_close(s->ws);
    free(s);
}

/* ---- names ---- */

const char *assay_session_device(const assay_session *s)
{
    return file_base_name(s->ws->results);
}

const char *assay_session_op(const assay_session *s, int number)
{
    return number >= 0 && number < s->ws->op_count ? s->ws->ops[number].spec->name : NULL;
}

const char *assay_session_variant(const assay_session *s, const char *op, int number)
{
    const workspace_op *found = workspace_find_op(s->ws, op);
    return found && number >= 0 && number < found->variant_count ? found->variants[number] : NULL;
}

const char *assay_session_dtype(const assay_session *s, const char *op, int number)
{
    const workspace_op *found = workspace_find_op(s->ws, op);
    return found && number >= 0 && number < found->spec->dtype_count
               ? assay_dtype_name(found->spec->dtypes[number])
               : NULL;
}

const char *assay_session_size(const assay_session *s, const char *op, int number)
{
    const workspace_op *found = workspace_find_op(s->ws, op);
    return found && number >= 0 && number < found->spec->size_count &&
                   !opspec_is_shape(found->spec->sizes[number].name)
               ? found->spec->sizes[number].name
               : NULL;
}

const char *assay_session_tunable(assay_session *s, const char *op, const char *variant, int number,
                                  const char **values)
{
    const workspace_op *found = workspace_find_op(s->ws, op);
    const opspec_variant_tunables *set = found ? opspec_find_tunables(found->spec, variant) : NULL;
    if (!set || number < 0 || number >= set->count)
        return NULL;
    const opspec_tunable *t = &set->tunables[number];
    s->values[0] = '\0';
    for (int i = 0; i < t->value_count; i++) {
        const size_t used = strlen(s->values);
        snprintf(s->values + used, sizeof s->values - used, t->values[i] == t->def ? "%s[%lld]" : "%s%lld",
                 i ? " " : "", (long long)t->values[i]);
    }
    *values = s->values;
    return t->name;
}

/* ---- selections ---- */

static assay_status find_names(const assay_session *s, const assay_selection *which, chosen_kernel *out,
                               assay_error *error)
{
    out->op = which->op ? workspace_find_op(s->ws, which->op) : NULL;
    if (!out->op)
        return assay_error_set(error, ASSAY_ERR_INVALID, "unknown op \"%s\"", which->op ? which->op : "");
    int known = 0;
    for (int i = 0; which->variant && i < out->op->variant_count; i++)
        known |= strcmp(out->op->variants[i], which->variant) == 0;
    if (!known)
        return assay_error_set(error, ASSAY_ERR_INVALID, "%s has no variant \"%s\"", which->op,
                               which->variant ? which->variant : "");
    if (!which->dtype || !assay_dtype_parse(which->dtype, &out->dtype) ||
        !opspec_variant_has_dtype(out->op->spec, which->variant, out->dtype))
        return assay_error_set(error, ASSAY_ERR_INVALID, "%s of %s has no dtype \"%s\"", which->variant,
                               which->op, which->dtype ? which->dtype : "");
    if ((which->size != NULL) == (which->dims != NULL))
        return assay_error_set(error, ASSAY_ERR_INVALID, "either a size or dimensions are expected");
    if (which->size && (!opspec_find_size(out->op->spec, which->size) ||
                        !opspec_has_case(out->op->spec, out->dtype, which->size)))
        return assay_error_set(error, ASSAY_ERR_INVALID, "%s has no size \"%s\" for %s", which->op,
                               which->size, which->dtype);
    return ASSAY_OK;
}

/* Shapes are names in the op, and only so many fit. */
static void session_forget(assay_session *s)
{
    workspace_forget_tuned(s->ws);
    for (int i = 0; i < s->ws->op_count; i++) {
        opspec *spec = s->ws->ops[i].spec;
        while (spec->size_count > 0 && opspec_is_shape(spec->sizes[spec->size_count - 1].name))
            spec->size_count--;
    }
}

assay_status session_choose(assay_session *s, const assay_selection *which, chosen_kernel *out,
                            assay_error *error)
{
    *out = (chosen_kernel){.op = NULL};
    session_forget(s);
    assay_status status = find_names(s, which, out, error);
    if (status != ASSAY_OK)
        return status;
    snprintf(out->variant, sizeof out->variant, "%s", which->variant);
    snprintf(out->size, sizeof out->size, "%s", which->size ? which->size : "");
    if (which->dims)
        status = select_shape(out->op, which->dims, which->params, out->size, error);
    if (status == ASSAY_OK && which->configuration) {
        tuned_variant tuned;
        status = select_configuration(s->ws, out->op, which->variant, which->configuration, which->dtype,
                                      out->size, &tuned, error);
        if (status == ASSAY_OK)
            status = select_make_modules(s->ws, out->op, &tuned, which->dtype, error);
        if (status == ASSAY_OK)
            snprintf(out->variant, sizeof out->variant, "%s", tuned.name);
    }
    out->filter = (case_filter){.ops = out->op->spec->name,
                                .variants = out->variant,
                                .dtypes = assay_dtype_name(out->dtype),
                                .sizes = out->size};
    return status;
}

assay_case session_case(const chosen_kernel *k)
{
    assay_case c = {.op = k->op, .dtype = k->dtype};
    snprintf(c.variant, sizeof c.variant, "%s", k->variant);
    snprintf(c.size, sizeof c.size, "%s", k->size);
    return c;
}
