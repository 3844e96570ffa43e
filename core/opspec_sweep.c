/* Reading "sweep" of op.json: see opspec_sweep.h. */
#include "core/opspec_sweep.h"
#include "core/json_file.h"
#include "core/opspec_reader.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef opspec_reader reader;
#define FAIL OPSPEC_FAIL

enum { KEY_BYTES = 320 };

static const opspec_param *find_param(const opspec *spec, const char *name)
{
    for (int i = 0; i < spec->param_count; i++)
        if (strcmp(spec->params[i].value.name, name) == 0)
            return &spec->params[i];
    return NULL;
}

static int is_dim(const opspec *spec, const char *name)
{
    const opspec_dims *small = &opspec_find_size(spec, "small")->dims;
    for (int i = 0; i < small->count; i++)
        if (strcmp(small->dim[i].name, name) == 0)
            return 1;
    return 0;
}

/* One value of a list. Dimensions are integers from 0 up. */
static assay_status read_value(reader *r, const char *key, const json_t *value, opspec_draw *draw)
{
    const opspec_param *rule = draw->is_param ? find_param(r->spec, draw->name) : NULL;
    assay_param *out = &draw->values[draw->value_count];
    if (draw->value_count == OPSPEC_MAX_DRAW_VALUES)
        return FAIL(r, "%s: key \"%s\" has more than %d values", r->file, key, OPSPEC_MAX_DRAW_VALUES);
    draw->value_count++;
    if (rule)
        return opspec_read_param_value(r, key, value, rule, out);
    if (!json_is_integer(value) || json_integer_value(value) < 0)
        return FAIL(r, "%s: key \"%s\": a dimension is an integer from 0 up", r->file, key);
    out->type = ASSAY_PARAM_INTEGER;
    out->integer = json_integer_value(value);
    return ASSAY_OK;
}

static assay_status need_known_keys(reader *r, const char *key, const json_t *object)
{
    static const char *const known[] = {"min",  "max", "multiple_of", "multiples_of_8", "multiples_of_64",
                                        "equal"};
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)object, name, value)
    {
        int found = 0;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            found |= strcmp(known[i], name) == 0;
        if (!found)
            return FAIL(r,
                        "%s: unknown key \"%s.%s\"; allowed here: min, max, multiple_of, multiples_of_8, "
                        "multiples_of_64, equal",
                        r->file, key, name);
        if (strcmp(name, "equal") != 0 && !json_is_number(value))
            return FAIL(r, "%s: key \"%s.%s\" must be of type number", r->file, key, name);
    }
    return ASSAY_OK;
}

/* {"min": 1, "max": 4096, "multiples_of_8": 0.5} */
static assay_status read_range(reader *r, const char *key, const json_t *object, opspec_draw *draw)
{
    const opspec_param *rule = draw->is_param ? find_param(r->spec, draw->name) : NULL;
    const int real = rule && rule->value.type == ASSAY_PARAM_REAL;
    if (!json_object_get(object, "min") || !json_object_get(object, "max"))
        return FAIL(r, "%s: key \"%s\" needs \"min\" and \"max\", or \"equal\"", r->file, key);
    draw->kind = OPSPEC_DRAW_RANGE;
    draw->min = json_get_number(object, "min", 0);
    draw->max = json_get_number(object, "max", 0);
    const double multiple = json_get_number(object, "multiple_of", 1);
    draw->share_8 = json_get_number(object, "multiples_of_8", 0);
    draw->share_64 = json_get_number(object, "multiples_of_64", 0);
    if (rule && !real && rule->value.type != ASSAY_PARAM_INTEGER)
        return FAIL(r, "%s: key \"%s\": a range is for numbers; list the values of a %s parameter", r->file,
                    key, opspec_type_name(rule->value.type));
    if (real && rule->has_range && !(draw->min >= rule->min && draw->max <= rule->max))
        return FAIL(r, "%s: key \"%s\" is %g to %g; allowed: %g to %g", r->file, key, draw->min, draw->max,
                    rule->min, rule->max);
    if (!(draw->min <= draw->max) || (!real && !(draw->min >= 1 && draw->max <= 1e15)))
        return FAIL(r, "%s: key \"%s\": \"min\" must be at least 1 and at most \"max\"", r->file, key);
    if (!(multiple >= 1 && multiple <= 1e15) || (!real && multiple > draw->min))
        return FAIL(r, "%s: key \"%s.multiple_of\": allowed: 1 to \"min\"", r->file, key);
    draw->multiple = (int64_t)multiple;
    if (!(draw->share_8 >= 0 && draw->share_64 >= 0 && draw->share_8 + draw->share_64 <= 1))
        return FAIL(r,
                    "%s: key \"%s\": \"multiples_of_8\" and \"multiples_of_64\" are parts of the draws, "
                    "together at most 1",
                    r->file, key);
    return ASSAY_OK;
}

