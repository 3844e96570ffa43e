/* manifest.json of a golden set: its form, and from a case to a problem. */
#include "verify/golden.h"
#include "core/json_file.h"
#include <stdio.h>
#include <string.h>

static assay_status bad(const golden_set *set, const json_t *golden, const char *what, const char *name,
                        assay_error *error)
{
    return assay_error_set(error, ASSAY_ERR_FORMAT, "%s/manifest.json: case \"%s\": %s%s", set->directory,
                           json_get_text(golden, "id", "?"), what, name);
}

static int is_shape(const json_t *shape)
{
    size_t i;
    json_t *length;
    if (!json_is_array(shape) || json_array_size(shape) > ASSAY_MAX_RANK)
        return 0;
    json_array_foreach((json_t *)shape, i,
                       length) if (!json_is_integer(length) || json_integer_value(length) < 0) return 0;
    return 1;
}

/* A plain file name: golden sets do not reach outside their folder. */
static int is_file_name(const json_t *file)
{
    const char *name = json_string_value(file);
    return name && name[0] && !strchr(name, '/');
}

static assay_status check_case(const golden_set *set, const json_t *golden, assay_error *error)
{
    static const char *const texts[] = {"id", "op", "dtype", "expected"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (!json_is_string(json_object_get(golden, texts[i])))
            return bad(set, golden, "needs a string under the key ", texts[i], error);
    assay_dtype dtype;
    if (!assay_dtype_parse(json_get_text(golden, "dtype", ""), &dtype) || dtype == ASSAY_F64)
        return bad(set, golden, "dtype must be f32, f16 or bf16, not ", json_get_text(golden, "dtype", ""),
                   error);
    const json_t *torch = json_object_get(golden, "torch");
    if (!is_file_name(json_object_get(golden, "expected")) || (torch && !is_file_name(torch)))
        return bad(set, golden, "expected and torch must be names of files beside the manifest", "", error);
    if (!is_shape(json_object_get(golden, "output_shape")))
        return bad(set, golden, "needs an array of lengths under the key ", "output_shape", error);
    if (!json_is_object(json_object_get(golden, "params")))
        return bad(set, golden, "needs an object under the key ", "params", error);
    const json_t *inputs = json_object_get(golden, "inputs");
    if (!json_is_object(inputs))
        return bad(set, golden, "needs an object under the key ", "inputs", error);
    const char *name;
    json_t *input;
    json_object_foreach(
        (json_t *)inputs, name,
        input) if (!is_file_name(json_object_get(input, "file")) ||
                   !is_shape(json_object_get(
                       input, "shape"))) return bad(set, golden, "needs a file name and a shape for input ",
                                                    name, error);
    return ASSAY_OK;
}

assay_status golden_open(const char *directory, golden_set *set, assay_error *error)
{
    char path[4200];
    *set = (golden_set){0};
    snprintf(set->directory, sizeof set->directory, "%s", directory);
    snprintf(path, sizeof path, "%s/manifest.json", set->directory);
    assay_status status = json_file_read(path, &set->manifest, error);
    if (status != ASSAY_OK)
        return status;
    set->cases = json_object_get(set->manifest, "cases");
    if (json_array_size(set->cases) == 0)
        return assay_error_set(error, ASSAY_ERR_FORMAT,
                               "%s: needs an array with at least one case under the key cases", path);
    size_t i;
    json_t *golden;
    json_array_foreach(set->cases, i, golden)
    {
        if (status == ASSAY_OK)
            status = check_case(set, golden, error);
    }
    return status;
}

void golden_close(golden_set *set)
{
    json_decref(set->manifest);
    *set = (golden_set){0};
}

static void read_shape(const json_t *shape, assay_tensor *tensor)
{
    size_t i;
    json_t *length;
    tensor->rank = (int32_t)json_array_size(shape);
    json_array_foreach((json_t *)shape, i, length) tensor->shape[i] = json_integer_value(length);
}

static int read_param(const opspec_param *declared, const json_t *value, assay_param *param)
{
    *param = declared->value;
    switch (param->type) {
    case ASSAY_PARAM_REAL:
        param->real = json_number_value(value);
        return json_is_number(value);
    case ASSAY_PARAM_INTEGER:
        param->integer = json_integer_value(value);
        return json_is_integer(value);
    case ASSAY_PARAM_BOOLEAN:
        param->integer = json_is_true(value);
        return json_is_boolean(value);
    case ASSAY_PARAM_TEXT:
        break;
    }
    for (int i = 0; i < declared->choice_count; i++) {
        if (json_is_string(value) && strcmp(declared->choices[i], json_string_value(value)) == 0) {
            snprintf(param->text, sizeof param->text, "%s", json_string_value(value));
            return 1;
        }
    }
    return 0;
}

static assay_status read_params(const golden_set *set, const json_t *golden, const opspec *spec,
                                opspec_edge *edge, assay_error *error)
{
    const char *name;
    json_t *value;
    json_object_foreach(json_object_get(golden, "params"), name, value)
    {
        int p = 0;
        while (p < spec->param_count && strcmp(spec->params[p].value.name, name) != 0)
            p++;
        if (p == spec->param_count)
            return bad(set, golden, "parameter unknown to op.json: ", name, error);
        if (!read_param(&spec->params[p], value, &edge->params[edge->param_count++]))
            return bad(set, golden, "value not allowed by op.json for parameter ", name, error);
    }
    return ASSAY_OK;
}

assay_status golden_problem(const golden_set *set, const json_t *golden, const opspec *spec,
                            const assay_op_impl *impl, assay_problem *problem, assay_error *error)
{
    opspec_edge edge = {.has_shapes = 1};
    assay_tensor expected = {0};
    assay_dtype dtype = ASSAY_F32;
    const json_t *inputs = json_object_get(golden, "inputs");
    if ((int)json_object_size(inputs) != spec->input_count || spec->output_count != 1)
        return bad(set, golden, "must give every input of an op with one output: ", spec->name, error);
    for (int i = 0; i < spec->input_count; i++) {
        const json_t *input = json_object_get(inputs, spec->inputs[i].name);
        if (!input)
            return bad(set, golden, "lacks input ", spec->inputs[i].name, error);
        read_shape(json_object_get(input, "shape"), &edge.shapes[i]);
    }
    assay_dtype_parse(json_get_text(golden, "dtype", ""), &dtype);
    assay_status status = read_params(set, golden, spec, &edge, error);
    if (status == ASSAY_OK)
        status = opspec_build_problem(spec, impl, dtype, NULL, &edge, problem, error);
    if (status != ASSAY_OK)
        return status;
    read_shape(json_object_get(golden, "output_shape"), &expected);
    const assay_tensor *output = &problem->outputs[0];
    if (expected.rank != output->rank ||
        memcmp(expected.shape, output->shape, sizeof expected.shape[0] * (size_t)expected.rank) != 0)
        return bad(set, golden, "output_shape is not what the op gives for these inputs", "", error);
    return ASSAY_OK;
}
