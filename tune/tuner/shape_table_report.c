/* A table by the shape, for best/ARCH.json, for programs and for a reader: see shape_table.h. */
#include "core/json_file.h"
#include "results/result.h"
#include "tune/tuner/shape_table.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static json_t *list_of(const int64_t *values, int count)
{
    json_t *list = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(list, json_integer(values[i]));
    return list;
}

static json_t *regret_json(const shape_regret *r)
{
    return json_pack("{s:i, s:o, s:o, s:o}", "shapes", r->shapes, "geomean", json_number(r->geomean),
                     "median", json_number(r->median), "worst", json_number(r->worst));
}

/* Values of the run-time tunables, in op.json's order. */
static json_t *values_json(const shape_table *t, int number)
{
    json_t *list = json_array();
    for (int i = 0; i < t->tunables->count; i++)
        if (t->tunables->tunables[i].at_run_time)
            json_array_append_new(list, json_integer(t->configurations[number].values[i].value));
    return list;
}

static json_t *run_json(const shape_table *t, const tune_options *o)
{
    const tune_subject *s = &t->subject;
    char now[32], commit[64];
    int dirty;
    result_time_text((int64_t)time(NULL), now);
    workspace_commit(s->ws, commit, &dirty);
    return json_pack("{s:s, s:I, s:i, s:i, s:s, s:s, s:s, s:s}", "time", now, "seed", (json_int_t)t->seed,
                     "shapes", t->training, "held_out", t->times.count - t->training, "card", s->device.name,
                     "driver", s->device.driver, "commit", commit, "command", o->command ? o->command : "");
}

json_t *shape_table_json(const shape_table *t, const tune_options *o)
{
    const opspec_dims *known = &t->subject.op->spec->sizes[0].dims;
    json_t *dims = json_array(), *tunables = json_array(), *rows = json_array();
    for (int d = 0; d < known->count; d++)
        json_array_append_new(dims, json_string(known->dim[d].name));
    for (int i = 0; i < t->tunables->count; i++)
        if (t->tunables->tunables[i].at_run_time)
            json_array_append_new(tunables, json_string(t->tunables->tunables[i].name));
    for (int i = 0; i < t->table.count; i++) {
        const class_row *r = &t->table.rows[i];
        json_array_append_new(
            rows, json_pack("{s:o, s:o, s:o, s:i, s:o}", "least", list_of(r->least, known->count), "most",
                            list_of(r->most, known->count), "values", values_json(t, r->configuration),
                            "shapes", r->shapes, "gain", json_number(r->gain)));
    }
    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:s, s:{s:o, s:o}, s:o}", "variant", t->tunables->variant,
                     "dtype", assay_dtype_name(t->subject.dtype), "dims", dims, "tunables", tunables, "rows",
                     rows, "mode", timing_mode_name(o->evaluate.mode), "regret", "table",
                     regret_json(&t->with_table), "default", regret_json(&t->without), "run", run_json(t, o));
}

json_t *shape_table_outcome_json(const shape_table *t, const tune_options *o)
{
    json_t *all = json_pack("{s:s, s:o, s:i, s:i, s:i, s:b}", "op", t->subject.op->spec->name, "table",
                            shape_table_json(t, o), "classes", t->table.classes, "wrong", t->wrong,
                            "measured", t->done, "one_at_a_time", t->one_at_a_time);
    json_t *shapes = json_array(), *configurations = json_array();
    for (int c = 0; c < t->times.configurations; c++)
        json_array_append_new(configurations, values_json(t, c));
    json_object_set_new(all, "configurations", configurations);
    for (int s = 0; s < t->times.count; s++) {
        json_t *us = json_array();
        for (int c = 0; c < t->times.configurations; c++)
            json_array_append_new(us, json_number(t->times.us[s * t->times.configurations + c]));
        json_array_append_new(shapes, json_pack("{s:s, s:o}", "shape", t->names[s], "us", us));
    }
    json_object_set_new(all, "shapes", shapes);
    json_object_set_new(all, "report", json_string(t->report));
    json_object_set_new(all, "saved", t->saved[0] ? json_string(t->saved) : json_null());
    return all;
}

