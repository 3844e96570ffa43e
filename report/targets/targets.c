/* Targets: reading the file and laying out its cells. Judging a cell is in targets_judge.c, the ratio at every size in
 * targets_least.c. */
#include "report/targets/targets_internal.h"
#include "core/json_file.h"
#include "core/list.h"
#include "core/schema.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Keys of the file; anything else is a mistake in it. */
static const char schema_text[] =
    "{\"type\": \"object\", \"required\": [\"schema\", \"cards\"], \"additionalProperties\": false, "
    "\"properties\": {"
    "\"$comment\": {\"type\": \"string\"}, \"schema\": {\"type\": \"integer\", \"enum\": [1]},"
    "\"cards\": {\"type\": \"object\", \"additionalProperties\": {\"type\": \"object\", \"required\": "
    "[\"targets\"],"
    "\"additionalProperties\": false, \"properties\": {"
    "\"least_ratio\": {\"type\": \"object\", \"required\": [\"variant\", \"ratio\"], "
    "\"additionalProperties\": false,"
    " \"properties\": {\"variant\": {\"type\": \"string\"}, \"ratio\": {\"type\": \"number\"}}},"
    "\"targets\": {\"type\": \"array\", \"minItems\": 1, \"items\": {\"type\": \"object\","
    "\"required\": [\"ops\", \"dtypes\", \"variant\", \"sizes\"], \"additionalProperties\": false, "
    "\"properties\": {"
    "\"ops\": {\"type\": \"array\", \"minItems\": 1, \"items\": {\"type\": \"string\"}},"
    "\"dtypes\": {\"type\": \"array\", \"minItems\": 1, \"items\": {\"type\": \"string\"}},"
    "\"variant\": {\"type\": \"string\"},"
    "\"figure\": {\"type\": \"string\", \"enum\": [\"cold\", \"hot\", \"burst\", \"sustained\"]},"
    "\"sizes\": {\"type\": \"object\", \"additionalProperties\": {\"type\": \"array\", \"minItems\": 1, "
    "\"items\": {"
    "\"type\": \"object\", \"additionalProperties\": false, \"properties\": {"
    "\"ratio\": {\"type\": \"number\"}, \"copy_percent\": {\"type\": \"number\"}, \"read_percent\": "
    "{\"type\": \"number\"},"
    "\"tflops\": {\"type\": \"number\"}, \"own_percent\": {\"type\": \"number\"}, \"own\": {\"type\": "
    "\"string\"},"
    "\"peers\": {\"type\": \"array\", \"minItems\": 1, \"items\": {\"type\": \"string\"}},"
    "\"figure\": {\"type\": \"string\", \"enum\": [\"cold\", \"hot\", \"burst\", \"sustained\"]}}}}}}}}}}}}}";

target_cell *targets_add_cell(target_list *list)
{
    if (list->count == list->capacity) {
        const int capacity = list->capacity ? 2 * list->capacity : 128;
        target_cell *cells = realloc(list->cells, sizeof *cells * (size_t)capacity);
        if (cells == NULL)
            return NULL;
        list->cells = cells;
        list->capacity = capacity;
    }
    target_cell *cell = &list->cells[list->count++];
    *cell = (target_cell){.op = -1, .dtype = -1, .size = -1, .measured = NAN, .kernel_us = NAN};
    return cell;
}

static void count_verdicts(target_list *list)
{
    list->met = list->missed = list->not_measured = 0;
    for (int i = 0; i < list->count; i++) {
        list->met += list->cells[i].verdict == TARGET_MET;
        list->missed += list->cells[i].verdict == TARGET_MISSED;
        list->not_measured += list->cells[i].verdict == TARGET_NOT_MEASURED;
    }
}

/* Index of an op and of a dtype of it; the error names what there is not. */
static assay_status find_case(const report_model *model, const char *file, const char *op, const char *dtype,
                              target_cell *cell, assay_error *error)
{
    for (int i = 0; i < model->ws->op_count; i++)
        if (strcmp(model->ws->ops[i].spec->name, op) == 0)
            cell->op = i;
    if (cell->op < 0)
        return assay_error_set(error, ASSAY_ERR_INVALID, "%s: there is no op \"%s\"", file, op);
    const opspec *spec = model->ws->ops[cell->op].spec;
    for (int i = 0; i < spec->dtype_count; i++)
        if (strcmp(report_dtype_name(spec, i), dtype) == 0)
            cell->dtype = i;
    if (cell->dtype < 0)
        return assay_error_set(error, ASSAY_ERR_INVALID, "%s: op %s has no dtype \"%s\"", file, op, dtype);
    return ASSAY_OK;
}

