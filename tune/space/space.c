/* Building a search space: parameters, constants, constraints. */
#include "tune/space/space_internal.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

assay_status space_create(space **out, assay_error *error)
{
    *out = calloc(1, sizeof **out);
    return *out ? ASSAY_OK : assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for a search space");
}

static void free_values(const expression_value *values, int count)
{
    for (int i = 0; values && i < count; i++)
        if (values[i].kind == VALUE_TEXT)
            free((char *)values[i].text);
    free((expression_value *)values);
}

void space_free(space *s)
{
    if (s == NULL)
        return;
    for (int i = 0; i < s->parameter_count; i++)
        free_values(s->parameters[i].values, s->parameters[i].value_count);
    for (int i = 0; i < s->constraint_count; i++) {
        free(s->constraints[i].text);
        expression_free(s->constraints[i].parsed);
    }
    for (int i = 0; i < s->group_count; i++)
        free(s->groups[i].tuples);
    free(s->slots);
    free(s);
}

static int is_name(const char *name)
{
    const size_t length = strlen(name);
    return length > 0 && length < ASSAY_NAME_MAX && !(name[0] >= '0' && name[0] <= '9') &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == length;
}

static int find_constant(const space *s, const char *name)
{
    for (int i = 0; i < s->constant_count; i++)
        if (strcmp(s->constant_names[i], name) == 0)
            return i;
    return -1;
}

static assay_status check_new_name(const space *s, const char *name, assay_error *error)
{
    if (!is_name(name))
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "\"%.64s\" cannot be a name; allowed: letters, digits and _, at most %d", name,
                               ASSAY_NAME_MAX - 1);
    if (space_find_parameter(s, name) >= 0 || find_constant(s, name) >= 0)
        return assay_error_set(error, ASSAY_ERR_INVALID, "the name \"%s\" is given twice", name);
    return ASSAY_OK;
}

static assay_status check_values(const char *name, const expression_value *values, int count,
                                 int default_index, assay_error *error)
{
    if (count < 1 || count > SPACE_MAX_VALUES)
        return assay_error_set(error, ASSAY_ERR_INVALID, "parameter \"%s\" has %d values; allowed: 1 to %d",
                               name, count, SPACE_MAX_VALUES);
    if (default_index < 0 || default_index >= count)
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "the default of parameter \"%s\" is not one of its values", name);
    for (int i = 0; i < count; i++) {
        if (values[i].kind == VALUE_LIST)
            return assay_error_set(error, ASSAY_ERR_INVALID, "value %d of parameter \"%s\" is a list", i + 1,
                                   name);
        if (values[i].kind == VALUE_TEXT && strpbrk(values[i].text, ",=\n"))
            return assay_error_set(error, ASSAY_ERR_INVALID,
                                   "value %d of parameter \"%s\" has a comma, = or a line break", i + 1,
                                   name);
        for (int j = 0; j < i; j++)
            if (value_equals(&values[i], &values[j]))
                return assay_error_set(error, ASSAY_ERR_INVALID,
                                       "parameter \"%s\" has the value number %d twice", name, i + 1);
    }
    return ASSAY_OK;
}

assay_status space_add_parameter(space *s, const char *name, const expression_value *values, int value_count,
                                 int default_index, assay_error *error)
{
    assay_status status = check_new_name(s, name, error);
    if (status == ASSAY_OK)
        status = check_values(name, values, value_count, default_index, error);
    if (status == ASSAY_OK && s->parameter_count == SPACE_MAX_PARAMETERS)
        status = assay_error_set(error, ASSAY_ERR_INVALID, "a search space has at most %d parameters",
                                 SPACE_MAX_PARAMETERS);
    if (status != ASSAY_OK)
        return status;
    expression_value *copy = calloc((size_t)value_count, sizeof *copy);
    for (int i = 0; copy && i < value_count; i++) {
        copy[i] = values[i];
        if (values[i].kind == VALUE_TEXT && (copy[i].text = strdup(values[i].text)) == NULL) {
            free_values(copy, i);
            copy = NULL;
        }
    }
    if (copy == NULL)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for a search space");
    space_parameter *p = &s->parameters[s->parameter_count++];
    *p = (space_parameter){.value_count = value_count, .values = copy, .default_index = default_index};
    snprintf(p->name, sizeof p->name, "%s", name);
    p->role = space_guess_role(name);
    return ASSAY_OK;
}

