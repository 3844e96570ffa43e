/* Drawing shapes: see draw.h. Compiled without contraction: a fused operation would round otherwise. */
#include "sweep/draw.h"
#include "core/list.h"
#include "verify/random.h"
#include <stdlib.h>
#include <string.h>

enum { SWEEP_STREAM = 40000, MOST_TRIES = 240, TRIES_OF_LOWER_ENDS = 120, WORDS_OF_TRY = 64 };

/* Words of shape `stream` in order. */
typedef struct words {
    uint64_t seed, stream, next;
} words;

static double next_part(words *w)
{
    return (double)random_word_at(w->seed, SWEEP_STREAM + w->stream, w->next++) * 0x1p-32;
}

/* log2 by its series of atanh, exp2 by its Taylor series: + - * / alone, which IEEE 754 rounds the same everywhere. */
static double log2_of(double x)
{
    double whole = 0;
    for (; x >= 2; x *= 0.5)
        whole += 1;
    const double z = (x - 1) / (x + 1), zz = z * z;
    double sum = 0, power = z;
    for (int k = 1; k < 60; k += 2, power *= zz)
        sum += power / k;
    return whole + 2 * sum * 1.4426950408889634;
}

static double exp2_of(double x)
{
    double scale = 1, sum = 1, term = 1;
    for (; x >= 1; x -= 1)
        scale *= 2;
    for (int k = 1; k < 24; k++) {
        term *= x * 0.6931471805599453 / k;
        sum += term;
    }
    return scale * sum;
}

int64_t draw_log_uniform(int64_t least, int64_t most, double part)
{
    /* Up to most + 1, so that the largest value is as likely as its neighbours. */
    const double low = log2_of((double)least), high = log2_of((double)most + 1);
    const int64_t value = (int64_t)exp2_of(low + part * (high - low));
    return value < least ? least : value > most ? most : value;
}

/* What is left of a range after some tries: a bound of bytes or operations lets few draws of large ranges through, on the CPU device almost
 * none. First the upper ends come down, then the lower ones. */
static void shrink(const opspec_draw *draw, int tries, int64_t *least, int64_t *most)
{
    *least = (int64_t)draw->min;
    *most = (int64_t)draw->max;
    for (int i = 0; i < tries / 4 && *most > *least; i++)
        *most /= 2;
    for (int i = 0; i < (tries - TRIES_OF_LOWER_ENDS) / 4 && *least > draw->multiple; i++)
        *least /= 2;
    if (*least < draw->multiple)
        *least = draw->multiple;
    if (*most < *least)
        *most = *least;
}

static json_t *draw_range(const opspec_draw *draw, int real, int tries, words *w)
{
    const double part = next_part(w), rounding = next_part(w);
    int64_t least, most;
    if (real)
        return json_real((double)(float)(draw->min + part * (draw->max - draw->min)));
    shrink(draw, tries, &least, &most);
    int64_t value = draw_log_uniform(least, most, part);
    const int64_t to = rounding < draw->share_64 ? 64 : rounding < draw->share_64 + draw->share_8 ? 8 : 1;
    if (value >= to && value - value % to >= (int64_t)draw->min)
        value -= value % to;
    value -= value % draw->multiple;
    return json_integer(value);
}

static json_t *value_json(const assay_param *p)
{
    return p->type == ASSAY_PARAM_REAL      ? json_real(p->real)
           : p->type == ASSAY_PARAM_INTEGER ? json_integer(p->integer)
           : p->type == ASSAY_PARAM_BOOLEAN ? json_boolean(p->integer)
                                            : json_string(p->text);
}

static int is_real(const opspec *spec, const opspec_draw *draw)
{
    for (int i = 0; draw->is_param && i < spec->param_count; i++)
        if (strcmp(spec->params[i].value.name, draw->name) == 0)
            return spec->params[i].value.type == ASSAY_PARAM_REAL;
    return 0;
}

/* One shape of a family, whether the op computes it or not. New reference. */
static json_t *draw_shape(const opspec *spec, const opspec_family *family, int tries, words *w)
{
    json_t *values[OPSPEC_MAX_DRAWS], *shape = json_object(), *params = json_object();
    for (int i = 0; i < family->draw_count; i++) {
        const opspec_draw *draw = &family->draws[i];
        values[i] = draw->kind == OPSPEC_DRAW_RANGE ? draw_range(draw, is_real(spec, draw), tries, w)
                    : draw->kind == OPSPEC_DRAW_VALUES
                        ? value_json(&draw->values[(int)(next_part(w) * draw->value_count)])
                        : NULL;
    }
    for (int i = 0; i < family->draw_count; i++)
        for (int j = 0; !values[i] && j < family->draw_count; j++)
            if (strcmp(family->draws[j].name, family->draws[i].equal) == 0)
                values[i] = json_incref(values[j]);
    for (int i = 0; i < family->draw_count; i++)
        json_object_set_new(family->draws[i].is_param ? params : shape, family->draws[i].name, values[i]);
    if (json_object_size(params) > 0)
        json_object_set(shape, "params", params);
    json_decref(params);
    return shape;
}

