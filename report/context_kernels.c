/* The kernels of an op's log: as their sources and the records of their modules tell. */
#include "report/report_context.h"
#include "core/json_file.h"
#include "report/report_text.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The module's record that is here now; its `json` is NULL where there is none. */
static module_record read_record(const report_model *model, int op, const char *variant, int dtype)
{
    const opspec *spec = model->ws->ops[op].spec;
    module_record record = {0};
    char path[4608];
    snprintf(path, sizeof path, "%s/%s.%s.%s.json", model->ws->modules, spec->name, variant,
             report_dtype_name(spec, dtype));
    if (module_record_read(path, &record, NULL) != ASSAY_OK)
        record = (module_record){0};
    return record;
}

/* A result of a kernel and dtype, or NULL. */
static const result *find_result(const report_model *model, int op, const char *variant, int dtype)
{
    int first, end;
    report_range(model, op, dtype, &first, &end);
    for (int i = first; i < end; i++)
        if (model->entries[i].result && model->entries[i].kind == RESULT_VARIANT &&
            strcmp(model->entries[i].name, variant) == 0)
            return model->entries[i].result;
    return NULL;
}

/* Title and technique: from the source where it is there, else from a module's record. */
static void put_head(const report_model *model, int op, const char *variant, json_t *item)
{
    const opspec *spec = model->ws->ops[op].spec;
    char path[4608], shown[4608];
    text_buffer title = {0}, technique = {0};
    char *source = NULL;
    size_t bytes;
    workspace_variant_source(&model->ws->ops[op], variant, path, sizeof path);
    if (text_file_read(path, &source, &bytes, NULL) == ASSAY_OK)
        text_head_comment(source, &title, &technique);
    free(source);
    for (int d = 0; d < spec->dtype_count && !title.length; d++) {
        module_record record = read_record(model, op, variant, d);
        text_puts(&title, json_get_text(record.json, "title", ""));
        text_puts(&technique, json_get_text(record.json, "technique", ""));
        module_record_release(&record);
    }
    text_relative(shown, sizeof shown, *model->ws->source ? model->ws->source : model->ws->path, path);
    context_put(item, "name", "%s", variant);
    context_put(item, "title", "%s", title.length ? text_get(&title) : "no head comment");
    context_put(item, "technique", "%s",
                technique.length ? text_get(&technique) : "The source says nothing about its technique.");
    context_put(item, "source", "%s", shown);
    text_release(&title);
    text_release(&technique);
}

/* As the results were measured with, else as the module here has it, else the default. */
static int64_t tunable_value(const opspec_tunable *tunable, const result *r, const json_t *record)
{
    for (int i = 0; r && i < r->tunable_count; i++)
        if (strcmp(r->tunables[i].name, tunable->name) == 0)
            return r->tunables[i].value;
    const json_t *set = json_object_get(json_object_get(record, "tunables"), tunable->name);
    return json_is_integer(set) ? json_integer_value(set) : tunable->def;
}

/* Which tuning run the values of the module here come from. */
static void put_winner(const json_t *winner, text_buffer *text)
{
    const json_t *run = json_object_get(winner, "run");
    if (winner)
        text_printf(text, "; tuned for %s %s on %s, run %.8s of %.10s, in place of %.4g us %.4g us",
                    json_get_text(winner, "dtype", ""), json_get_text(winner, "size", ""),
                    json_get_text(run, "card", "an unknown card"), json_get_text(run, "id", "unknown"),
                    json_get_text(run, "time", ""), json_get_number(winner, "default_us", NAN),
                    json_get_number(winner, "us", NAN));
}

/* Values that the kernel takes from a table by the shape. */
static void put_table(const json_t *table, text_buffer *text)
{
    size_t index;
    json_t *name;
    const json_t *run = json_object_get(table, "run");
    if (!table)
        return;
    text_printf(text, "; by the shape, from a table of %zu classes:",
                json_array_size(json_object_get(table, "rows")));
    json_array_foreach(json_object_get(table, "tunables"), index, name)
        text_printf(text, "%s `%s`", index ? "," : "", json_string_value(name));
    text_printf(text, "; tuned on %s at %.10s", json_get_text(run, "card", "?"),
                json_get_text(run, "time", "?"));
}

static void put_tunables(const report_model *model, int op, const char *variant, const result *r,
                         const json_t *record, json_t *item)
{
    const opspec_variant_tunables *tunables = opspec_find_tunables(model->ws->ops[op].spec, variant);
    text_buffer text = {0};
    for (int t = 0; tunables && t < tunables->count; t++) {
        const opspec_tunable *tunable = &tunables->tunables[t];
        text_printf(&text, "%s`%s` = %lld (of ", t ? "; " : "", tunable->name,
                    (long long)tunable_value(tunable, r, record));
        for (int v = 0; v < tunable->value_count; v++)
            text_printf(&text, "%s%lld", v ? ", " : "", (long long)tunable->values[v]);
        text_puts(&text, ")");
    }
    put_winner(json_object_get(record, "winner"), &text);
    put_table(json_object_get(record, "table"), &text);
    context_put(item, "tunables", "%s", text.length ? text_get(&text) : "none");
    text_release(&text);
}

/* What a compiled kernel needs: name in results and records, and its words. */
static const struct {
    const char *key, *format;
} resource_parts[] = {{"registers", ", at most %.0f registers a thread"},
                      {"spill_bytes", ", %.0f bytes spilled"},
                      {"stack_bytes", ", %.0f bytes of stack"},
                      {"shared_bytes", ", %.0f bytes of static shared memory"},
                      {"code_bytes", ", %.0f bytes of code"},
                      {"occupancy_percent", ", lowest occupancy %.0f%%"},
                      {"warnings", ", %.0f warnings"}};
