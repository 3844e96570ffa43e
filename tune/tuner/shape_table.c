/* Times of configurations at drawn shapes, and the table that comes of them: see shape_table.h. */
#include "tune/tuner/shape_table.h"
#include "build_module/winner.h"
#include "core/process.h"
#include "tune/tuner/shape_configurations.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double *times_at(const shape_table *t, int shape)
{
    return t->times.us + (size_t)shape * (size_t)t->times.configurations;
}

static void say_shape(const tune_options *o, const shape_table *t, int at)
{
    const double *us = times_at(t, at);
    int best = 0;
    char text[TUNED_VARIANT_TEXT_MAX];
    if (!o->progress)
        return;
    for (int c = 1; c < t->times.configurations; c++)
        if (us[c] < us[best] || isnan(us[best]))
            best = c;
    tuned_variant_text(&t->configurations[best], text);
    fprintf(o->progress, "[%3d/%d] %s  default %.4g us, best %.4g us: %s\n", t->done, t->times.count,
            t->names[at], us[0], us[best], text);
    fflush(o->progress);
}

typedef struct taking {
    shape_table *t;
    const tune_options *o;
    const unsigned char *allowed; /* as in shape_work */
} taking;

static assay_status take_shape(void *context, int shape, const double *us, assay_error *error)
{
    const taking *to = context;
    shape_table *t = to->t;
    (void)error;
    memcpy(times_at(t, shape), us, (size_t)t->times.configurations * sizeof *us);
    t->done++;
    t->trained += shape < t->training;
    for (int c = 0; c < t->times.configurations; c++)
        t->wrong += isnan(us[c]) && to->allowed[shape * t->times.configurations + c];
    say_shape(to->o, t, shape);
    return ASSAY_OK;
}

static assay_status find_device(workspace *ws, const tune_options *o, shape_table *t, assay_error *error)
{
    assay_device *device = NULL;
    const assay_status status =
        assay_device_open(ws->device, o->evaluate.bench.device_ordinal, &device, error);
    if (status == ASSAY_OK)
        t->subject.device = *assay_device_get_info(device);
    assay_device_close(device);
    return status;
}

static assay_status allocate(const workspace_op *op, const char *device, int count, shape_table *t,
                             assay_error *error)
{
    const size_t all = (size_t)count * (size_t)t->times.configurations;
    t->times.dims = calloc((size_t)count, sizeof *t->times.dims);
    t->times.us = malloc(all * sizeof *t->times.us);
    if (!t->times.dims || !t->times.us)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    t->times.count = count;
    t->times.dim_count = op->spec->sizes[0].dims.count;
    if (t->times.dim_count > CLASS_MOST_DIMS)
        return assay_error_set(error, ASSAY_ERR_INVALID, "%s has more than %d dimensions", op->spec->name,
                               CLASS_MOST_DIMS);
    for (size_t i = 0; i < all; i++)
        t->times.us[i] = NAN;
    for (int s = 0; s < count; s++) {
        const opspec_dims *dims = opspec_size_dims(opspec_find_size(op->spec, t->names[s]), device);
        for (int d = 0; d < t->times.dim_count; d++)
            for (int k = 0; k < dims->count; k++)
                if (strcmp(dims->dim[k].name, op->spec->sizes[0].dims.dim[d].name) == 0)
                    t->times.dims[s][d] = dims->dim[k].value;
    }
    return ASSAY_OK;
}

/* Shapes to choose by and to judge by in turns, so that there are both of them whenever a budget ends it. */
static void make_order(int count, int training, int *order)
{
    int chosen = 0, judged = 0;
    for (int i = 0; i < count; i++)
        if (judged == count - training ||
            (chosen < training && chosen * (count - training) <= judged * training))
            order[i] = chosen++;
        else
            order[i] = training + judged++;
}

static void say_begin(const tune_options *o, const shape_table *t)
{
    if (!o->progress)
        return;
    fprintf(o->progress, "%d configurations at %d shapes, %d of them to choose by%s\n",
            t->times.configurations, t->times.count, t->training,
            t->one_at_a_time ? "; too many combinations, so each tunable is varied alone" : "");
    fflush(o->progress);
}

static assay_status measure(workspace *ws, const workspace_op *op, const tune_options *o,
                            const shape_request *request, const unsigned char *allowed, shape_table *t,
                            assay_error *error)
{
    char hashes[SHAPE_MOST_CONFIGURATIONS][65];
    int order[OPSPEC_MAX_SHAPES];
    taking to = {t, o, allowed};
    const double until_s = o->budget_s > 0 ? process_clock_s() + o->budget_s : 0;
    const shape_work work = {.ws = ws,
                             .op = op,
                             .options = o,
                             .names = request->names,
                             .count = request->count,
                             .configuration_count = t->times.configurations,
                             .configurations = t->configurations,
                             .allowed = allowed,
                             .hashes = (const char(*)[65])hashes,
                             .order = order,
                             .cards = request->device_count > 1 ? request->device_count : 1,
                             .until_s = until_s};
    make_order(request->count, request->training, order);
    assay_status status = shape_configurations_compile(ws, op, o, t, hashes, error);
    if (status != ASSAY_OK || process_interrupted())
        return status;
    if (work.cards > 1)
        return shape_work_on_cards(&work, request->devices, &t->subject.device, take_shape, &to, error);
    status = find_device(ws, o, t, error);
    return status == ASSAY_OK ? shape_work_run(&work, 0, 1, take_shape, &to, error) : status;
}

static assay_status finish(workspace *ws, const workspace_op *op, const tune_options *o, shape_table *t,
                           assay_error *error)
{
    assay_status status = class_table_make(&t->times, t->training, &t->table, error);
    shape_regret_of(&t->times, t->training, &t->table, &t->with_table);
    shape_regret_of(&t->times, t->training, NULL, &t->without);
    json_t *table = status == ASSAY_OK && o->save ? shape_table_json(t, o) : NULL;
    if (table)
        status = winner_put(ws, op, "tables", table, t->saved, error);
    json_decref(table);
    return status == ASSAY_OK ? shape_table_report(o, t, error) : status;
}

assay_status shape_table_run(workspace *ws, const workspace_op *op, const tune_options *o,
                             const shape_request *request, shape_table *t, assay_error *error)
{
    unsigned char *allowed = NULL;
    *t = (shape_table){.tunables = opspec_find_tunables(op->spec, o->variant),
                       .names = request->names,
                       .training = request->training,
                       .seed = o->seed};
    t->subject = (tune_subject){.ws = ws, .op = op, .variant = o->variant, .dtype = o->dtype};
    assay_status status = shape_configurations_list(ws, op, o, request, t, &allowed, error);
    if (status == ASSAY_OK)
        status = allocate(op, ws->device, request->count, t, error);
    if (status == ASSAY_OK) {
        say_begin(o, t);
        status = measure(ws, op, o, request, allowed, t, error);
    }
    free(allowed);
    return status == ASSAY_OK && !process_interrupted() ? finish(ws, op, o, t, error) : status;
}

void shape_table_release(shape_table *t)
{
    class_table_release(&t->table);
    free(t->times.dims);
    free(t->times.us);
    *t = (shape_table){.training = 0};
}
