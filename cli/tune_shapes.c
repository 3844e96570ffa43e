/* See tune_shapes.h. */
#include "cli/tune_shapes.h"
#include "core/process.h"
#include "sweep/draw.h"
#include "tune/tuner/shape_table.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static void make_command(tune_arguments *a, const planned_tuning *t)
{
    snprintf(a->command, sizeof a->command,
             "assay tune %s --variant %s --dtype %s --sweep-shapes %d --held-out %d --seed %llu%s%s%s%s%s%s",
             t->op->spec->name, t->variant, assay_dtype_name(t->dtype), a->sweep_shapes, a->held_out,
             (unsigned long long)a->options.seed, a->only ? " --only " : "", a->only ? a->only : "",
             a->mode ? " --mode " : "", a->mode ? a->mode : "", a->devices ? " --devices " : "",
             a->devices ? a->devices : "");
    a->options.command = a->command;
}

/* The drawn shapes as sizes of the op. */
static assay_status add_shapes(workspace *ws, const tune_arguments *a, const workspace_op *op,
                               shape_list *list, const char **names, assay_error *error)
{
    const assay_op_impl *impl;
    const int count = a->sweep_shapes + a->held_out;
    assay_status status = workspace_load_impl(op, &impl, error);
    if (status == ASSAY_OK)
        status = draw_shapes(op->spec, impl, ws->device, NULL, a->options.seed, count, list, error);
    if (status == ASSAY_OK && list->count < count)
        status =
            assay_error_set(error, ASSAY_ERR_INVALID, "--sweep-shapes: %s has only %d shapes to draw, not %d",
                            op->spec->name, list->count, count);
    for (int i = 0; i < list->count && status == ASSAY_OK; i++) {
        const opspec_size *size = NULL;
        status = opspec_add_shape(op->spec, list->shapes[i].shape, &size, error);
        names[i] = list->shapes[i].name;
    }
    return status;
}

static void print_regret(const char *name, const shape_regret *r)
{
    if (r->shapes > 0)
        printf("regret of the %s at %d other shapes: geometric mean %.1f%%, worst %.1f%%\n", name, r->shapes,
               100 * (r->geomean - 1), 100 * (r->worst - 1));
}

static void print_end(const shape_table *t)
{
    if (t->done < t->times.count)
        printf("budget: %d of %d shapes were measured%s; the same command goes on\n", t->done, t->times.count,
               t->without.shapes == 0 ? ", none yet that gives a regret" : "");
    printf("table: %d rows of %d classes of shapes\n", t->table.count, t->table.classes);
    print_regret("table", &t->with_table);
    print_regret("default", &t->without);
    if (t->wrong > 0)
        printf("%d of the times are missing: wrong, or not timed\n", t->wrong);
    if (t->saved[0])
        printf("saved to %s; build again to use it\n", t->saved);
    else
        printf("not saved; --save writes it to the op's folder for the next build\n");
    printf("report: %s\n", t->report);
}

static assay_status run(workspace *ws, const tune_arguments *a, const workspace_op *op,
                        const char *const *names, int count, shape_table *table, assay_error *error)
{
    const shape_request request = {.names = names,
                                   .count = count,
                                   .training = a->sweep_shapes,
                                   .only = a->only,
                                   .devices = a->numbers,
                                   .device_count = a->device_count};
    return shape_table_run(ws, op, &a->options, &request, table, error);
}

assay_status tune_by_shape(workspace *ws, tune_arguments *a, const tune_plan *plan, int *exit_status,
                           assay_error *error)
{
    static shape_table table;
    const char *names[OPSPEC_MAX_SHAPES];
    shape_list list = {0};
    const planned_tuning *t = &plan->items[0];
    if (plan->count != 1)
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "--sweep-shapes is for one variant and dtype; this asks for %d tunings",
                               plan->count);
    a->options.variant = t->variant;
    a->options.dtype = t->dtype;
    a->options.report = a->report;
    make_command(a, t);
    if (a->common.dry_run) {
        printf("%s\n", a->command);
        return ASSAY_OK;
    }
    assay_status status = add_shapes(ws, a, t->op, &list, names, error);
    if (status == ASSAY_OK)
        status = run(ws, a, t->op, names, list.count, &table, error);
    if (status == ASSAY_OK && process_interrupted()) {
        *exit_status = 130;
        fprintf(stderr, "assay tune: interrupted; the same command goes on\n");
    } else if (status == ASSAY_OK && a->common.json)
        cli_print_json(shape_table_outcome_json(&table, &a->options));
    else if (status == ASSAY_OK)
        print_end(&table);
    if (status == ASSAY_OK && *exit_status == ASSAY_EXIT_OK && table.without.shapes == 0 &&
        table.done == table.times.count)
        *exit_status = ASSAY_EXIT_CHECK;
    shape_table_release(&table);
    opspec_forget_shapes(t->op->spec);
    shape_list_release(&list);
    return status;
}
