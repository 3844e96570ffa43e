/* op.json -> opspec. The schema check comes first, so the readers below may rely on types; what they still check is what a
 * schema cannot say: references between keys (dimension names, dtypes, parameter names, tunable defaults). */
#include "core/json_file.h"
#include "core/opspec_reader.h"
#include "core/opspec_sweep.h"
#include "core/schema.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const char op_schema_text[]; /* ops/op.schema.json, embedded by the build */

typedef opspec_reader reader;

#define FAIL OPSPEC_FAIL

static void copy_text(char *to, size_t to_bytes, const json_t *value)
{
    const char *text = json_string_value(value);
    snprintf(to, to_bytes, "%s", text ? text : "");
}

static assay_status read_tensors(reader *r, const char *key, const json_t *list, opspec_tensor *tensors,
                                 int *count)
{
    size_t index, axis;
    json_t *item, *entry;
    json_array_foreach(list, index, item)
    {
        if (index == ASSAY_MAX_TENSORS)
            return FAIL(r, "%s: key \"%s\" has more than %d entries", r->file, key, ASSAY_MAX_TENSORS);
        opspec_tensor *tensor = &tensors[index];
        copy_text(tensor->name, sizeof tensor->name, json_object_get(item, "name"));
        if (opspec_need_identifier(r, key, tensor->name) != ASSAY_OK ||
            opspec_need_new_name(r, key, list, index) != ASSAY_OK)
            return ASSAY_ERR_INVALID;
        snprintf(tensor->distribution, sizeof tensor->distribution, "%s",
                 json_get_text(item, "distribution", "normal"));
        const json_t *shape = json_object_get(item, "shape");
        if (json_array_size(shape) > ASSAY_MAX_RANK)
            return FAIL(r, "%s: key \"%s[%zu].shape\" has more than %d entries", r->file, key, index,
                        ASSAY_MAX_RANK);
        json_array_foreach(shape, axis, entry)
            copy_text(tensor->shape[axis], sizeof tensor->shape[axis], entry);
        tensor->rank = (int)json_array_size(shape);
        *count = (int)index + 1;
    }
    return ASSAY_OK;
}

/* "min" and "max": both or none, of a real parameter. */
static assay_status read_range(reader *r, size_t index, const json_t *item, opspec_param *param)
{
    const json_t *min = json_object_get(item, "min"), *max = json_object_get(item, "max");
    param->min = json_number_value(min);
    param->max = json_number_value(max);
    param->has_range = min != NULL;
    if ((min != NULL) != (max != NULL) || (min && param->value.type != ASSAY_PARAM_REAL) ||
        param->min > param->max)
        return FAIL(r,
                    "%s: key \"params[%zu]\": \"min\" and \"max\" are for real parameters, both of them, the "
                    "smaller one first",
                    r->file, index);
    return ASSAY_OK;
}

static assay_status read_params(reader *r, const json_t *list)
{
    size_t index, choice;
    json_t *item, *entry;
    json_array_foreach(list, index, item)
    {
        if (index == ASSAY_MAX_PARAMS)
            return FAIL(r, "%s: key \"params\" has more than %d entries", r->file, ASSAY_MAX_PARAMS);
        opspec_param *param = &r->spec->params[index];
        copy_text(param->value.name, sizeof param->value.name, json_object_get(item, "name"));
        if (opspec_need_identifier(r, "params", param->value.name) != ASSAY_OK ||
            opspec_need_new_name(r, "params", list, index) != ASSAY_OK)
            return ASSAY_ERR_INVALID;
        const char *type = json_get_text(item, "type", "");
        for (int t = ASSAY_PARAM_REAL; t <= ASSAY_PARAM_TEXT; t++)
            if (strcmp(type, opspec_type_name((assay_param_type)t)) == 0)
                param->value.type = (assay_param_type)t;
        const json_t *choices = json_object_get(item, "choices");
        if (param->value.type == ASSAY_PARAM_TEXT && json_array_size(choices) == 0)
            return FAIL(r, "%s: key \"params[%zu]\" is text and needs \"choices\"", r->file, index);
        json_array_foreach(choices, choice, entry)
        {
            if (choice == 8)
                return FAIL(r, "%s: key \"params[%zu].choices\" has more than 8 entries", r->file, index);
            copy_text(param->choices[choice], ASSAY_NAME_MAX, entry);
            param->choice_count = (int)choice + 1;
        }
        char key[128];
        snprintf(key, sizeof key, "params[%zu].default", index);
        if (read_range(r, index, item, param) != ASSAY_OK)
            return ASSAY_ERR_INVALID;
        if (opspec_read_param_value(r, key, json_object_get(item, "default"), param, &param->value) !=
            ASSAY_OK)
            return ASSAY_ERR_INVALID;
        r->spec->param_count = (int)index + 1;
    }
    return ASSAY_OK;
}

