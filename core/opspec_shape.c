/* Problems that op.json does not list: dimensions and parameters that a user gives become one more size of the op. */
#include "core/json_file.h"
#include "core/list.h"
#include "core/opspec_reader.h"
#include "core/opspec_sweep.h"
#include <errno.h>
#include <math.h>
#include <sha256.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int opspec_is_shape(const char *size)
{
    return strchr(size, '=') != NULL;
}

/* Part of file names and lists: no points, commas or blanks. */
static int is_plain(const char *name)
{
    return strlen(name) < ASSAY_NAME_MAX &&
           name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_=+-")] == '\0';
}

/* 2.0 is 2, so that one problem has one name however its parameters were written. -0.0 is not 0: zeros that it makes have another sign. New
 * reference. */
static json_t *plain_value(json_t *value)
{
    const double number = json_is_real(value) ? json_real_value(value) : 0.5;
    const int is_whole = floor(number) == number && fabs(number) < 1e15 && (number != 0 || !signbit(number));
    return is_whole ? json_integer((json_int_t)number) : json_incref(value);
}

/* "M=777+N=4096+causal=true", or a hash of it where it is long or has other characters. */
static void name_shape(const json_t *shape, char out[ASSAY_NAME_MAX])
{
    char text[1024] = "", hex[SHA256_DIGEST_STRING_LENGTH];
    const char *name;
    json_t *value;
    const json_t *groups[] = {shape, json_object_get(shape, "params")};
    for (int g = 0; g < 2; g++)
        json_object_foreach((json_t *)groups[g], name, value)
        {
            json_t *plain = plain_value(value);
            char *one = json_is_object(plain) ? NULL : json_dumps(plain, JSON_ENCODE_ANY | JSON_COMPACT);
            const int quoted = one && one[0] == '"';
            if (one)
                snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s=%.*s", text[0] ? "+" : "",
                         name, (int)strlen(one) - 2 * quoted, one + quoted);
            free(one);
            json_decref(plain);
        }
    if (is_plain(text)) {
        snprintf(out, ASSAY_NAME_MAX, "%s", text);
        return;
    }
    SHA256Data((const uint8_t *)text, strlen(text), hex);
    snprintf(out, ASSAY_NAME_MAX, "dims=%.10s", hex);
}

assay_status opspec_add_shape(opspec *spec, const json_t *shape, const opspec_size **size, assay_error *error)
{
    char name[ASSAY_NAME_MAX];
    opspec_reader reader = {.file = spec->name, .spec = spec, .error = error};
    name_shape(shape, name);
    if ((*size = opspec_find_size(spec, name)) != NULL)
        return ASSAY_OK;
    if (spec->size_count == OPSPEC_MAX_SIZES + OPSPEC_MAX_SHAPES)
        return assay_error_set(error, ASSAY_ERR_INVALID, "%s: more than %d shapes at a time", spec->name,
                               OPSPEC_MAX_SHAPES);
    opspec_size *added = &spec->sizes[spec->size_count];
    memset(added, 0, sizeof *added);
    json_t *laid_out = NULL;
    assay_status status = opspec_lay_out(spec, shape, &laid_out, error);
    if (status == ASSAY_OK)
        status = opspec_read_size(&reader, name, laid_out, NULL);
    json_decref(laid_out);
    if (status != ASSAY_OK) {
        spec->size_count = (int)(added - spec->sizes);
        return status;
    }
    *size = added;
    return ASSAY_OK;
}

void opspec_forget_shapes(opspec *spec)
{
    while (spec->size_count > 0 && opspec_is_shape(spec->sizes[spec->size_count - 1].name))
        spec->size_count--;
}

static const opspec_dims *dims_of_op(const opspec *spec)
{
    return &opspec_find_size(spec, "small")->dims;
}

static assay_status take_dim(const opspec *spec, const char *item, json_t *shape, assay_error *error)
{
    const opspec_dims *known = dims_of_op(spec);
    char there[OPSPEC_MAX_DIMS * 18] = "", name[ASSAY_NAME_MAX];
    const char *equals = strchr(item, '=');
    char *end = NULL;
    int found = 0;
    errno = 0;
    const long long value = equals ? strtoll(equals + 1, &end, 10) : 0;
    if (!equals || end == equals + 1 || *end != '\0' || errno == ERANGE || value < 0)
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "--dims: \"%s\": NAME=INTEGER is expected, from 0 up", item);
    snprintf(name, sizeof name, "%.*s", (int)(equals - item), item);
    for (int i = 0; i < known->count; i++) {
        found |= strcmp(known->dim[i].name, name) == 0;
        snprintf(there + strlen(there), sizeof there - strlen(there), "%s%s", i ? ", " : "",
                 known->dim[i].name);
    }
    if (!found)
        return assay_error_set(error, ASSAY_ERR_INVALID, "--dims: %s has no dimension \"%s\"; there are: %s",
                               spec->name, name, there);
    if (json_object_get(shape, name))
        return assay_error_set(error, ASSAY_ERR_INVALID, "--dims: %s is given twice", name);
    json_object_set_new(shape, name, json_integer(value));
    return ASSAY_OK;
}

