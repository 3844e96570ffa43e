/* See page.h. */
#include "profile/page.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A number of three or four digits with the prefix that suits it. */
static void put_scaled(FILE *out, double value, const char *const *units, int count)
{
    int unit = 0;
    while (unit + 1 < count && fabs(value) >= 999.95) {
        value /= 1000.0;
        unit++;
    }
    fprintf(out,
            fabs(value) >= 100.0  ? "%.0f %s"
            : fabs(value) >= 10.0 ? "%.1f %s"
                                  : "%.2f %s",
            value, units[unit]);
}

void page_put_value(FILE *out, metric_id id, double value)
{
    static const char *const bytes[] = {"bytes", "kB", "MB", "GB", "TB"},
                             *const times[] = {"ns", "us", "ms", "s"},
                             *const clocks[] = {"Hz", "kHz", "MHz", "GHz"};
    if (isnan(value)) {
        fputs("not known", out);
        return;
    }
    switch (metric_get(id)->unit) {
    case METRIC_IN_PERCENT:
        fprintf(out, "%.1f%%", value);
        break;
    case METRIC_IN_BYTES:
        put_scaled(out, value, bytes, 5);
        break;
    case METRIC_IN_NANOSECONDS:
        put_scaled(out, value, times, 4);
        break;
    case METRIC_IN_HERTZ:
        put_scaled(out, value, clocks, 4);
        break;
    default:
        fprintf(out, value == floor(value) && fabs(value) < 1e15 ? "%.0f" : "%.4g", value);
    }
}

void page_put_line(FILE *out, const case_profile *p, const profile_line *line)
{
    if (!line)
        return;
    const size_t root = strlen(p->ws->source);
    const char *file = line->file;
    if (root > 0 && strncmp(file, p->ws->source, root) == 0 && file[root] == '/')
        file += root + 1;
    else if (strstr(file, "/ops/"))
        file = strstr(file, "/ops/") + 1; /* compiled on another machine */
    if (line->line > 0)
        fprintf(out, "%s:%d `", file, line->line);
    else
        fputs("`", out);
    for (const char *at = line->text; *at && at - line->text < 90; at++)
        fputc(*at == '`' || *at == '|' ? '\'' : *at, out);
    fputs("`", out);
}

void page_put_cites(FILE *out, const finding *f, const metric_set *set)
{
    char key[48];
    const char *between = "";
    for (int i = 0; i < FINDING_CITES; i++) {
        const metric_id id = f->rule->cites[i];
        if (id >= METRIC_COUNT || !metric_known(set, id))
            continue;
        metric_key(id, key);
        fprintf(out, "%s%s ", between, key);
        page_put_value(out, id, metric_value(set, id));
        between = ", ";
    }
}

static int by_instructions(const void *a, const void *b)
{
    const profile_line *left = *(const profile_line *const *)a, *right = *(const profile_line *const *)b;
    const double difference = right->instructions - left->instructions;
    return difference != 0.0 ? (difference > 0.0) - (difference < 0.0) : left->line - right->line;
}

void page_put_counted_lines(FILE *out, const case_profile *p, const profiled_kernel *k, int most)
{
    const profile_line **sorted = malloc((size_t)(k->line_count + 1) * sizeof *sorted);
    double all = 0.0;
    if (!sorted || k->line_count == 0 || k->lines[0].origin != METRIC_COUNTED) {
        free(sorted);
        return;
    }
    for (int i = 0; i < k->line_count; i++) {
        sorted[i] = &k->lines[i];
        all += k->lines[i].instructions;
    }
    qsort(sorted, (size_t)k->line_count, sizeof *sorted, by_instructions);
    fputs("\nWhat its lines did, counted and not sampled:\n\n| instructions | share | extra sectors | extra "
          "wavefronts | divergent branches | line |\n|---|---|---|---|---|---|\n",
          out);
    for (int i = 0; i < k->line_count && i < most; i++) {
        const profile_line *l = sorted[i];
        fprintf(out, "| %.0f | %.1f%% | %.0f | %.0f | %.0f | ", l->instructions,
                all > 0.0 ? 100.0 * l->instructions / all : 0.0, l->excess_sectors, l->excess_wavefronts,
                l->divergent);
        page_put_line(out, p, l);
        fputs(" |\n", out);
    }
    free(sorted);
}
