/* Counts against what op.json allows: see budget.h. */
#include "counts/budget.h"
#include "resources/resources.h"
#include <math.h>

/* A limit is typed with a few digits: what agrees with it to that many is not over it. */
static const double digits = 1e-6;

assay_status counts_budget_read(const workspace_op *op, const char *variant, json_t **budget,
                                assay_error *error)
{
    json_t *all;
    const assay_status status = resources_read_budget(op, variant, &all, error);
    *budget = status == ASSAY_OK ? json_incref(json_object_get(all, "counts")) : NULL;
    json_decref(all);
    return status;
}

/* What a line adds to a figure; for the one that exceeds it. */
static double of_line(const ptx_line *l, counts_figure figure)
{
    switch (figure) {
    case COUNTS_INSTRUCTIONS_PER_ELEMENT:
        return (double)l->instructions;
    case COUNTS_SECTORS_PER_REQUEST:
        return (double)l->global_sectors - (double)l->global_ideal;
    case COUNTS_SHARED_CONFLICTS:
        return (double)(l->shared_wavefronts - l->shared_ideal);
    case COUNTS_BARRIERS_PER_WARP:
        return (double)l->barriers;
    default:
        return (double)l->divergent;
    }
}

static void find_line(const case_counts *counts, counts_figure figure, counts_excess *excess)
{
    double most = 0;
    for (int k = 0; k < counts->count; k++)
        for (size_t i = 0; i < counts->kernels[k].of.line_count; i++) {
            const ptx_line *l = &counts->kernels[k].lines[i];
            const double value = of_line(l, figure);
            if (value > most) {
                most = value;
                excess->file = l->file;
                excess->line = l->line;
            }
        }
}

int counts_budget_check(const case_counts *counts, const json_t *budget, const char *dtype,
                        void (*each)(void *context, const counts_excess *excess), void *context, int *checked)
{
    int count = 0;
    *checked = 0;
    for (int f = 0; f < COUNTS_FIGURES; f++) {
        counts_excess excess = {.limit = counts_figure_names[f]};
        const json_t *own = json_object_get(json_object_get(budget, dtype), excess.limit);
        const json_t *limit = own ? own : json_object_get(budget, excess.limit);
        if (!limit)
            continue;
        (*checked)++;
        excess.value = counts_figure_of(counts, (counts_figure)f);
        excess.budget = json_number_value(limit);
        if (isnan(excess.value) || excess.value <= excess.budget * (1 + digits))
            continue;
        count++;
        find_line(counts, (counts_figure)f, &excess);
        each(context, &excess);
    }
    return count;
}

static double round_up(double value)
{
    return ceil(value * 100) / 100;
}

json_t *counts_budget_propose(const case_counts *counts)
{
    json_t *out = json_object();
    for (int f = 0; f < COUNTS_FIGURES; f++) {
        const double value = counts_figure_of(counts, (counts_figure)f);
        if (isnan(value))
            continue;
        const double limit = f == COUNTS_INSTRUCTIONS_PER_ELEMENT ? round_up(value * 9 / 8) : round_up(value);
        json_object_set_new(out, counts_figure_names[f],
                            limit == floor(limit) ? json_integer((json_int_t)limit) : json_real(limit));
    }
    return out;
}
