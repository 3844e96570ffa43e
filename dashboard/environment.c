/* environment.html: of each card what it is, which drivers it was seen with, its measured ceilings, what `assay env` found, and how
 * the newest result was built and measured. */
#include "core/json_file.h"
#include "dashboard/site.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static json_t *day_json(int64_t seconds)
{
    char text[32] = "-";
    const time_t t = (time_t)seconds;
    struct tm utc;
    if (seconds > 0 && gmtime_r(&t, &utc) != NULL)
        strftime(text, sizeof text, "%Y-%m-%d", &utc);
    return json_string(text);
}

static json_t *setups_json(const site *s, int model)
{
    json_t *out = json_array();
    for (int i = 0; i < s->card_count; i++) {
        const site_card *c = &s->cards[i];
        if (c->model != model)
            continue;
        json_array_append_new(out, json_pack("{s:o, s:o, s:o, s:o, s:o, s:I, s:i, s:o}", "uuid",
                                             html_json(c->uuid[0] ? c->uuid : "-"), "driver",
                                             html_json(c->driver[0] ? c->driver : "-"), "runtime",
                                             html_json(c->runtime[0] ? c->runtime : "-"), "first",
                                             day_json(c->first_run), "last", day_json(c->last_run), "results",
                                             (json_int_t)c->results, "sms", c->sm_count, "compute",
                                             html_json(c->compute[0] ? c->compute : "-")));
    }
    return out;
}

/* A number as a reader wants it, "-" where it is not known. */
static json_t *rate_json(const json_t *object, const char *key)
{
    char text[32] = "-";
    const double value = json_get_number(object, key, NAN);
    if (isfinite(value))
        snprintf(text, sizeof text, fabs(value) >= 1000.0 ? "%.0f" : "%.4g", value);
    return json_string(text);
}

static json_t *ceilings_json(const site *s, int model)
{
    json_t *snapshot = NULL, *out = json_array();
    const json_t *ceiling;
    size_t i;
    history_snapshot(s->h, s->models[model].slug, "ceilings", 0, &snapshot, NULL);
    json_array_foreach(json_object_get(snapshot, "ceilings"), i, ceiling)
    {
        json_array_append_new(out, json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "name",
                                             html_json(json_get_text(ceiling, "name", "")), "unit",
                                             html_json(json_get_text(ceiling, "unit", "")), "median",
                                             rate_json(ceiling, "median"), "min", rate_json(ceiling, "min"),
                                             "max", rate_json(ceiling, "max"), "theoretical",
                                             rate_json(ceiling, "theoretical")));
    }
    json_decref(snapshot);
    return out;
}

static json_t *findings_json(const site *s, int model)
{
    json_t *snapshot = NULL, *out = json_array();
    const json_t *finding;
    size_t i;
    history_snapshot(s->h, s->models[model].slug, "env", 0, &snapshot, NULL);
    json_array_foreach(json_object_get(snapshot, "findings"), i, finding)
    {
        const int found = json_is_true(json_object_get(finding, "found"));
        const char *detail = json_get_text(finding, found ? "detail" : "how_to_get", "");
        json_array_append_new(out, json_pack("{s:o, s:s, s:o, s:o}", "name",
                                             html_json(json_get_text(finding, "name", "")), "found",
                                             found ? "yes" : "no", "detail", html_json(detail), "cost",
                                             html_json(json_get_text(finding, "without_it", ""))));
    }
    json_decref(snapshot);
    return out;
}

static void __attribute__((format(printf, 3, 4)))
add_row(json_t *rows, const char *name, const char *format, ...)
{
    char text[512];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    if (text[0] != '\0')
        json_array_append_new(rows,
                              json_pack("{s:o, s:o}", "name", html_json(name), "value", html_json(text)));
}

static void add_machine(json_t *rows, const result *r)
{
    add_row(rows, "device", "%s, %s", r->device.name, r->device.kind);
    if (r->device.compute_major > 0)
        add_row(rows, "compute capability", "%d.%d, %d SMs", r->device.compute_major, r->device.compute_minor,
                r->device.sm_count);
    add_row(rows, "driver", "%s", r->device.driver);
    add_row(rows, "runtime", "%s", r->device.runtime);
    if (r->host.name[0])
        add_row(rows, "host", "%s, %d x %s", r->host.name, r->host.cpus, r->host.cpu);
    add_row(rows, "compiler", "%s", r->toolchain.compiler);
    add_row(rows, "compiler flags", "%s", r->toolchain.flags);
    add_row(rows, "architectures", "%s", r->toolchain.arch);
}

static void add_method(json_t *rows, const result *r)
{
    char modes[160], words[METHOD_LABEL_BYTES];
    timing_modes_text(r->method.modes, modes, sizeof modes);
    result_method_words(r, TIMING_COLD, words, sizeof words);
    add_row(rows, "timing modes", "%s", modes);
    add_row(rows, "method", "%s", words);
    add_row(rows, "repetitions", "%d, each %g ms after %g ms of warm-up", r->method.repetitions,
            r->method.sample_ms, r->method.warmup_ms);
}

static json_t *newest_json(const site *s, int model)
{
    result *r = NULL;
    json_t *rows = json_array();
    if (s->models[model].newest_result > 0 &&
        history_result(s->h, s->models[model].newest_result, RESULT_LOAD_SUMMARY, &r, NULL) == ASSAY_OK) {
        add_machine(rows, r);
        add_method(rows, r);
    }
    result_free(r);
    return rows;
}

void site_write_environment(site *s)
{
    json_t *models = json_array();
    for (int i = 0; i < s->model_count; i++) {
        json_t *ceilings = ceilings_json(s, i), *findings = findings_json(s, i), *newest = newest_json(s, i);
        char anchor[200];
        site_file_name("card-", s->models[i].slug, "", anchor, sizeof anchor);
        json_array_append_new(
            models, json_pack("{s:s, s:o, s:o, s:o, s:b, s:o, s:b, s:o, s:b, s:o}", "anchor", anchor, "name",
                              html_json(s->models[i].name), "kind", html_json(s->models[i].device_kind),
                              "setups", setups_json(s, i), "has_ceilings", json_array_size(ceilings) > 0,
                              "ceilings", ceilings, "has_findings", json_array_size(findings) > 0, "findings",
                              findings, "has_newest", json_array_size(newest) > 0, "newest", newest));
    }
    site_write_page(s, "environment.html", "environment.html", json_pack("{s:o}", "models", models));
}
