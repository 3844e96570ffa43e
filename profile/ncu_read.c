/* See ncu_read.h. */
#include "profile/ncu_read.h"
#include "profile/csv.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where the columns of a table stand; -1: not there. A table of the details page has `metric`, one of the raw page has not. */
typedef struct columns {
    int count, id, kernel, block, grid, compute;
    int section, metric, unit, value, rule, rule_type, rule_text, speedup;
    metric_id *metrics; /* of the raw page, a column each; METRIC_COUNT: none of ours */
    double *scales;
} columns;

static void release_columns(columns *where)
{
    free(where->metrics);
    free(where->scales);
    *where = (columns){.id = -1};
}

static int read_header(const csv_record *header, columns *where)
{
    release_columns(where);
    where->count = header->count;
    where->id = 0;
    where->kernel = csv_find(header, "Kernel Name");
    where->block = csv_find(header, "Block Size");
    where->grid = csv_find(header, "Grid Size");
    where->compute = csv_find(header, "CC");
    where->section = csv_find(header, "Section Name");
    where->metric = csv_find(header, "Metric Name");
    where->unit = csv_find(header, "Metric Unit");
    where->value = csv_find(header, "Metric Value");
    where->rule = csv_find(header, "Rule Name");
    where->rule_type = csv_find(header, "Rule Type");
    where->rule_text = csv_find(header, "Rule Description");
    where->speedup = csv_find(header, "Estimated Speedup");
    if (where->metric >= 0 || header->count < 1)
        return 1;
    where->metrics = calloc((size_t)header->count, sizeof *where->metrics);
    where->scales = calloc((size_t)header->count, sizeof *where->scales);
    if (!where->metrics || !where->scales)
        return 0;
    for (int i = 0; i < header->count; i++) {
        where->metrics[i] = metric_find(header->fields[i]);
        where->scales[i] = 1.0;
    }
    return 1;
}

static const char *field(const csv_record *record, int column)
{
    return column >= 0 && column < record->count ? record->fields[column] : "";
}

static void read_units(const csv_record *record, columns *where)
{
    for (int i = 0; where->metrics && i < record->count && i < where->count; i++)
        if (where->metrics[i] < METRIC_COUNT)
            where->scales[i] = ncu_unit_scale(record->fields[i], metric_get(where->metrics[i])->unit);
}

static void put(launch_profile *profile, profiled_kernel *kernel, metric_id id, const char *text,
                double scale, int decimal_comma)
{
    const double value = ncu_read_number(text, decimal_comma) * scale;
    profile->unusable += isnan(value);
    if (!metric_known(&kernel->metrics, id))
        metric_put(&kernel->metrics, id, value, METRIC_PROFILED);
}

