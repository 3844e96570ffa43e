/* The table on the terminal and JSON: see report.h. */
#include "core/json_file.h"
#include "report/report_text.h"
#include "sweep/report.h"
#include <math.h>
#include <string.h>

void sweep_ratio_text(char *out, size_t bytes, double ratio)
{
    if (ratio < 0.1)
        snprintf(out, bytes, "%.2gx", ratio);
    else
        text_ratio(out, bytes, ratio);
}

static void print_counts(const sweep_line *line, FILE *to)
{
    fprintf(to, "%d right", line->right);
    if (line->wrong > 0)
        fprintf(to, ", %d WRONG", line->wrong);
    if (line->refused > 0)
        fprintf(to, ", %d refused", line->refused);
    if (line->left > 0)
        fprintf(to, ", %d left", line->left);
}

static void print_wrong(const sweep_outcome *out, FILE *to)
{
    char shape[256];
    for (int i = 0; i < out->count; i++) {
        const sweep_case *c = &out->cases[i];
        if (c->status != SWEEP_WRONG)
            continue;
        shape_text(out->shapes->shapes[c->shape].shape, shape, sizeof shape);
        fprintf(to, "WRONG  %s %s %s  %s\n       %s\n       %s\n", out->op->spec->name, c->variant,
                assay_dtype_name(c->dtype), shape, c->reason, c->command);
    }
}

static void print_line(const sweep_line *line, int timed, FILE *to)
{
    char text[4][32];
    sweep_ratio_text(text[0], sizeof text[0], line->minimum);
    sweep_ratio_text(text[1], sizeof text[1], line->p10);
    sweep_ratio_text(text[2], sizeof text[2], line->median);
    sweep_ratio_text(text[3], sizeof text[3], line->geomean);
    fprintf(to, "%-24s %-5s %6d", line->variant, assay_dtype_name(line->dtype), line->shapes);
    if (timed)
        fprintf(to, "  %8s %8s %8s %8s", text[0], text[1], text[2], text[3]);
    fputs("  ", to);
    print_counts(line, to);
    fputc('\n', to);
}

static void print_worst(const sweep_outcome *out, FILE *to)
{
    int worst[SWEEP_WORST];
    const int count = sweep_worst(out, SWEEP_WORST, worst);
    if (count > 0)
        fputs("\nworst:\n", to);
    for (int i = 0; i < count; i++) {
        const sweep_case *c = &out->cases[worst[i]];
        char ratio[32], ours[32], best[32];
        sweep_ratio_text(ratio, sizeof ratio, c->ratio);
        text_us(ours, sizeof ours, c->time_us);
        text_us(best, sizeof best, c->best_us);
        fprintf(to, "%8s  %s us, %s %s us  %s\n", ratio, ours, c->best, best, c->command);
    }
}

void sweep_print(const sweep_outcome *out, const sweep_summary *summary, const sweep_request *request,
                 FILE *to)
{
    print_wrong(out, to);
    fprintf(to, "%-24s %-5s %6s", out->op->spec->name, "dtype", "shapes");
    if (request->timed)
        fprintf(to, "  %8s %8s %8s %8s", "minimum", "p10", "median", "geomean");
    fputc('\n', to);
    for (int i = 0; i < summary->count; i++)
        print_line(&summary->lines[i], request->timed, to);
    print_worst(out, to);
    if (request->missed[0])
        fprintf(to, "\nrequired and missed: %s\n", request->missed);
}

static json_t *line_json(const sweep_line *line)
{
    json_t *out =
        json_pack("{s:s, s:s, s:i, s:i, s:i, s:i, s:i, s:i}", "variant", line->variant, "dtype",
                  assay_dtype_name(line->dtype), "shapes", line->shapes, "right", line->right, "wrong",
                  line->wrong, "refused", line->refused, "left", line->left, "compared", line->compared);
    json_object_set_new(out, "minimum", json_number(line->minimum));
    json_object_set_new(out, "p10", json_number(line->p10));
    json_object_set_new(out, "median", json_number(line->median));
    json_object_set_new(out, "geomean", json_number(line->geomean));
    return out;
}

static json_t *case_json(const sweep_outcome *out, const sweep_case *c)
{
    static const char *const names[] = {"left", "wrong", "refused", "right", "compared"};
    const sweep_shape *shape = &out->shapes->shapes[c->shape];
    json_t *item = json_pack("{s:O, s:s, s:s, s:s, s:s, s:s, s:s}", "shape", shape->shape, "family",
                             shape->family, "variant", c->variant, "dtype", assay_dtype_name(c->dtype),
                             "status", names[c->status], "reason", c->reason, "command", c->command);
    json_object_set_new(item, "time_us", json_number(c->time_us));
    json_object_set_new(item, "best_baseline", c->best[0] ? json_string(c->best) : json_null());
    json_object_set_new(item, "best_baseline_us", json_number(c->best_us));
    json_object_set_new(item, "ratio", json_number(c->ratio));
    return item;
}

static json_t *seconds_json(const sweep_outcome *out)
{
    json_t *phases = json_object();
    json_object_set_new(phases, "verify", json_real(out->verify_s));
    json_object_set_new(phases, "timing_in_all", json_real(out->timing_s));
    for (int i = 0; i < GROUP_PHASES; i++)
        json_object_set_new(phases, group_phase_name((group_phase)i), json_real(out->phases_s[i]));
    return phases;
}

json_t *sweep_json(const sweep_outcome *out, const sweep_summary *summary, const sweep_request *request)
{
    json_t *lines = json_array(), *cases = json_array();
    for (int i = 0; i < summary->count; i++)
        json_array_append_new(lines, line_json(&summary->lines[i]));
    for (int i = 0; i < out->count; i++)
        json_array_append_new(cases, case_json(out, &out->cases[i]));
    json_t *all =
        json_pack("{s:s, s:s, s:s, s:s, s:b, s:s, s:i, s:b, s:f, s:s, s:o, s:o}", "op", out->op->spec->name,
                  "command", request->command, "device", request->device, "baselines",
                  request->timed ? request->baselines : "", "timed", request->timed, "mode",
                  timing_mode_name(request->mode), "errors", out->errors, "interrupted", out->interrupted,
                  "seconds", out->seconds, "missed", request->missed, "summary", lines, "cases", cases);
    json_object_set_new(all, "seconds_by_phase", seconds_json(out));
    json_object_set_new(all, "seed", request->seed ? json_integer((json_int_t)request->seed) : json_null());
    return all;
}
