/* The plan of one group as JSON: see group_plan.h. */
#include "bench/plan/group_plan.h"
#include "core/json_file.h"
#include "core/list.h"
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum field_type { FIELD_TEXT, FIELD_LIST, FIELD_COUNT, FIELD_NUMBER, FIELD_FLAG } field_type;

typedef struct field {
    const char *key;
    field_type type;
    size_t
        offset; /* of const char *, int or double in group_plan; of `flush`, `modes` and `seed` see below */
    int optional;
} field;

static const field plan_fields[] = {
    {"workspace", FIELD_TEXT, offsetof(group_plan, workspace), 0},
    {"op", FIELD_TEXT, offsetof(group_plan, op), 0},
    {"dtype", FIELD_TEXT, offsetof(group_plan, dtype), 0},
    {"size", FIELD_TEXT, offsetof(group_plan, size), 0},
    {"variants", FIELD_LIST, offsetof(group_plan, variants), 0},
    {"baselines", FIELD_LIST, offsetof(group_plan, baselines), 0},
    {"device", FIELD_COUNT, offsetof(group_plan, device), 1},
    {"give_up_us", FIELD_NUMBER, offsetof(group_plan, give_up_us), 1},
    {"modes_named", FIELD_FLAG, offsetof(group_plan, modes_named), 1},
    {"confined", FIELD_TEXT, offsetof(group_plan, confined), 1},
    {"torch_socket", FIELD_TEXT, offsetof(group_plan, torch_socket), 1},
    {"torch_missing", FIELD_TEXT, offsetof(group_plan, torch_missing), 1},
};
static const field method_fields[] = {
    {"repetitions", FIELD_COUNT, offsetof(group_plan, method.repetitions), 0},
    {"warmup_ms", FIELD_NUMBER, offsetof(group_plan, method.warmup_ms), 0},
    {"sample_ms", FIELD_NUMBER, offsetof(group_plan, method.sample_ms), 0},
    {"min_samples", FIELD_COUNT, offsetof(group_plan, method.min_samples), 0},
    {"max_samples", FIELD_COUNT, offsetof(group_plan, method.max_samples), 0},
    {"bound_s", FIELD_NUMBER, offsetof(group_plan, method.bound_s), 0},
    {"locked_mhz", FIELD_COUNT, offsetof(group_plan, method.locked_mhz), 1},
};
enum {
    PLAN_FIELDS = sizeof plan_fields / sizeof *plan_fields,
    METHOD_FIELDS = sizeof method_fields / sizeof *method_fields
};

static void *field_at(const group_plan *plan, const field *f)
{
    return (char *)plan + f->offset;
}

/* ---- writing ---- */

static json_t *list_json(const char *list)
{
    json_t *out = json_array();
    for (list_item item = {0}; list_next(list, &item);)
        json_array_append_new(out, json_stringn(item.text, (size_t)item.length));
    return out;
}

static json_t *field_json(const group_plan *plan, const field *f)
{
    const char *text = f->type <= FIELD_LIST ? *(const char **)field_at(plan, f) : NULL;
    switch (f->type) {
    case FIELD_TEXT:
        return text ? json_string(text) : NULL;
    case FIELD_LIST:
        return list_json(text);
    case FIELD_COUNT:
        return json_integer(*(int *)field_at(plan, f));
    case FIELD_FLAG:
        return json_boolean(*(int *)field_at(plan, f));
    default:
        return json_number(*(double *)field_at(plan, f));
    }
}

static void set_fields(json_t *out, const group_plan *plan, const field *fields, int count)
{
    for (int i = 0; i < count; i++) {
        json_t *value = field_json(plan, &fields[i]);
        if (value)
            json_object_set_new(out, fields[i].key, value);
    }
}

json_t *group_plan_json(const group_plan *plan)
{
    json_t *out = json_pack("{s:i}", "schema", 1), *method = json_object();
    set_fields(out, plan, plan_fields, PLAN_FIELDS);
    if (plan->shape)
        json_object_set_new(out, "shape", opspec_shape_json(plan->shape));
    set_fields(method, plan, method_fields, METHOD_FIELDS);
    json_object_set_new(method, "flush", json_string(plan->method.flush));
    char modes[160];
    timing_modes_text(plan->method.modes, modes, sizeof modes);
    json_object_set_new(method, "modes", list_json(modes));
    json_object_set_new(method, "seed", json_integer((json_int_t)plan->method.seed));
    json_object_set_new(out, "method", method);
    return out;
}

/* ---- reading ---- */

/* The names of an array as a list with commas, which the document keeps. NULL: no array of names. A name holds neither commas nor blanks,
 * which a list would take off its ends. */
static const char *join(json_t *document, const char *key, const json_t *array)
{
    char name[64], list[4096] = "";
    for (size_t i = 0; i < json_array_size(array); i++) {
        const char *text = json_string_value(json_array_get(array, i));
        const size_t used = strlen(list);
        if (!text || !text[0] || strpbrk(text, ", ") || used + strlen(text) + 2 > sizeof list)
            return NULL;
        snprintf(list + used, sizeof list - used, "%s%s", used ? "," : "", text);
    }
    snprintf(name, sizeof name, "%s with commas", key);
    json_object_set_new(document, name, json_string(list));
    return json_is_array(array) ? json_get_text(document, name, "") : NULL;
}

static int is_count(const json_t *value)
{
    return json_is_integer(value) && json_integer_value(value) >= 0 &&
           json_integer_value(value) <= 1000000000;
}

