/* Sizes made smaller until they fit: see fit_sizes.h. */
#include "verify/fit_sizes.h"
#include "core/json_file.h"
#include "core/list.h"
#include "verify/expected_output.h"
#include "verify/guards.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What judging a problem of these dimensions takes; without a GPU host copies come from the same memory. 0: the op refuses them. */
static int64_t need_bytes(const workspace *ws, const opspec *spec, const assay_op_impl *impl,
                          assay_dtype dtype, const opspec_dims *dims)
{
    assay_problem problem;
    if (opspec_build_problem(spec, impl, dtype, dims, NULL, &problem, NULL) != ASSAY_OK)
        return 0;
    const int64_t need = guarded_need_bytes(ws->device, &problem);
    return strcmp(ws->device, "cuda") == 0 ? need
                                           : need + guarded_shared_bytes(ws->device, &problem) +
                                                 expected_output_need_bytes(impl, &problem);
}

static assay_dtype widest(const opspec *spec, const char *dtypes)
{
    assay_dtype found = spec->dtypes[0];
    size_t bytes = 0;
    for (int i = 0; i < spec->dtype_count; i++)
        if (list_selects(dtypes, assay_dtype_name(spec->dtypes[i])) &&
            (size_t)assay_dtype_bytes(spec->dtypes[i]) > bytes) {
            found = spec->dtypes[i];
            bytes = (size_t)assay_dtype_bytes(found);
        }
    return found;
}

/* Halve the largest dimension that the op lets be halved. 0: there is none. */
static int64_t halve(const workspace *ws, const opspec *spec, const assay_op_impl *impl, assay_dtype dtype,
                     opspec_dims *dims)
{
    int tried[OPSPEC_MAX_DIMS] = {0};
    for (int round = 0; round < dims->count; round++) {
        int largest = -1;
        for (int i = 0; i < dims->count; i++)
            if (!tried[i] && dims->dim[i].value > 1 &&
                (largest < 0 || dims->dim[i].value > dims->dim[largest].value))
                largest = i;
        if (largest < 0)
            return 0;
        const int64_t before = dims->dim[largest].value;
        dims->dim[largest].value = before / 2;
        const int64_t need = need_bytes(ws, spec, impl, dtype, dims);
        if (need > 0)
            return need;
        dims->dim[largest].value = before;
        tried[largest] = 1;
    }
    return 0;
}

static assay_status add(const workspace_op *op, const opspec_size *from, const opspec_dims *dims,
                        int64_t need, int64_t free_bytes, json_t *shrunk, assay_error *error)
{
    const opspec_size *added, changed = {.dims = *dims};
    json_t *shape = opspec_shape_json(&changed);
    const assay_status status = opspec_add_shape(op->spec, shape, &added, error);
    if (status == ASSAY_OK)
        json_array_append_new(shrunk,
                              json_pack("{s:s, s:s, s:O, s:s, s:I, s:I}", "op", op->spec->name, "size",
                                        from->name, "shape", shape, "name", added->name, "need_bytes",
                                        (json_int_t)need, "free_bytes", (json_int_t)free_bytes));
    json_decref(shape);
    return status;
}

assay_status fit_sizes(const workspace *ws, const workspace_op *op, const char *dtypes, const char *sizes,
                       int64_t free_bytes, json_t *shrunk, assay_error *error)
{
    const opspec *spec = op->spec;
    const assay_op_impl *impl;
    const int count = spec->size_count; /* without what is added here */
    const assay_dtype dtype = widest(spec, dtypes);
    assay_status status = workspace_load_impl(op, &impl, error);
    for (int i = 0; i < count && status == ASSAY_OK; i++) {
        const opspec_size *size = &spec->sizes[i];
        if (opspec_is_shape(size->name) || !list_selects(sizes, size->name))
            continue;
        opspec_dims dims = *opspec_size_dims(size, ws->device);
        const int64_t need = need_bytes(ws, spec, impl, dtype, &dims);
        int64_t left = need;
        while (left > free_bytes)
            left = halve(ws, spec, impl, dtype, &dims);
        if (need > free_bytes && left > 0)
            status = add(op, size, &dims, need, free_bytes, shrunk, error);
    }
    return status;
}

assay_status fit_sizes_add(const workspace_op *op, const json_t *shrunk, assay_error *error)
{
    assay_status status = ASSAY_OK;
    size_t i;
    const json_t *one;
    const opspec_size *added;
    json_array_foreach((json_t *)shrunk, i,
                       one) if (status == ASSAY_OK &&
                                strcmp(json_get_text(one, "op", ""), op->spec->name) == 0) status =
        opspec_add_shape(op->spec, json_object_get(one, "shape"), &added, error);
    return status;
}

/* *list, or nothing yet, with one more name unless it is there. Without memory *list becomes NULL. */
static void append(char **list, const char *name)
{
    char *longer = NULL;
    if (list_has(*list, name))
        return;
    if (asprintf(&longer, "%s%s%s", *list, (*list)[0] ? "," : "", name) < 0)
        longer = NULL;
    free(*list);
    *list = longer;
}

char *fit_sizes_list(const workspace *ws, const char *ops, const char *sizes, const json_t *shrunk)
{
    if (json_array_size(shrunk) == 0)
        return sizes ? strdup(sizes) : NULL;
    char *list = strdup(sizes ? sizes : "");
    for (int o = 0; o < ws->op_count && !sizes; o++)
        for (int i = 0; list && list_selects(ops, ws->ops[o].spec->name) && i < ws->ops[o].spec->size_count;
             i++)
            append(&list, ws->ops[o].spec->sizes[i].name);
    for (size_t i = 0; list && i < json_array_size(shrunk); i++)
        append(&list, json_get_text(json_array_get(shrunk, i), "name", ""));
    return list;
}
