/* ncu_summary.md: the verdict, what to try, and each number with its meaning. */
#include "profile/page.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_SHOWN = 10 }; /* all of them are in the details */

typedef struct section {
    const char *title;
    metric_id ids[16]; /* ends with METRIC_COUNT */
} section;

static const section sections[] = {
    {"Speed of light",
     {METRIC_DURATION, METRIC_SM_SOL, METRIC_MEMORY_SOL, METRIC_L1_SOL, METRIC_L2_SOL, METRIC_DRAM_SOL,
      METRIC_SM_MHZ, METRIC_COUNT}},
    {"Memory",
     {METRIC_DRAM_READ, METRIC_DRAM_WRITE, METRIC_L2_BYTES, METRIC_L2_HIT, METRIC_L1_HIT,
      METRIC_LOAD_BYTES_PER_SECTOR, METRIC_STORE_BYTES_PER_SECTOR, METRIC_SHARED_WAVEFRONTS,
      METRIC_SHARED_CONFLICTS, METRIC_LOCAL_LOAD_SECTORS, METRIC_LOCAL_STORE_SECTORS, METRIC_GLOBAL_REQUESTS,
      METRIC_GLOBAL_SECTORS, METRIC_GLOBAL_IDEAL_SECTORS, METRIC_LEAST_SECTORS, METRIC_COUNT}},
    {"Compute",
     {METRIC_IPC, METRIC_INSTRUCTIONS, METRIC_ISSUE_ACTIVE, METRIC_PIPE_TENSOR, METRIC_PIPE_FMA,
      METRIC_PIPE_ALU, METRIC_PIPE_XU, METRIC_PIPE_FP64, METRIC_PIPE_LSU, METRIC_TENSOR_INSTRUCTIONS,
      METRIC_BARRIERS, METRIC_COUNT}},
    {"Occupancy",
     {METRIC_THEORETICAL_OCCUPANCY, METRIC_ACHIEVED_OCCUPANCY, METRIC_WAVES, METRIC_GRID_BLOCKS,
      METRIC_BLOCK_THREADS, METRIC_REGISTERS, METRIC_STATIC_SHARED, METRIC_DYNAMIC_SHARED, METRIC_SPILL_BYTES,
      METRIC_STACK_BYTES, METRIC_ACTIVE_WARPS, METRIC_ELIGIBLE_WARPS, METRIC_COUNT}},
    {"Divergence",
     {METRIC_ACTIVE_THREADS, METRIC_PREDICATED_THREADS, METRIC_BRANCH_EFFICIENCY, METRIC_COUNT}},
};

static void put_verdict(FILE *out, const case_profile *p)
{
    const bottleneck *v = &p->verdict;
    fprintf(out, "**%s%s%s%s**: %s.\n", bottleneck_name(v->kind), *v->part ? " (" : "", v->part,
            *v->part ? ")" : "", v->numbers);
    fprintf(out, "Rule `%s`: %s", v->rule->key, v->rule->condition);
    if (*v->rule->source)
        fprintf(out, " (%s)", v->rule->source);
    fprintf(out, ".\nConfidence %.2f: %s.\n", v->confidence, v->why);
    if (p->launch.count > 1)
        fprintf(out, "The launch has %d kernels; the verdict is of the %s, `%s`.\n", p->launch.count,
                metric_known(&p->main->metrics, METRIC_DURATION) ? "longest"
                                                                 : "one with the most instructions",
                p->main->name);
}

static void put_changes(FILE *out, const case_profile *p)
{
    const bottleneck *v = &p->verdict;
    fputs("\n## What to try\n\n", out);
    if (v->change_count == 0)
        fputs(metric_known(&p->main->metrics, METRIC_SM_SOL)
                  ? "The evidence favours no change: no second gate holds.\n"
                  : "Too little is known to favour a change. On a machine with a GPU and ncu this page has "
                    "counters.\n",
              out);
    for (int i = 0; i < v->change_count; i++) {
        const finding *f = v->changes[i];
        fprintf(out, "%d. %c%s.\n   Because %s: %s", i + 1,
                f->rule->change[0] - ('a' <= f->rule->change[0] && f->rule->change[0] <= 'z' ? 32 : 0),
                f->rule->change + 1, f->rule->means, f->numbers);
        fputs(" [", out);
        page_put_cites(out, f, &p->main->metrics);
        fputs("].", out);
        if (f->line) {
            fputs(" Most of it: ", out);
            page_put_line(out, p, f->line);
            fputc('.', out);
        }
        fputc('\n', out);
    }
}