static void write_ratio(FILE *f, double ratio)
{
    if (isnan(ratio))
        fputs(" | -", f);
    else
        fprintf(f, " | %+.1f%%", 100 * (ratio - 1));
}

static void write_regret(FILE *f, const shape_table *t, const char *name, const shape_regret *r)
{
    fprintf(f, "| %s | %d", name, r->shapes);
    write_ratio(f, r->geomean);
    write_ratio(f, r->median);
    write_ratio(f, r->worst);
    fprintf(f, " | %s |\n", r->worst_shape >= 0 ? t->names[r->worst_shape] : "-");
}

static void write_rows(FILE *f, const shape_table *t)
{
    const opspec_dims *known = &t->subject.op->spec->sizes[0].dims;
    char text[TUNED_VARIANT_TEXT_MAX];
    fprintf(f,
            "## Table\n\n%d classes of shapes were drawn; a class whose best values gain less than %.0f%% "
            "over the "
            "default has no row, and the kernel's own rule serves.\n\n|",
            t->table.classes, 100 * (CLASS_GAIN - 1));
    for (int d = 0; d < known->count; d++)
        fprintf(f, " %s |", known->dim[d].name);
    fputs(" values | shapes | gain |\n|", f);
    for (int d = 0; d < known->count + 3; d++)
        fputs("---|", f);
    fputc('\n', f);
    for (int i = 0; i < t->table.count; i++) {
        const class_row *r = &t->table.rows[i];
        fputc('|', f);
        for (int d = 0; d < known->count; d++)
            if (r->most[d] == INT64_MAX)
                fprintf(f, " %lld and more |", (long long)r->least[d]);
            else
                fprintf(f, " %lld to %lld |", (long long)r->least[d], (long long)r->most[d]);
        tuned_variant_text(&t->configurations[r->configuration], text);
        fprintf(f, " `%s` | %d | %.2fx |\n", text, r->shapes, r->gain);
    }
}

assay_status shape_table_report(const tune_options *o, shape_table *t, assay_error *error)
{
    const tune_subject *s = &t->subject;
    char *text = NULL;
    size_t bytes = 0;
    snprintf(t->report, sizeof t->report, "%s/%.250s%s.md", s->ws->logs,
             o->report ? o->report : s->op->spec->name, o->report ? "" : "_table");
    FILE *f = open_memstream(&text, &bytes);
    if (!f)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    fprintf(
        f,
        "# %s %s %s by the shape, on %s\n\n%d configurations%s at %d of %d drawn shapes (seed %llu), mean of "
        "the mode `%s`; %d of the times are missing (wrong, or not timed). %d of the shapes make the table."
        "\n\n"
        "Repeat it: `%s`\n\n## Regret\n\nTime over that of the best configuration at the same shape, "
        "over the "
        "shapes that the table was not made from:\n\n| choice | shapes | geometric mean | median | worst "
        "| at "
        "|\n|---|---|---|---|---|---|\n",
        s->op->spec->name, t->tunables->variant, assay_dtype_name(s->dtype), s->device.name,
        t->times.configurations, t->one_at_a_time ? ", each with one tunable off its default," : "", t->done,
        t->times.count, (unsigned long long)t->seed, timing_mode_name(o->evaluate.mode), t->wrong, t->trained,
        o->command ? o->command : "assay tune");
    write_regret(f, t, "table", &t->with_table);
    write_regret(f, t, "default", &t->without);
    fputc('\n', f);
    write_rows(f, t);
    const int closed = fclose(f) == 0;
    const assay_status status = closed ? text_file_write(t->report, text, bytes, error)
                                       : assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    free(text);
    return status;
}
