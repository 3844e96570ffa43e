/* Setting a group's candidates up: verified variants and the baselines that are there. */
#include "bench/run/group_candidates.h"
#include "bench/timing/clock.h"
#include "core/json_file.h"
#include "core/list.h"
#include "results/case_verdict.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void group_end_phase(group *g, group_phase phase)
{
    const double now_ms = clock_now_ms();
    g->phases_s[phase] += 1e-3 * (now_ms - g->phase_began_ms);
    g->phase_began_ms = now_ms;
}

static group_candidate *add_candidate(group *g, result_kind kind, const char *name, assay_error *error)
{
    if (g->candidate_count == GROUP_MOST_CANDIDATES) {
        assay_error_set(error, ASSAY_ERR_INVALID, "more than %d candidates in a group",
                        GROUP_MOST_CANDIDATES);
        return NULL;
    }
    group_candidate *c = &g->candidates[g->candidate_count++];
    memset(c, 0, sizeof *c);
    c->record.kind = kind;
    snprintf(c->record.name, sizeof c->record.name, "%s", name);
    snprintf(c->record.math_mode, sizeof c->record.math_mode, "%s",
             g->dtype == ASSAY_TF32 ? "tf32" : candidate_math_mode(name));
    record_set_status(&c->record, "ok", "%s", "");
    return c;
}

static assay_status load_variant(group *g, group_candidate *c, assay_error *error)
{
    assay_case which = {.op = g->op, .dtype = g->dtype};
    char path[4400], reason[RECORD_REASON_MAX];
    case_verdict verdict;
    snprintf(which.variant, sizeof which.variant, "%.63s", c->record.name);
    snprintf(which.size, sizeof which.size, "%.63s", g->plan->size);
    case_module_path(g->ws, &which, path, sizeof path);
    const assay_status read = module_record_read(path, &c->module, error);
    if (read != ASSAY_OK)
        return read;
    c->record.module = &c->module;
    case_verdict_read(g->ws, &which, &c->module, &verdict);
    c->record.verdict = c->verdict = verdict.document;
    if (strcmp(verdict.status, "pass") != 0) {
        case_verdict_explain(&verdict, reason, sizeof reason);
        group_drop(g, c, "not timed", reason);
        return ASSAY_OK;
    }
    if (!g->set) /* only refusals are recorded: the problem does not fit */
        return ASSAY_OK;
    assay_run_fn run;
    const assay_status loaded = module_load(&c->module, g->op->spec->name, &run, error);
    if (loaded != ASSAY_OK)
        return loaded;
    c->active = 1;
    const assay_status made = candidate_make_variant(&c->candidate, g->set, c->record.name, run, error);
    if (made == ASSAY_OK && json_is_true(json_object_get(c->module.json, "synchronises")))
        candidate_may_wait(&c->candidate);
    return made;
}

/* What Google Benchmark is told beside the times. Not of a case that does not fit: nobody asks then. */
static void find_bound(const group *g, group_candidate *c)
{
    c->computes = c->record.kind != RESULT_UNRANKED_BASELINE;
    if (g->set)
        roofline_bound_find(g->ws, g->op->spec, g->dtype, c->record.math_mode,
                            c->computes ? g->set->flops : 0.0, g->set->bytes, &c->bound);
}

static assay_status add_variant(group *g, const char *name, assay_error *error)
{
    const timing_modes selected = benchmark_list_modes(&g->benchmarks, g->plan, name);
    if (!selected)
        return ASSAY_OK;
    group_candidate *c = add_candidate(g, RESULT_VARIANT, name, error);
    if (!c)
        return ASSAY_ERR_INVALID;
    c->selected = selected;
    assay_error failure = {0};
    const assay_status status = load_variant(g, c, &failure);
    find_bound(g, c);
    if (status == ASSAY_OK)
        return ASSAY_OK;
    if (group_is_fatal(g, status, &failure))
        return assay_error_set(error, status, "%s", failure.message);
    group_drop(g, c, "not timed", failure.message);
    return ASSAY_OK;
}

/* Call `each` with every entry of a comma-separated list. */
typedef assay_status (*group_list_fn)(group *g, const char *entry, assay_error *error);
static assay_status group_for_each(group *g, const char *list, group_list_fn each, assay_error *error)
{
    assay_status status = ASSAY_OK;
    for (list_item item = {0}; status == ASSAY_OK && list_next(list, &item);) {
        char entry[2 * ASSAY_NAME_MAX];
        snprintf(entry, sizeof entry, "%.*s", item.length, item.text);
        if (entry[0])
            status = each(g, entry, error);
    }
    return status;
}

