/* Markdown and JUnit of a comparison: see compare_output.h. */
#include "history/compare_output_internal.h"
#include <math.h>
#include <string.h>

/* A cell must not end its row or begin markup, nor mention a person where the text becomes a comment. */
static void put_cell(const char *text, FILE *out)
{
    for (; *text; text++) {
        if (strchr("|<`*_[\\", *text))
            fputc('\\', out);
        fputc(*text, out);
        if (*text == '@')
            fputs("\u200b", out); /* a space of no width */
    }
}

/* What is set as code knows no escapes, and a backtick ends it. */
static void put_code(const char *text, FILE *out)
{
    fputc('`', out);
    for (; *text; text++)
        fputc(*text == '`' ? '\'' : *text, out);
    fputc('`', out);
}

static void put_row(const compare_case *c, FILE *out)
{
    char name[400], text[32], low[32], high[32], evidence[800];
    compare_case_name(c, ".", name, sizeof name);
    fprintf(out, "| %s | ", compare_verdict_word(c->verdict, c->counted != NULL));
    put_cell(name, out);
    compare_format_case_value(c, c->base_us, text, sizeof text);
    fprintf(out, " | %s", text);
    compare_format_case_value(c, c->new_us, text, sizeof text);
    fprintf(out, " | %s", text);
    compare_format_change(c->ratio.ratio, text, sizeof text);
    compare_format_change(c->ratio.low95, low, sizeof low);
    compare_format_change(c->ratio.high95, high, sizeof high);
    fprintf(out, " | %s | ", text);
    fprintf(out, isfinite(c->ratio.ratio) ? "%s to %s" : "-", low, high);
    fprintf(out, isfinite(c->p_adjusted) ? " | %.2g | " : " |  | ", c->p_adjusted);
    compare_evidence(c, "; ", evidence, sizeof evidence);
    put_cell(c->reason, out);
    fputs(c->reason[0] && evidence[0] ? "; " : "", out);
    put_cell(evidence, out);
    fputs(" |\n", out);
}

/* Rows with verdicts first ... last; 0 rows print nothing. */
static void put_table(const compare_report *report, compare_verdict first, compare_verdict last, FILE *out)
{
    int rows = 0;
    for (int v = (int)first; v <= (int)last; v++)
        for (int i = 0; i < report->count; i++) {
            if ((int)report->cases[i].verdict != v)
                continue;
            if (rows++ == 0)
                fputs("| verdict | case | base us | new us | change | 95% interval | p | evidence |\n"
                      "|---|---|--:|--:|--:|---|--:|---|\n",
                      out);
            put_row(&report->cases[i], out);
        }
    if (rows)
        fputc('\n', out);
}

void compare_write_markdown(const compare_report *report, int all, FILE *out)
{
    char summary[256];
    compare_summary(report, summary, sizeof summary);
    fprintf(out, "### %s\n\n%s. Base: ", report->failed ? "Confirmed slowdowns" : "No confirmed slowdown",
            summary);
    put_code(report->base_label, out);
    fputs(", new: ", out);
    put_code(report->new_label, out);
    fputs(".\n\n", out);
    put_table(report, COMPARE_SLOWER, COMPARE_FASTER, out);
    if (report->verdicts[COMPARE_INCONCLUSIVE] + report->verdicts[COMPARE_MACHINE] +
            report->verdicts[COMPARE_REFUSED] + report->verdicts[COMPARE_NOT_OK] +
            report->verdicts[COMPARE_MISSING] + report->verdicts[COMPARE_NEW] >
        0) {
        fputs("<details><summary>Not decided or not compared</summary>\n\n", out);
        put_table(report, COMPARE_INCONCLUSIVE, COMPARE_NEW, out);
        fputs("</details>\n\n", out);
    }
    if (all && report->verdicts[COMPARE_SAME] > 0) {
        fputs("<details><summary>Unchanged</summary>\n\n", out);
        put_table(report, COMPARE_SAME, COMPARE_SAME, out);
        fputs("</details>\n", out);
    }
}

/* `text` is UTF-8 without control characters, as compare_sets() leaves it. */
static void put_xml(const char *text, FILE *out)
{
    for (; *text; text++)
        switch (*text) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        default: /* XML 1.0 has no U+FFFE and U+FFFF */
            if (strncmp(text, "\xef\xbf\xbe", 3) == 0 || strncmp(text, "\xef\xbf\xbf", 3) == 0) {
                fputc('?', out);
                text += 2;
            } else
                fputc(*text, out);
        }
}

static void put_case(const compare_case *c, FILE *out)
{
    char name[400], change[32], low[32], high[32];
    compare_case_name(c, ".", name, sizeof name);
    fputs("  <testcase classname=\"compare.", out);
    put_xml(c->id.op, out);
    fputs("\" name=\"", out);
    put_xml(name, out);
    fprintf(out, "\" time=\"%.9f\">", isfinite(c->new_us) ? c->new_us * 1e-6 : 0.0);
    compare_format_change(c->ratio.ratio, change, sizeof change);
    compare_format_change(c->ratio.low95, low, sizeof low);
    compare_format_change(c->ratio.high95, high, sizeof high);
    if (c->fails) {
        fprintf(out, "<failure type=\"%s\" message=\"%s, 95%% interval %s to %s\"/>",
                compare_verdict_name(c->verdict), change, low, high);
    } else if (c->verdict > COMPARE_MACHINE) {
        fprintf(out, "<skipped message=\"%s%s", compare_verdict_name(c->verdict), c->reason[0] ? ": " : "");
        put_xml(c->reason, out);
        fputs("\"/>", out);
    } else {
        fprintf(out, "<system-out>%s, %s, 95%% interval %s to %s%s", compare_verdict_name(c->verdict), change,
                low, high, c->reason[0] ? ": " : "");
        put_xml(c->reason, out);
        fputs("</system-out>", out);
    }
    fputs("</testcase>\n", out);
}

void compare_write_junit(const compare_report *report, FILE *out)
{
    const int skipped = report->count - report->compared;
    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n <testsuite name=\"assay compare\" "
            "tests=\"%d\" failures=\"%d\" errors=\"0\" skipped=\"%d\">\n",
            report->count, report->failed, skipped);
    for (int i = 0; i < report->count; i++)
        put_case(&report->cases[i], out);
    fputs(" </testsuite>\n</testsuites>\n", out);
}
