/* The problems of an op.json: its sizes, edge cases and huge cases. See opspec_reader.h. */
#include "core/json_file.h"
#include "core/opspec_reader.h"
#include <stdio.h>
#include <string.h>

/* Keys of a size that are no dimensions. */
static int is_size_key(const char *name)
{
    static const char *const keys[] = {"params", "shapes", "source", "dtypes", "cuda_only"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (strcmp(keys[i], name) == 0)
            return 1;
    return 0;
}

static assay_status read_dims(opspec_reader *r, const char *key, const json_t *object, opspec_dims *dims)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)object, name, value)
    {
        if (is_size_key(name))
            continue;
        if (dims->count == OPSPEC_MAX_DIMS)
            return OPSPEC_FAIL(r, "%s: key \"%s\" has more than %d dimensions", r->file, key,
                               OPSPEC_MAX_DIMS);
        if (json_integer_value(value) < 0)
            return OPSPEC_FAIL(r, "%s: key \"%s.%s\" is negative; allowed: 0 and up", r->file, key, name);
        if (strlen(name) >= sizeof dims->dim[0].name)
            return OPSPEC_FAIL(r,
                               "%s: key \"%s\": dimension name \"%s\" is too long; allowed: up to 15 "
                               "characters",
                               r->file, key, name);
        opspec_dim *dim = &dims->dim[dims->count++];
        snprintf(dim->name, sizeof dim->name, "%s", name);
        dim->value = json_integer_value(value);
    }
    return ASSAY_OK;
}

/* Every dimension named in an input's shape must have a value. */
static assay_status need_all_dims(opspec_reader *r, const char *key, const opspec_dims *dims)
{
    for (int i = 0; i < r->spec->input_count; i++) {
        assay_tensor tensor;
        const char *missing = opspec_shape_input(r->spec, i, dims, &tensor);
        if (missing != NULL)
            return OPSPEC_FAIL(
                r, "%s: key \"%s\" has no dimension \"%s\", which the shape of input \"%s\" needs", r->file,
                key, missing, r->spec->inputs[i].name);
        char words[256];
        if (opspec_has_too_many(&tensor, words, sizeof words))
            return OPSPEC_FAIL(r, "%s: key \"%s\": input \"%s\" has %s", r->file, key,
                               r->spec->inputs[i].name, words);
    }
    return ASSAY_OK;
}

static int has_dim(const opspec_dims *dims, const char *name)
{
    for (int i = 0; i < dims->count; i++)
        if (strcmp(dims->dim[i].name, name) == 0)
            return 1;
    return 0;
}

/* The dimensions of an op are those of its size "small": no problem has others, and with `need_all` it has them all. */
static assay_status need_dims_of_small(opspec_reader *r, const char *key, const opspec_dims *dims,
                                       int need_all)
{
    const opspec_dims *small = &opspec_find_size(r->spec, "small")->dims;
    char allowed[256] = "";
    for (int i = 0; i < small->count; i++) {
        const char *name = small->dim[i].name;
        snprintf(allowed + strlen(allowed), sizeof allowed - strlen(allowed), "%s%s", i ? ", " : "", name);
        if (need_all && !has_dim(dims, name))
            return OPSPEC_FAIL(r, "%s: missing key \"%s.%s\"; required: every dimension of \"sizes.small\"",
                               r->file, key, name);
    }
    for (int i = 0; i < dims->count; i++)
        if (!has_dim(small, dims->dim[i].name))
            return OPSPEC_FAIL(r, "%s: key \"%s.%s\" is no dimension of \"sizes.small\"; allowed here: %s",
                               r->file, key, dims->dim[i].name, allowed);
    return ASSAY_OK;
}

/* The input that a key of "shapes" names; input_count, with an error, for none or for more axes than a tensor can have. */
static int find_shaped_input(opspec_reader *r, const char *key, const char *name, const json_t *shape)
{
    int input = 0;
    while (input < r->spec->input_count && strcmp(r->spec->inputs[input].name, name) != 0)
        input++;
    if (input < r->spec->input_count && json_array_size(shape) <= ASSAY_MAX_RANK)
        return input;
    OPSPEC_FAIL(r, "%s: key \"%s.shapes.%s\" is no input of this op or has more than %d dimensions", r->file,
                key, name, ASSAY_MAX_RANK);
    return r->spec->input_count;
}