enum { RESOURCE_PARTS = sizeof resource_parts / sizeof *resource_parts };

/* "sm_90a, 2 kernels: at most 84 registers a thread, 0 bytes spilled, ..."; numbers that are not known are
 * left out. */
static void put_resource_line(const char *arch, double kernels, const double values[RESOURCE_PARTS],
                              const char *dtype, json_t *item)
{
    text_buffer text = {0};
    text_printf(&text, "%s, %.0f kernel%s", arch, kernels, kernels == 1 ? "" : "s");
    for (int i = 0; i < RESOURCE_PARTS; i++)
        if (isfinite(values[i]) && (strcmp(resource_parts[i].key, "warnings") || values[i] > 0))
            text_printf(&text, resource_parts[i].format, values[i]);
    json_t *line = context_add(item, "resources");
    context_put(line, "dtype", "%s", dtype);
    context_put(line, "text", "%s", text_get(&text));
    text_release(&text);
}

/* What the results say goes before the module that is here now, which may be another; without either nothing
 * is said. */
static void put_resources(const report_model *model, int op, const char *variant, int dtype,
                          const json_t *record, json_t *item)
{
    const char *name = report_dtype_name(model->ws->ops[op].spec, dtype), *arch;
    const result *r = find_result(model, op, variant, dtype);
    double values[RESOURCE_PARTS];
    json_t *part;
    if (r && r->resources.count) {
        for (int i = 0; i < RESOURCE_PARTS; i++)
            values[i] = result_fact_number(&r->resources, resource_parts[i].key, NAN);
        put_resource_line(result_fact_text(&r->resources, "arch"),
                          result_fact_number(&r->resources, "kernels", 0), values, name, item);
        return;
    }
    json_object_foreach(json_object_get(json_object_get(record, "resources"), "architectures"), arch, part)
    {
        const json_t *summary = json_object_get(part, "summary");
        for (int i = 0; i < RESOURCE_PARTS; i++)
            values[i] = json_get_number(summary, resource_parts[i].key, NAN);
        put_resource_line(arch, json_get_number(summary, "kernels", 0), values, name, item);
    }
}

/* Grid, block and dynamic shared memory of what each size launches. */
static void put_launches(const report_model *model, int op, const char *variant, int dtype, json_t *item)
{
    int first, end;
    report_range(model, op, dtype, &first, &end);
    for (int i = first; i < end; i++) {
        const report_entry *entry = &model->entries[i];
        if (entry->kind != RESULT_VARIANT || strcmp(entry->name, variant) != 0 || !entry->result ||
            !entry->result->launches[0])
            continue;
        json_t *line = context_add(item, "resources");
        context_put(line, "dtype", "%s", report_dtype_name(model->ws->ops[op].spec, dtype));
        context_put(line, "text", "launched at %s: %s",
                    report_size_name(model->ws->ops[op].spec, entry->size), entry->result->launches);
    }
}

/* What the results say of a build; a module's record may be of another machine than they are. */
static const char *build_status(const report_model *model, int op, const char *variant, int dtype,
                                const module_record *record)
{
    const char *status = record->json ? record->status : "not built here";
    int first, end;
    report_range(model, op, dtype, &first, &end);
    for (int i = first; i < end; i++) {
        const report_entry *entry = &model->entries[i];
        if (entry->kind != RESULT_VARIANT || strcmp(entry->name, variant) != 0)
            continue;
        if (entry->state == STATE_NOT_COMPILED)
            return "does not compile";
        if (entry->state != STATE_MISSING)
            status = "ok";
    }
    return status;
}

static void put_kernel(const report_model *model, int op, const char *variant, json_t *item)
{
    const opspec *spec = model->ws->ops[op].spec;
    text_buffer build = {0};
    put_head(model, op, variant, item);
    json_t *first_record = NULL;
    const result *first_result = NULL;
    for (int d = 0; d < spec->dtype_count; d++) {
        const char *dtype = report_dtype_name(spec, d);
        module_record record = read_record(model, op, variant, d);
        text_printf(&build, "%s%s %s", d ? ", " : "", dtype, build_status(model, op, variant, d, &record));
        put_resources(model, op, variant, d, record.json, item);
        put_launches(model, op, variant, d, item);
        if (!first_record)
            first_record = json_incref(record.json);
        if (!first_result)
            first_result = find_result(model, op, variant, d);
        module_record_release(&record);
    }
    context_put(item, "build", "%s", text_get(&build));
    put_tunables(model, op, variant, first_result, first_record, item);
    context_close_list(item, "resources");
    json_decref(first_record);
    text_release(&build);
}

/* Sorted names of an op's variants, each once: entries are sorted by dtype first. */
static int list_variants(const report_model *model, int op, const char *names[REPORT_MAX_KERNELS])
{
    int first, end, count = 0;
    report_range(model, op, -1, &first, &end);
    for (int i = first; i < end; i++) {
        const report_entry *entry = &model->entries[i];
        int at = 0;
        if (entry->kind != RESULT_VARIANT)
            continue;
        while (at < count && strcmp(names[at], entry->name) < 0)
            at++;
        if ((at < count && strcmp(names[at], entry->name) == 0) || count == REPORT_MAX_KERNELS)
            continue;
        memmove(&names[at + 1], &names[at], (size_t)(count - at) * sizeof *names);
        names[at] = entry->name;
        count++;
    }
    return count;
}

void context_kernels(const report_model *model, int op, json_t *out)
{
    const char *names[REPORT_MAX_KERNELS];
    const int count = list_variants(model, op, names);
    for (int i = 0; i < count; i++)
        put_kernel(model, op, names[i], context_add(out, "kernels"));
    context_close_list(out, "kernels");
}
