/* The first sections of an op's log: the op as op.json defines it, and what it costs. */
#include "report/report_context.h"
#include "report/report_text.h"
#include <math.h>
#include <stdlib.h>

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
