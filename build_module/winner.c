/* Reading the tuner's winners: see winner.h. */
#include "build_module/winner.h"
#include "core/json_file.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The architecture that the workspace's modules are compiled for, as the file's name has it: "sm_90" of the newest one, "cpu". */
static void winner_arch(const workspace *ws, char *out, size_t out_bytes)
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

/* 1 for a list of `count` integers. */
static int is_integers(const json_t *list, size_t count)
{
    size_t index;
    json_t *item;
    if (json_array_size(list) != count)
        return 0;
    json_array_foreach(list, index, item)
    {
        if (!json_is_integer(item))
            return 0;
    }
    return 1;
}

static const opspec_tunable *find_run_time(const opspec_variant_tunables *set, const char *name)
{
    for (int i = 0; i < set->count; i++)
        if (set->tunables[i].at_run_time && strcmp(set->tunables[i].name, name) == 0)
            return &set->tunables[i];
    return NULL;
}

static assay_status check_table(const char *path, const opspec *spec, size_t index, const json_t *table,
                                assay_error *error)
{
    const opspec_variant_tunables *set = opspec_find_tunables(spec, json_get_text(table, "variant", ""));
    const json_t *names = json_object_get(table, "tunables"), *dims = json_object_get(table, "dims");
    const opspec_dims *known = &spec->sizes[0].dims;
    assay_dtype dtype;
    size_t r, i;
    json_t *row;
    int same = json_array_size(dims) == (size_t)known->count;
    for (int d = 0; d < known->count && same; d++)
        same = strcmp(json_string_value(json_array_get(dims, (size_t)d)), known->dim[d].name) == 0;
    if (!set || !same || !assay_dtype_parse(json_get_text(table, "dtype", ""), &dtype) ||
        json_array_size(names) == 0)
        return assay_error_set(error, ASSAY_ERR_FORMAT,
                               "%s: tables[%zu]: another variant, dtype or dimensions than op.json has", path,
                               index);
    json_array_foreach(json_object_get(table, "rows"), r, row)
    {
        const json_t *values = json_object_get(row, "values");
        int good = is_integers(json_object_get(row, "least"), json_array_size(dims)) &&
                   is_integers(json_object_get(row, "most"), json_array_size(dims)) &&
                   is_integers(values, json_array_size(names));
        for (i = 0; i < json_array_size(names) && good; i++) {
            const opspec_tunable *t = find_run_time(set, json_string_value(json_array_get(names, i)));
            good = t && has_value(t, json_array_get(values, i));
        }
        if (!good)
            return assay_error_set(error, ASSAY_ERR_FORMAT,
                                   "%s: tables[%zu].rows[%zu]: no ranges and values of op.json's run-time "
                                   "tunables; tune again or take the table out",
                                   path, index, r);
    }
    return ASSAY_OK;
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
    json_array_foreach(json_object_get(*document, "tables"), index, row)
    {
        if (status == ASSAY_OK)
            status = check_table(path, spec, index, row, error);
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

static int is_same(const json_t *a, const json_t *b)
{
    static const char *const keys[] = {"variant", "dtype", "size"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(json_get_text(a, keys[i], ""), json_get_text(b, keys[i], "")) != 0)
            return 0;
    return 1;
}

const json_t *winner_find_table(const json_t *document, const char *variant, assay_dtype dtype)
{
    size_t index;
    json_t *table;
    json_array_foreach(json_object_get(document, "tables"), index, table)
    {
        if (strcmp(json_get_text(table, "variant", ""), variant) == 0 &&
            strcmp(json_get_text(table, "dtype", ""), assay_dtype_name(dtype)) == 0)
            return table;
    }
    return NULL;
}

assay_status winner_put(const workspace *ws, const workspace_op *op, const char *list, json_t *row,
                        char saved[4400], assay_error *error)
{
    char path[4400], arch[32];
    json_t *document = NULL;
    winner_arch(ws, arch, sizeof arch);
    winner_path(ws, op, path, sizeof path);
    const assay_status status = winner_read(path, op->spec, &document, error);
    if (status != ASSAY_OK)
        return status;
    if (!document)
        document =
            json_pack("{s:i, s:s, s:s, s:[]}", "schema", 1, "op", op->spec->name, "arch", arch, "winners");
    json_t *rows = json_object_get(document, list);
    if (!rows) {
        rows = json_array();
        json_object_set_new(document, list, rows);
    }
    size_t at = 0;
    while (at < json_array_size(rows) && !is_same(json_array_get(rows, at), row))
        at++;
    if (at < json_array_size(rows))
        json_array_set(rows, at, row);
    else
        json_array_append(rows, row);
    const assay_status written = json_file_write(path, document, 0, error);
    json_decref(document);
    if (written == ASSAY_OK)
        snprintf(saved, 4400, "%s", path);
    return written;
}
