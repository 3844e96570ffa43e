/* The words that all outputs of a comparison share: see compare_output_internal.h. */
#include "history/compare.h"
#include "history/compare_output_internal.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void compare_case_name(const compare_case *c, const char *between, char *out, size_t bytes)
{
    char name[ASSAY_NAME_MAX + 16];
    const char *what = c->counted ? c->counted : c->mode != TIMING_COLD ? timing_mode_name(c->mode) : "";
    result_full_name(&c->id, name, sizeof name);
    snprintf(out, bytes, "%s%s%s%s%s%s%s%s%s", c->id.op, between, name, between,
             assay_dtype_name(c->id.dtype), between, c->id.size, what[0] ? " " : "", what);
}

const char *compare_verdict_word(compare_verdict verdict, int counted)
{
    return counted && verdict == COMPARE_SLOWER   ? "more"
           : counted && verdict == COMPARE_FASTER ? "fewer"
                                                  : compare_verdict_name(verdict);
}

/* Of a comparison of counts alone. */
static int all_counted(const compare_report *report)
{
    int counted = 0, timed = 0;
    for (int i = 0; i < report->count; i++)
        if (report->cases[i].verdict <= COMPARE_MACHINE)
            *(report->cases[i].counted ? &counted : &timed) += 1;
    return counted > 0 && timed == 0;
}

void compare_format_case_value(const compare_case *c, double value, char *out, size_t bytes)
{
    const int digits = c->counted || value >= 99.95 ? 0 : value < 9.995 ? 2 : 1;
    snprintf(out, bytes, isfinite(value) ? "%.*f" : "-", digits, value);
}

void compare_format_change(double ratio, char *out, size_t bytes)
{
    snprintf(out, bytes, isfinite(ratio) ? "%+.1f%%" : "-", 100.0 * (ratio - 1.0));
}

void compare_summary(const compare_report *report, char *out, size_t bytes)
{
    size_t used = 0;
    const int counted = all_counted(report);
    out[0] = '\0';
    for (int v = 0; v < COMPARE_VERDICTS && used < bytes; v++)
        if (report->verdicts[v] > 0 || v <= (counted ? COMPARE_SAME : COMPARE_INCONCLUSIVE))
            used += (size_t)snprintf(out + used, bytes - used, "%s%d %s",
                                     used == 0              ? ""
                                     : v == COMPARE_MISSING ? "; "
                                                            : ", ",
                                     report->verdicts[v], compare_verdict_word((compare_verdict)v, counted));
    if (report->unusable > 0 && used < bytes)
        snprintf(out + used, bytes - used, ", %d result files unusable", report->unusable);
}

typedef struct item_list {
    char *out;
    size_t bytes;
    const char *between;
} item_list;

static void add_item(const item_list *list, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add_item(const item_list *list, const char *format, ...)
{
    va_list values;
    size_t used = strlen(list->out);
    if (used > 0)
        used += (size_t)snprintf(list->out + used, list->bytes - used, "%s", list->between);
    if (used + 1 >= list->bytes)
        return;
    va_start(values, format);
    vsnprintf(list->out + used, list->bytes - used, format, values);
    va_end(values);
}

void compare_machine(const machine_state *base, const machine_state *changed, char *out, size_t bytes)
{
    const item_list list = {out, bytes, ", "};
    out[0] = '\0';
    if (isfinite(base->load) && isfinite(changed->load))
        add_item(&list, "load %.1f -> %.1f", base->load, changed->load);
    if (isfinite(base->sm_mhz) && isfinite(changed->sm_mhz))
        add_item(&list, "SM clock %.0f -> %.0f MHz", base->sm_mhz, changed->sm_mhz);
}

static void add_corrections(const compare_case *c, const item_list *list)
{
    if (c->relative_to[0])
        add_item(list, "relative to %s, %.3f -> %.3f of its time", c->relative_to, c->base_relative,
                 c->new_relative);
    if (c->overhead_corrected)
        add_item(list, "overhead-corrected: a launch takes %.2f -> %.2f us", c->base_overhead_us,
                 c->new_overhead_us);
    if (c->controls > 0)
        add_item(list, "without %+.2f us that %d unchanged kernel%s moved by", c->shift_us, c->controls,
                 c->controls == 1 ? "" : "s");
}

void compare_evidence(const compare_case *c, const char *between, char *out, size_t bytes)
{
    const item_list list = {out, bytes, between};
    char machine[120];
    out[0] = '\0';
    if (isfinite(c->p_adjusted))
        add_item(&list, "p %.2g, %.2g adjusted, Cliff's delta %+.2f; %.1f%% matter", c->p, c->p_adjusted,
                 c->test.delta, 100 * c->minimum_effect);
    if (c->base_runs > 0)
        add_item(&list, "%d -> %d repetitions in %d -> %d runs%s", c->base_repetitions, c->new_repetitions,
                 c->base_runs, c->new_runs, c->same_card ? " on one card" : "");
    add_corrections(c, &list);
    if (c->repeated)
        add_item(&list, "%d repeat%s", c->repeated, c->repeated == 1 ? "" : "s");
    compare_machine(&c->base_machine, &c->new_machine, machine, sizeof machine);
    if (machine[0])
        add_item(&list, "%s", machine);
}
