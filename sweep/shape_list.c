/* Lists of shapes and their files: see shape_list.h. */
#include "sweep/shape_list.h"
#include "core/json_file.h"
#include <stdlib.h>
#include <string.h>

void shape_list_release(shape_list *list)
{
    for (int i = 0; i < list->count; i++)
        json_decref(list->shapes[i].shape);
    free(list->shapes);
    *list = (shape_list){0};
}

int shape_list_has(const shape_list *list, const char *name)
{
    for (int i = 0; i < list->count; i++)
        if (strcmp(list->shapes[i].name, name) == 0)
            return 1;
    return 0;
}

assay_status shape_list_add(shape_list *list, json_t *shape, const char *name, const char *family,
                            assay_error *error)
{
    if (list->count == list->capacity) {
        const int capacity = list->capacity ? 2 * list->capacity : 64;
        sweep_shape *grown = realloc(list->shapes, (size_t)capacity * sizeof *grown);
        if (!grown) {
            json_decref(shape);
            return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for %d shapes", capacity);
        }
        list->shapes = grown;
        list->capacity = capacity;
    }
    sweep_shape *added = &list->shapes[list->count++];
    *added = (sweep_shape){.shape = shape};
    snprintf(added->name, sizeof added->name, "%s", name);
    snprintf(added->family, sizeof added->family, "%s", family);
    return ASSAY_OK;
}

assay_status shape_check(opspec *spec, const assay_op_impl *impl, assay_dtype dtype, const json_t *shape,
                         assay_problem *problem, char name[ASSAY_NAME_MAX], assay_error *error)
{
    const opspec_size *size = NULL;
    assay_status status = opspec_add_shape(spec, shape, &size, error);
    if (status == ASSAY_OK) {
        snprintf(name, ASSAY_NAME_MAX, "%s", size->name);
        status = opspec_build_problem(spec, impl, dtype, &size->dims, NULL, problem, error);
    }
    opspec_forget_shapes(spec);
    return status;
}

/* Dimensions in the op's order, then parameters in the op's order: one problem has one name. */
static json_t *in_order(const opspec *spec, const json_t *given)
{
    const opspec_dims *dims = &opspec_find_size(spec, "small")->dims;
    const json_t *params = json_object_get(given, "params");
    json_t *shape = json_object(), *ordered = json_object();
    for (int i = 0; i < dims->count; i++)
        json_object_set(shape, dims->dim[i].name, json_object_get(given, dims->dim[i].name));
    for (int i = 0; i < spec->param_count; i++)
        if (json_object_get(params, spec->params[i].value.name))
            json_object_set(ordered, spec->params[i].value.name,
                            json_object_get(params, spec->params[i].value.name));
    if (json_object_size(ordered) > 0)
        json_object_set(shape, "params", ordered);
    json_decref(ordered);
    return shape;
}

static int has_dim(const opspec_dims *dims, const char *name)
{
    for (int i = 0; i < dims->count; i++)
        if (strcmp(dims->dim[i].name, name) == 0)
            return 1;
    return 0;
}

static int has_param(const opspec *spec, const char *name)
{
    for (int i = 0; i < spec->param_count; i++)
        if (strcmp(spec->params[i].value.name, name) == 0)
            return 1;
    return 0;
}

/* Keys and kinds; what the values may be is for opspec_add_shape() to say. */
static assay_status check_keys(const opspec *spec, const json_t *given, assay_error *error)
{
    const opspec_dims *dims = &opspec_find_size(spec, "small")->dims;
    const char *name;
    json_t *value;
    for (int i = 0; i < dims->count; i++)
        if (!json_object_get(given, dims->dim[i].name))
            return assay_error_set(error, ASSAY_ERR_INVALID, "no value for the dimension %s of %s",
                                   dims->dim[i].name, spec->name);
    json_object_foreach((json_t *)given, name, value)
    {
        const int is_params = strcmp(name, "params") == 0, is_family = strcmp(name, "family") == 0;
        if (has_dim(dims, name) && (!json_is_integer(value) || json_integer_value(value) < 0))
            return assay_error_set(error, ASSAY_ERR_INVALID, "%s: an integer from 0 up is expected", name);
        if (!has_dim(dims, name) && !is_params && !is_family)
            return assay_error_set(error, ASSAY_ERR_INVALID,
                                   "%s has no dimension \"%s\"; allowed: its dimensions, params, family",
                                   spec->name, name);
        if ((is_params && !json_is_object(value)) || (is_family && !json_is_string(value)))
            return assay_error_set(error, ASSAY_ERR_INVALID, "%s: %s is expected", name,
                                   is_params ? "an object" : "a text");
    }
    json_object_foreach(json_object_get(given, "params"), name, value)
    {
        if (!has_param(spec, name))
            return assay_error_set(error, ASSAY_ERR_INVALID, "%s has no parameter \"%s\"", spec->name, name);
    }
    return ASSAY_OK;
}

