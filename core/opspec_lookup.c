/* What is asked of an op.json that was read: its sizes, dtypes, tunables, and the problem that a size or an edge case stands for. */
#include "core/list.h"
#include "core/opspec_reader.h"
#include "core/variant_name.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int find_dim(const opspec_dims *dims, const char *name, int64_t *value)
{
    for (int i = 0; i < dims->count; i++) {
        if (strcmp(dims->dim[i].name, name) == 0) {
            *value = dims->dim[i].value;
            return 1;
        }
    }
    return 0;
}

/* Value of one entry of a tensor's "shape": a number or a dimension. 0 if there is no such dimension. */
static int opspec_resolve_dim(const char *text, const opspec_dims *dims, int64_t *value)
{
    if (isdigit((unsigned char)text[0])) {
        *value = strtoll(text, NULL, 10);
        return 1;
    }
    return find_dim(dims, text, value);
}

const char *opspec_shape_input(const opspec *spec, int input, const opspec_dims *dims, assay_tensor *tensor)
{
    const opspec_axes *other = &dims->axes[input];
    tensor->rank = other->given ? other->rank : spec->inputs[input].rank;
    for (int i = 0; i < tensor->rank; i++) {
        const char *axis = other->given ? other->axis[i] : spec->inputs[input].shape[i];
        if (!opspec_resolve_dim(axis, dims, &tensor->shape[i]))
            return axis;
    }
    return NULL;
}

int opspec_has_too_many(const assay_tensor *tensor, char *words, size_t bytes)
{
    const int64_t most = (int64_t)1 << 48;
    int64_t count = 1;
    int too_many = 0;
    size_t used = 0;
    words[0] = '\0';
    for (int i = 0; i < tensor->rank; i++) {
        if (tensor->shape[i] == 0)
            return 0;
        too_many |= __builtin_mul_overflow(count, tensor->shape[i], &count) || count > most;
        used += (size_t)snprintf(words + used, used < bytes ? bytes - used : 0, "%s%lld", i ? " x " : "",
                                 (long long)tensor->shape[i]);
    }
    snprintf(words + used, used < bytes ? bytes - used : 0, " elements; allowed: up to 2^48");
    return too_many;
}

static assay_status check_elements(const opspec *spec, const char *name, const assay_tensor *tensor,
                                   assay_error *error)
{
    char words[256];
    return opspec_has_too_many(tensor, words, sizeof words)
               ? assay_error_set(error, ASSAY_ERR_INVALID, "%s: \"%s\" has %s", spec->name, name, words)
               : ASSAY_OK;
}

const opspec_size *opspec_find_size(const opspec *spec, const char *name)
{
    for (int i = 0; i < spec->size_count; i++)
        if (strcmp(spec->sizes[i].name, name) == 0)
            return &spec->sizes[i];
    return NULL;
}

int opspec_has_case(const opspec *spec, assay_dtype dtype, const char *name)
{
    const opspec_size *size = opspec_find_size(spec, name);
    unsigned mask = size ? size->dtype_mask : strcmp(name, "edge") == 0 ? ~0u : 0;
    for (int i = 0; i < spec->huge_count && strcmp(name, "huge") == 0; i++)
        mask |= spec->huge_cases[i].dtype_mask;
    return opspec_has_dtype(spec, dtype) && (mask >> dtype & 1u);
}

int opspec_has_dtype(const opspec *spec, assay_dtype dtype)
{
    for (int i = 0; i < spec->dtype_count; i++)
        if (spec->dtypes[i] == dtype)
            return 1;
    return 0;
}

int opspec_edge_applies(const opspec_edge *edge, assay_dtype dtype, const char *variant)
{
    char own[ASSAY_NAME_MAX];
    tuned_variant_base(variant ? variant : "", own);
    return (edge->dtype_mask >> dtype & 1u) &&
           (variant == NULL || edge->variants[0] == '\0' || list_has(edge->variants, own));
}

