/* Axes of a shape's inputs by its parameters: see opspec_lay_out() in opspec_sweep.h. */
#include "core/opspec_sweep.h"
#include "core/json_file.h"
#include "core/opspec_reader.h"
#include <stdio.h>
#include <string.h>

/* The value of a parameter: the shape's own, that of a dimension with its name, or the default. */
static assay_status param_of(opspec_reader *r, const json_t *shape, const char *name, assay_param *out)
{
    const opspec_param *rule = NULL;
    for (int i = 0; i < r->spec->param_count; i++)
        if (strcmp(r->spec->params[i].value.name, name) == 0)
            rule = &r->spec->params[i];
    const json_t *value = json_object_get(json_object_get(shape, "params"), name);
    if (!value && rule->value.type == ASSAY_PARAM_INTEGER)
        value = json_object_get(shape, name);
    *out = rule->value;
    return value ? opspec_read_param_value(r, name, value, rule, out) : ASSAY_OK;
}

static int same(const assay_param *a, const assay_param *b)
{
    return a->type == ASSAY_PARAM_REAL   ? a->real == b->real
           : a->type == ASSAY_PARAM_TEXT ? strcmp(a->text, b->text) == 0
                                         : a->integer == b->integer;
}

static assay_status matches(opspec_reader *r, const json_t *shape, const opspec_layout *layout, int *match)
{
    assay_status status = ASSAY_OK;
    *match = 1;
    for (int i = 0; i < layout->when_count && status == ASSAY_OK; i++) {
        assay_param value;
        status = param_of(r, shape, layout->when[i].name, &value);
        *match &= status == ASSAY_OK && same(&value, &layout->when[i]);
    }
    return status;
}

/* "C/groups", "N+padding" or "batch" as a number; a dimension alone, or unchanged by the parameter, by its name. */
static assay_status resolve_axis(opspec_reader *r, const json_t *shape, const char *axis, char out[32])
{
    assay_param param;
    const size_t length = strcspn(axis, "/+");
    const char *name = axis[length] ? axis + length + 1 : axis;
    snprintf(out, 32, "%.*s", (int)length, axis);
    const json_t *dim = json_object_get(shape, out);
    if (name == axis && (dim || strspn(out, "0123456789") == length))
        return ASSAY_OK;
    const assay_status status = param_of(r, shape, name, &param);
    const long long by = (long long)param.integer, value = json_integer_value(dim);
    if (status != ASSAY_OK || (axis[length] && by == (axis[length] == '/')))
        return status;
    if (axis[length] == '/' && (by < 1 || value % by != 0))
        return OPSPEC_FAIL(r, "%s: %s=%lld is no multiple of %s=%lld", r->file, out, value, name, by);
    snprintf(out, 32, "%lld", name == axis ? by : axis[length] == '/' ? value / by : value + by);
    return ASSAY_OK;
}

/* "shapes" of the inputs whose axes are not those of "inputs". */
static assay_status lay_out(opspec_reader *r, const json_t *shape, const opspec_layout *layout,
                            json_t *shapes)
{
    for (int i = 0; i < r->spec->input_count; i++) {
        const opspec_tensor *input = &r->spec->inputs[i];
        int differs = layout->inputs[i].rank != input->rank;
        json_t *axes = json_array();
        assay_status status = ASSAY_OK;
        for (int a = 0; a < layout->inputs[i].rank && status == ASSAY_OK; a++) {
            char text[32] = "";
            status = resolve_axis(r, shape, layout->inputs[i].axis[a], text);
            differs |= a < input->rank && strcmp(text, input->shape[a]) != 0;
            json_array_append_new(axes, json_string(text));
        }
        if (status == ASSAY_OK && differs && layout->inputs[i].rank > 0)
            json_object_set(shapes, input->name, axes);
        json_decref(axes);
        if (status != ASSAY_OK)
            return status;
    }
    return ASSAY_OK;
}

assay_status opspec_lay_out(const opspec *spec, const json_t *shape, json_t **out, assay_error *error)
{
    opspec_reader r = {.file = spec->name, .spec = (opspec *)spec, .error = error};
    const opspec_sweep *sweep = spec->sweep;
    int match = 0;
    assay_status status = ASSAY_OK;
    *out = json_incref((json_t *)shape);
    if (!sweep || json_object_get(shape, "shapes"))
        return ASSAY_OK;
    for (int i = 0; i < sweep->layout_count && status == ASSAY_OK && !match; i++) {
        json_t *shapes = json_object();
        status = matches(&r, shape, &sweep->layouts[i], &match);
        if (status == ASSAY_OK && match)
            status = lay_out(&r, shape, &sweep->layouts[i], shapes);
        if (status == ASSAY_OK && json_object_size(shapes) > 0) {
            json_decref(*out);
            *out = json_copy((json_t *)shape);
            json_object_set(*out, "shapes", shapes);
        }
        json_decref(shapes);
    }
    if (status != ASSAY_OK) {
        json_decref(*out);
        *out = NULL;
    }
    return status;
}