static assay_status take_line(opspec *spec, const assay_op_impl *impl, const char *line, shape_list *list,
                              assay_error *error)
{
    json_error_t parse;
    assay_problem problem;
    char name[ASSAY_NAME_MAX];
    json_t *given = json_loads(line, JSON_REJECT_DUPLICATES, &parse);
    if (!json_is_object(given)) {
        const assay_status status = assay_error_set(error, ASSAY_ERR_INVALID, "no JSON object%s%s",
                                                    given ? "" : ": ", given ? "" : parse.text);
        json_decref(given);
        return status;
    }
    json_t *shape = NULL;
    assay_status status = check_keys(spec, given, error);
    if (status == ASSAY_OK) {
        shape = in_order(spec, given);
        status = shape_check(spec, impl, spec->dtypes[0], shape, &problem, name, error);
    }
    if (status == ASSAY_OK && shape_list_has(list, name))
        status = assay_error_set(error, ASSAY_ERR_INVALID, "this shape is there already");
    if (status == ASSAY_OK)
        status = shape_list_add(list, json_incref(shape), name, json_get_text(given, "family", ""), error);
    json_decref(shape);
    json_decref(given);
    return status;
}

assay_status shape_list_read(opspec *spec, const assay_op_impl *impl, const char *path, shape_list *list,
                             assay_error *error)
{
    const int is_input = strcmp(path, "-") == 0;
    FILE *file = is_input ? stdin : fopen(path, "r");
    char *line = NULL;
    size_t capacity = 0;
    assay_status status = ASSAY_OK;
    if (!file)
        return assay_error_set(error, ASSAY_ERR_INVALID, "%s: cannot be read", path);
    for (int number = 1; status == ASSAY_OK && getline(&line, &capacity, file) >= 0; number++) {
        assay_error why = {0};
        if (line[strspn(line, " \t\r\n")] == '\0')
            continue;
        status = take_line(spec, impl, line, list, &why);
        if (status != ASSAY_OK)
            assay_error_set(error, status, "%s:%d: %s", is_input ? "standard input" : path, number,
                            why.message);
    }
    free(line);
    if (!is_input)
        fclose(file);
    if (status == ASSAY_OK && list->count == 0)
        status = assay_error_set(error, ASSAY_ERR_INVALID, "%s: no shape is in it", path);
    return status;
}

void shape_list_print(const shape_list *list, FILE *out)
{
    for (int i = 0; i < list->count; i++) {
        json_t *line = json_copy(list->shapes[i].shape);
        if (list->shapes[i].family[0])
            json_object_set_new(line, "family", json_string(list->shapes[i].family));
        json_dumpf(line, out, JSON_REAL_PRECISION(17)); /* read back it is the same shape */
        fputc('\n', out);
        json_decref(line);
    }
}

void shape_text(const json_t *shape, char *out, size_t bytes)
{
    const char *name;
    json_t *value;
    const json_t *groups[] = {shape, json_object_get(shape, "params")};
    size_t used = 0;
    out[0] = '\0';
    for (int g = 0; g < 2; g++)
        json_object_foreach((json_t *)groups[g], name, value)
        {
            char *text =
                json_is_object(value) ? NULL : json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(9));
            const int quoted = text && text[0] == '"';
            if (text && used < bytes)
                used += (size_t)snprintf(out + used, bytes - used, "%s%s=%.*s", used ? " " : "", name,
                                         (int)strlen(text) - 2 * quoted, text + quoted);
            free(text);
        }
}

double shape_value(const json_t *shape, const char *name, double fallback)
{
    const json_t *value = json_object_get(shape, name);
    if (!value)
        value = json_object_get(json_object_get(shape, "params"), name);
    return json_is_number(value)    ? json_number_value(value)
           : json_is_boolean(value) ? json_is_true(value)
                                    : fallback;
}
