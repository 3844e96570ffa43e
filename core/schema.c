/* The schema interpreter. It must not know any key of op.json. */
#include "core/schema.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct walk {
    const char *file;
    char path[512];
    assay_error *error;
} walk;

static int has_type(const json_t *value, const char *type)
{
    if (strcmp(type, "object") == 0)
        return json_is_object(value);
    if (strcmp(type, "array") == 0)
        return json_is_array(value);
    if (strcmp(type, "string") == 0)
        return json_is_string(value);
    if (strcmp(type, "integer") == 0)
        return json_is_integer(value);
    if (strcmp(type, "number") == 0)
        return json_is_number(value);
    if (strcmp(type, "boolean") == 0)
        return json_is_boolean(value);
    return strcmp(type, "null") == 0 && json_is_null(value);
}

/* A type's name, or a list of them. */
static int has_any_type(const json_t *value, const json_t *types)
{
    size_t index;
    json_t *type;
    if (json_is_string(types))
        return has_type(value, json_string_value(types));
    json_array_foreach(types, index, type)
    {
        if (has_type(value, json_string_value(type)))
            return 1;
    }
    return 0;
}

/* Comma-separated text of a list of strings or numbers, or of an object's keys. */
static void join(const json_t *list, char *out, size_t out_bytes)
{
    size_t used = 0;
    out[0] = '\0';
    if (json_is_object(list)) {
        const char *key;
        json_t *member;
        json_object_foreach((json_t *)list, key, member) used += (size_t)snprintf(
            out + used, used < out_bytes ? out_bytes - used : 0, "%s%s", used ? ", " : "", key);
        return;
    }
    size_t index;
    json_t *item;
    json_array_foreach(list, index, item)
    {
        const size_t room = used < out_bytes ? out_bytes - used : 0;
        if (json_is_string(item))
            used += (size_t)snprintf(out + used, room, "%s%s", used ? ", " : "", json_string_value(item));
        else
            used += (size_t)snprintf(out + used, room, "%s%g", used ? ", " : "", json_number_value(item));
    }
}

static assay_status check(walk *w, const json_t *schema, const json_t *value);

static assay_status check_object(walk *w, const json_t *schema, const json_t *value)
{
    char names[400];
    const size_t base = strlen(w->path);
    const json_t *required = json_object_get(schema, "required");
    const json_t *properties = json_object_get(schema, "properties");
    const json_t *additional = json_object_get(schema, "additionalProperties");
    size_t index;
    json_t *name;
    json_array_foreach(required, index, name)
    {
        if (json_object_get(value, json_string_value(name)) == NULL) {
            join(required, names, sizeof names);
            return assay_error_set(w->error, ASSAY_ERR_INVALID,
                                   "%s: missing key \"%s%s%s\"; required here: %s", w->file, w->path,
                                   base ? "." : "", json_string_value(name), names);
        }
    }
    const char *key;
    json_t *member;
    json_object_foreach((json_t *)value, key, member)
    {
        const json_t *rule = json_object_get(properties, key);
        if (rule == NULL && json_is_false(additional)) {
            join(properties, names, sizeof names);
            return assay_error_set(w->error, ASSAY_ERR_INVALID,
                                   "%s: unknown key \"%s%s%s\"; allowed here: %s", w->file, w->path,
                                   base ? "." : "", key, names);
        }
        if (rule == NULL)
            rule = additional;
        if (!json_is_object(rule))
            continue;
        snprintf(w->path + base, sizeof w->path - base, "%s%s", base ? "." : "", key);
        const assay_status status = check(w, rule, member);
        w->path[base] = '\0';
        if (status != ASSAY_OK)
            return status;
    }
    return ASSAY_OK;
}

static assay_status check_array(walk *w, const json_t *schema, const json_t *value)
{
    const json_t *items = json_object_get(schema, "items");
    const json_int_t least = json_integer_value(json_object_get(schema, "minItems"));
    if ((json_int_t)json_array_size(value) < least)
        return assay_error_set(w->error, ASSAY_ERR_INVALID, "%s: key \"%s\" needs at least %d entries",
                               w->file, w->path, (int)least);
    const size_t base = strlen(w->path);
    size_t index;
    json_t *item;
    json_array_foreach(value, index, item)
    {
        if (items == NULL)
            break;
        snprintf(w->path + base, sizeof w->path - base, "[%zu]", index);
        const assay_status status = check(w, items, item);
        w->path[base] = '\0';
        if (status != ASSAY_OK)
            return status;
    }
    return ASSAY_OK;
}

static assay_status check(walk *w, const json_t *schema, const json_t *value)
{
    const json_t *types = json_object_get(schema, "type");
    if (types != NULL && !has_any_type(value, types)) {
        char names[80];
        join(types, names, sizeof names);
        return assay_error_set(w->error, ASSAY_ERR_INVALID, "%s: key \"%s\" must be of type %s", w->file,
                               w->path, json_is_string(types) ? json_string_value(types) : names);
    }
    const json_t *allowed = json_object_get(schema, "enum");
    if (allowed != NULL) {
        size_t index;
        json_t *choice;
        int found = 0;
        json_array_foreach(allowed, index, choice) found |= json_equal(choice, value);
        if (!found) {
            char names[400], got[80];
            join(allowed, names, sizeof names);
            char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
            snprintf(got, sizeof got, "%s", text ? text : "?");
            free(text);
            return assay_error_set(w->error, ASSAY_ERR_INVALID, "%s: key \"%s\" is %s; allowed: %s", w->file,
                                   w->path, got, names);
        }
    }
    if (json_is_object(value))
        return check_object(w, schema, value);
    if (json_is_array(value))
        return check_array(w, schema, value);
    return ASSAY_OK;
}

assay_status schema_check(const json_t *schema, const json_t *value, const char *file, assay_error *error)
{
    walk w = {.file = file, .error = error};
    return check(&w, schema, value);
}