/* 0 if the value is of another kind. */
static int read_value(group_plan *plan, const field *f, const json_t *value)
{
    const double number = json_number_value(value);
    switch (f->type) {
    case FIELD_TEXT:
        *(const char **)field_at(plan, f) = json_string_value(value);
        return json_is_string(value);
    case FIELD_LIST:
        return (*(const char **)field_at(plan, f) = join(plan->document, f->key, value)) != NULL;
    case FIELD_COUNT:
        *(int *)field_at(plan, f) = (int)json_integer_value(value);
        return is_count(value);
    case FIELD_FLAG:
        *(int *)field_at(plan, f) = json_is_true(value);
        return json_is_boolean(value);
    default:
        *(double *)field_at(plan, f) = number;
        return json_is_number(value) && number >= 0.0 && number <= 1e9;
    }
}

static const char *type_name(field_type type)
{
    static const char *const names[] = {"a text", "an array of names", "a whole number from 0",
                                        "a number from 0", "true or false"};
    return names[type];
}

static assay_status read_fields(group_plan *plan, const char *path, const char *where, const json_t *object,
                                const field *fields, int count, assay_error *error)
{
    for (int i = 0; i < count; i++) {
        const json_t *value = json_object_get(object, fields[i].key);
        if (!value && fields[i].optional)
            continue;
        if (!value)
            return assay_error_set(error, ASSAY_ERR_FORMAT, "%s: %s%s is missing", path, where,
                                   fields[i].key);
        if (!read_value(plan, &fields[i], value))
            return assay_error_set(error, ASSAY_ERR_FORMAT, "%s: %s%s: %s is expected", path, where,
                                   fields[i].key, type_name(fields[i].type));
    }
    return ASSAY_OK;
}

static int is_known(const char *key, const field *fields, int count, const char *others)
{
    for (int i = 0; i < count; i++)
        if (strcmp(fields[i].key, key) == 0)
            return 1;
    return list_has(others, key);
}

static assay_status refuse_unknown(const char *path, const char *where, json_t *object, const field *fields,
                                   int count, const char *others, assay_error *error)
{
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        if (!is_known(key, fields, count, others))
            return assay_error_set(error, ASSAY_ERR_FORMAT, "%s: unknown key %s%s", path, where, key);
    }
    return ASSAY_OK;
}

static assay_status read_method(group_plan *plan, const char *path, json_t *method, assay_error *error)
{
    bench_method *m = &plan->method;
    const json_t *seed = json_object_get(method, "seed");
    const char *flush = json_get_text(method, "flush", "");
    assay_status status =
        refuse_unknown(path, "method.", method, method_fields, METHOD_FIELDS, "flush,modes,seed", error);
    if (status == ASSAY_OK)
        status = read_fields(plan, path, "method.", method, method_fields, METHOD_FIELDS, error);
    const char *modes = join(plan->document, "modes", json_object_get(method, "modes"));
    if (status == ASSAY_OK && m->repetitions < 1)
        status =
            assay_error_set(error, ASSAY_ERR_FORMAT, "%s: method.repetitions: at least 1 is expected", path);
    if (status == ASSAY_OK && strcmp(flush, "memset") != 0 && strcmp(flush, "read") != 0)
        status =
            assay_error_set(error, ASSAY_ERR_FORMAT, "%s: method.flush: memset or read is expected", path);
    if (status == ASSAY_OK && !modes)
        status = assay_error_set(error, ASSAY_ERR_FORMAT, "%s: method.modes: %s is expected", path,
                                 type_name(FIELD_LIST));
    if (status == ASSAY_OK && !(json_is_integer(seed) && json_integer_value(seed) >= 0))
        status = assay_error_set(error, ASSAY_ERR_FORMAT, "%s: method.seed: %s is expected", path,
                                 type_name(FIELD_COUNT));
    if (status != ASSAY_OK)
        return status;
    snprintf(m->flush, sizeof m->flush, "%s", flush);
    m->seed = (uint64_t)json_integer_value(seed);
    assay_error why = {0};
    status = timing_modes_parse(modes, &m->modes, &why);
    return status == ASSAY_OK
               ? ASSAY_OK
               : assay_error_set(error, ASSAY_ERR_FORMAT, "%s: method.modes: %s", path, why.message);
}

assay_status group_plan_read(const char *path, group_plan *out, assay_error *error)
{
    *out = (group_plan){.device = 0};
    const char *file = strcmp(path, "-") == 0 ? "/dev/stdin" : path;
    assay_status status = json_file_read(file, &out->document, error);
    if (status == ASSAY_OK && json_get_number(out->document, "schema", 0) != 1)
        status = assay_error_set(error, ASSAY_ERR_FORMAT, "%s: no plan of schema 1", file);
    if (status == ASSAY_OK)
        status =
            refuse_unknown(file, "", out->document, plan_fields, PLAN_FIELDS, "schema,method,shape", error);
    if (status == ASSAY_OK)
        status = read_fields(out, file, "", out->document, plan_fields, PLAN_FIELDS, error);
    out->shape_object = json_object_get(out->document, "shape");
    if (status == ASSAY_OK && out->shape_object && !json_is_object(out->shape_object))
        status =
            assay_error_set(error, ASSAY_ERR_FORMAT, "%s: shape: an object of dimensions is expected", file);
    json_t *method = status == ASSAY_OK ? json_object_get(out->document, "method") : NULL;
    if (status == ASSAY_OK && !json_is_object(method))
        status = assay_error_set(error, ASSAY_ERR_FORMAT, "%s: method is missing", file);
    return status == ASSAY_OK ? read_method(out, file, method, error) : status;
}

void group_plan_release(group_plan *plan)
{
    json_decref(plan->document);
    *plan = (group_plan){.device = 0};
}
