/* What the readers of an op.json's parts share: see opspec_reader.h. */
#include "core/opspec_reader.h"
#include "core/json_file.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

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

assay_status opspec_need_identifier(opspec_reader *r, const char *key, const char *name)
{
    return is_identifier(name)
               ? ASSAY_OK
               : OPSPEC_FAIL(r,
                             "%s: key \"%s\": \"%s\" is not a name; allowed: letters, digits and _, "
                             "under %d characters",
                             r->file, key, name, ASSAY_NAME_MAX);
}

assay_status opspec_need_new_name(opspec_reader *r, const char *key, const json_t *list, size_t index)
{
    const char *name = json_get_text(json_array_get(list, index), "name", "");
    for (size_t i = 0; i < index; i++)
        if (strcmp(json_get_text(json_array_get(list, i), "name", ""), name) == 0)
            return OPSPEC_FAIL(r, "%s: key \"%s[%zu].name\": \"%s\" is given twice; allowed: each name once",
                               r->file, key, index, name);
    return ASSAY_OK;
}

const char *opspec_type_name(assay_param_type type)
{
    static const char *const names[] = {"real", "integer", "boolean", "text"};
    return names[type];
}

/* Store a JSON value as a parameter of the given type. */
assay_status opspec_read_param_value(opspec_reader *r, const char *key, const json_t *value,
                                     const opspec_param *rule, assay_param *param)
{
    param->type = rule->value.type;
    memmove(param->name, rule->value.name, sizeof param->name); /* `param` may be the rule's own value */
    const int fits = param->type == ASSAY_PARAM_REAL      ? json_is_number(value)
                     : param->type == ASSAY_PARAM_INTEGER ? json_is_integer(value)
                     : param->type == ASSAY_PARAM_BOOLEAN ? json_is_boolean(value)
                                                          : json_is_string(value);
    if (!fits)
        return OPSPEC_FAIL(r, "%s: key \"%s\" must be of type %s", r->file, key,
                           opspec_type_name(param->type));
    param->real = json_number_value(value);
    param->integer = json_is_boolean(value) ? json_is_true(value) : json_integer_value(value);
    const char *text = json_string_value(value);
    snprintf(param->text, sizeof param->text, "%s", text ? text : "");
    if (rule->has_range && !(param->real >= rule->min && param->real <= rule->max))
        return OPSPEC_FAIL(r, "%s: key \"%s\" is %g; allowed: %g to %g", r->file, key, param->real, rule->min,
                           rule->max);
    if (param->type != ASSAY_PARAM_TEXT)
        return ASSAY_OK;
    char allowed[256] = "";
    for (int i = 0; i < rule->choice_count; i++) {
        if (strcmp(rule->choices[i], param->text) == 0)
            return ASSAY_OK;
        snprintf(allowed + strlen(allowed), sizeof allowed - strlen(allowed), "%s%s", i ? ", " : "",
                 rule->choices[i]);
    }
    return OPSPEC_FAIL(r, "%s: key \"%s\" is \"%s\"; allowed: %s", r->file, key, param->text, allowed);
}

assay_status opspec_read_dtype_mask(opspec_reader *r, const char *key, const json_t *list, unsigned *mask)
{
    size_t index;
    json_t *item;
    assay_dtype dtype;
    *mask = 0;
    for (int i = 0; list == NULL && i < r->spec->dtype_count; i++)
        *mask |= 1u << r->spec->dtypes[i];
    json_array_foreach(list, index, item)
    {
        if (!assay_dtype_parse(json_string_value(item), &dtype) || !opspec_has_dtype(r->spec, dtype))
            return OPSPEC_FAIL(r, "%s: key \"%s\": \"%s\" is not among the op's \"dtypes\"", r->file, key,
                               json_string_value(item));
        *mask |= 1u << dtype;
    }
    return ASSAY_OK;
}
