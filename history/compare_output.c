/* Text of a comparison: see compare_output.h. */
#include "history/compare_output.h"
#include "history/compare_output_internal.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct text_job {
    const compare_report *report;
    int all, explain, width;
    FILE *out;
} text_job;

static const char *row_label(const compare_case *c)
{
    return c->verdict == COMPARE_INCONCLUSIVE ? "same?"
                                              : compare_verdict_word(c->verdict, c->counted != NULL);
}

/* What a reader asks for who did not ask for all: what changed, or may have. */
static int is_news(const compare_case *c)
{
    const double m = 1.0 + c->minimum_effect;
    return c->verdict == COMPARE_SLOWER || c->verdict == COMPARE_FASTER ||
           (c->verdict == COMPARE_INCONCLUSIVE && !c->unchanged &&
            (c->ratio.ratio >= m || c->ratio.ratio <= 1.0 / m));
}

static void print_times(const compare_case *c, FILE *out)
{
    char base[32], changed[32], change[32];
    compare_format_case_value(c, c->base_us, base, sizeof base);
    compare_format_case_value(c, c->new_us, changed, sizeof changed - 4);
    strcat(changed, c->counted ? "" : " us");
    compare_format_change(c->ratio.ratio, change, sizeof change);
    fprintf(out, "  %6s -> %-9s %6s", base, changed, change);
    if (!c->counted)
        fprintf(out, " (95%%: %+.1f to %+.1f)", 100 * (c->ratio.low95 - 1), 100 * (c->ratio.high95 - 1));
}

static void print_row(const text_job *job, const compare_case *c)
{
    char name[400], evidence[800];
    compare_case_name(c, " ", name, sizeof name);
    fprintf(job->out, "%-8s %-*s", row_label(c), job->width, name);
    if (isfinite(c->ratio.ratio) || c->counted)
        print_times(c, job->out);
    fprintf(job->out, "%s%s\n", c->reason[0] ? "  " : "", c->reason);
    if (!job->explain)
        return;
    compare_evidence(c, "\n         ", evidence, sizeof evidence);
    if (evidence[0])
        fprintf(job->out, "         %s\n", evidence);
}

static int is_listed(const text_job *job, const compare_case *c)
{
    return job->all || is_news(c);
}

static int print_rows(text_job *job)
{
    int rows = 0;
    for (int i = 0; i < job->report->count; i++) {
        char name[400];
        compare_case_name(&job->report->cases[i], " ", name, sizeof name);
        if (is_listed(job, &job->report->cases[i]) && (int)strlen(name) > job->width)
            job->width = (int)strlen(name);
    }
    for (int v = 0; v < COMPARE_VERDICTS; v++)
        for (int i = 0; i < job->report->count; i++) {
            const compare_case *c = &job->report->cases[i];
            if ((int)c->verdict != v || !is_listed(job, c))
                continue;
            print_row(job, c);
            rows++;
        }
    return rows;
}

/* Cases of one verdict with one reason are one line; the first of them stands for all. */
static int print_reasons(const text_job *job, compare_verdict verdict)
{
    const compare_report *report = job->report;
    int lines = 0;
    for (int i = 0; i < report->count; i++) {
        const compare_case *c = &report->cases[i];
        int earlier = 0, count = 0;
        for (int k = 0; c->verdict == verdict && k < report->count; k++) {
            const int alike =
                report->cases[k].verdict == verdict && strcmp(report->cases[k].reason, c->reason) == 0;
            earlier += alike && k < i;
            count += alike;
        }
        if (count == 0 || earlier > 0)
            continue;
        char name[400];
        compare_case_name(c, " ", name, sizeof name);
        fprintf(job->out, "%-8s %s", compare_verdict_name(verdict), name);
        if (count > 1)
            fprintf(job->out, " and %d more", count - 1);
        fprintf(job->out, ": %s\n", c->reason);
        lines++;
    }
    return lines;
}

/* One line for all that moved though nothing of it changed: the machine is one cause, not so many. */
static int print_machine(const text_job *job)
{
    const compare_report *report = job->report;
    const compare_case *most = NULL;
    double low = INFINITY, high = -INFINITY;
    char words[120];
    for (int i = 0; i < report->count; i++) {
        const compare_case *c = &report->cases[i];
        if (c->verdict != COMPARE_MACHINE)
            continue;
        low = fmin(low, c->ratio.ratio), high = fmax(high, c->ratio.ratio);
        if (!most || fabs(log(c->ratio.ratio)) > fabs(log(most->ratio.ratio)))
            most = c;
    }
    if (!most)
        return 0;
    compare_machine(&most->base_machine, &most->new_machine, words, sizeof words);
    fprintf(
        job->out,
        "machine  %d case%s moved with the machine, %+.1f%% to %+.1f%%, with the same code, card, driver and "
        "method%s%s\n",
        report->verdicts[COMPARE_MACHINE], report->verdicts[COMPARE_MACHINE] == 1 ? "" : "s", 100 * (low - 1),
        100 * (high - 1), words[0] ? ": " : "", words);
    return 1;
}

/* Times that were slower and fail nothing, so that the exit status is understood. */
static int count_ungated(const compare_report *report)
{
    int count = 0;
    for (int i = 0; i < report->count; i++)
        count += report->cases[i].verdict == COMPARE_SLOWER && !report->cases[i].gates;
    return count;
}

static void write_text(const compare_report *report, int all, int explain, FILE *out)
{
    char summary[256];
    text_job job = {report, all, explain, 0, out};
    fprintf(out, "base: %s\nnew:  %s\n\n", report->base_label, report->new_label);
    int lines = print_rows(&job);
    if (!all)
        lines +=
            print_machine(&job) + print_reasons(&job, COMPARE_REFUSED) + print_reasons(&job, COMPARE_NOT_OK);
    compare_summary(report, summary, sizeof summary);
    fprintf(out, "%s%s\n", lines ? "\n" : "", summary);
    if (count_ungated(report) > 0)
        fprintf(out, "Times of the CPU device fail no comparison; counted work does.\n");
    if (!all && report->count > lines)
        fprintf(out, "--all lists every case, --explain adds the evidence.\n");
}

void compare_write(const compare_report *report, compare_format format, int all, int explain, FILE *out)
{
    switch (format) {
    case COMPARE_TEXT:
        write_text(report, all, explain, out);
        return;
    case COMPARE_MARKDOWN:
        compare_write_markdown(report, all, out);
        return;
    case COMPARE_JSON:
        compare_write_json(report, out);
        return;
    case COMPARE_JUNIT:
        compare_write_junit(report, out);
        return;
    }
}