/* A parameter's value as JSON; text that is no number or boolean is a string. Type and range are for opspec_read_size() to check. */
static assay_status take_param(const opspec *spec, const char *item, json_t *params, assay_error *error)
{
    char there[ASSAY_MAX_PARAMS * (ASSAY_NAME_MAX + 2)] = "", name[ASSAY_NAME_MAX];
    const char *equals = strchr(item, '=');
    const opspec_param *rule = NULL;
    if (!equals)
        return assay_error_set(error, ASSAY_ERR_INVALID, "--params: \"%s\": NAME=VALUE is expected", item);
    snprintf(name, sizeof name, "%.*s", (int)(equals - item), item);
    for (int i = 0; i < spec->param_count; i++) {
        if (strcmp(spec->params[i].value.name, name) == 0)
            rule = &spec->params[i];
        snprintf(there + strlen(there), sizeof there - strlen(there), "%s%s", i ? ", " : "",
                 spec->params[i].value.name);
    }
    if (!rule)
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "--params: %s has no parameter \"%s\"; there are: %s", spec->name, name,
                               there[0] ? there : "none");
    json_t *value =
        rule->value.type == ASSAY_PARAM_TEXT ? NULL : json_loads(equals + 1, JSON_DECODE_ANY, NULL);
    if (rule->value.type == ASSAY_PARAM_BOOLEAN && json_is_integer(value) &&
        (json_integer_value(value) == 0 || json_integer_value(value) == 1)) {
        const int set = json_integer_value(value) == 1;
        json_decref(value);
        value = json_boolean(set);
    }
    json_object_set_new(params, name, value ? value : json_string(equals + 1));
    return ASSAY_OK;
}

typedef assay_status (*take_fn)(const opspec *spec, const char *item, json_t *into, assay_error *error);

static assay_status take_list(const opspec *spec, const char *list, take_fn take, json_t *into,
                              assay_error *error)
{
    assay_status status = ASSAY_OK;
    for (list_item item = {0}; status == ASSAY_OK && list && list[0] && list_next(list, &item);) {
        char one[3 * ASSAY_NAME_MAX];
        snprintf(one, sizeof one, "%.*s", item.length, item.text);
        status = take(spec, one, into, error);
    }
    return status;
}

assay_status opspec_parse_shape(const opspec *spec, const char *dims, const char *params, json_t **out,
                                assay_error *error)
{
    json_t *given = json_object(), *shape = json_object(), *values = json_object();
    const opspec_dims *known = dims_of_op(spec);
    assay_status status = take_list(spec, dims, take_dim, given, error);
    if (status == ASSAY_OK)
        status = take_list(spec, params, take_param, values, error);
    for (int i = 0; i < known->count && status == ASSAY_OK;
         i++) { /* in the op's order: one problem, one name */
        json_t *value = json_object_get(given, known->dim[i].name);
        if (!value)
            status = assay_error_set(error, ASSAY_ERR_INVALID, "--dims: no value for the dimension %s of %s",
                                     known->dim[i].name, spec->name);
        json_object_set(shape, known->dim[i].name, value);
    }
    for (int i = 0; i < spec->param_count && status == ASSAY_OK; i++) {
        json_t *value = json_object_get(values, spec->params[i].value.name);
        json_t *object = json_object_get(shape, "params");
        if (value && !object)
            json_object_set_new(shape, "params", object = json_object());
        if (value)
            json_object_set(object, spec->params[i].value.name, value);
    }
    json_decref(given);
    json_decref(values);
    if (status == ASSAY_OK)
        *out = shape;
    else
        json_decref(shape);
    return status;
}

static json_t *param_json(const assay_param *p)
{
    return p->type == ASSAY_PARAM_REAL      ? json_real(p->real)
           : p->type == ASSAY_PARAM_INTEGER ? json_integer(p->integer)
           : p->type == ASSAY_PARAM_BOOLEAN ? json_boolean(p->integer)
                                            : json_string(p->text);
}

json_t *opspec_shape_json(const opspec_size *size)
{
    json_t *shape = json_object(), *params = json_object();
    for (int i = 0; i < size->dims.count; i++)
        json_object_set_new(shape, size->dims.dim[i].name, json_integer(size->dims.dim[i].value));
    for (int i = 0; i < size->dims.param_count; i++)
        json_object_set_new(params, size->dims.params[i].name, param_json(&size->dims.params[i]));
    if (size->dims.param_count > 0)
        json_object_set(shape, "params", params);
    json_decref(params);
    return shape;
}
