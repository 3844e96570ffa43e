/* Search spaces of T1 files, the form that auto-tuning tools exchange. Values and conditions are expressions of the
 * language of expression.h: what needs more than that is refused with the column, never run. */
#include "tune/space/space.h"
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <string.h>

static expression_value from_json(const json_t *item, int *is_known)
{
    *is_known = 1;
    if (json_is_integer(item))
        return value_integer(json_integer_value(item));
    if (json_is_real(item))
        return value_real(json_real_value(item));
    if (json_is_boolean(item))
        return value_boolean(json_is_true(item));
    if (json_is_string(item))
        return value_text(json_string_value(item));
    *is_known = 0;
    return value_integer(0);
}

/* "Values": an expression that gives a list, or a JSON array. *list must be freed; its texts are borrowed. */
static assay_status read_values(const char *where, const char *name, const json_t *values, expression **e,
                                expression_value **list, int *count, assay_error *error)
{
    assay_error own = {0};
    expression_value result = {.kind = VALUE_LIST};
    size_t index;
    json_t *item;
    *list = NULL;
    if (json_is_string(values)) {
        if (expression_parse(json_string_value(values), NULL, 0, e, &own) != ASSAY_OK ||
            expression_evaluate(*e, NULL, &result, &own) != ASSAY_OK)
            return assay_error_set(error, ASSAY_ERR_FORMAT, "%s: Values of \"%s\": %s", where, name,
                                   own.message);
    } else if (!json_is_array(values)) {
        return assay_error_set(error, ASSAY_ERR_FORMAT, "%s: Values of \"%s\" are no list and no text", where,
                               name);
    }
    const size_t length = json_is_array(values) ? json_array_size(values) : result.count;
    if (result.kind != VALUE_LIST || length == 0 || length > SPACE_MAX_VALUES)
        return assay_error_set(error, ASSAY_ERR_FORMAT, "%s: Values of \"%s\" are no list of 1 to %d values",
                               where, name, SPACE_MAX_VALUES);
    if ((*list = calloc(length, sizeof **list)) == NULL)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for a search space");
    *count = (int)length;
    if (json_is_string(values))
        memcpy(*list, result.items, length * sizeof **list);
    json_array_foreach(values, index, item)
    {
        int is_known = 0;
        (*list)[index] = from_json(item, &is_known);
        if (!is_known)
            return assay_error_set(error, ASSAY_ERR_FORMAT,
                                   "%s: a value of \"%s\" is no number, text or boolean", where, name);
    }
    return ASSAY_OK;
}

/* Type "bool" with the values 0 and 1, and "float" with integers, are what the type says. */
static void apply_type(const char *type, expression_value *values, int count)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(type, "bool") == 0 && values[i].kind == VALUE_INTEGER)
            values[i] = value_boolean(values[i].integer != 0);
        else if ((strcmp(type, "float") == 0 || strcmp(type, "real") == 0) && values[i].kind == VALUE_INTEGER)
            values[i] = value_real((double)values[i].integer);
        else if ((strcmp(type, "int") == 0 || strcmp(type, "uint") == 0) && values[i].kind == VALUE_REAL &&
                 fabs(values[i].real) < 0x1p63 && values[i].real == trunc(values[i].real))
            values[i] = value_integer((int64_t)values[i].real);
    }
}

/* "Default" is a value, or an expression in a text; the first value where it is neither. */
static int find_default(const json_t *given, const expression_value *values, int count)
{
    int is_known = 0;
    expression_value wanted = from_json(given, &is_known);
    for (int i = 0; is_known && i < count; i++)
        if (value_equals(&wanted, &values[i]))
            return i;
    for (int i = 0; json_is_string(given) && i < count; i++) {
        char text[128];
        value_format(&values[i], text, sizeof text);
        if (strcmp(text, json_string_value(given)) == 0)
            return i;
    }
    return 0;
}

static assay_status add_parameter(space *s, const char *where, const json_t *entry, assay_error *error)
{
    const char *name = json_string_value(json_object_get(entry, "Name"));
    const char *type = json_string_value(json_object_get(entry, "Type"));
    expression *e = NULL;
    expression_value *list = NULL;
    int count = 0;
    assay_error own = {0};
    if (name == NULL)
        return assay_error_set(error, ASSAY_ERR_FORMAT, "%s: a tuning parameter has no Name", where);
    assay_status status =
        read_values(where, name, json_object_get(entry, "Values"), &e, &list, &count, error);
    if (status == ASSAY_OK) {
        apply_type(type ? type : "", list, count);
        status = space_add_parameter(s, name, list, count,
                                     find_default(json_object_get(entry, "Default"), list, count), &own);
        if (status != ASSAY_OK)
            assay_error_set(error, status, "%s: %s", where, own.message);
    }
    free(list);
    expression_free(e);
    return status;
}

static assay_status add_condition(space *s, const char *where, const json_t *entry, assay_error *error)
{
    const char *text =
        json_string_value(json_is_object(entry) ? json_object_get(entry, "Expression") : entry);
    if (text == NULL)
        return assay_error_set(error, ASSAY_ERR_FORMAT, "%s: a condition has no Expression", where);
    return space_add_constraint(s, text, error);
}

