/* What a search begins with: see seeds.h. */
#include "tune/tuner/seeds.h"
#include "build_module/winner.h"
#include "core/json_file.h"
#include "tune/archive/archive_seeds.h"
#include "tune/evaluate/constraints.h"
#include "tune/experience/experience.h"
#include "tune/providers/provider.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_EARLIER = 3, MOST_EXPERIENCE = 8 };

static void add(tune_seeds *seeds, const configuration *c, const char *from)
{
    for (int i = 0; i < seeds->count; i++)
        if (configuration_equals(&seeds->items[i].configuration, c))
            return;
    if (seeds->count == TUNE_MOST_SEEDS)
        return;
    tune_seed *seed = &seeds->items[seeds->count++];
    *seed = (tune_seed){.configuration = *c};
    snprintf(seed->from, sizeof seed->from, "%s", from);
}

/* Of this size, or of another one of the variant and dtype: what is good there may be good here. */
static void add_winner(const tune_outcome *outcome, tune_seeds *seeds)
{
    const tune_subject *s = &outcome->subject;
    char path[4400];
    json_t *document = NULL, *row;
    size_t index;
    configuration c;
    winner_path(s->ws, s->op, path, sizeof path);
    if (winner_read(path, s->op->spec, &document, NULL) != ASSAY_OK)
        return; /* the next build names it */
    json_array_foreach(json_object_get(document, "winners"), index, row)
    {
        if (strcmp(json_get_text(row, "variant", ""), s->variant) == 0 &&
            strcmp(json_get_text(row, "dtype", ""), assay_dtype_name(s->dtype)) == 0 &&
            configuration_from_json(s->space, json_object_get(row, "tunables"), &c, NULL) == ASSAY_OK &&
            space_is_valid(s->space, &c, NULL))
            add(seeds, &c, "winner");
    }
    json_decref(document);
}

/* What was fast for this variant at other sizes, in other dtypes or on other cards, and here by an earlier run. */
static void add_earlier(archive *a, const archive_problem *problem, const space *s, tune_seeds *seeds)
{
    configuration earlier[MOST_EARLIER];
    const int count = archive_seeds(a, problem, s, earlier, MOST_EARLIER);
    for (int i = 0; i < count; i++)
        add(seeds, &earlier[i], "archive");
}

/* What helped kernels of this kind; NULL where no log can be read. */
static json_t *find_experience(const tune_subject *s, const char *arch)
{
    char path[4400];
    experience *x = NULL;
    snprintf(path, sizeof path, "%s/experience.db", s->ws->path);
    const char *named = getenv("ASSAY_EXPERIENCE");
    if (experience_open_to_recommend(named && named[0] ? named : path, &x, NULL) != ASSAY_OK)
        return NULL;
    const experience_filter question = {
        .kind = experience_kind_of_family(s->op->spec->family), .backend = "cuda", .chip = arch};
    json_t *rows = NULL;
    (void)experience_recommend(x, &question, MOST_EXPERIENCE, &rows, NULL);
    experience_close(x);
    return rows;
}

/* What a provider may know of the device: its own words, and the ceilings where they were measured. */
static json_t *device_facts(const tune_subject *s)
{
    const assay_device_info *d = &s->device;
    char path[4400];
    json_t *ceilings = NULL;
    json_t *facts = json_pack("{s:s, s:s, s:i, s:I, s:I, s:f}", "kind", d->kind, "name", d->name, "sm_count",
                              d->sm_count, "memory_bytes", (json_int_t)d->memory_bytes, "l2_bytes",
                              (json_int_t)d->l2_bytes, "peak_gbs", d->peak_gbs);
    snprintf(path, sizeof path, "%s/ceilings.json", s->ws->results);
    if (json_file_read(path, &ceilings, NULL) == ASSAY_OK)
        json_object_set(facts, "ceilings", json_object_get(ceilings, "ceilings"));
    json_decref(ceilings);
    return facts;
}

static void note_report(const provider_report *report, int count, tune_outcome *outcome)
{
    snprintf(outcome->provider_note, sizeof outcome->provider_note, "provider %.120s: %d candidates%s%.300s",
             report->provider, count, report->used_fallback ? ", in place of the one asked for: " : "",
             report->used_fallback ? report->why : "");
    if (report->invalid > 0)
        snprintf(outcome->provider_note + strlen(outcome->provider_note),
                 sizeof outcome->provider_note - strlen(outcome->provider_note),
                 "; %d invalid, first: %.200s", report->invalid, report->first_invalid);
}

