/* profile.json and the files of a profile. */
#include "core/json_file.h"
#include "profile/profile.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCHEMA = 1 };

static json_t *finding_json(const case_profile *p, const finding *f)
{
    char key[48];
    json_t *cites = json_object();
    for (int i = 0; i < FINDING_CITES; i++)
        if (f->rule->cites[i] < METRIC_COUNT) {
            metric_key(f->rule->cites[i], key);
            json_object_set_new(cites, key, json_number(metric_value(&p->main->metrics, f->rule->cites[i])));
        }
    json_t *line = f->line && f->line->line > 0 ? json_pack("{s:s, s:i, s:s}", "file", f->line->file, "line",
                                                            f->line->line, "text", f->line->text)
                                                : json_null();
    return json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:s, s:s}", "key", f->rule->key, "means", f->rule->means,
                     "numbers", f->numbers, "severity", json_number(f->severity), "counters", cites, "line",
                     line, "change", f->rule->change, "source", f->rule->source);
}

static json_t *verdict_json(const case_profile *p)
{
    const bottleneck *v = &p->verdict;
    json_t *findings = json_array(), *changes = json_array();
    for (int i = 0; i < v->finding_count; i++)
        json_array_append_new(findings, finding_json(p, &v->findings[i]));
    for (int i = 0; i < v->change_count; i++)
        json_array_append_new(changes, json_string(v->changes[i]->rule->key));
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:s, s:o, s:o}", "kind", bottleneck_name(v->kind),
                     "part", v->part, "rule", v->rule->key, "condition", v->rule->condition, "rule_source",
                     v->rule->source, "numbers", v->numbers, "confidence", json_number(v->confidence), "why",
                     v->why, "findings", findings, "changes", changes);
}

static json_t *kernel_json(const profiled_kernel *k)
{
    static const char *const origins[METRIC_ORIGINS] = {"unknown", "profiled", "counted", "compiled"};
    char key[48];
    json_t *metrics = json_object(), *from = json_object();
    for (int id = 0; id < METRIC_COUNT; id++)
        if (metric_known(&k->metrics, (metric_id)id)) {
            metric_key((metric_id)id, key);
            json_object_set_new(metrics, key, json_number(metric_value(&k->metrics, (metric_id)id)));
            json_object_set_new(from, key, json_string(origins[k->metrics.origin[id]]));
        }
    return json_pack("{s:s, s:s, s:s, s:o, s:o}", "name", k->name, "grid", k->grid, "block", k->block,
                     "metrics", metrics, "origins", from);
}

static json_t *position_json(const position *at)
{
    if (!at->result)
        return json_null();
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:s}", "card", at->device, "cold_us",
                     json_number(at->mean_us), "overhead_us", json_number(at->overhead_us), "gbs",
                     json_number(at->gbs), "tflops", json_number(at->tflops), "percent_of_bandwidth",
                     json_number(at->memory_percent), "percent_of_rate", json_number(at->compute_percent),
                     "unit", at->unit);
}

json_t *profile_json(const case_profile *p)
{
    json_t *kernels = json_array();
    for (int i = 0; i < p->launch.count; i++)
        json_array_append_new(kernels, kernel_json(&p->launch.kernels[i]));
    return json_pack("{s:i, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o}", "schema", SCHEMA, "case",
                     p->name, "op", p->c.op->spec->name, "variant", p->c.variant, "dtype",
                     assay_dtype_name(p->c.dtype), "size", p->c.size, "evidence", p->source, "reason",
                     p->reason, "least_bytes", json_number(p->least_bytes), "verdict", verdict_json(p),
                     "position", position_json(&p->position), "kernels", kernels);
}

static assay_status write_page(char *text, const char *folder, const char *name, assay_error *error)
{
    char path[4400];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    const assay_status status = text ? text_file_write(path, text, strlen(text), error)
                                     : assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for %s", path);
    free(text);
    return status;
}

assay_status profile_write(const case_profile *profile, const char *folder, assay_error *error)
{
    char path[4400];
    assay_status status = write_page(profile_summary_text(profile), folder, "ncu_summary.md", error);
    if (status == ASSAY_OK)
        status = write_page(profile_details_text(profile), folder, "ncu_details.md", error);
    if (status != ASSAY_OK)
        return status;
    json_t *all = profile_json(profile);
    snprintf(path, sizeof path, "%s/profile.json", folder);
    status = all ? json_file_write(path, all, 0, error)
                 : assay_error_set(error, ASSAY_ERR_NO_MEMORY,
                                   "no memory for %s, or a name in it is no UTF-8", path);
    json_decref(all);
    return status;
}
