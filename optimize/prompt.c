/* The op in a prompt: see prompt.h. */
#include "optimize/prompt.h"
#include "core/json_file.h"
#include <stdio.h>
#include <stdlib.h>

static json_t *tensors_json(const opspec_tensor *tensors, int count)
{
    json_t *out = json_array();
    for (int i = 0; i < count; i++) {
        json_t *shape = json_array();
        for (int d = 0; d < tensors[i].rank; d++)
            json_array_append_new(shape, json_string(tensors[i].shape[d]));
        json_array_append_new(out, json_pack("{s:s, s:o}", "name", tensors[i].name, "shape", shape));
    }
    return out;
}

static json_t *sizes_json(const opspec *spec, const char *device)
{
    json_t *out = json_object();
    for (int i = 0; i < spec->size_count; i++) {
        json_t *dims = json_object();
        const opspec_dims *d = opspec_size_dims(&spec->sizes[i], device);
        for (int k = 0; k < d->count; k++)
            json_object_set_new(dims, d->dim[k].name, json_integer(d->dim[k].value));
        json_object_set_new(out, spec->sizes[i].name, dims);
    }
    return out;
}

json_t *prompt_op(const outside *o, const char *device_name)
{
    const opspec *spec = o->op->spec;
    char path[4400], *header = NULL;
    json_t *dtypes = json_array();
    for (int i = 0; i < spec->dtype_count; i++)
        json_array_append_new(dtypes, json_string(assay_dtype_name(spec->dtypes[i])));
    snprintf(path, sizeof path, "%s/%s.h", spec->directory, spec->name);
    (void)text_file_read(path, &header, NULL, NULL);
    json_t *out = json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:s, s:s, s:{s:s, s:s}}", "name", spec->name,
                            "torch", spec->torch, "formula", spec->formula, "inputs",
                            tensors_json(spec->inputs, spec->input_count), "outputs",
                            tensors_json(spec->outputs, spec->output_count), "dtypes", dtypes, "sizes",
                            sizes_json(spec, o->ws->device), "arguments_header", header ? header : "",
                            "access", spec->access, "device", "kind", o->ws->device, "name", device_name);
    free(header);
    return out;
}