/* All but space_finish(). */
static assay_status fill(space *s, const json_t *root, const char *where, assay_error *error)
{
    const json_t *part = json_object_get(root, "ConfigurationSpace");
    const json_t *parameters = json_object_get(part, "TuningParameters");
    assay_status status = ASSAY_OK;
    size_t index;
    json_t *entry;
    if (!json_is_array(parameters))
        return assay_error_set(error, ASSAY_ERR_FORMAT,
                               "%s: no ConfigurationSpace.TuningParameters: this is no T1 file", where);
    json_array_foreach(parameters, index, entry)
    {
        if (status == ASSAY_OK)
            status = add_parameter(s, where, entry, error);
    }
    json_array_foreach(json_object_get(part, "Conditions"), index, entry)
    {
        if (status == ASSAY_OK)
            status = add_condition(s, where, entry, error);
    }
    return status;
}

assay_status space_from_t1(const json_t *root, const char *where, space **out, assay_error *error)
{
    assay_error own = {0};
    assay_status status = space_create(out, error);
    if (status != ASSAY_OK)
        return status;
    status = fill(*out, root, where, error);
    if (status == ASSAY_OK && (status = space_finish(*out, &own)) != ASSAY_OK)
        assay_error_set(error, status, "%s: %s", where, own.message);
    if (status != ASSAY_OK) {
        space_free(*out);
        *out = NULL;
    }
    return status;
}

/* The integers and booleans of a parameter; nothing else is a macro's value here. */
static assay_status take_values(const char *where, const space_parameter *p, opspec_tunable *t,
                                assay_error *error)
{
    int64_t values[OPSPEC_MAX_VALUES];
    int has_default = 0;
    if (p->value_count > OPSPEC_MAX_VALUES)
        return assay_error_set(error, ASSAY_ERR_FORMAT, "%s: \"%s\" has %d values; at most %d are taken",
                               where, p->name, p->value_count, OPSPEC_MAX_VALUES);
    for (int i = 0; i < p->value_count; i++) {
        if (p->values[i].kind != VALUE_INTEGER && p->values[i].kind != VALUE_BOOLEAN)
            return assay_error_set(
                error, ASSAY_ERR_FORMAT,
                "%s: a value of \"%s\" is no integer and no boolean, as those of a tunable "
                "are",
                where, p->name);
        values[i] = p->values[i].integer;
        has_default |= values[i] == t->def;
    }
    t->value_count = p->value_count;
    memcpy(t->values, values, (size_t)p->value_count * sizeof *values);
    if (!has_default)
        t->def = values[p->default_index];
    return ASSAY_OK;
}

static assay_status take_parameters(const char *where, const space *s, opspec_variant_tunables *set,
                                    assay_error *error)
{
    assay_status status = ASSAY_OK;
    for (int i = 0; i < set->count && status == ASSAY_OK; i++) {
        opspec_tunable *t = &set->tunables[i];
        const int at = space_find_parameter(s, t->name);
        if (at >= 0) {
            status = take_values(where, space_parameter_at(s, at), t, error);
        } else {
            t->value_count = 1;
            t->values[0] = t->def;
        }
    }
    for (int i = 0; i < space_parameter_count(s) && status == ASSAY_OK; i++) {
        const char *name = space_parameter_at(s, i)->name;
        int is_known = 0;
        for (int k = 0; k < set->count; k++)
            is_known |= strcmp(set->tunables[k].name, name) == 0;
        if (!is_known)
            status = assay_error_set(error, ASSAY_ERR_FORMAT,
                                     "%s: \"%s\" is no tunable of %s in op.json; \"assay list --tunables\" "
                                     "shows them",
                                     where, name, set->variant);
    }
    return status;
}

static assay_status take_constraints(const char *where, const space *s, opspec_variant_tunables *set,
                                     assay_error *error)
{
    const int count = space_constraint_count(s);
    if (count > OPSPEC_MAX_CONSTRAINTS)
        return assay_error_set(error, ASSAY_ERR_FORMAT, "%s: %d conditions; at most %d are taken", where,
                               count, OPSPEC_MAX_CONSTRAINTS);
    for (int i = 0; i < count; i++) {
        const char *text = space_constraint_text(s, i);
        if (strlen(text) >= sizeof set->constraints[i])
            return assay_error_set(error, ASSAY_ERR_FORMAT,
                                   "%s: condition %d is longer than %zu characters; \"and\" can be divided",
                                   where, i + 1, sizeof set->constraints[i] - 1);
        snprintf(set->constraints[i], sizeof set->constraints[i], "%s", text);
    }
    set->constraint_count = count;
    return ASSAY_OK;
}

assay_status space_t1_tunables(const json_t *root, const char *where, opspec_variant_tunables *set,
                               assay_error *error)
{
    space *s = NULL;
    opspec_variant_tunables taken = *set;
    assay_status status = space_create(&s, error);
    if (status == ASSAY_OK)
        status = fill(s, root, where, error);
    if (status == ASSAY_OK)
        status = take_parameters(where, s, &taken, error);
    if (status == ASSAY_OK)
        status = take_constraints(where, s, &taken, error);
    if (status == ASSAY_OK) {
        *set = taken;
        set->file = where;
    }
    space_free(s);
    return status;
}