static assay_status read_dtypes(reader *r, const json_t *list, const json_t *tolerances)
{
    size_t index;
    json_t *item;
    json_array_foreach(list, index, item)
    {
        assay_dtype dtype = ASSAY_F64;
        if (index == ASSAY_DTYPE_COUNT || !assay_dtype_parse(json_string_value(item), &dtype) ||
            opspec_has_dtype(r->spec, dtype))
            return FAIL(r, "%s: key \"dtypes\" names a dtype twice", r->file);
        const json_t *bound = json_object_get(tolerances, json_string_value(item));
        if (bound == NULL)
            return FAIL(r, "%s: missing key \"tolerances.%s\"; required for each of \"dtypes\"", r->file,
                        json_string_value(item));
        opspec_tolerance *t = &r->spec->tolerances[dtype];
        *t = (opspec_tolerance){json_get_number(bound, "atol", 0), json_get_number(bound, "rtol", 0),
                                json_get_number(bound, "stol", 0), json_get_number(bound, "rms", 0)};
        if (!(t->atol >= 0 && t->rtol >= 0 && t->stol >= 0 && t->rms >= 0))
            return FAIL(r, "%s: key \"tolerances.%s\" is negative; allowed: 0 and up", r->file,
                        json_string_value(item));
        r->spec->dtypes[r->spec->dtype_count++] = dtype;
    }
    return ASSAY_OK;
}

static assay_status read_tunable(reader *r, const char *variant, const char *name, const json_t *object,
                                 opspec_tunable *tunable)
{
    size_t index;
    json_t *entry;
    int has_default = 0;
    snprintf(tunable->name, sizeof tunable->name, "%s", name);
    tunable->def = json_integer_value(json_object_get(object, "default"));
    tunable->at_run_time = json_is_true(json_object_get(object, "run_time"));
    json_array_foreach(json_object_get(object, "values"), index, entry)
    {
        if (index == OPSPEC_MAX_VALUES)
            return FAIL(r, "%s: key \"tunables.%s.%s.values\" has more than %d entries", r->file, variant,
                        name, OPSPEC_MAX_VALUES);
        tunable->values[index] = json_integer_value(entry);
        tunable->value_count = (int)index + 1;
        has_default |= tunable->values[index] == tunable->def;
    }
    return has_default ? ASSAY_OK
                       : FAIL(r, "%s: key \"tunables.%s.%s.default\": %lld is not one of its \"values\"",
                              r->file, variant, name, (long long)tunable->def);
}

static assay_status read_tunables(reader *r, const json_t *tunables, const json_t *constraints)
{
    const char *variant, *name;
    json_t *group, *object, *entry;
    size_t index;
    json_object_foreach((json_t *)tunables, variant, group)
    {
        if (r->spec->tunables_count == OPSPEC_MAX_VARIANT_TUNABLES ||
            json_object_size(group) > OPSPEC_MAX_TUNABLES)
            return FAIL(r, "%s: key \"tunables\" has too many entries", r->file);
        opspec_variant_tunables *set = &r->spec->tunables[r->spec->tunables_count++];
        snprintf(set->variant, sizeof set->variant, "%s", variant);
        json_object_foreach(group, name, object)
        {
            if (opspec_need_identifier(r, "tunables", name) != ASSAY_OK ||
                read_tunable(r, variant, name, object, &set->tunables[set->count]) != ASSAY_OK)
                return ASSAY_ERR_INVALID;
            set->count++;
        }
        json_array_foreach(json_object_get(constraints, variant), index, entry)
        {
            if (index == OPSPEC_MAX_CONSTRAINTS)
                return FAIL(r, "%s: key \"constraints.%s\" has more than %d entries", r->file, variant,
                            OPSPEC_MAX_CONSTRAINTS);
            copy_text(set->constraints[index], sizeof set->constraints[index], entry);
            set->constraint_count = (int)index + 1;
        }
    }
    json_object_foreach((json_t *)constraints, variant, group)
    {
        if (opspec_find_tunables(r->spec, variant) == NULL)
            return FAIL(r, "%s: key \"constraints.%s\" names a variant without tunables", r->file, variant);
    }
    return ASSAY_OK;
}

static assay_status read_variant_dtypes(reader *r, const json_t *object)
{
    const char *variant;
    json_t *list;
    json_object_foreach((json_t *)object, variant, list)
    {
        char key[ASSAY_NAME_MAX + 32];
        if (r->spec->variant_dtypes_count == OPSPEC_MAX_VARIANT_DTYPES)
            return FAIL(r, "%s: key \"variant_dtypes\" has more than %d entries", r->file,
                        OPSPEC_MAX_VARIANT_DTYPES);
        opspec_variant_dtypes *entry = &r->spec->variant_dtypes[r->spec->variant_dtypes_count++];
        snprintf(entry->variant, sizeof entry->variant, "%s", variant);
        snprintf(key, sizeof key, "variant_dtypes.%s", entry->variant);
        if (opspec_read_dtype_mask(r, key, list, &entry->dtype_mask) != ASSAY_OK)
            return ASSAY_ERR_INVALID;
    }
    return ASSAY_OK;
}

