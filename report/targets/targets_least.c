/* The ratio that no size may fall below. */
#include "report/targets/targets_internal.h"
#include "core/json_file.h"
#include <math.h>
#include <string.h>

/* The figure that an op's ratios are judged by: heat decides where tensor cores are busy. */
static int usual_figure(const opspec *spec)
{
    return strcmp(spec->family, "matrix") == 0 || strcmp(spec->family, "attention") == 0 ? REPORT_SUSTAINED
                                                                                         : REPORT_COLD;
}

/* Worst ratio of one op and dtype over all its sizes; sizes without both figures are named. */
typedef struct least_seen {
    double ratio;
    const report_entry *own, *peer; /* of the worst */
    int sizes, measured;
    char missing[160];
} least_seen;

static int has_kernel(const report_model *model, const row_rule *rule, const target_cell *place)
{
    for (int i = 0; i < model->count; i++)
        if (targets_is_at(&model->entries[i], place) && model->entries[i].kind == REPORT_VARIANT &&
            targets_is_variant(model->entries[i].name, rule->variant))
            return 1;
    return 0;
}

static void look_at_size(const report_model *model, const row_rule *rule, int op, int dtype, int size,
                         least_seen *l)
{
    const opspec *spec = model->ws->ops[op].spec;
    const target_cell place = {.op = op, .dtype = dtype, .size = size};
    const peer_rule peers = {.names = NULL, .tf32 = rule->tf32};
    const int figure = usual_figure(spec);
    if (!opspec_has_case(spec, spec->dtypes[dtype], spec->sizes[size].name) ||
        !has_kernel(model, rule, &place))
        return;
    l->sizes++;
    const report_entry *own = targets_fastest(model, &place, figure, targets_is_own, rule);
    const report_entry *peer =
        own == NULL ? NULL : targets_fastest_against(model, &place, figure, targets_is_peer, &peers, own);
    if (peer == NULL || !report_same_method(own, peer, figure) || !targets_took_turns(own, peer)) {
        const size_t used = strlen(l->missing);
        snprintf(l->missing + used, sizeof l->missing - used, "%s%s", used ? ", " : "",
                 spec->sizes[size].name);
        return;
    }
    l->measured++;
    const double ratio = peer->figures[figure].mean_us / own->figures[figure].mean_us;
    if (l->own == NULL || ratio < l->ratio) {
        l->ratio = ratio;
        l->own = own;
        l->peer = peer;
    }
}

static void fill_least(const least_seen *l, double wanted, int figure, target_cell *cell)
{
    cell->wanted = wanted;
    cell->size_name = "every";
    snprintf(cell->unit, sizeof cell->unit, "x");
    snprintf(cell->target, sizeof cell->target, ">= %.2fx best peer at each size", wanted);
    cell->verdict = TARGET_MET;
    if (l->own != NULL) {
        snprintf(cell->kernel, sizeof cell->kernel, "%.47s", l->own->name);
        cell->kernel_us = l->own->figures[figure].mean_us;
        targets_compare_times(cell, l->own, l->peer, figure, 1.0);
    }
    if (l->own != NULL && l->ratio < wanted)
        cell->verdict = TARGET_MISSED;
    else if (l->measured < l->sizes)
        cell->verdict = TARGET_NOT_MEASURED;
    if (l->measured < l->sizes)
        snprintf(cell->reason, sizeof cell->reason, "%d of %d sizes; not: %.150s", l->measured, l->sizes,
                 l->missing);
}

/* No size may fall far behind for the sake of another: one cell an op and dtype, with its worst size. */
assay_status targets_add_least_ratio(const report_model *model, const json_t *rule_json, target_list *list,
                                     assay_error *error)
{
    static const char *const names[REPORT_FIGURES] = {"cold", "hot", "burst", "sustained"};
    for (int op = 0; op < model->ws->op_count; op++) {
        const opspec *spec = model->ws->ops[op].spec;
        for (int dtype = 0; dtype < spec->dtype_count; dtype++) {
            const row_rule rule = {.variant = json_get_text(rule_json, "variant", ""),
                                   .tf32 = strcmp(report_dtype_name(spec, dtype), "tf32") == 0};
            least_seen l = {.ratio = NAN};
            for (int size = 0; size < spec->size_count; size++)
                look_at_size(model, &rule, op, dtype, size, &l);
            target_cell *cell = l.sizes > 0 ? targets_add_cell(list) : NULL;
            if (l.sizes == 0)
                continue;
            if (cell == NULL)
                return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
            cell->op = op;
            cell->dtype = dtype;
            cell->op_name = spec->name;
            cell->dtype_name = report_dtype_name(spec, dtype);
            cell->figure = names[usual_figure(spec)];
            fill_least(&l, json_get_number(rule_json, "ratio", NAN), usual_figure(spec), cell);
            if (l.own != NULL) {
                const size_t used = strlen(cell->against);
                snprintf(cell->against + used, sizeof cell->against - used, " at %.40s",
                         spec->sizes[l.own->size].name);
            }
        }
    }
    return ASSAY_OK;
}