/* "shapes" of a size: the axes of some inputs by name. */
static assay_status read_axes(opspec_reader *r, const char *key, const json_t *shapes, opspec_dims *dims)
{
    const char *name;
    json_t *shape, *entry;
    size_t index;
    json_object_foreach((json_t *)shapes, name, shape)
    {
        const int input = find_shaped_input(r, key, name, shape);
        if (input == r->spec->input_count)
            return ASSAY_ERR_INVALID;
        opspec_axes *axes = &dims->axes[input];
        axes->given = 1;
        axes->rank = (int)json_array_size(shape);
        json_array_foreach(shape, index, entry)
        {
            const char *axis = json_string_value(entry);
            if (strlen(axis) >= sizeof axes->axis[index])
                return OPSPEC_FAIL(
                    r, "%s: key \"%s.shapes.%s\": \"%s\" is too long; allowed: up to 15 characters", r->file,
                    key, name, axis);
            snprintf(axes->axis[index], sizeof axes->axis[index], "%s", axis);
        }
    }
    return ASSAY_OK;
}

/* "params" of a problem: values for parameters of the op, at most `most`. */
static assay_status read_overrides(opspec_reader *r, const char *key, const json_t *object,
                                   assay_param *params, int most, int *count)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)object, name, value)
    {
        const opspec_param *rule = NULL;
        char allowed[256] = "", inner[200];
        for (int i = 0; i < r->spec->param_count; i++) {
            if (strcmp(r->spec->params[i].value.name, name) == 0)
                rule = &r->spec->params[i];
            snprintf(allowed + strlen(allowed), sizeof allowed - strlen(allowed), "%s%s", i ? ", " : "",
                     r->spec->params[i].value.name);
        }
        if (rule == NULL)
            return OPSPEC_FAIL(r, "%s: unknown key \"%s.params.%s\"; allowed here: %s", r->file, key, name,
                               allowed);
        if (*count == most)
            return OPSPEC_FAIL(r, "%s: key \"%s.params\" has more than %d entries", r->file, key, most);
        snprintf(inner, sizeof inner, "%s.params.%s", key, name);
        const assay_status status = opspec_read_param_value(r, inner, value, rule, &params[*count]);
        if (status != ASSAY_OK)
            return status;
        (*count)++;
    }
    return ASSAY_OK;
}

/* "dtypes" of a size, edge case or huge case. */
static assay_status read_dtype_mask(opspec_reader *r, const char *key, const json_t *object, unsigned *mask)
{
    char inner[200];
    snprintf(inner, sizeof inner, "%s.dtypes", key);
    return opspec_read_dtype_mask(r, inner, json_object_get(object, "dtypes"), mask);
}

assay_status opspec_read_size(opspec_reader *r, const char *name, const json_t *object, const json_t *on_cpu)
{
    char key[160];
    opspec_size *size = &r->spec->sizes[r->spec->size_count++];
    snprintf(size->name, sizeof size->name, "%s", name);
    snprintf(key, sizeof key, "sizes.%s", name);
    snprintf(size->source, sizeof size->source, "%s", json_get_text(object, "source", ""));
    size->cuda_only = json_is_true(json_object_get(object, "cuda_only"));
    opspec_dims *dims = &size->dims;
    if (read_dims(r, key, object, dims) != ASSAY_OK ||
        read_axes(r, key, json_object_get(object, "shapes"), dims) != ASSAY_OK ||
        need_all_dims(r, key, dims) != ASSAY_OK ||
        read_dtype_mask(r, key, object, &size->dtype_mask) != ASSAY_OK ||
        read_overrides(r, key, json_object_get(object, "params"), dims->params, OPSPEC_MAX_SIZE_PARAMS,
                       &dims->param_count) != ASSAY_OK)
        return ASSAY_ERR_INVALID;
    snprintf(key, sizeof key, "cpu_sizes.%s", name);
    size->has_cpu_dims = on_cpu != NULL;
    size->cpu_dims.param_count = dims->param_count;
    memcpy(size->cpu_dims.params, dims->params, sizeof dims->params);
    memcpy(size->cpu_dims.axes, dims->axes, sizeof dims->axes);
    if (on_cpu && (read_dims(r, key, on_cpu, &size->cpu_dims) != ASSAY_OK ||
                   need_all_dims(r, key, &size->cpu_dims) != ASSAY_OK))
        return ASSAY_ERR_INVALID;
    return ASSAY_OK;
}

