/* Configurations as labels and JSON, and their hash. */
#include "tune/space/space.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int configuration_equals(const configuration *a, const configuration *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* FNV-1a over the indices, then the finisher of SplitMix64 so that all bits depend on all indices. */
uint64_t configuration_hash(const configuration *c)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int i = 0; i < SPACE_MAX_PARAMETERS; i++)
        hash = (hash ^ c->index[i]) * UINT64_C(0x100000001b3);
    hash = (hash ^ (hash >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    hash = (hash ^ (hash >> 27)) * UINT64_C(0x94d049bb133111eb);
    return hash ^ (hash >> 31);
}

const expression_value *configuration_value(const space *s, const configuration *c, int parameter)
{
    return &space_parameter_at(s, parameter)->values[c->index[parameter]];
}

static json_t *value_to_json(const expression_value *v)
{
    switch (v->kind) {
    case VALUE_INTEGER:
        return json_integer(v->integer);
    case VALUE_REAL:
        return json_real(v->real);
    case VALUE_BOOLEAN:
        return json_boolean(v->integer);
    default:
        return json_string(v->text);
    }
}

json_t *configuration_to_json(const space *s, const configuration *c)
{
    json_t *object = json_object();
    for (int i = 0; i < space_parameter_count(s); i++)
        json_object_set_new(object, space_parameter_at(s, i)->name,
                            value_to_json(configuration_value(s, c, i)));
    return object;
}

/* "1, 2, 4 ... " of a parameter's values for a message. */
static void list_values(const space_parameter *p, char *out, size_t out_bytes)
{
    size_t used = 0;
    out[0] = '\0';
    for (int i = 0; i < p->value_count; i++) {
        char text[64];
        value_format(&p->values[i], text, sizeof text);
        if (used + strlen(text) + 8 > out_bytes) {
            snprintf(out + used, out_bytes - used, " ...");
            return;
        }
        used += (size_t)snprintf(out + used, out_bytes - used, "%s%s", i ? ", " : "", text);
    }
}

static assay_status refuse_value(const space_parameter *p, const char *text, assay_error *error)
{
    char allowed[200];
    list_values(p, allowed, sizeof allowed);
    return assay_error_set(error, ASSAY_ERR_INVALID, "%s has no value \"%.64s\"; allowed: %s", p->name, text,
                           allowed);
}

static assay_status refuse_name(const space *s, const char *name, assay_error *error)
{
    char known[300] = "";
    for (int i = 0; i < space_parameter_count(s); i++)
        if (strlen(known) + ASSAY_NAME_MAX + 3 < sizeof known)
            strcat(strcat(known, i ? ", " : ""), space_parameter_at(s, i)->name);
    return assay_error_set(error, ASSAY_ERR_INVALID, "there is no parameter \"%.64s\"; there are: %s", name,
                           known[0] ? known : "none");
}

/* The index of the value that `text` writes; -1 if there is none. "128.0" is 128, "true" is True. */
static int find_text(const space_parameter *p, const char *text)
{
    char *end = NULL;
    const double number = strtod(text, &end);
    const int is_number = *text != '\0' && *end == '\0';
    for (int i = 0; i < p->value_count; i++) {
        char own[128];
        value_format(&p->values[i], own, sizeof own);
        if (strcmp(own, text) == 0 || (p->values[i].kind == VALUE_BOOLEAN && strcasecmp(own, text) == 0))
            return i;
    }
    for (int i = 0; is_number && i < p->value_count; i++)
        if (p->values[i].kind != VALUE_TEXT && value_number(&p->values[i]) == number)
            return i;
    return -1;
}

static assay_status set_one(const space *s, char *item, uint32_t *given, configuration *out,
                            assay_error *error)
{
    char *equals = strchr(item, '=');
    if (equals == NULL)
        return assay_error_set(error, ASSAY_ERR_INVALID, "\"%.64s\" is no NAME=VALUE", item);
    *equals = '\0';
    const int parameter = space_find_parameter(s, item);
    if (parameter < 0)
        return refuse_name(s, item, error);
    if (*given >> parameter & 1)
        return assay_error_set(error, ASSAY_ERR_INVALID, "%s is given twice", item);
    *given |= UINT32_C(1) << parameter;
    const int index = find_text(space_parameter_at(s, parameter), equals + 1);
    if (index < 0)
        return refuse_value(space_parameter_at(s, parameter), equals + 1, error);
    out->index[parameter] = (uint16_t)index;
    return ASSAY_OK;
}

assay_status configuration_parse(const space *s, const char *label, configuration *out, assay_error *error)
{
    assay_status status = ASSAY_OK;
    uint32_t given = 0;
    char *copy = strdup(label), *rest = copy;
    if (copy == NULL)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for a configuration");
    space_default(s, out);
    while (status == ASSAY_OK && rest && *rest) {
        char *comma = strchr(rest, ',');
        if (comma)
            *comma = '\0';
        char *item = rest + strspn(rest, " ");
        item[strcspn(item, " ")] = '\0';
        status = set_one(s, item, &given, out, error);
        rest = comma ? comma + 1 : NULL;
    }
    free(copy);
    return status;
}

static int find_json(const space_parameter *p, const json_t *item)
{
    for (int i = 0; i < p->value_count; i++) {
        const expression_value *v = &p->values[i];
        if (json_is_string(item)    ? v->kind == VALUE_TEXT && strcmp(v->text, json_string_value(item)) == 0
            : json_is_boolean(item) ? v->kind == VALUE_BOOLEAN && v->integer == json_is_true(item)
            : json_is_number(item)  ? v->kind != VALUE_TEXT && v->kind != VALUE_BOOLEAN &&
                                         value_number(v) == json_number_value(item)
                                   : 0)
            return i;
    }
    /* A number in quotes, a boolean as 0 or 1: other tools write these. */
    if (json_is_string(item))
        return find_text(p, json_string_value(item));
    if (json_is_integer(item) && p->values[0].kind == VALUE_BOOLEAN)
        return find_text(p, json_integer_value(item) ? "True" : "False");
    return -1;
}

assay_status configuration_from_json(const space *s, const json_t *object, configuration *out,
                                     assay_error *error)
{
    const char *key;
    json_t *item;
    if (!json_is_object(object))
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "a configuration must be an object of values by parameter");
    json_object_foreach((json_t *)object, key, item)
    {
        if (space_find_parameter(s, key) < 0)
            return refuse_name(s, key, error);
    }
    memset(out, 0, sizeof *out);
    for (int i = 0; i < space_parameter_count(s); i++) {
        const space_parameter *p = space_parameter_at(s, i);
        item = json_object_get(object, p->name);
        if (item == NULL)
            return assay_error_set(error, ASSAY_ERR_INVALID, "parameter %s is missing", p->name);
        const int index = find_json(p, item);
        if (index < 0) {
            char *text = json_dumps(item, JSON_ENCODE_ANY | JSON_COMPACT);
            const assay_status status = refuse_value(p, text ? text : "?", error);
            free(text);
            return status;
        }
        out->index[i] = (uint16_t)index;
    }
    return ASSAY_OK;
}
