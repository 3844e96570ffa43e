/* Reading the tuner's winners: see winner.h. */
#include "build_module/winner.h"
#include "core/json_file.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void winner_arch(const workspace *ws, char *out, size_t out_bytes)
{
    const json_t *list = json_object_get(json_object_get(ws->manifest, "toolchain"), "arch");
    const size_t count = json_array_size(list);
    const char *arch = count > 0 ? json_string_value(json_array_get(list, count - 1)) : NULL;
    if (strcmp(ws->device, "cuda") != 0 || !arch) {
        snprintf(out, out_bytes, "%s", ws->device);
        return;
    }
    arch += strcspn(arch, "0123456789");
    snprintf(out, out_bytes, "sm_%.*s", (int)strspn(arch, "0123456789"), arch);
}

void winner_path(const workspace *ws, const workspace_op *op, char *out, size_t out_bytes)
{
    char arch[32];
    winner_arch(ws, arch, sizeof arch);
    snprintf(out, out_bytes, "%s/best/%s.json", op->spec->directory, arch);
}

static int has_value(const opspec_tunable *tunable, const json_t *value)
{
    for (int i = 0; json_is_integer(value) && i < tunable->value_count; i++)
        if (tunable->values[i] == json_integer_value(value))
            return 1;
    return 0;
}

static assay_status check_row(const char *path, const opspec *spec, size_t index, const json_t *row,
                              assay_error *error)
{
    assay_dtype dtype;
    const char *variant = json_get_text(row, "variant", ""), *name = json_get_text(row, "dtype", "");
    const json_t *tunables = json_object_get(row, "tunables");
    const opspec_variant_tunables *set = opspec_find_tunables(spec, variant);
    if (!set)
        return assay_error_set(error, ASSAY_ERR_FORMAT,
                               "%s: winners[%zu].variant: op.json has no tunables of \"%s\"", path, index,
                               variant);
    if (!assay_dtype_parse(name, &dtype) || !opspec_variant_has_dtype(spec, variant, dtype))
        return assay_error_set(error, ASSAY_ERR_FORMAT, "%s: winners[%zu].dtype: \"%s\" is none of %s", path,
                               index, name, variant);
    for (int i = 0; i < set->count; i++)
        if (!has_value(&set->tunables[i], json_object_get(tunables, set->tunables[i].name)))
            return assay_error_set(
                error, ASSAY_ERR_FORMAT,
                "%s: winners[%zu].tunables.%s: no value of op.json; tune again or take the "
                "row out",
                path, index, set->tunables[i].name);
    return json_object_size(tunables) == (size_t)set->count
               ? ASSAY_OK
               : assay_error_set(error, ASSAY_ERR_FORMAT,
                                 "%s: winners[%zu].tunables: other names than those of op.json", path, index);
}

assay_status winner_read(const char *path, const opspec *spec, json_t **document, assay_error *error)
{
    size_t index;
    json_t *row;
    *document = NULL;
    if (access(path, F_OK) != 0)
        return ASSAY_OK;
    assay_status status = json_file_read(path, document, error);
    if (status == ASSAY_OK && (json_get_number(*document, "schema", 0) != 1 ||
                               strcmp(json_get_text(*document, "op", ""), spec->name) != 0))
        status = assay_error_set(error, ASSAY_ERR_FORMAT, "%s: no winners of schema 1 of the op %s", path,
                                 spec->name);
    json_array_foreach(json_object_get(*document, "winners"), index, row)
    {
        if (status == ASSAY_OK)
            status = check_row(path, spec, index, row, error);
    }
    if (status != ASSAY_OK) {
        json_decref(*document);
        *document = NULL;
    }
    return status;
}

const json_t *winner_find(const json_t *document, const char *variant, assay_dtype dtype)
{
    const json_t *found = NULL;
    size_t index;
    json_t *row;
    json_array_foreach(json_object_get(document, "winners"), index, row)
    {
        if (strcmp(json_get_text(row, "variant", ""), variant) != 0 ||
            strcmp(json_get_text(row, "dtype", ""), assay_dtype_name(dtype)) != 0)
            continue;
        if (!found || strcmp(json_get_text(row, "size", ""), "large") == 0)
            found = row;
    }
    return found;
}
