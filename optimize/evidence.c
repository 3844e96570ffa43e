/* Profiles and experience in the loop: see evidence.h. */
#include "optimize/evidence.h"
#include "core/json_file.h"
#include "core/list.h"
#include "profile/profile.h"
#include "tune/experience/experience.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_STRATEGIES = 5 };

/* The largest size that was asked for, of the first dtype that compiled. */
static int find_case(const outside *o, const char *variant, const outside_request *request, assay_case *c)
{
    const opspec *spec = o->op->spec;
    *c = (assay_case){.op = o->op};
    snprintf(c->variant, sizeof c->variant, "%s", variant);
    for (int s = 0; s < spec->size_count; s++)
        if (list_selects(request->sizes, spec->sizes[s].name) &&
            (!opspec_find_size(spec, c->size) || strcmp(c->size, "large") != 0))
            snprintf(c->size, sizeof c->size, "%s", spec->sizes[s].name);
    for (int i = 0; i < spec->dtype_count; i++) {
        char path[4400];
        module_record record;
        c->dtype = spec->dtypes[i];
        case_module_path(o->ws, c, path, sizeof path);
        if (!list_selects(request->dtypes, assay_dtype_name(c->dtype)) ||
            module_record_read(path, &record, NULL) != ASSAY_OK)
            continue;
        const int is_ok = strcmp(record.status, "ok") == 0;
        module_record_release(&record);
        if (is_ok && c->size[0])
            return 1;
    }
    return 0;
}

static json_t *make_gist(const case_profile *p)
{
    const bottleneck *v = &p->verdict;
    json_t *changes = json_array();
    for (int i = 0; i < v->change_count; i++)
        json_array_append_new(changes, json_string(v->changes[i]->rule->change));
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:s}", "case", p->name, "verdict",
                     bottleneck_name(v->kind), "part", v->part ? v->part : "", "rule",
                     v->rule ? v->rule->condition : "", "numbers", v->numbers, "confidence",
                     json_number(v->confidence), "changes", changes, "source", p->source);
}

assay_status evidence_profile(const outside *o, const char *variant, const outside_request *request,
                              int use_ncu, const char *folder, json_t **gist, assay_error *error)
{
    assay_case c;
    *gist = NULL;
    if (!find_case(o, variant, request, &c))
        return ASSAY_OK;
    const profile_options options = {.folder = folder, .results = o->ws->results, .use_ncu = use_ncu};
    case_profile *profile = malloc(sizeof *profile); /* too large for a stack */
    if (!profile)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory for a profile");
    assay_status status = profile_case(o->ws, &c, &options, profile, error);
    if (status == ASSAY_OK)
        status = profile_write(profile, folder, error);
    if (status == ASSAY_OK)
        *gist = make_gist(profile);
    profile_release(profile);
    free(profile);
    return status;
}

json_t *evidence_for_prompt(const json_t *gist, const char *folder)
{
    char path[4400], *page = NULL;
    if (!gist)
        return NULL;
    json_t *out = json_copy((json_t *)gist);
    snprintf(path, sizeof path, "%s/ncu_summary.md", folder);
    if (text_file_read(path, &page, NULL, NULL) == ASSAY_OK)
        json_object_set_new(out, "page", json_string(page));
    free(page);
    return out;
}

/* "memory-bound" is the log's "memory"; "" where the log has no word for it. */
static void name_bottleneck(const json_t *gist, char out[32])
{
    static const char *const known[] = {"memory", "latency", "compute", "occupancy", "launch"};
    const char *verdict = json_get_text(gist, "verdict", "");
    out[0] = '\0';
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strncmp(verdict, known[i], strlen(known[i])) == 0 && verdict[strlen(known[i])] == '-')
            snprintf(out, 32, "%s", known[i]);
}

static void name_chip(const assay_device_info *device, char out[32])
{
    snprintf(out, 32, "any");
    if (device->compute_major > 0)
        snprintf(out, 32, "sm_%d%d", device->compute_major, device->compute_minor);
}

json_t *evidence_experience(const char *log, const opspec *spec, const assay_device_info *device,
                            const json_t *gist)
{
    experience *x = NULL;
    char bound_by[32], chip[32];
    size_t i;
    json_t *row, *rows = NULL;
    if (experience_open_to_recommend(log, &x, NULL) != ASSAY_OK)
        return json_array();
    name_bottleneck(gist, bound_by);
    name_chip(device, chip);
    const experience_filter question = {.kind = experience_kind_of_family(spec->family),
                                        .backend = "cuda",
                                        .chip = strcmp(chip, "any") == 0 ? "" : chip,
                                        .bottleneck = bound_by};
    (void)experience_recommend(x, &question, MOST_STRATEGIES, &rows, NULL);
    experience_close(x);
    json_array_foreach(rows, i, row) json_object_del(row, "evidence");
    return rows ? rows : json_array();
}

static json_t *make_entry(const opspec *spec, const char *chip, const char *bound_by, const json_t *version)
{
    const char *verdict = json_get_text(version, "verdict", "");
    const double speedup = json_get_number(version, "speedup", NAN);
    char measured[160], source[96], day[16];
    const time_t now = time(NULL);
    snprintf(measured, sizeof measured, "%s, %.3fx (95%%: %.3f to %.3f); the expectation %s", verdict,
             speedup, json_get_number(version, "low", NAN), json_get_number(version, "high", NAN),
             json_get_text(version, "expectation", ""));
    snprintf(source, sizeof source, "assay optimize, op %s", spec->name);
    strftime(day, sizeof day, "%Y-%m-%d", gmtime(&now));
    json_t *entry =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "kind",
                  experience_kind_of_family(spec->family), "backend", "cuda", "chip", chip, "bottleneck",
                  bound_by, "strategy", json_get_text(version, "hypothesis", ""), "outcome",
                  strcmp(verdict, "faster") == 0   ? "success"
                  : strcmp(verdict, "slower") == 0 ? "failure"
                                                   : "neutral",
                  "predicted", json_get_text(version, "expected", ""), "measured", measured, "source", source,
                  "recorded", day);
    if (isfinite(speedup))
        json_object_set_new(entry, "effect", json_real(speedup));
    return entry;
}

assay_status evidence_record(const char *log, const opspec *spec, const assay_device_info *device,
                             const json_t *gist, const json_t *version, assay_error *error)
{
    experience *x = NULL;
    char bound_by[32], chip[32];
    int is_new = 0;
    name_bottleneck(gist, bound_by);
    name_chip(device, chip);
    if (!log || strcmp(device->kind, "cuda") != 0 || !bound_by[0] ||
        !json_get_text(version, "hypothesis", "")[0])
        return ASSAY_OK;
    assay_status status = experience_open(log, &x, error);
    if (status != ASSAY_OK)
        return status;
    json_t *entry = make_entry(spec, chip, bound_by, version);
    status = experience_add(x, entry, &is_new, error);
    json_decref(entry);
    experience_close(x);
    return status;
}
