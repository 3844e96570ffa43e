/* ncu_details.md: every kernel with every metric under ncu's names, ncu's own rules, all second gates, lines and the compiler's report. */
#include "profile/page.h"
#include "core/json_file.h"
#include "resources/resources.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_SHOWN = 15 };

static void put_kernel_table(FILE *out, const case_profile *p)
{
    const double all = launch_profile_sum(&p->launch, METRIC_DURATION);
    fputs("| kernel | grid | block | time | share |\n|---|---|---|---|---|\n", out);
    for (int i = 0; i < p->launch.count; i++) {
        const profiled_kernel *k = &p->launch.kernels[i];
        fprintf(out, "| `%.120s` | %s | %s | ", k->name, k->grid, k->block);
        page_put_value(out, METRIC_DURATION, metric_value(&k->metrics, METRIC_DURATION));
        if (all > 0.0)
            fprintf(out, " | %.0f%% |\n", 100.0 * metric_value(&k->metrics, METRIC_DURATION) / all);
        else
            fputs(" | |\n", out);
    }
}

static void put_findings(FILE *out, const case_profile *p)
{
    fputs("\n## Second gates that hold\n\n", out);
    if (p->verdict.finding_count == 0)
        fputs("None.\n", out);
    for (int i = 0; i < p->verdict.finding_count; i++) {
        const finding *f = &p->verdict.findings[i];
        fprintf(out, "- `%s` (%.2f): %s: %s [", f->rule->key, f->severity, f->rule->means, f->numbers);
        page_put_cites(out, f, &p->main->metrics);
        fprintf(out, "]. Source of the rule: %s.", f->rule->source);
        if (f->line) {
            fputs(" Line: ", out);
            page_put_line(out, p, f->line);
        }
        fputc('\n', out);
    }
}

static void put_metrics(FILE *out, const profiled_kernel *k)
{
    char key[48];
    fputs("\n| | value | ncu's name | from |\n|---|---|---|---|\n", out);
    for (int id = 0; id < METRIC_COUNT; id++) {
        if (!metric_known(&k->metrics, (metric_id)id))
            continue;
        metric_key((metric_id)id, key);
        fprintf(out, "| %s | ", key);
        page_put_value(out, (metric_id)id, metric_value(&k->metrics, (metric_id)id));
        fprintf(out, " | %s | %s |\n", metric_get((metric_id)id)->raw,
                metric_origin_name(k->metrics.origin[id]));
    }
    fputs("\nNot known:", out);
    for (int id = 0; id < METRIC_COUNT; id++)
        if (!metric_known(&k->metrics, (metric_id)id)) {
            metric_key((metric_id)id, key);
            fprintf(out, " %s", key);
        }
    fputs("\n", out);
}

static void put_rules(FILE *out, const profiled_kernel *k)
{
    if (k->rule_count)
        fputs("\nncu's own rules:\n\n", out);
    for (int i = 0; i < k->rule_count; i++) {
        fprintf(out, "- %s, %s: %s", k->rules[i].section, k->rules[i].type, k->rules[i].text);
        if (!isnan(k->rules[i].speedup))
            fprintf(out, " (estimated speedup %.0f%%)", k->rules[i].speedup);
        fputc('\n', out);
    }
}

static int by_samples(const void *a, const void *b)
{
    const profile_line *left = *(const profile_line *const *)a, *right = *(const profile_line *const *)b;
    const double difference = right->samples - left->samples;
    return difference != 0.0 ? (difference > 0.0) - (difference < 0.0) : left->line - right->line;
}

/* "long_scoreboard 62%, wait 12%" of a line's samples. */
static void put_line_stalls(FILE *out, const profile_line *line)
{
    int top = -1;
    for (int i = 0; i <= LAST_STALL - FIRST_STALL; i++)
        if (line->stalls[i] > (top < 0 ? 0.0 : line->stalls[top]))
            top = i;
    if (top >= 0)
        fprintf(out, "%s %.0f%%", metric_get((metric_id)(FIRST_STALL + top))->key + strlen("STALL_"),
                100.0 * line->stalls[top] / fmax(line->samples, 1.0));
}