static assay_status read_sizes(opspec_reader *r, const json_t *sizes, const json_t *cpu_sizes)
{
    const char *name;
    json_t *dims;
    json_object_foreach((json_t *)sizes, name, dims)
    {
        if (r->spec->size_count == OPSPEC_MAX_SIZES)
            return OPSPEC_FAIL(r, "%s: key \"sizes\" has more than %d entries", r->file, OPSPEC_MAX_SIZES);
        if (opspec_need_identifier(r, "sizes", name) != ASSAY_OK)
            return ASSAY_ERR_INVALID;
        if (strcmp(name, "edge") == 0 || strcmp(name, "huge") == 0)
            return OPSPEC_FAIL(r, "%s: key \"sizes.%s\" is reserved for the %s cases; use another name",
                               r->file, name, name);
        if (opspec_read_size(r, name, dims, json_object_get(cpu_sizes, name)) != ASSAY_OK)
            return ASSAY_ERR_INVALID;
    }
    for (int i = 0; i < r->spec->size_count; i++) {
        const opspec_size *size = &r->spec->sizes[i];
        char key[ASSAY_NAME_MAX + 16], cpu_key[ASSAY_NAME_MAX + 16];
        snprintf(key, sizeof key, "sizes.%s", size->name);
        snprintf(cpu_key, sizeof cpu_key, "cpu_sizes.%s", size->name);
        if (need_dims_of_small(r, key, &size->dims, 1) != ASSAY_OK ||
            (size->has_cpu_dims && need_dims_of_small(r, cpu_key, &size->cpu_dims, 1) != ASSAY_OK))
            return ASSAY_ERR_INVALID;
    }
    json_object_foreach((json_t *)cpu_sizes, name, dims)
    {
        if (opspec_find_size(r->spec, name) == NULL)
            return OPSPEC_FAIL(r, "%s: key \"cpu_sizes.%s\" names no size of \"sizes\"", r->file, name);
    }
    return ASSAY_OK;
}

static assay_status read_edge_shapes(opspec_reader *r, const char *key, const json_t *shapes,
                                     opspec_edge *edge)
{
    const char *name;
    json_t *shape, *entry;
    size_t axis;
    int seen = 0;
    json_object_foreach((json_t *)shapes, name, shape)
    {
        const int input = find_shaped_input(r, key, name, shape);
        if (input == r->spec->input_count)
            return ASSAY_ERR_INVALID;
        assay_tensor *tensor = &edge->shapes[input];
        tensor->rank = (int32_t)json_array_size(shape);
        json_array_foreach(shape, axis, entry)
        {
            tensor->shape[axis] = json_integer_value(entry);
            if (tensor->shape[axis] < 0)
                return OPSPEC_FAIL(r, "%s: key \"%s.shapes.%s\" is negative; allowed: 0 and up", r->file, key,
                                   name);
        }
        char words[256];
        if (opspec_has_too_many(tensor, words, sizeof words))
            return OPSPEC_FAIL(r, "%s: key \"%s.shapes.%s\" has %s", r->file, key, name, words);
        seen++;
    }
    for (int i = 0; seen != r->spec->input_count && i < r->spec->input_count; i++)
        if (json_object_get(shapes, r->spec->inputs[i].name) == NULL)
            return OPSPEC_FAIL(r, "%s: key \"%s.shapes\" must give every input; missing: %s", r->file, key,
                               r->spec->inputs[i].name);
    edge->has_shapes = 1;
    return ASSAY_OK;
}

/* "extras": name, what they ask, and which variants claim them. */
static assay_status read_extras(opspec_reader *r, const json_t *extras)
{
    const char *name;
    json_t *item, *variant;
    size_t index;
    json_object_foreach((json_t *)extras, name, item)
    {
        if (r->spec->extra_count == OPSPEC_MAX_EXTRAS)
            return OPSPEC_FAIL(r, "%s: key \"extras\" has more than %d entries", r->file, OPSPEC_MAX_EXTRAS);
        if (opspec_need_identifier(r, "extras", name) != ASSAY_OK)
            return ASSAY_ERR_INVALID;
        opspec_extra *extra = &r->spec->extras[r->spec->extra_count++];
        snprintf(extra->name, sizeof extra->name, "%s", name);
        snprintf(extra->about, sizeof extra->about, "%s", json_get_text(item, "about", ""));
        json_array_foreach(json_object_get(item, "claimed_by"), index, variant)
        {
            if (index == OPSPEC_MAX_CLAIMS)
                return OPSPEC_FAIL(r, "%s: key \"extras.%s.claimed_by\" has more than %d entries", r->file,
                                   name, OPSPEC_MAX_CLAIMS);
            snprintf(extra->claimed_by[index], ASSAY_NAME_MAX, "%s", json_string_value(variant));
            extra->claim_count = (int)index + 1;
        }
    }
    return ASSAY_OK;
}

