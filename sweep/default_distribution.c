/* The distribution of an op whose op.json has no "sweep": see draw_distribution(). */
#include "sweep/draw.h"
#include <stdlib.h>
#include <string.h>

static const assay_param *find_param(const opspec *spec, const char *name)
{
    for (int i = 0; i < spec->param_count; i++)
        if (strcmp(spec->params[i].value.name, name) == 0)
            return &spec->params[i].value;
    return NULL;
}

static int64_t value_at(const opspec_size *size, const char *name)
{
    for (int i = 0; i < size->dims.count; i++)
        if (strcmp(size->dims.dim[i].name, name) == 0)
            return size->dims.dim[i].value;
    return 0;
}

/* A dimension that is an integer parameter, too (a stride), has the values that sizes have. */
static void take_values(const opspec *spec, opspec_draw *draw)
{
    draw->kind = OPSPEC_DRAW_VALUES;
    for (int s = 0; s < spec->size_count && draw->value_count < OPSPEC_MAX_DRAW_VALUES; s++)
        draw->values[draw->value_count++] =
            (assay_param){.type = ASSAY_PARAM_INTEGER, .integer = value_at(&spec->sizes[s], draw->name)};
}

static void take_range(const opspec *spec, opspec_draw *draw)
{
    draw->kind = OPSPEC_DRAW_RANGE;
    draw->min = draw->max = 1;
    draw->share_8 = draw->share_64 = 0.3;
    for (int s = 0; s < spec->size_count; s++) {
        const double value = (double)value_at(&spec->sizes[s], draw->name);
        draw->max = value > draw->max ? value : draw->max;
    }
}

/* Texts and booleans have all of their values; what numbers a parameter may have only its op knows. */
static int take_choices(const opspec_param *param, opspec_draw *draw)
{
    const int is_text = param->value.type == ASSAY_PARAM_TEXT;
    draw->kind = OPSPEC_DRAW_VALUES;
    draw->value_count = is_text ? param->choice_count : param->value.type == ASSAY_PARAM_BOOLEAN ? 2 : 0;
    for (int i = 0; i < draw->value_count; i++) {
        draw->values[i] = param->value;
        draw->values[i].integer = i;
        if (is_text)
            memcpy(draw->values[i].text, param->choices[i], sizeof draw->values[i].text);
    }
    return draw->value_count > 0;
}

static void make_default(const opspec *spec, opspec_sweep *sweep)
{
    const opspec_dims *small = &opspec_find_size(spec, "small")->dims;
    opspec_family *family = &sweep->families[sweep->family_count++];
    snprintf(family->name, sizeof family->name, "any");
    family->weight = 1;
    for (int i = 0; i < small->count; i++) {
        opspec_draw *draw = &family->draws[family->draw_count++];
        *draw = (opspec_draw){.multiple = 1};
        snprintf(draw->name, sizeof draw->name, "%s", small->dim[i].name);
        if (find_param(spec, draw->name))
            take_values(spec, draw);
        else
            take_range(spec, draw);
    }
    for (int i = 0; i < spec->param_count && family->draw_count < small->count + OPSPEC_MAX_SIZE_PARAMS;
         i++) {
        opspec_draw *draw = &family->draws[family->draw_count];
        *draw = (opspec_draw){.is_param = 1, .multiple = 1};
        memcpy(draw->name, spec->params[i].value.name, sizeof draw->name);
        family->draw_count += take_choices(&spec->params[i], draw);
    }
    sweep->cuda = (opspec_bounds){.bytes = 1e9, .flops = 1e12};
    sweep->cpu = (opspec_bounds){.bytes = 1e6, .flops = 1e7};
}

opspec_sweep *draw_distribution(const opspec *spec)
{
    opspec_sweep *sweep = calloc(1, sizeof *sweep);
    if (sweep && spec->sweep)
        memcpy(sweep, spec->sweep, sizeof *sweep);
    else if (sweep)
        make_default(spec, sweep);
    return sweep;
}