static assay_status add_proposals(const tune_options *o, tune_outcome *outcome, tune_seeds *seeds,
                                  assay_error *error)
{
    const tune_subject *s = &outcome->subject;
    configuration proposed[PROVIDER_MAX_CANDIDATES];
    provider_attempt known[TUNE_MOST_SEEDS] = {0};
    provider_report report = {.provider = ""};
    char path[4400], goal[120], arch[64], *source = NULL;
    char dims[256] = "";
    const opspec_dims *d = opspec_size_dims(opspec_find_size(s->op->spec, s->size), s->ws->device);
    int count = 0;
    for (int i = 0; i < d->count; i++)
        snprintf(dims + strlen(dims), sizeof dims - strlen(dims), "%s%s=%lld", i ? "," : "", d->dim[i].name,
                 (long long)d->dim[i].value);
    snprintf(path, sizeof path, "%s/%s.cu", s->op->spec->directory, s->variant);
    (void)text_file_read(path, &source, NULL, NULL);
    snprintf(goal, sizeof goal, "the least mean time in microseconds, timing mode %s",
             timing_mode_name(o->evaluate.mode));
    tune_arch(s->ws, arch, sizeof arch);
    json_t *facts = device_facts(s), *learnt = find_experience(s, arch);
    const provider_prompt prompt = {.space = s->space,
                                    .op = s->op->spec->name,
                                    .variant = s->variant,
                                    .dtype = assay_dtype_name(s->dtype),
                                    .size = s->size,
                                    .dims = dims,
                                    .device = s->device.name,
                                    .arch = arch,
                                    .goal = goal,
                                    .source = source,
                                    .facts = facts,
                                    .experience = learnt,
                                    .attempts = known,
                                    .attempt_count = 0};
    const provider_options options = {.name = o->provider,
                                      .model = o->provider_model,
                                      .count = o->provider_count > 0 ? o->provider_count : 8,
                                      .seed = o->seed};
    const assay_status status = provider_propose(&options, &prompt, proposed, &count, &report, error);
    for (int i = 0; i < count && status == ASSAY_OK; i++)
        add(seeds, &proposed[i], report.provider);
    if (status == ASSAY_OK)
        note_report(&report, count, outcome);
    provider_report_release(&report);
    json_decref(facts);
    json_decref(learnt);
    free(source);
    return status;
}

assay_status tune_seeds_collect(const tune_options *options, tune_outcome *outcome, archive *a,
                                const archive_problem *problem, tune_seeds *out, assay_error *error)
{
    configuration c;
    *out = (tune_seeds){.count = 0};
    space_default(outcome->space, &c);
    add(out, &c, "default");
    add_winner(outcome, out);
    const assay_status status = options->provider ? add_proposals(options, outcome, out, error) : ASSAY_OK;
    if (!options->is_new) /* which begins as if nothing had been tried */
        add_earlier(a, problem, outcome->space, out);
    return status;
}

json_t *tune_seeds_json(const space *s, const tune_seeds *seeds)
{
    json_t *list = json_array();
    for (int i = 0; i < seeds->count; i++)
        json_array_append_new(list, json_pack("{s:o, s:s}", "values",
                                              configuration_to_json(s, &seeds->items[i].configuration),
                                              "from", seeds->items[i].from));
    return list;
}

void tune_seeds_read(const space *s, const json_t *list, tune_seeds *out)
{
    size_t index;
    json_t *item;
    configuration c;
    *out = (tune_seeds){.count = 0};
    json_array_foreach(list, index, item)
    {
        if (configuration_from_json(s, json_object_get(item, "values"), &c, NULL) == ASSAY_OK)
            add(out, &c, json_get_text(item, "from", ""));
    }
}

const char *tune_seed_from(const tune_seeds *seeds, const configuration *c)
{
    for (int i = 0; i < seeds->count; i++)
        if (configuration_equals(&seeds->items[i].configuration, c))
            return seeds->items[i].from;
    return NULL;
}
