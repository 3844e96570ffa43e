/* Times of configurations at drawn shapes: see shape_table.h. */
#include "tune/tuner/shape_table.h"
#include "build_module/winner.h"
#include "core/process.h"
#include "tune/evaluate/constraints.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int count_run_time(const opspec_variant_tunables *set, int index[OPSPEC_MAX_TUNABLES])
{
    int count = 0;
    for (int i = 0; set && i < set->count; i++)
        if (set->tunables[i].at_run_time)
            index[count++] = i;
    return count;
}

/* The default, then every other combination that holds the constraints at the first shape. */
static assay_status list_configurations(workspace *ws, const workspace_op *op, const tune_options *o,
                                        shape_table *t, assay_error *error)
{
    int index[OPSPEC_MAX_TUNABLES], at[OPSPEC_MAX_TUNABLES] = {0};
    int64_t values[OPSPEC_MAX_TUNABLES];
    const int count = count_run_time(t->tunables, index);
    tuned_variant tuned;
    if (count == 0)
        return assay_error_set(
            error, ASSAY_ERR_INVALID,
            "%s of %s has no tunable that op.json marks \"run_time\": nothing can be chosen by the "
            "shape",
            o->variant, op->spec->name);
    for (int i = 0; i < t->tunables->count; i++)
        values[i] = t->tunables->tunables[i].def;
    assay_status status = tuned_variant_make(op->spec, o->variant, values,
                                             &t->configurations[t->times.configurations++], error);
    for (int carry = 0; carry < count && status == ASSAY_OK;) {
        for (int i = 0; i < count; i++)
            values[index[i]] = t->tunables->tunables[index[i]].values[at[i]];
        status = tuned_variant_make(op->spec, o->variant, values, &tuned, error);
        if (status == ASSAY_OK && strcmp(tuned.name, t->configurations[0].name) != 0 &&
            tuned_check_constraints(ws, op, &tuned, o->dtype, t->names[0], NULL) == ASSAY_OK) {
            if (t->times.configurations == SHAPE_TABLE_CONFIGURATIONS)
                return assay_error_set(
                    error, ASSAY_ERR_INVALID,
                    "%s of %s: its run-time tunables have more than %d configurations; "
                    "constraints of op.json may rule out combinations that say nothing new",
                    o->variant, op->spec->name, SHAPE_TABLE_CONFIGURATIONS);
            t->configurations[t->times.configurations++] = tuned;
        }
        for (carry = 0; carry < count && ++at[carry] == t->tunables->tunables[index[carry]].value_count;
             carry++)
            at[carry] = 0;
    }
    return status;
}

/* The candidate of a configuration at the subject's shape; 0 where a constraint is against it there. */
static int make_candidate(const tune_subject *s, const tuned_variant *tuned, tune_candidate *c)
{
    char text[TUNED_VARIANT_TEXT_MAX];
    configuration values;
    tuned_variant_text(tuned, text);
    return configuration_parse(s->space, text, &values, NULL) == ASSAY_OK &&
           space_is_valid(s->space, &values, NULL) && tune_candidate_make(s, &values, c, NULL) == ASSAY_OK;
}

static assay_status time_batch(evaluator *e, const tune_subject *s, const shape_table *t, int first,
                               double *us, assay_error *error)
{
    tune_candidate batch[EVALUATE_MOST];
    int of[EVALUATE_MOST], count = 0;
    double best = NAN;
    for (int c = 0; c < t->times.configurations; c++)
        if (us[c] < best || isnan(best))
            best = us[c];
    for (int c = first; c < t->times.configurations && c < first + EVALUATE_MOST; c++)
        if (make_candidate(s, &t->configurations[c], &batch[count]))
            of[count++] = c;
    if (count == 0)
        return ASSAY_OK;
    assay_status status = evaluate_begin(e, batch, count, error);
    if (status == ASSAY_OK)
        status = evaluate_finish(e, batch, count, best, error);
    for (int i = 0; i < count; i++) {
        if (batch[i].done && batch[i].status == EVALUATION_SUCCESS)
            us[of[i]] = batch[i].time_us;
        tune_candidate_release(&batch[i]);
    }
    return status;
}