static assay_status read_draw(reader *r, const char *key, const json_t *value, opspec_draw *draw)
{
    size_t index;
    json_t *item;
    if (json_is_object(value) && json_object_get(value, "equal")) {
        const char *other = json_get_text(value, "equal", "");
        draw->kind = OPSPEC_DRAW_EQUAL;
        snprintf(draw->equal, sizeof draw->equal, "%.15s", other);
        if (json_object_size(value) > 1 || !is_dim(r->spec, other) || strcmp(other, draw->name) == 0)
            return FAIL(r, "%s: key \"%s.equal\" stands alone and is the name of another dimension", r->file,
                        key);
        return ASSAY_OK;
    }
    if (json_is_object(value))
        return need_known_keys(r, key, value) == ASSAY_OK ? read_range(r, key, value, draw)
                                                          : ASSAY_ERR_INVALID;
    draw->kind = OPSPEC_DRAW_VALUES;
    if (!json_is_array(value))
        return read_value(r, key, value, draw);
    if (json_array_size(value) == 0)
        return FAIL(r, "%s: key \"%s\" needs at least one value", r->file, key);
    json_array_foreach(value, index, item)
    {
        const assay_status status = read_value(r, key, item, draw);
        if (status != ASSAY_OK)
            return status;
    }
    return ASSAY_OK;
}

/* "dims" or "params" of the sweep or of a family. An entry takes the place of the one that is there. */
static assay_status read_draws(reader *r, const char *path, const char *what, const json_t *object,
                               opspec_family *family)
{
    const int is_param = strcmp(what, "params") == 0;
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)object, name, value)
    {
        char key[KEY_BYTES];
        int at = 0;
        snprintf(key, sizeof key, "%s.%s.%s", path, what, name);
        if (is_param ? !find_param(r->spec, name) : !is_dim(r->spec, name))
            return FAIL(r, "%s: key \"%s\" is no %s", r->file, key,
                        is_param ? "parameter of the op" : "dimension of \"sizes.small\"");
        while (at < family->draw_count && strcmp(family->draws[at].name, name) != 0)
            at++;
        if (at == OPSPEC_MAX_DRAWS)
            return FAIL(r, "%s: key \"%s\": more than %d dimensions and parameters", r->file, key,
                        OPSPEC_MAX_DRAWS);
        family->draw_count += at == family->draw_count;
        opspec_draw *draw = &family->draws[at];
        *draw = (opspec_draw){.is_param = is_param, .multiple = 1};
        snprintf(draw->name, sizeof draw->name, "%s", name);
        if (read_draw(r, key, value, draw) != ASSAY_OK)
            return ASSAY_ERR_INVALID;
    }
    return ASSAY_OK;
}

static opspec_draw *find_draw(opspec_family *family, const char *name)
{
    for (int i = 0; i < family->draw_count; i++)
        if (strcmp(family->draws[i].name, name) == 0)
            return &family->draws[i];
    return NULL;
}