static char *copy_text(const char *text)
{
    const size_t bytes = strlen(text) + 1;
    char *copy = malloc(bytes);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

static int add_rule(profiled_kernel *kernel, const csv_record *record, const columns *where,
                    int decimal_comma)
{
    profile_rule *grown = realloc(kernel->rules, (size_t)(kernel->rule_count + 1) * sizeof *kernel->rules);
    if (!grown)
        return 0;
    kernel->rules = grown;
    profile_rule *rule = &grown[kernel->rule_count++];
    rule->section = copy_text(field(record, where->section));
    rule->name = copy_text(field(record, where->rule));
    rule->type = copy_text(field(record, where->rule_type));
    rule->text = copy_text(field(record, where->rule_text));
    rule->speedup = ncu_read_number(field(record, where->speedup), decimal_comma);
    return rule->section && rule->name && rule->type && rule->text;
}

static int read_row(const csv_record *record, const columns *where, int decimal_comma,
                    launch_profile *profile)
{
    profiled_kernel *kernel = launch_profile_kernel(profile, (int)strtol(record->fields[0], NULL, 10),
                                                    field(record, where->kernel));
    if (!kernel)
        return 0;
    snprintf(kernel->block, sizeof kernel->block, "%s", field(record, where->block));
    snprintf(kernel->grid, sizeof kernel->grid, "%s", field(record, where->grid));
    snprintf(kernel->compute, sizeof kernel->compute, "%s", field(record, where->compute));
    for (int i = 0; where->metrics && i < record->count; i++)
        if (where->metrics[i] < METRIC_COUNT)
            put(profile, kernel, where->metrics[i], record->fields[i], where->scales[i], decimal_comma);
    if (where->metric < 0)
        return 1;
    const metric_id id = metric_find_label(field(record, where->section), field(record, where->metric));
    if (id < METRIC_COUNT)
        put(profile, kernel, id, field(record, where->value),
            ncu_unit_scale(field(record, where->unit), metric_get(id)->unit), decimal_comma);
    return !*field(record, where->rule) || add_rule(kernel, record, where, decimal_comma);
}

int ncu_explain_permission(const char *text, char *out, size_t out_bytes)
{
    const int denied = strstr(text, "ERR_NVGPUCTRPERM") != NULL;
    if (denied)
        snprintf(
            out, out_bytes,
            "the driver lets only administrators read counters (ERR_NVGPUCTRPERM): run as root, or have the "
            "driver's module loaded with NVreg_RestrictProfilingToAdminUsers=0");
    return denied;
}

/* ncu's own words, which it marks with ==ERROR==, else its first line. */
static void find_complaint(const char *text, char *out, size_t out_bytes)
{
    const char *marked = strstr(text, "==ERROR=="), *from = marked ? marked + 9 : text;
    from += strspn(from, " \n");
    snprintf(out, out_bytes, "%.*s", (int)strcspn(from, "\n"), from);
}

/* A row of the table: its first field is a number, and it is whole. On the details page a metric's row ends before the columns of rules. */
static int is_row(const csv_record *record, const columns *where)
{
    const int is_whole = where->metric >= 0 ? record->count > where->value : record->count == where->count;
    return where->id >= 0 && is_whole && record->fields[0][0] != '\0' &&
           record->fields[0][strspn(record->fields[0], "0123456789")] == '\0';
}

/* *tables gets how many tables of kernels there were; 0 without memory. */
static int read_records(const char *text, launch_profile *profile, int *tables)
{
    const int decimal_comma = ncu_has_decimal_comma(text);
    csv_record record = {0};
    columns where = {.id = -1};
    int right = 1;
    for (const char *at = text, *next; right && *at; at = next) {
        /* A line that is no record may hold a lone quote: it must not swallow what follows. */
        const size_t line = strcspn(at, "\n");
        next = at + line + (at[line] == '\n');
        if (*at != '"')
            continue;
        if ((next = csv_next(at, &record)) == NULL) {
            right = 0;
            break;
        }
        if (strcmp(record.fields[0], "ID") == 0) {
            right = read_header(&record, &where);
            *tables += where.kernel >= 0;
        } else if (is_row(&record, &where))
            right = read_row(&record, &where, decimal_comma, profile);
        else if (where.id >= 0 && record.fields[0][0] == '\0' && record.count == where.count)
            read_units(&record, &where);
    }
    release_columns(&where);
    csv_release(&record);
    return right;
}

assay_status ncu_read_page(const char *text, launch_profile *profile, assay_error *error)
{
    char complaint[512];
    int tables = 0;
    if (ncu_explain_permission(text, complaint, sizeof complaint))
        return assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "%s", complaint);
    if (strstr(text, "==ERROR==") || strstr(text, "==WARNING=="))
        find_complaint(strstr(text, "==ERROR==") ? text : strstr(text, "==WARNING=="), profile->complaint,
                       sizeof profile->complaint);
    if (!read_records(text, profile, &tables))
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY,
                               "no memory, or more than %d kernels in one profile", PROFILE_MOST_KERNELS);
    if (tables == 0 || profile->count == 0) {
        find_complaint(text, complaint, sizeof complaint);
        return assay_error_set(error, ASSAY_ERR_FORMAT, "ncu printed no table of kernels: %s",
                               *complaint ? complaint : "it is empty");
    }
    return ASSAY_OK;
}