/* A family by the weights of those that are asked for. */
static const opspec_family *choose_family(const opspec_sweep *sweep, const char *families, double part)
{
    const opspec_family *last = NULL;
    double sum = 0, at = 0;
    for (int i = 0; i < sweep->family_count; i++)
        sum += list_selects(families, sweep->families[i].name) ? sweep->families[i].weight : 0;
    for (int i = 0; i < sweep->family_count; i++) {
        if (!list_selects(families, sweep->families[i].name))
            continue;
        last = &sweep->families[i];
        at += last->weight;
        if (part * sum < at)
            break;
    }
    return last;
}

/* The dtype whose tensors are the largest: bounds hold for all of them, and each dtype gets the same shapes. */
static assay_dtype widest_dtype(const opspec *spec)
{
    assay_dtype widest = spec->dtypes[0];
    for (int i = 1; i < spec->dtype_count; i++)
        if (assay_dtype_bytes(assay_dtype_storage(spec->dtypes[i])) >
            assay_dtype_bytes(assay_dtype_storage(widest)))
            widest = spec->dtypes[i];
    return widest;
}

typedef enum draw_end { DRAW_NEW, DRAW_AGAIN, DRAW_OUT_OF_BOUNDS, DRAW_BROKEN } draw_end;

static int dims_in_bounds(const opspec_bounds *bounds, const json_t *shape)
{
    for (int i = 0; i < bounds->dim_count; i++)
        if (shape_value(shape, bounds->dims[i].name, 0) > (double)bounds->dims[i].value)
            return 0;
    return 1;
}

static draw_end try_shape(opspec *spec, const assay_op_impl *impl, const opspec_bounds *bounds,
                          const opspec_family *family, json_t *shape, shape_list *list, assay_error *error)
{
    assay_problem problem;
    char name[ASSAY_NAME_MAX];
    if (!dims_in_bounds(bounds, shape) ||
        shape_check(spec, impl, widest_dtype(spec), shape, &problem, name, NULL) != ASSAY_OK ||
        impl->bytes(&problem) > bounds->bytes || impl->flops(&problem) > bounds->flops)
        return DRAW_OUT_OF_BOUNDS;
    if (shape_list_has(list, name))
        return DRAW_AGAIN;
    return shape_list_add(list, json_incref(shape), name, family->name, error) == ASSAY_OK ? DRAW_NEW
                                                                                           : DRAW_BROKEN;
}

static draw_end draw_one(opspec *spec, const assay_op_impl *impl, const opspec_sweep *sweep,
                         const opspec_bounds *bounds, const char *families, words w, shape_list *list,
                         const opspec_family **family, assay_error *error)
{
    int seen = 0;
    *family = choose_family(sweep, families, next_part(&w));
    for (int tries = 0; tries < MOST_TRIES; tries++) {
        w.next = 1 + (uint64_t)tries * WORDS_OF_TRY;
        json_t *shape = draw_shape(spec, *family, tries, &w);
        const draw_end end = try_shape(spec, impl, bounds, *family, shape, list, error);
        json_decref(shape);
        if (end == DRAW_NEW || end == DRAW_BROKEN)
            return end;
        seen |= end == DRAW_AGAIN;
    }
    return seen ? DRAW_AGAIN : DRAW_OUT_OF_BOUNDS;
}

static assay_status check_families(const opspec *spec, const opspec_sweep *sweep, const char *families,
                                   assay_error *error)
{
    char there[OPSPEC_MAX_FAMILIES * (ASSAY_NAME_MAX + 2)] = "";
    for (int i = 0; i < sweep->family_count; i++)
        snprintf(there + strlen(there), sizeof there - strlen(there), "%s%s", i ? ", " : "",
                 sweep->families[i].name);
    for (list_item item = {0}; list_next(families, &item);) {
        int found = 0;
        for (int i = 0; i < sweep->family_count; i++)
            found |= list_item_is(&item, sweep->families[i].name);
        if (!found)
            return assay_error_set(error, ASSAY_ERR_INVALID,
                                   "--family: %s has no family \"%.*s\"; there are: %s", spec->name,
                                   item.length, item.text, there);
    }
    return ASSAY_OK;
}

assay_status draw_shapes(opspec *spec, const assay_op_impl *impl, const char *device_kind,
                         const char *families, uint64_t seed, int count, shape_list *list, assay_error *error)
{
    opspec_sweep *sweep = draw_distribution(spec);
    if (!sweep)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    const opspec_bounds *bounds = strcmp(device_kind, "cpu") == 0 ? &sweep->cpu : &sweep->cuda;
    assay_status status = check_families(spec, sweep, families, error);
    for (int i = 0; i < count && status == ASSAY_OK; i++) {
        const opspec_family *family;
        const words w = {.seed = seed, .stream = (uint64_t)i};
        const draw_end end = draw_one(spec, impl, sweep, bounds, families, w, list, &family, error);
        if (end == DRAW_BROKEN)
            status = ASSAY_ERR_NO_MEMORY;
        else if (end == DRAW_OUT_OF_BOUNDS)
            status = assay_error_set(
                error, ASSAY_ERR_INVALID,
                "%s/op.json: key \"sweep.families.%s\": none of %d drawn shapes is computed by the op and "
                "within \"sweep.bounds.%s\"",
                spec->directory, family->name, MOST_TRIES, device_kind);
    }
    free(sweep);
    return status;
}
