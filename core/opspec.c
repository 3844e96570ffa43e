/* op.json -> opspec. The schema check comes first, so the readers below may rely on types; what they still check is what a
 * schema cannot say: references between keys (dimension names, dtypes, parameter names, tunable defaults). */
#include "json_file.h"
#include "opspec_reader.h"
#include "schema.h"
#include <ctype.h>
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

/* Names become parts of targets, files and C symbols. */
static int is_identifier(const char *name)
{
    if (name[0] == '\0' || strlen(name) >= ASSAY_NAME_MAX)
        return 0;
    for (const char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_')
            return 0;
    return 1;
}

assay_status opspec_need_identifier(reader *r, const char *key, const char *name)
{
    return is_identifier(name) ? ASSAY_OK
                               : FAIL(r,
                                      "%s: key \"%s\": \"%s\" is not a name; allowed: letters, digits and _, "
                                      "under %d characters",
                                      r->file, key, name, ASSAY_NAME_MAX);
}

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

int opspec_resolve_dim(const char *text, const opspec_dims *dims, int64_t *value)
{
    if (isdigit((unsigned char)text[0])) {
        *value = strtoll(text, NULL, 10);
        return 1;
    }
    return find_dim(dims, text, value);
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
        if (opspec_need_identifier(r, key, tensor->name) != ASSAY_OK)
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

static const char *type_name(assay_param_type type)
{
    static const char *const names[] = {"real", "integer", "boolean", "text"};
    return names[type];
}

/* Store a JSON value as a parameter of the given type. */
assay_status opspec_read_param_value(reader *r, const char *key, const json_t *value,
                                     const opspec_param *rule, assay_param *param)
{
    param->type = rule->value.type;
    memmove(param->name, rule->value.name, sizeof param->name); /* `param` may be the rule's own value */
    const int fits = param->type == ASSAY_PARAM_REAL      ? json_is_number(value)
                     : param->type == ASSAY_PARAM_INTEGER ? json_is_integer(value)
                     : param->type == ASSAY_PARAM_BOOLEAN ? json_is_boolean(value)
                                                          : json_is_string(value);
    if (!fits)
        return FAIL(r, "%s: key \"%s\" must be of type %s", r->file, key, type_name(param->type));
    param->real = json_number_value(value);
    param->integer = json_is_boolean(value) ? json_is_true(value) : json_integer_value(value);
    copy_text(param->text, sizeof param->text, value);
    if (param->type != ASSAY_PARAM_TEXT)
        return ASSAY_OK;
    char allowed[256] = "";
    for (int i = 0; i < rule->choice_count; i++) {
        if (strcmp(rule->choices[i], param->text) == 0)
            return ASSAY_OK;
        snprintf(allowed + strlen(allowed), sizeof allowed - strlen(allowed), "%s%s", i ? ", " : "",
                 rule->choices[i]);
    }
    return FAIL(r, "%s: key \"%s\" is \"%s\"; allowed: %s", r->file, key, param->text, allowed);
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
        if (opspec_need_identifier(r, "params", param->value.name) != ASSAY_OK)
            return ASSAY_ERR_INVALID;
        const char *type = json_get_text(item, "type", "");
        for (int t = ASSAY_PARAM_REAL; t <= ASSAY_PARAM_TEXT; t++)
            if (strcmp(type, type_name((assay_param_type)t)) == 0)
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
                                json_get_number(bound, "stol", 0)};
        if (!(t->atol >= 0 && t->rtol >= 0 && t->stol >= 0))
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
                       : FAIL(r, "%s: key \"tunables.%s.%s.default\" is not one of its \"values\"", r->file,
                              variant, name);
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
            if (index == 8)
                return FAIL(r, "%s: key \"constraints.%s\" has more than 8 entries", r->file, variant);
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

static assay_status read_peers(reader *r, const json_t *list)
{
    size_t index;
    json_t *item;
    json_array_foreach(list, index, item)
    {
        if (index == OPSPEC_MAX_PEERS)
            return FAIL(r, "%s: key \"peers\" has more than %d entries", r->file, OPSPEC_MAX_PEERS);
        copy_text(r->spec->peers[index], ASSAY_NAME_MAX, item);
        if (opspec_need_identifier(r, "peers", r->spec->peers[index]) != ASSAY_OK)
            return ASSAY_ERR_INVALID;
        r->spec->peer_count = (int)index + 1;
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
        read_tunables(r, json_object_get(root, "tunables"), json_object_get(root, "constraints")) !=
            ASSAY_OK ||
        read_peers(r, json_object_get(root, "peers")) != ASSAY_OK)
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
    free(spec);
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

const opspec_variant_tunables *opspec_find_tunables(const opspec *spec, const char *variant)
{
    for (int i = 0; i < spec->tunables_count; i++)
        if (strcmp(spec->tunables[i].variant, variant) == 0)
            return &spec->tunables[i];
    return NULL;
}

const opspec_dims *opspec_size_dims(const opspec_size *size, const char *device_kind)
{
    return size->has_cpu_dims && strcmp(device_kind, "cpu") == 0 ? &size->cpu_dims : &size->dims;
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
            continue;
        }
        tensor->rank = spec->inputs[i].rank;
        for (int axis = 0; axis < tensor->rank; axis++)
            if (!opspec_resolve_dim(spec->inputs[i].shape[axis], dims, &tensor->shape[axis]))
                return assay_error_set(error, ASSAY_ERR_INVALID,
                                       "%s: no value for dimension \"%s\" of input \"%s\"", spec->name,
                                       spec->inputs[i].shape[axis], spec->inputs[i].name);
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
    const assay_status status = impl->infer(problem, problem->outputs, error);
    for (int i = 0; status == ASSAY_OK && i < spec->output_count; i++)
        problem->outputs[i].data = NULL;
    if (status == ASSAY_OK && impl->workspace_bytes != NULL)
        problem->workspace_bytes = impl->workspace_bytes(problem);
    return status;
}
