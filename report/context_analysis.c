/* The first sections of an op's log: the op as op.json defines it, what it costs, and its kernels as their
 * sources tell. */
#include "report/report_context.h"
#include "core/json_file.h"
#include "report/report_text.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void join_dtypes(const opspec *spec, char *out, size_t bytes)
{
    size_t n = 0;
    out[0] = '\0';
    for (int d = 0; d < spec->dtype_count && n < bytes; d++)
        n += (size_t)snprintf(out + n, bytes - n, "%s%s", d ? ", " : "", report_dtype_name(spec, d));
}

static void join_shape(const opspec_tensor *tensor, char *out, size_t bytes)
{
    size_t n = (size_t)snprintf(out, bytes, "[");
    for (int i = 0; i < tensor->rank && n < bytes; i++)
        n += (size_t)snprintf(out + n, bytes - n, "%s%s", i ? ", " : "", tensor->shape[i]);
    snprintf(out + n, bytes - n, "]");
}

/* op.json leaves an output's shape to the code that infers it. To show it by names, every dimension gets a
 * prime of its own, the op infers, and the primes are read back; a number that is none of them is shown as
 * it is. */
static int infer_outputs(const workspace_op *op, char shapes[ASSAY_MAX_TENSORS][128])
{
    static const int64_t primes[OPSPEC_MAX_DIMS] = {10007, 10009, 10037, 10039, 10061, 10067, 10069, 10079};
    const assay_op_impl *impl = NULL;
    assay_problem problem;
    opspec_dims dims = op->spec->sizes[0].dims;
    for (int i = 0; i < dims.count; i++)
        dims.dim[i].value = primes[i];
    if (!*op->reference || workspace_load_impl(op, &impl, NULL) != ASSAY_OK ||
        opspec_build_problem(op->spec, impl, op->spec->dtypes[0], &dims, NULL, &problem, NULL) != ASSAY_OK)
        return 0;
    for (int t = 0; t < problem.output_count; t++) {
        size_t n = (size_t)snprintf(shapes[t], 128, "[");
        for (int r = 0; r < problem.outputs[t].rank && n < 100; r++) {
            const int64_t extent = problem.outputs[t].shape[r];
            const char *name = NULL;
            for (int i = 0; i < dims.count; i++)
                if (dims.dim[i].value == extent)
                    name = dims.dim[i].name;
            if (name)
                n += (size_t)snprintf(shapes[t] + n, 128 - n, "%s%s", r ? ", " : "", name);
            else
                n += (size_t)snprintf(shapes[t] + n, 128 - n, "%s%lld", r ? ", " : "", (long long)extent);
        }
        snprintf(shapes[t] + n, 128 - n, "]");
    }
    return 1;
}

static void put_tensors(const workspace_op *op, json_t *out)
{
    const opspec *spec = op->spec;
    char dtypes[64], shape[ASSAY_MAX_RANK * 20], inferred[ASSAY_MAX_TENSORS][128];
    join_dtypes(spec, dtypes, sizeof dtypes);
    const int known = infer_outputs(op, inferred);
    for (int i = 0; i < spec->input_count + spec->output_count; i++) {
        const int is_input = i < spec->input_count;
        const opspec_tensor *tensor = is_input ? &spec->inputs[i] : &spec->outputs[i - spec->input_count];
        json_t *item = context_add(out, "tensors");
        join_shape(tensor, shape, sizeof shape);
        context_put(item, "name", "%s", tensor->name);
        context_put(item, "role", "%s", is_input ? "input" : "output");
        if (is_input)
            context_put(item, "shape", "%s", shape);
        else
            context_put(item, "shape", "%s",
                        known ? inferred[i - spec->input_count] : "as the definition gives it");
        context_put(item, "dtypes", "%s", dtypes);
        context_put(item, "distribution", "%s",
                    !is_input               ? ""
                    : *tensor->distribution ? tensor->distribution
                                            : "normal");
    }
}

static void put_params(const opspec *spec, json_t *out)
{
    static const char *const types[] = {"real", "integer", "boolean", "text"};
    for (int i = 0; i < spec->param_count; i++) {
        const opspec_param *param = &spec->params[i];
        json_t *item = context_add(out, "params");
        context_put(item, "name", "%s", param->value.name);
        context_put(item, "type", "%s", types[param->value.type]);
        switch (param->value.type) {
        case ASSAY_PARAM_REAL:
            context_put(item, "default", "%g", param->value.real);
            break;
        case ASSAY_PARAM_TEXT:
            context_put(item, "default", "%s", param->value.text);
            break;
        case ASSAY_PARAM_BOOLEAN:
            context_put(item, "default", "%s", param->value.integer ? "true" : "false");
            break;
        default:
            context_put(item, "default", "%lld", (long long)param->value.integer);
        }
        char choices[600] = "any";
        size_t n = 0;
        for (int c = 0; c < param->choice_count && n < sizeof choices; c++)
            n += (size_t)snprintf(choices + n, sizeof choices - n, "%s%s", c ? ", " : "", param->choices[c]);
        context_put(item, "choices", "%s", choices);
    }
    context_close_list(out, "params");
}

/* A result of a size, which knows its work and traffic. */
static const result *find_cost(const report_model *model, int op, int dtype, int size)
{
    int first, end;
    report_range(model, op, dtype, &first, &end);
    for (int i = first; i < end; i++) {
        const report_entry *entry = &model->entries[i];
        if (entry->size == size && entry->result && entry->result->bytes > 0 &&
            isfinite(entry->result->flops))
            return entry->result;
    }
    return NULL;
}

static void put_costs(const report_model *model, int op, json_t *out)
{
    const opspec *spec = model->ws->ops[op].spec;
    for (int s = 0; s < spec->size_count; s++)
        for (int d = 0; d < spec->dtype_count; d++) {
            const result *r = find_cost(model, op, d, s);
            char dims[256], flops[32] = "-", bytes[32] = "-", intensity[32] = "-";
            if (!r)
                continue;
            text_dims(dims, sizeof dims, model, op, s);
            text_scaled(flops, sizeof flops, r->flops, "FLOP");
            text_scaled(bytes, sizeof bytes, r->bytes, "B");
            text_intensity(intensity, sizeof intensity, r->flops / r->bytes);
            json_t *item = context_add(out, "costs");
            context_put(item, "size", "%s", spec->sizes[s].name);
            context_put(item, "dims", "%s", dims);
            context_put(item, "dtype", "%s", report_dtype_name(spec, d));
            context_put(item, "flops", "%s", flops);
            context_put(item, "bytes", "%s", bytes);
            context_put(item, "intensity", "%s", intensity);
        }
    context_close_list(out, "costs");
}

void context_analysis(const report_model *model, int op, json_t *out)
{
    const opspec *spec = model->ws->ops[op].spec;
    context_put(out, "op", "%s", spec->name);
    context_put(out, "torch", "%s", spec->torch);
    context_put(out, "formula", "%s", spec->formula);
    context_put(out, "family", "%s", spec->family);
    context_put(out, "complexity", "%s", spec->complexity);
    context_put(out, "access", "%s", spec->access);
    put_tensors(&model->ws->ops[op], out);
    put_params(spec, out);
    put_costs(model, op, out);
}

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
