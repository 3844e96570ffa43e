/* A hash of what op.json says of a case: see problem_hash.h. */
#include "results/problem_hash.h"
#include "core/text_stream.h"
#include <sha256.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void write_tensor(FILE *out, const opspec_tensor *t)
{
    fprintf(out, "%s[", t->name);
    for (int i = 0; i < t->rank; i++)
        fprintf(out, "%s,", t->shape[i]);
    fprintf(out, "]%s\n", t->distribution);
}

static void write_param(FILE *out, const assay_param *p)
{
    fprintf(out, "%s:%d=%.17g,%lld,%s\n", p->name, (int)p->type, p->type == ASSAY_PARAM_REAL ? p->real : 0.0,
            p->type == ASSAY_PARAM_INTEGER || p->type == ASSAY_PARAM_BOOLEAN ? (long long)p->integer : 0,
            p->type == ASSAY_PARAM_TEXT ? p->text : "");
}

static void write_dims(FILE *out, const opspec_dims *dims)
{
    for (int i = 0; i < dims->count; i++)
        fprintf(out, "%s=%lld ", dims->dim[i].name, (long long)dims->dim[i].value);
    for (int i = 0; i < dims->param_count; i++)
        write_param(out, &dims->params[i]);
    for (int t = 0; t < ASSAY_MAX_TENSORS; t++)
        for (int i = 0; dims->axes[t].given && i < dims->axes[t].rank; i++)
            fprintf(out, "axis %d.%d %s ", t, i, dims->axes[t].axis[i]);
    fputc('\n', out);
}

static void write_extra(FILE *out, const opspec_edge *list, int count, assay_dtype dtype)
{
    for (int e = 0; e < count; e++) {
        const opspec_edge *edge = &list[e];
        if (!(edge->dtype_mask & 1u << dtype))
            continue;
        fprintf(out, "%s %s %s ", edge->name, edge->special, edge->variants);
        write_dims(out, &edge->dims);
        for (int t = 0; edge->has_shapes && t < ASSAY_MAX_TENSORS; t++)
            for (int i = 0; i < edge->shapes[t].rank; i++)
                fprintf(out, "shape %d %lld ", t, (long long)edge->shapes[t].shape[i]);
        for (int i = 0; i < edge->param_count; i++)
            write_param(out, &edge->params[i]);
    }
}

static void write_case(FILE *out, const opspec *spec, assay_dtype dtype, const char *size,
                       const char *device_kind)
{
    const opspec_tolerance *tolerance = &spec->tolerances[dtype];
    const opspec_size *found = opspec_find_size(spec, size);
    fprintf(out, "%s %s %.17g %.17g %.17g\n", spec->name, assay_dtype_name(dtype), tolerance->atol,
            tolerance->rtol, tolerance->stol);
    if (tolerance->rms > 0)
        fprintf(out, "rms %.17g\n", tolerance->rms);
    for (int i = 0; i < spec->input_count; i++)
        write_tensor(out, &spec->inputs[i]);
    for (int i = 0; i < spec->output_count; i++)
        write_tensor(out, &spec->outputs[i]);
    for (int i = 0; i < spec->param_count; i++)
        write_param(out, &spec->params[i].value);
    for (int i = 0; strcmp(size, "edge") == 0 && i < spec->param_count; i++)
        if (spec->params[i].has_range)
            fprintf(out, "%s %.17g %.17g\n", spec->params[i].value.name, spec->params[i].min,
                    spec->params[i].max);
    if (found)
        write_dims(out, opspec_size_dims(found, device_kind));
    if (strcmp(size, "edge") == 0)
        write_extra(out, spec->edges, spec->edge_count, dtype);
    if (strcmp(size, "huge") == 0)
        write_extra(out, spec->huge_cases, spec->huge_count, dtype);
}

assay_status problem_hash(const opspec *spec, assay_dtype dtype, const char *size, const char *device_kind,
                          char out[HASH_TEXT_BYTES], assay_error *error)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *file = text_stream_open(&text, &bytes);
    out[0] = '\0';
    if (file)
        write_case(file, spec, dtype, size, device_kind);
    if (!text_stream_close(file, &text))
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for the hash of a case");
    SHA256Data((const uint8_t *)text, bytes, out);
    free(text);
    return ASSAY_OK;
}