int opspec_variant_has_dtype(const opspec *spec, const char *variant, assay_dtype dtype)
{
    for (int i = 0; i < spec->variant_dtypes_count; i++)
        if (tuned_variant_is_of(variant, spec->variant_dtypes[i].variant))
            return (int)(spec->variant_dtypes[i].dtype_mask >> dtype & 1u);
    return opspec_has_dtype(spec, dtype);
}

const opspec_variant_tunables *opspec_find_tunables(const opspec *spec, const char *variant)
{
    for (int i = 0; i < spec->tunables_count; i++)
        if (tuned_variant_is_of(variant, spec->tunables[i].variant))
            return &spec->tunables[i];
    return NULL;
}

const opspec_dims *opspec_size_dims(const opspec_size *size, const char *device_kind)
{
    return size->has_cpu_dims && strcmp(device_kind, "cuda") != 0 ? &size->cpu_dims : &size->dims;
}

assay_status opspec_build_problem(const opspec *spec, const assay_op_impl *impl, assay_dtype dtype,
                                  const opspec_dims *dims, const opspec_edge *edge, assay_problem *problem,
                                  assay_error *error)
{
    memset(problem, 0, sizeof *problem);
    problem->dtype = dtype;
    problem->input_count = spec->input_count;
    problem->output_count = spec->output_count;
    problem->param_count = spec->param_count;
    if (edge != NULL && dims == NULL)
        dims = &edge->dims;
    for (int i = 0; i < spec->input_count; i++) {
        assay_tensor *tensor = &problem->inputs[i];
        tensor->dtype = assay_dtype_storage(dtype);
        if (edge != NULL && edge->has_shapes) {
            tensor->rank = edge->shapes[i].rank;
            memcpy(tensor->shape, edge->shapes[i].shape, sizeof tensor->shape);
            if (check_elements(spec, spec->inputs[i].name, tensor, error) != ASSAY_OK)
                return ASSAY_ERR_INVALID;
            continue;
        }
        const char *missing = opspec_shape_input(spec, i, dims, tensor);
        if (missing != NULL)
            return assay_error_set(error, ASSAY_ERR_INVALID,
                                   "%s: no value for dimension \"%s\" of input \"%s\"", spec->name, missing,
                                   spec->inputs[i].name);
        if (check_elements(spec, spec->inputs[i].name, tensor, error) != ASSAY_OK)
            return ASSAY_ERR_INVALID;
    }
    for (int i = 0; i < spec->param_count; i++) {
        problem->params[i] = spec->params[i].value;
        if (dims != NULL && problem->params[i].type == ASSAY_PARAM_INTEGER)
            find_dim(dims, problem->params[i].name, &problem->params[i].integer);
        for (int j = 0; dims != NULL && j < dims->param_count; j++)
            if (strcmp(dims->params[j].name, spec->params[i].value.name) == 0)
                problem->params[i] = dims->params[j];
        for (int j = 0; edge != NULL && j < edge->param_count; j++)
            if (strcmp(edge->params[j].name, spec->params[i].value.name) == 0)
                problem->params[i] = edge->params[j];
    }
    for (int i = 0; i < spec->output_count; i++)
        problem->outputs[i].dtype = assay_dtype_storage(dtype);
    assay_status status = impl->infer(problem, problem->outputs, error);
    for (int i = 0; status == ASSAY_OK && i < spec->output_count; i++) {
        problem->outputs[i].data = NULL;
        status = check_elements(spec, spec->outputs[i].name, &problem->outputs[i], error);
    }
    if (status == ASSAY_OK && impl->workspace_bytes != NULL)
        problem->workspace_bytes = impl->workspace_bytes(problem);
    return status;
}

int opspec_claims(const opspec_extra *extra, const char *variant)
{
    for (int i = 0; i < extra->claim_count; i++)
        if (tuned_variant_is_of(variant, extra->claimed_by[i]))
            return 1;
    return 0;
}