assay_status space_add_constant(space *s, const char *name, double number, assay_error *error)
{
    const assay_status status = check_new_name(s, name, error);
    if (status != ASSAY_OK)
        return status;
    if (s->constant_count == SPACE_MAX_CONSTANTS)
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "a search space has at most %d dimensions and limits", SPACE_MAX_CONSTANTS);
    snprintf(s->constant_names[s->constant_count], ASSAY_NAME_MAX, "%s", name);
    s->constants[s->constant_count++] = number;
    return ASSAY_OK;
}

assay_status space_add_constraint(space *s, const char *text, assay_error *error)
{
    if (s->constraint_count == SPACE_MAX_CONSTRAINTS)
        return assay_error_set(error, ASSAY_ERR_INVALID, "a search space has at most %d constraints",
                               SPACE_MAX_CONSTRAINTS);
    char *copy = strdup(text);
    if (copy == NULL)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for a constraint");
    s->constraints[s->constraint_count++].text = copy;
    return ASSAY_OK;
}

static assay_status parse_constraint(space *s, const char *text, expression **out, assay_error *error)
{
    const char *names[SPACE_MAX_PARAMETERS + SPACE_MAX_CONSTANTS];
    assay_error own = {0};
    int count = 0;
    for (int i = 0; i < s->parameter_count; i++)
        names[count++] = s->parameters[i].name;
    for (int i = 0; i < s->constant_count; i++)
        names[count++] = s->constant_names[i];
    const assay_status status = expression_parse(text, names, count, out, &own);
    return status == ASSAY_OK
               ? ASSAY_OK
               : assay_error_set(error, status, "constraint \"%.100s\": %s", text, own.message);
}

static assay_status parse_all(space *s, assay_error *error)
{
    assay_status status = ASSAY_OK;
    const uint64_t parameters = (UINT64_C(1) << s->parameter_count) - 1;
    for (int i = 0; status == ASSAY_OK && i < s->constraint_count; i++) {
        constraint *c = &s->constraints[i];
        status = parse_constraint(s, c->text, &c->parsed, error);
        if (status == ASSAY_OK)
            c->uses = expression_uses(c->parsed) & parameters;
    }
    return status;
}

/* A dimension of 4096 is an integer to expressions, so that // and % are exact. */
static expression_value constant_value(double number)
{
    return number == floor(number) && fabs(number) < 0x1p53 ? value_integer((int64_t)number)
                                                            : value_real(number);
}

static assay_status fill_slots(space *s, assay_error *error)
{
    s->slots = calloc((size_t)(s->parameter_count + s->constant_count) + 1, sizeof *s->slots);
    if (s->slots == NULL)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for a search space");
    for (int i = 0; i < s->parameter_count; i++)
        s->slots[i] = s->parameters[i].values[0];
    for (int i = 0; i < s->constant_count; i++)
        s->slots[s->parameter_count + i] = constant_value(s->constants[i]);
    return parse_all(s, error);
}

assay_status space_finish(space *s, assay_error *error)
{
    const assay_status status = fill_slots(s, error);
    return status == ASSAY_OK ? space_make_groups(s, error) : status;
}

assay_status space_finish_with(space *s, const configuration *valid, size_t count, assay_error *error)
{
    if (s->parameter_count == 0 || count > SPACE_MAX_TUPLES)
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "a listed space has 1 to %d configurations of parameters", SPACE_MAX_TUPLES);
    const assay_status status = fill_slots(s, error);
    return status == ASSAY_OK ? space_make_listed_group(s, valid, count, error) : status;
}