static assay_status time_shape(workspace *ws, const workspace_op *op, const tune_options *o, shape_table *t,
                               int at, assay_error *error)
{
    space *all = NULL;
    evaluator *e = NULL;
    double *us = t->times.us + (size_t)at * (size_t)t->times.configurations;
    tune_subject *s = &t->subject;
    assay_status status = tune_space(ws, op, o->variant, o->dtype, t->names[at], &all, error);
    s->size = t->names[at];
    s->space = all;
    if (status == ASSAY_OK)
        status = evaluator_create(s, &o->evaluate, &e, error);
    for (int first = 0; first < t->times.configurations && status == ASSAY_OK && !process_interrupted();
         first += EVALUATE_MOST)
        status = time_batch(e, s, t, first, us, error);
    evaluator_free(e);
    space_free(all);
    s->space = NULL;
    return status;
}

static void say_shape(const tune_options *o, const shape_table *t, int at)
{
    const double *us = t->times.us + (size_t)at * (size_t)t->times.configurations;
    int best = 0;
    char text[TUNED_VARIANT_TEXT_MAX];
    for (int c = 1; c < t->times.configurations; c++)
        if (us[c] < us[best] || isnan(us[best]))
            best = c;
    tuned_variant_text(&t->configurations[best], text);
    if (o->progress)
        fprintf(o->progress, "[%3d/%d] %s  default %.4g us, best %.4g us: %s\n", at + 1, t->times.count,
                t->names[at], us[0], us[best], text);
    if (o->progress)
        fflush(o->progress);
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

static void judge(shape_table *t)
{
    for (int i = 0; i < t->times.count * t->times.configurations; i++)
        t->wrong += isnan(t->times.us[i]);
    shape_regret_of(&t->times, t->training, &t->table, &t->with_table);
    shape_regret_of(&t->times, t->training, NULL, &t->without);
}

assay_status shape_table_run(workspace *ws, const workspace_op *op, const tune_options *o,
                             const char *const *shapes, int count, int training, shape_table *t,
                             assay_error *error)
{
    *t = (shape_table){.tunables = opspec_find_tunables(op->spec, o->variant),
                       .names = shapes,
                       .training = training,
                       .seed = o->seed};
    t->subject = (tune_subject){.ws = ws, .op = op, .variant = o->variant, .dtype = o->dtype};
    assay_status status = list_configurations(ws, op, o, t, error);
    if (status == ASSAY_OK)
        status = allocate(op, ws->device, count, t, error);
    if (status == ASSAY_OK)
        status = find_device(ws, o, t, error);
    if (status == ASSAY_OK && o->progress)
        fprintf(o->progress, "%d configurations at %d shapes, %d of them to choose by\n",
                t->times.configurations, count, training);
    for (int s = 0; s < count && status == ASSAY_OK && !process_interrupted(); s++) {
        status = time_shape(ws, op, o, t, s, error);
        if (status == ASSAY_OK && !process_interrupted())
            say_shape(o, t, s);
    }
    if (status != ASSAY_OK || process_interrupted())
        return status;
    status = class_table_make(&t->times, training, &t->table, error);
    judge(t);
    json_t *table = status == ASSAY_OK && o->save ? shape_table_json(t, o) : NULL;
    if (table)
        status = winner_put(ws, op, "tables", table, t->saved, error);
    json_decref(table);
    return status == ASSAY_OK ? shape_table_report(o, t, error) : status;
}

void shape_table_release(shape_table *t)
{
    class_table_release(&t->table);
    free(t->times.dims);
    free(t->times.us);
    *t = (shape_table){.training = 0};
}
