/* How kernels stand against the best baselines, for the command that timed them; the rules are those of report_rows.h. */
#include "core/list.h"
#include "report/report.h"
#include "report/report_load.h"
#include "report/report_summary.h"
#include "report/report_text.h"
#include <string.h>

/* A kernel whose time counts at a size. */
static int counts(const report_rows *rows, int row, int size)
{
    const report_entry *entry = rows->row[row].entries[size];
    return rows->row[row].kind == RESULT_VARIANT && report_has_time(entry, rows->mode) &&
           entry->state == STATE_TIMED && !entry->times[rows->mode].above_roofline;
}

static void print_tie(const report_model *model, const report_entry *own, const report_entry *baseline,
                      FILE *ties)
{
    char name[256], us[64], other_us[64];
    text_case(name, sizeof name, model, own);
    text_us(us, sizeof us, own->times[TIMING_COLD].mean_us);
    text_us(other_us, sizeof other_us, baseline->times[TIMING_COLD].mean_us);
    fprintf(ties, "  tie: %s %s us, %s%s %s us\n", name, us, RESULT_BASELINE_PREFIX, baseline->name,
            other_us);
}

/* One op, dtype and size. */
static void stand(const report_model *model, const report_rows *rows, int size, const char *variants,
                  FILE *ties, report_standings *out)
{
    const report_entry *fastest = NULL;
    for (int i = 0; i < rows->count; i++) {
        const report_entry *own = rows->row[i].entries[size];
        if (!counts(rows, i, size) || !list_selects_variant(variants, own->name))
            continue;
        if (!fastest || own->times[rows->mode].mean_us < fastest->times[rows->mode].mean_us)
            fastest = own;
        const report_entry *baseline = report_best_baseline(rows, own);
        if (ties && baseline && report_is_tie(own, baseline, rows->mode))
            print_tie(model, own, baseline, ties);
    }
    const report_entry *baseline = fastest ? report_best_baseline(rows, fastest) : NULL;
    const report_outcome outcome =
        baseline ? report_outcome_at(fastest, baseline, rows->mode) : REPORT_NOT_JUDGED;
    out->wins += outcome == REPORT_WIN;
    out->ties += outcome == REPORT_TIE;
    out->losses += outcome == REPORT_LOSS;
}

assay_status report_stand(const workspace *ws, const char *results_dir, const case_filter *filter, FILE *ties,
                          report_standings *out, assay_error *error)
{
    report_model model = {0};
    *out = (report_standings){0};
    const assay_status status = report_model_read(ws, results_dir, &model, error);
    for (int o = 0; status == ASSAY_OK && o < ws->op_count; o++) {
        const opspec *spec = ws->ops[o].spec;
        for (int d = 0; list_selects(filter->ops, spec->name) && d < spec->dtype_count; d++) {
            report_rows rows;
            if (!list_selects(filter->dtypes, report_dtype_name(spec, d)))
                continue;
            report_rows_build(&model, o, d, TIMING_COLD, &rows);
            for (int s = 0; s < rows.sizes; s++)
                if (list_selects(filter->sizes, spec->sizes[s].name))
                    stand(&model, &rows, s, filter->variants, ties, out);
        }
    }
    report_model_release(&model);
    summary_success_text(&(report_summary){.wins = out->wins, .ties = out->ties, .losses = out->losses},
                         out->text, sizeof out->text);
    return status;
}