assay_status group_add_variants(group *g, assay_error *error)
{
    return group_for_each(g, g->plan->variants, add_variant, error);
}

static assay_status make_baseline(group *g, group_candidate *c, const char *name, assay_error *error)
{
    char path[4400];
    if (strcmp(name, "copy") == 0)
        return candidate_make_copy(&c->candidate, g->set, error);
    if (strcmp(name, "reference") == 0)
        return candidate_make_reference(&c->candidate, g->set, error);
    if (candidate_is_remote(name) && !g->plan->torch_socket && g->plan->torch_missing)
        return assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "%s", g->plan->torch_missing);
    if (candidate_is_remote(name))
        return candidate_make_remote(&c->candidate, g->set, name, g->plan->method.flush,
                                     g->plan->torch_socket, error);
    snprintf(path, sizeof path, "%s/%s.%s.%s.so", g->ws->baselines, g->op->spec->name, name,
             assay_dtype_name(g->dtype));
    return candidate_make_baseline_module(&c->candidate, g->set, name, path, error);
}

static assay_status add_baseline(group *g, const char *name, assay_error *error)
{
    char full[RESULT_FULL_NAME_MAX];
    snprintf(full, sizeof full, RESULT_BASELINE_PREFIX "%.63s", name);
    const timing_modes selected = benchmark_list_modes(&g->benchmarks, g->plan, full);
    if (!selected)
        return ASSAY_OK;
    group_candidate *c =
        add_candidate(g, strcmp(name, "copy") == 0 ? RESULT_UNRANKED_BASELINE : RESULT_BASELINE, full, error);
    if (!c)
        return ASSAY_ERR_INVALID;
    c->selected = selected;
    if (!g->set)
        return ASSAY_OK;
    assay_error failure = {0};
    const assay_status status = make_baseline(g, c, name, &failure);
    group_end_phase(g, GROUP_BASELINES);
    snprintf(c->record.version, sizeof c->record.version, "%s", c->candidate.version);
    snprintf(c->record.choice, sizeof c->record.choice, "%s", c->candidate.choice);
    c->record.overhead_cold_us = c->candidate.overhead_cold_us;
    if (c->candidate.kind != RESULT_VARIANT) /* what was made; it may say that it is not ranked */
        c->record.kind = c->candidate.kind;
    find_bound(g, c);
    c->active = status == ASSAY_OK;
    if (status == ASSAY_OK)
        return ASSAY_OK;
    if (group_is_fatal(g, status, &failure))
        return assay_error_set(error, status, "%s", failure.message);
    char reason[RECORD_REASON_MAX];
    snprintf(reason, sizeof reason, "%s%s", status == ASSAY_ERR_UNSUPPORTED ? RESULT_NOT_OFFERED : "",
             failure.message);
    group_drop(g, c, "unavailable", reason);
    return ASSAY_OK;
}

assay_status group_add_baselines(group *g, assay_error *error)
{
    return group_for_each(g, g->plan->baselines, add_baseline, error);
}

static void release_one(group_candidate *c)
{
    if (c->candidate.release)
        c->candidate.release(&c->candidate);
    memset(&c->candidate, 0, sizeof c->candidate);
}

void group_drop(group *g, group_candidate *c, const char *status, const char *reason)
{
    (void)g;
    c->active = 0;
    record_release(&c->record);
    record_set_status(&c->record, status, "%s", reason);
    release_one(c);
}

void group_release_candidates(group *g)
{
    for (int i = 0; i < g->candidate_count; i++) {
        release_one(&g->candidates[i]);
        record_release(&g->candidates[i].record);
        module_record_release(&g->candidates[i].module);
        json_decref(g->candidates[i].verdict);
    }
    g->candidate_count = 0;
}

/* After a launch failure a CUDA context refuses everything; one more wait tells such an error from one of the
 * candidate alone. */
int group_is_fatal(group *g, assay_status status, const assay_error *error)
{
    if (status != ASSAY_ERR_DEVICE)
        return 0;
    if (assay_device_sync_all(g->device, NULL) == ASSAY_OK &&
        assay_device_sync_all(g->device, NULL) == ASSAY_OK)
        return 0;
    if (g->device_status == ASSAY_OK) {
        g->device_status = status;
        g->device_error = *error;
    }
    return 1;
}