/* "extra" of an edge case: one of "extras". */
static assay_status read_extra(opspec_reader *r, const char *key, const json_t *item, opspec_edge *edge)
{
    const char *name = json_get_text(item, "extra", "");
    for (int i = 0; i < r->spec->extra_count; i++)
        if (strcmp(r->spec->extras[i].name, name) == 0)
            edge->extra = i + 1;
    return name[0] == '\0' || edge->extra > 0
               ? ASSAY_OK
               : OPSPEC_FAIL(r, "%s: key \"%s.extra\": \"%s\" is not among \"extras\"", r->file, key, name);
}

static assay_status read_edge(opspec_reader *r, const char *key, const json_t *item, opspec_edge *edge)
{
    if (read_extra(r, key, item, edge) != ASSAY_OK)
        return ASSAY_ERR_INVALID;
    snprintf(edge->name, sizeof edge->name, "%s", json_get_text(item, "name", ""));
    snprintf(edge->special, sizeof edge->special, "%s", json_get_text(item, "special", ""));
    edge->once = json_is_true(json_object_get(item, "once"));
    if (opspec_need_identifier(r, key, edge->name) != ASSAY_OK)
        return ASSAY_ERR_INVALID;
    const json_t *dims = json_object_get(item, "dims"), *shapes = json_object_get(item, "shapes");
    if ((dims != NULL) == (shapes != NULL))
        return OPSPEC_FAIL(r, "%s: key \"%s\" needs either \"dims\" or \"shapes\"", r->file, key);
    if (dims && (read_dims(r, key, dims, &edge->dims) != ASSAY_OK ||
                 need_dims_of_small(r, key, &edge->dims, 0) != ASSAY_OK ||
                 need_all_dims(r, key, &edge->dims) != ASSAY_OK))
        return ASSAY_ERR_INVALID;
    if (shapes && read_edge_shapes(r, key, shapes, edge) != ASSAY_OK)
        return ASSAY_ERR_INVALID;
    return read_overrides(r, key, json_object_get(item, "params"), edge->params, ASSAY_MAX_PARAMS,
                          &edge->param_count);
}

/* "variants" of an edge case. That they are there is for assay-check-op to say. */
static assay_status read_variants(opspec_reader *r, const char *key, const json_t *list, opspec_edge *edge)
{
    size_t index, used = 0;
    json_t *item;
    json_array_foreach(list, index, item)
    {
        used += (size_t)snprintf(edge->variants + used, sizeof edge->variants - used, "%s%s", used ? "," : "",
                                 json_string_value(item));
        if (used >= sizeof edge->variants)
            return OPSPEC_FAIL(r, "%s: key \"%s.variants\" is too long; allowed: %zu characters", r->file,
                               key, sizeof edge->variants - 1);
    }
    return ASSAY_OK;
}

/* "edge_cases" or "huge_cases". */
static assay_status read_cases(opspec_reader *r, const char *name, const json_t *list, opspec_edge *cases,
                               int most, int *count)
{
    size_t index;
    json_t *item;
    char key[64];
    json_array_foreach(list, index, item)
    {
        if (*count == most)
            return OPSPEC_FAIL(r, "%s: key \"%s\" has more than %d entries", r->file, name, most);
        snprintf(key, sizeof key, "%s[%zu]", name, index);
        if (opspec_need_new_name(r, name, list, index) != ASSAY_OK ||
            read_edge(r, key, item, &cases[index]) != ASSAY_OK)
            return ASSAY_ERR_INVALID;
        if (read_dtype_mask(r, key, item, &cases[index].dtype_mask) != ASSAY_OK ||
            read_variants(r, key, json_object_get(item, "variants"), &cases[index]) != ASSAY_OK)
            return ASSAY_ERR_INVALID;
        *count = (int)index + 1;
    }
    return ASSAY_OK;
}

assay_status opspec_read_problems(opspec_reader *r, const json_t *root)
{
    opspec *spec = r->spec;
    assay_status status = read_sizes(r, json_object_get(root, "sizes"), json_object_get(root, "cpu_sizes"));
    if (status == ASSAY_OK)
        status = read_extras(r, json_object_get(root, "extras"));
    if (status == ASSAY_OK)
        status = read_cases(r, "edge_cases", json_object_get(root, "edge_cases"), spec->edges,
                            OPSPEC_MAX_EDGES, &spec->edge_count);
    if (status == ASSAY_OK)
        status = read_cases(r, "huge_cases", json_object_get(root, "huge_cases"), spec->huge_cases,
                            OPSPEC_MAX_HUGE, &spec->huge_count);
    return status;
}