/* Every dimension has a value that does not depend on itself; dimensions stand first, in the op's order: a shape's name has them so. */
static assay_status complete(reader *r, const char *path, opspec_family *family)
{
    const opspec_dims *small = &opspec_find_size(r->spec, "small")->dims;
    opspec_draw ordered[OPSPEC_MAX_DRAWS];
    int count = 0, params = 0;
    for (int i = 0; i < small->count; i++) {
        const opspec_draw *draw = find_draw(family, small->dim[i].name);
        if (!draw || draw->is_param)
            return FAIL(
                r, "%s: missing key \"%s.dims.%s\"; required: every dimension, here or in \"sweep.dims\"",
                r->file, path, small->dim[i].name);
        ordered[count++] = *draw;
    }
    for (int i = 0; i < family->draw_count; i++) {
        const opspec_draw *draw = &family->draws[i], *other = find_draw(family, draw->equal);
        if (draw->kind == OPSPEC_DRAW_EQUAL && (!other || other->kind == OPSPEC_DRAW_EQUAL))
            return FAIL(r, "%s: key \"%s\": %s is equal to %s, which must be drawn itself", r->file, path,
                        draw->name, draw->equal);
        params += draw->is_param;
        if (params > OPSPEC_MAX_SIZE_PARAMS)
            return FAIL(r, "%s: key \"%s\" draws more than %d parameters", r->file, path,
                        OPSPEC_MAX_SIZE_PARAMS);
    }
    for (int p = 0; p < r->spec->param_count; p++) {
        const opspec_draw *draw = find_draw(family, r->spec->params[p].value.name);
        if (draw && draw->is_param)
            ordered[count++] = *draw;
    }
    memcpy(family->draws, ordered, (size_t)count * sizeof *ordered);
    family->draw_count = count;
    return ASSAY_OK;
}

static assay_status read_families(reader *r, const json_t *object, opspec_sweep *sweep)
{
    const char *name;
    json_t *item;
    json_object_foreach(json_object_get(object, "families"), name, item)
    {
        char path[KEY_BYTES];
        snprintf(path, sizeof path, "sweep.families.%.64s", name);
        if (sweep->family_count == OPSPEC_MAX_FAMILIES)
            return FAIL(r, "%s: key \"sweep.families\" has more than %d entries", r->file,
                        OPSPEC_MAX_FAMILIES);
        if (opspec_need_identifier(r, "sweep.families", name) != ASSAY_OK)
            return ASSAY_ERR_INVALID;
        opspec_family *family = &sweep->families[sweep->family_count++];
        snprintf(family->name, sizeof family->name, "%s", name);
        snprintf(family->about, sizeof family->about, "%s", json_get_text(item, "about", ""));
        family->weight = json_get_number(item, "weight", 0);
        if (!(family->weight > 0 && family->weight < 1e9))
            return FAIL(r, "%s: key \"%s.weight\" must be above 0", r->file, path);
        if (read_draws(r, "sweep", "dims", json_object_get(object, "dims"), family) != ASSAY_OK ||
            read_draws(r, "sweep", "params", json_object_get(object, "params"), family) != ASSAY_OK ||
            read_draws(r, path, "dims", json_object_get(item, "dims"), family) != ASSAY_OK ||
            read_draws(r, path, "params", json_object_get(item, "params"), family) != ASSAY_OK ||
            complete(r, path, family) != ASSAY_OK)
            return ASSAY_ERR_INVALID;
    }
    return sweep->family_count > 0 ? ASSAY_OK
                                   : FAIL(r, "%s: key \"sweep.families\" needs at least one family", r->file);
}

static int is_integer_param(const opspec *spec, const char *name)
{
    const opspec_param *param = find_param(spec, name);
    return param && param->value.type == ASSAY_PARAM_INTEGER;
}

/* A dimension, a number, an integer parameter, or a dimension divided by one or with one added. */
static int is_axis(const opspec *spec, const char *text)
{
    char dim[32];
    const size_t length = strcspn(text, "/+");
    if (strlen(text) >= sizeof dim || length == 0)
        return 0;
    snprintf(dim, sizeof dim, "%.*s", (int)length, text);
    if (text[length])
        return is_dim(spec, dim) && is_integer_param(spec, text + length + 1);
    return is_dim(spec, dim) || is_integer_param(spec, dim) || dim[strspn(dim, "0123456789")] == '\0';
}

