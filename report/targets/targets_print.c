/* Targets as a table for people and as JSON: no judgement here. */
#include "report/targets/targets_internal.h"
#include "core/json_file.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 8 };

const char *target_verdict_text(target_verdict verdict)
{
    static const char *const texts[] = {"met", "missed", "not measured"};
    return texts[verdict];
}

void targets_time_text(double us, char *out)
{
    const int digits = us < 9.9995 ? 3 : us < 99.995 ? 2 : us < 999.95 ? 1 : 0;
    snprintf(out, 24, "%.*f us", digits, us);
}

/* As many as the unit usually has; more where a miss would read as if it were met. */
static int digits_for(const target_cell *cell)
{
    int digits = strcmp(cell->unit, "x") == 0 ? 2 : strcmp(cell->unit, "%") == 0 ? 1 : 0;
    for (int more = 0; more < 3 && cell->verdict == TARGET_MISSED; more++, digits++) {
        char text[32];
        snprintf(text, sizeof text, "%.*f", digits, cell->measured);
        if (!(strtod(text, NULL) >= cell->wanted))
            break;
    }
    return digits;
}

static void fill_row(const target_cell *cell, char row[COLUMNS][320])
{
    const int digits = digits_for(cell);
    char time[24];
    targets_time_text(cell->kernel_us, time);
    snprintf(row[0], sizeof row[0], "%s", cell->op_name);
    snprintf(row[1], sizeof row[1], "%s", cell->dtype_name);
    snprintf(row[2], sizeof row[2], "%s", cell->size_name);
    snprintf(row[3], sizeof row[3], "%s, %s", cell->target, cell->figure);
    if (isfinite(cell->measured))
        snprintf(row[4], sizeof row[4], "%.*f%s%s", digits, cell->measured,
                 strcmp(cell->unit, "x") == 0 || strcmp(cell->unit, "%") == 0 ? "" : " ", cell->unit);
    else
        snprintf(row[4], sizeof row[4], "-");
    if (isfinite(cell->kernel_us))
        snprintf(row[5], sizeof row[5], "%s %s", cell->kernel, time);
    else
        snprintf(row[5], sizeof row[5], "%s", cell->kernel[0] ? cell->kernel : "-");
    snprintf(row[6], sizeof row[6], "%s", cell->against[0] ? cell->against : "-");
    snprintf(row[7], sizeof row[7], "%s%s%s%s", target_verdict_text(cell->verdict),
             cell->reason[0] ? " (" : "", cell->reason, cell->reason[0] ? ")" : "");
}

static const char *const heads[COLUMNS] = {"op",       "dtype",  "size",    "target",
                                           "measured", "kernel", "against", "verdict"};

/* verdict: only cells of it; -1: all. */
static void print_markdown(const target_list *list, int verdict, FILE *out)
{
    char row[COLUMNS][320];
    for (int c = 0; c < COLUMNS; c++)
        fprintf(out, "| %s ", heads[c]);
    fputs("|\n|---|---|---|---|---:|---|---|---|\n", out);
    for (int i = 0; i < list->count; i++) {
        if (verdict >= 0 && (int)list->cells[i].verdict != verdict)
            continue;
        fill_row(&list->cells[i], row);
        for (int c = 0; c < COLUMNS; c++)
            fprintf(out, "| %s ", row[c]);
        fputs("|\n", out);
    }
}

static void print_columns(const target_list *list, FILE *out)
{
    char row[COLUMNS][320];
    int widths[COLUMNS];
    for (int c = 0; c < COLUMNS; c++)
        widths[c] = (int)strlen(heads[c]);
    for (int i = 0; i < list->count; i++) {
        fill_row(&list->cells[i], row);
        for (int c = 0; c < COLUMNS; c++)
            widths[c] = (int)strlen(row[c]) > widths[c] ? (int)strlen(row[c]) : widths[c];
    }
    for (int i = -1; i < list->count; i++) {
        if (i >= 0)
            fill_row(&list->cells[i], row);
        for (int c = 0; c < COLUMNS - 1; c++)
            fprintf(out, "%-*s  ", widths[c], i < 0 ? heads[c] : row[c]);
        fprintf(out, "%s\n", i < 0 ? heads[COLUMNS - 1] : row[COLUMNS - 1]);
    }
}

static void print_origin(const report_model *model, FILE *out)
{
    fprintf(out, "%s, %s, commit %s%s\n\n", model->device, model->time, model->commit,
            model->dirty ? " (with uncommitted changes)" : "");
}

static void print_document(const report_model *model, const target_list *list, FILE *out)
{
    static const struct {
        const char *heading;
        target_verdict verdict;
    } parts[] = {{"Missed", TARGET_MISSED}, {"Not measured", TARGET_NOT_MEASURED}, {"Met", TARGET_MET}};
    const int counts[] = {list->missed, list->not_measured, list->met};
    fprintf(out, "# Targets: %s\n\n", model->device);
    print_origin(model, out);
    fprintf(out,
            "**%d of %d** targets are met, %d are missed, %d were not measured. What a target is and how it "
            "is held against results: "
            "`docs/targets.md`; the file: `report/targets/targets.json`.\n",
            list->met, list->met + list->missed + list->not_measured, list->missed, list->not_measured);
    for (int i = 0; i < 3; i++) {
        if (counts[i] == 0)
            continue;
        fprintf(out, "\n## %s\n\n", parts[i].heading);
        print_markdown(list, (int)parts[i].verdict, out);
    }
}

assay_status targets_write(const report_model *model, const target_list *list, const char *path,
                           assay_error *error)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for %s", path);
    print_document(model, list, out);
    const int failed = ferror(out) | (fclose(out) != 0);
    const assay_status status = failed ? assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for %s", path)
                                       : text_file_write(path, text, bytes, error);
    free(text);
    return status;
}

void targets_print(const report_model *model, const target_list *list, int markdown, FILE *out)
{
    print_origin(model, out);
    if (markdown)
        print_markdown(list, -1, out);
    else
        print_columns(list, out);
    fprintf(out, "\n%d targets: %d met, %d missed, %d not measured\n",
            list->met + list->missed + list->not_measured, list->met, list->missed, list->not_measured);
}

static json_t *cell_json(const target_cell *cell)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:s, s:s, s:o, s:s, s:s, s:s}", "op", cell->op_name,
                     "dtype", cell->dtype_name, "size", cell->size_name, "figure", cell->figure, "target",
                     cell->target, "wanted", json_number(cell->wanted), "measured",
                     json_number(cell->measured), "unit", cell->unit, "kernel", cell->kernel, "kernel_us",
                     json_number(cell->kernel_us), "against", cell->against, "verdict",
                     target_verdict_text(cell->verdict), "reason", cell->reason);
}

json_t *targets_json(const report_model *model, const target_list *list)
{
    json_t *cells = json_array();
    for (int i = 0; i < list->count; i++)
        json_array_append_new(cells, cell_json(&list->cells[i]));
    return json_pack("{s:s, s:s, s:s, s:i, s:i, s:i, s:o}", "device", model->device, "commit", model->commit,
                     "time", model->time, "met", list->met, "missed", list->missed, "not_measured",
                     list->not_measured, "cells", cells);
}