static void put_lines(FILE *out, const case_profile *p, const profiled_kernel *k)
{
    const profile_line **sorted = malloc((size_t)(k->line_count + 1) * sizeof *sorted);
    double all = 0.0;
    if (!sorted || k->line_count == 0 || k->lines[0].origin == METRIC_COUNTED) {
        free(sorted);
        page_put_counted_lines(out, p, k, k->line_count);
        return;
    }
    for (int i = 0; i < k->line_count; i++) {
        sorted[i] = &k->lines[i];
        all += k->lines[i].samples;
    }
    qsort(sorted, (size_t)k->line_count, sizeof *sorted, by_samples);
    fputs("\nWhere its warps were, by samples:\n\n| samples | mostly | instructions | extra sectors | extra "
          "wavefronts | line |\n"
          "|---|---|---|---|---|---|\n",
          out);
    for (int i = 0; i < k->line_count && i < LINES_SHOWN; i++) {
        fprintf(out, "| %.1f%% | ", all > 0.0 ? 100.0 * sorted[i]->samples / all : 0.0);
        put_line_stalls(out, sorted[i]);
        fprintf(out, " | %.3g | %.3g | %.3g | ", sorted[i]->instructions, sorted[i]->excess_sectors,
                sorted[i]->excess_wavefronts);
        page_put_line(out, p, sorted[i]);
        fputs(" |\n", out);
    }
    free(sorted);
}

/* "global_load 32:4 128:8, fma 64" */
static void put_mix(FILE *out, const json_t *mix)
{
    const char *class, *key, *between = "";
    json_t *value, *inner;
    json_object_foreach((json_t *)mix, class, value)
    {
        fprintf(out, "%s%s", between, class);
        between = ", ";
        if (json_is_integer(value))
            fprintf(out, " %lld", (long long)json_integer_value(value));
        json_object_foreach(value, key, inner)
            fprintf(out, " %s:%lld", key, (long long)json_integer_value(inner));
    }
}

static void put_compiler(FILE *out, const position *at)
{
    size_t index;
    json_t *kernel;
    const json_t *kernels = json_object_get(resources_of_arch(at->resources, at->arch), "kernels");
    fputs("\n## Compiler's report\n\n", out);
    if (json_array_size(kernels) == 0)
        fputs("None: no CUDA module of this case was built here.\n", out);
    json_array_foreach(kernels, index, kernel)
    {
        fprintf(out,
                "- `%s` (%s): %.0f registers, %.0f bytes of spill instructions, %.0f bytes stack, %.0f bytes "
                "shared",
                json_get_text(kernel, "name", "?"), at->arch, json_get_number(kernel, "registers", NAN),
                json_get_number(kernel, "spill_store_bytes", NAN) +
                    json_get_number(kernel, "spill_load_bytes", NAN),
                json_get_number(kernel, "stack_bytes", NAN),
                json_get_number(kernel, "static_shared_bytes", NAN));
        if (json_is_object(json_object_get(kernel, "instructions"))) {
            fputs("; instructions in the code: ", out);
            put_mix(out, json_object_get(kernel, "instructions"));
        }
        fputc('\n', out);
    }
}

char *profile_details_text(const case_profile *p)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        return NULL;
    fprintf(out, "# Details of the profile of %s\n\n", p->name);
    put_kernel_table(out, p);
    put_findings(out, p);
    for (int i = 0; i < p->launch.count; i++) {
        const profiled_kernel *k = &p->launch.kernels[i];
        fprintf(out, "\n## Kernel `%.120s`\n", k->name);
        put_metrics(out, k);
        put_rules(out, k);
        put_lines(out, p, k);
    }
    put_compiler(out, &p->position);
    if (p->launch.unusable)
        fprintf(out, "\n%d values that ncu printed were no numbers; the metrics are listed as not known.\n",
                p->launch.unusable);
    if (*p->launch.complaint)
        fprintf(out, "\nncu said: %s\n", p->launch.complaint);
    return fclose(out) == 0 ? text : NULL;
}