static assay_status read_layout_axes(reader *r, const char *path, const json_t *shapes, opspec_layout *layout)
{
    const char *name;
    json_t *shape, *axis;
    size_t index;
    json_object_foreach((json_t *)shapes, name, shape)
    {
        int input = 0;
        while (input < r->spec->input_count && strcmp(r->spec->inputs[input].name, name) != 0)
            input++;
        if (input == r->spec->input_count || json_array_size(shape) > ASSAY_MAX_RANK ||
            json_array_size(shape) == 0)
            return FAIL(r, "%s: key \"%s.shapes.%s\" is no input of this op or has not 1 to %d axes", r->file,
                        path, name, ASSAY_MAX_RANK);
        layout->inputs[input].rank = (int)json_array_size(shape);
        json_array_foreach(shape, index, axis)
        {
            const char *text = json_string_value(axis);
            if (!is_axis(r->spec, text))
                return FAIL(r,
                            "%s: key \"%s.shapes.%s\": \"%s\" is no axis; allowed: a dimension, a number, an "
                            "integer parameter, or DIMENSION/PARAMETER or DIMENSION+PARAMETER with one",
                            r->file, path, name, text);
            snprintf(layout->inputs[input].axis[index], sizeof layout->inputs[input].axis[index], "%s", text);
        }
    }
    return ASSAY_OK;
}

static assay_status read_layouts(reader *r, const json_t *list, opspec_sweep *sweep)
{
    size_t index;
    json_t *item, *value;
    const char *name;
    json_array_foreach(list, index, item)
    {
        char path[KEY_BYTES], key[KEY_BYTES + 80];
        snprintf(path, sizeof path, "sweep.layouts[%zu]", index);
        if (index == OPSPEC_MAX_LAYOUTS)
            return FAIL(r, "%s: key \"sweep.layouts\" has more than %d entries", r->file, OPSPEC_MAX_LAYOUTS);
        opspec_layout *layout = &sweep->layouts[sweep->layout_count++];
        json_object_foreach(json_object_get(item, "when"), name, value)
        {
            const opspec_param *rule = find_param(r->spec, name);
            snprintf(key, sizeof key, "%s.when.%s", path, name);
            if (!rule || layout->when_count == OPSPEC_MAX_SIZE_PARAMS)
                return FAIL(r, "%s: key \"%s\" is no parameter of the op, or there are more than %d", r->file,
                            key, OPSPEC_MAX_SIZE_PARAMS);
            if (opspec_read_param_value(r, key, value, rule, &layout->when[layout->when_count++]) != ASSAY_OK)
                return ASSAY_ERR_INVALID;
        }
        if (read_layout_axes(r, path, json_object_get(item, "shapes"), layout) != ASSAY_OK)
            return ASSAY_ERR_INVALID;
    }
    return ASSAY_OK;
}

static assay_status read_bounds(reader *r, const json_t *bounds, const char *kind, opspec_bounds *out)
{
    const json_t *object = json_object_get(bounds, kind);
    const char *name;
    json_t *value;
    *out = (opspec_bounds){.bytes = json_get_number(object, "bytes", 0),
                           .flops = json_get_number(object, "flops", 0)};
    if (!(out->bytes > 0 && out->flops >= 0))
        return FAIL(r, "%s: key \"sweep.bounds.%s\": allowed: \"bytes\" above 0, \"flops\" from 0 up",
                    r->file, kind);
    json_object_foreach(json_object_get(object, "dims"), name, value)
    {
        opspec_dim *dim = &out->dims[out->dim_count++]; /* no more than the op has: each is one of its own */
        if (!is_dim(r->spec, name) || json_integer_value(value) < 1)
            return FAIL(r,
                        "%s: key \"sweep.bounds.%s.dims.%s\": a dimension of the op and an integer above 0 "
                        "are expected",
                        r->file, kind, name);
        snprintf(dim->name, sizeof dim->name, "%s", name);
        dim->value = json_integer_value(value);
    }
    return ASSAY_OK;
}

assay_status opspec_read_sweep(opspec_reader *r, const json_t *object)
{
    if (!object)
        return ASSAY_OK;
    opspec_sweep *sweep = r->spec->sweep = calloc(1, sizeof *sweep);
    if (!sweep)
        return assay_error_set(r->error, ASSAY_ERR_NO_MEMORY, "%s: not enough memory", r->file);
    const json_t *bounds = json_object_get(object, "bounds");
    if (read_families(r, object, sweep) != ASSAY_OK ||
        read_layouts(r, json_object_get(object, "layouts"), sweep) != ASSAY_OK ||
        read_bounds(r, bounds, "cpu", &sweep->cpu) != ASSAY_OK ||
        read_bounds(r, bounds, "cuda", &sweep->cuda) != ASSAY_OK)
        return ASSAY_ERR_INVALID;
    return ASSAY_OK;
}