static assay_status add_conditions(const report_model *model, const char *file, const json_t *row,
                                   const target_cell *place, target_list *list, assay_error *error)
{
    const row_rule rule = {
        .variant = json_get_text(row, "variant", ""),
        .figure = json_get_text(row, "figure", "cold"),
        .tf32 = strcmp(report_dtype_name(model->ws->ops[place->op].spec, place->dtype), "tf32") == 0};
    const opspec *spec = model->ws->ops[place->op].spec;
    const char *size;
    json_t *conditions, *condition;
    size_t index;
    json_object_foreach(json_object_get(row, "sizes"), size, conditions)
    {
        const opspec_size *known = opspec_find_size(spec, size);
        if (known == NULL)
            return assay_error_set(error, ASSAY_ERR_INVALID, "%s: op %s has no size \"%s\"", file, spec->name,
                                   size);
        json_array_foreach(conditions, index, condition)
        {
            target_cell *cell = targets_add_cell(list);
            if (cell == NULL)
                return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
            cell->op = place->op;
            cell->dtype = place->dtype;
            cell->size = (int)(known - spec->sizes);
            cell->op_name = spec->name;
            cell->dtype_name = report_dtype_name(spec, place->dtype);
            cell->size_name = size;
            cell->figure = json_get_text(condition, "figure", rule.figure);
            if (!targets_read_condition(condition, cell))
                return assay_error_set(
                    error, ASSAY_ERR_INVALID,
                    "%s: %s %s: a condition needs one of ratio (with peers or without), copy_percent, "
                    "read_percent, tflops, or own_percent with own",
                    file, spec->name, size);
            targets_judge(model, cell, condition, &rule);
        }
    }
    return ASSAY_OK;
}

static assay_status add_row(const report_model *model, const char *file, const json_t *row, target_list *list,
                            assay_error *error)
{
    size_t i, j;
    json_t *op, *dtype;
    json_array_foreach(json_object_get(row, "ops"), i, op)
    {
        json_array_foreach(json_object_get(row, "dtypes"), j, dtype)
        {
            target_cell place = {.op = -1, .dtype = -1};
            assay_status status =
                find_case(model, file, json_string_value(op), json_string_value(dtype), &place, error);
            if (status == ASSAY_OK)
                status = add_conditions(model, file, row, &place, list, error);
            if (status != ASSAY_OK)
                return status;
        }
    }
    return ASSAY_OK;
}

static const json_t *find_card(const json_t *file, const char *path, const char *slug, assay_error *error)
{
    const json_t *cards = json_object_get(file, "cards"), *card = json_object_get(cards, slug);
    char names[256] = "";
    const char *name;
    json_t *unused;
    json_object_foreach((json_t *)cards, name, unused)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", *names ? ", " : "", name);
    if (card == NULL)
        assay_error_set(error, ASSAY_ERR_INVALID, "%s has no targets for \"%s\"; there are some for: %s",
                        path, slug, names);
    return card;
}

int targets_has_card(const char *file, const char *slug)
{
    json_t *read = NULL;
    const int has = json_file_read(file, &read, NULL) == ASSAY_OK &&
                    json_object_get(json_object_get(read, "cards"), slug) != NULL;
    json_decref(read);
    return has;
}

assay_status targets_evaluate(const report_model *model, const char *file, target_list *list,
                              assay_error *error)
{
    *list = (target_list){0};
    assay_status status = json_file_read(file, &list->file, error);
    if (status != ASSAY_OK)
        return status;
    json_t *schema = json_loads(schema_text, 0, NULL);
    status = schema_check(schema, list->file, file, error);
    json_decref(schema);
    if (status != ASSAY_OK)
        return status;
    const json_t *card = find_card(list->file, file, model->slug, error);
    if (card == NULL)
        return ASSAY_ERR_INVALID;
    size_t index;
    json_t *row;
    json_array_foreach(json_object_get(card, "targets"), index, row)
    {
        if (status == ASSAY_OK)
            status = add_row(model, file, row, list, error);
    }
    const json_t *at_every_size = json_object_get(card, "least_ratio");
    if (status == ASSAY_OK && at_every_size != NULL)
        status = targets_add_least_ratio(model, at_every_size, list, error);
    count_verdicts(list);
    return status;
}

void targets_release(target_list *list)
{
    free(list->cells);
    json_decref(list->file);
    *list = (target_list){0};
}

void targets_keep(target_list *list, const case_filter *filter, int missed_only)
{
    int kept = 0;
    for (int i = 0; i < list->count; i++) {
        const target_cell *cell = &list->cells[i];
        if (list_selects(filter->ops, cell->op_name) && list_selects(filter->dtypes, cell->dtype_name) &&
            list_selects(filter->sizes, cell->size_name) && !(missed_only && cell->verdict == TARGET_MET))
            list->cells[kept++] = *cell;
    }
    list->count = kept;
    if (!missed_only) /* the counts are of all that was asked for, also where only misses are shown */
        count_verdicts(list);
}