static assay_status read_baselines(reader *r, const json_t *list)
{
    size_t index;
    json_t *item;
    json_array_foreach(list, index, item)
    {
        if (index == OPSPEC_MAX_BASELINES)
            return FAIL(r, "%s: key \"baselines\" has more than %d entries", r->file, OPSPEC_MAX_BASELINES);
        copy_text(r->spec->baselines[index], ASSAY_NAME_MAX, item);
        if (opspec_need_identifier(r, "baselines", r->spec->baselines[index]) != ASSAY_OK)
            return ASSAY_ERR_INVALID;
        r->spec->baseline_count = (int)index + 1;
    }
    return ASSAY_OK;
}

static assay_status read_all(reader *r, const json_t *root)
{
    opspec *spec = r->spec;
    copy_text(spec->name, sizeof spec->name, json_object_get(root, "name"));
    copy_text(spec->family, sizeof spec->family, json_object_get(root, "family"));
    copy_text(spec->torch, sizeof spec->torch, json_object_get(root, "torch"));
    copy_text(spec->formula, sizeof spec->formula, json_object_get(root, "formula"));
    copy_text(spec->complexity, sizeof spec->complexity, json_object_get(root, "complexity"));
    copy_text(spec->access, sizeof spec->access, json_object_get(root, "access"));
    if (opspec_need_identifier(r, "name", spec->name) != ASSAY_OK)
        return ASSAY_ERR_INVALID;
    const char *folder = strrchr(spec->directory, '/');
    if (strcmp(folder ? folder + 1 : spec->directory, spec->name) != 0)
        return FAIL(r, "%s: key \"name\" is \"%s\"; it must be the folder's name", r->file, spec->name);
    if (read_tensors(r, "inputs", json_object_get(root, "inputs"), spec->inputs, &spec->input_count) !=
            ASSAY_OK ||
        read_tensors(r, "outputs", json_object_get(root, "outputs"), spec->outputs, &spec->output_count) !=
            ASSAY_OK ||
        read_params(r, json_object_get(root, "params")) != ASSAY_OK ||
        read_dtypes(r, json_object_get(root, "dtypes"), json_object_get(root, "tolerances")) != ASSAY_OK ||
        opspec_read_problems(r, root) != ASSAY_OK ||
        opspec_read_sweep(r, json_object_get(root, "sweep")) != ASSAY_OK ||
        read_tunables(r, json_object_get(root, "tunables"), json_object_get(root, "constraints")) !=
            ASSAY_OK ||
        read_variant_dtypes(r, json_object_get(root, "variant_dtypes")) != ASSAY_OK ||
        read_baselines(r, json_object_get(root, "baselines")) != ASSAY_OK ||
        opspec_check_solve(r, json_object_get(root, "solve")) != ASSAY_OK)
        return ASSAY_ERR_INVALID;
    return ASSAY_OK;
}

static assay_status check_and_read(reader *r, const json_t *root)
{
    json_error_t parse;
    json_t *schema = json_loads(op_schema_text, 0, &parse);
    if (schema == NULL)
        return FAIL(r, "the embedded op schema is broken: %s", parse.text);
    assay_status status = schema_check(schema, root, r->file, r->error);
    json_decref(schema);
    return status == ASSAY_OK ? read_all(r, root) : status;
}

assay_status opspec_load(const char *directory, opspec **out, assay_error *error)
{
    char file[4200];
    snprintf(file, sizeof file, "%s/op.json", directory);
    json_t *root;
    assay_status status = json_file_read(file, &root, error);
    if (status != ASSAY_OK)
        return status;
    reader r = {.file = file, .spec = calloc(1, sizeof(opspec)), .error = error};
    if (r.spec == NULL) {
        json_decref(root);
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "%s: not enough memory", file);
    }
    snprintf(r.spec->directory, sizeof r.spec->directory, "%s", directory);
    size_t length = strlen(r.spec->directory);
    while (length > 1 && r.spec->directory[length - 1] == '/')
        r.spec->directory[--length] = '\0';
    status = check_and_read(&r, root);
    json_decref(root);
    if (status == ASSAY_OK)
        *out = r.spec;
    else
        opspec_free(r.spec);
    return status;
}

void opspec_free(opspec *spec)
{
    if (spec)
        free(spec->sweep);
    free(spec);
}