static void put_position(FILE *out, const case_profile *p)
{
    const position *at = &p->position;
    fputs("\n## Measured position\n\n", out);
    if (!at->result) {
        fputs("No result of this case: `assay bench` measures it.\n", out);
        return;
    }
    fprintf(out,
            "Cold time on %s: %.2f us (an empty kernel: %.2f us), %.4g GB/s and %.4g TFLOP/s of the op's "
            "definition.\n",
            at->device, at->mean_us, at->overhead_us, at->gbs, at->tflops);
    if (isnan(at->memory_percent))
        fputs("The card's ceilings are not measured, so its place on the roofline is not known.\n", out);
    else
        fprintf(out, "Of the measured ceilings: %.1f%% of %.4g GB/s, %.1f%% of %.4g TFLOP/s (%s).\n",
                at->memory_percent, at->peak_gbs, at->compute_percent, at->peak_tflops, at->unit);
    const double moved =
        launch_profile_sum(&p->launch, METRIC_DRAM_READ) + launch_profile_sum(&p->launch, METRIC_DRAM_WRITE);
    if (!isnan(moved) && p->least_bytes > 0.0)
        fprintf(out, "To and from memory went %.4g MB, %.2f times the least that the op needs (%.4g MB).\n",
                moved * 1e-6, moved / p->least_bytes, p->least_bytes * 1e-6);
}

static void put_section(FILE *out, const section *s, const metric_set *set)
{
    char key[48];
    int known = 0;
    for (int i = 0; s->ids[i] < METRIC_COUNT; i++)
        known += metric_known(set, s->ids[i]);
    fprintf(out, "\n## %s\n\n", s->title);
    if (known == 0) {
        fputs("Not known without counters.\n", out);
        return;
    }
    fputs("| | value | meaning | from |\n|---|---|---|---|\n", out);
    for (int i = 0; s->ids[i] < METRIC_COUNT; i++) {
        const metric_id id = s->ids[i];
        if (!metric_known(set, id))
            continue;
        metric_key(id, key);
        fprintf(out, "| %s | ", key);
        page_put_value(out, id, metric_value(set, id));
        fprintf(out, " | %s | %s |\n", metric_get(id)->meaning, metric_origin_name(set->origin[id]));
    }
}

static const metric_set *sorting; /* qsort has no context */

static int by_value(const void *a, const void *b)
{
    const double left = sorting->value[*(const int *)a], right = sorting->value[*(const int *)b];
    return (left < right) - (left > right);
}

static void put_stalls(FILE *out, const metric_set *set)
{
    char key[48];
    int ids[LAST_STALL - FIRST_STALL + 1], count = 0;
    for (int id = FIRST_STALL; id <= LAST_STALL; id++)
        if (metric_known(set, (metric_id)id) && metric_stall_share(set, (metric_id)id) >= 0.005)
            ids[count++] = id;
    sorting = set;
    qsort(ids, (size_t)count, sizeof *ids, by_value);
    fputs("\n## Warp stalls\n\n", out);
    if (count == 0) {
        fputs("Not known without counters.\n", out);
        return;
    }
    fprintf(out, "A warp issues an instruction every ");
    page_put_value(out, METRIC_WARP_CYCLES, metric_value(set, METRIC_WARP_CYCLES));
    fputs(" cycles. Of this time:\n\n| | share | cycles | meaning |\n|---|---|---|---|\n", out);
    for (int i = 0; i < count; i++) {
        metric_key((metric_id)ids[i], key);
        fprintf(out, "| %s | %.1f%% | %.2f | %s |\n", key, 100.0 * metric_stall_share(set, (metric_id)ids[i]),
                metric_value(set, (metric_id)ids[i]), metric_get((metric_id)ids[i])->meaning);
    }
}

char *profile_summary_text(const case_profile *p)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        return NULL;
    fprintf(out, "# Profile of %s\n\n", p->name);
    put_verdict(out, p);
    fprintf(out, "Evidence: %s%s%s.", p->source, *p->launch.note ? ", " : "", p->launch.note);
    if (*p->reason)
        fprintf(out, " No counters: %s.", p->reason);
    fputs(" Times under a profiler rank nothing.\n", out);
    put_changes(out, p);
    put_position(out, p);
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        put_section(out, &sections[i], &p->main->metrics);
        if (strcmp(sections[i].title, "Occupancy") == 0)
            put_stalls(out, &p->main->metrics);
    }
    if (p->main->line_count > 0 && p->main->lines[0].origin == METRIC_COUNTED)
        fputs("\n## Lines\n", out);
    page_put_counted_lines(out, p, p->main, LINES_SHOWN);
    fputs("\nMore in ncu_details.md; the rules are in docs/bottlenecks.md.\n", out);
    return fclose(out) == 0 ? text : NULL;
}
