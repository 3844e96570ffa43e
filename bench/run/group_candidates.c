/* Setting a group's candidates up: verified variants and the peers that are there. */
#include "bench/run/group_candidates.h"
#include "bench/timing/clock.h"
#include "core/json_file.h"
#include "core/list.h"
#include "results/case_verdict.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void group_trace(const group *g, const char *what)
{
    static double last_ms;
    const double now_ms = clock_now_ms();
    if (getenv("ASSAY_BENCH_TRACE") && last_ms > 0.0)
        fprintf(stderr, "trace: %s.%s.%s: %s took %.0f ms\n", g->options->op, g->options->dtype,
                g->options->size, what, now_ms - last_ms);
    last_ms = now_ms;
}

static group_candidate *add_candidate(group *g, const char *kind, const char *name, assay_error *error)
{
    if (g->candidate_count == GROUP_MOST_CANDIDATES) {
        assay_error_set(error, ASSAY_ERR_INVALID, "more than %d candidates in a group",
                        GROUP_MOST_CANDIDATES);
        return NULL;
    }
    group_candidate *a = &g->candidates[g->candidate_count++];
    memset(a, 0, sizeof *a);
    snprintf(a->record.kind, sizeof a->record.kind, "%s", kind);
    snprintf(a->record.name, sizeof a->record.name, "%s", name);
    snprintf(a->record.math_mode, sizeof a->record.math_mode, "%s",
             g->dtype == ASSAY_TF32 ? "tf32" : candidate_math_mode(name));
    record_set_status(&a->record, "ok", "%s", "");
    return a;
}

static assay_status load_variant(group *g, group_candidate *a, assay_error *error)
{
    assay_case which = {.op = g->op, .dtype = g->dtype};
    char path[4400], reason[RECORD_REASON_MAX];
    case_verdict verdict;
    snprintf(which.variant, sizeof which.variant, "%.63s", a->record.name);
    snprintf(which.size, sizeof which.size, "%.63s", g->options->size);
    case_module_path(g->ws, &which, path, sizeof path);
    const assay_status read = module_record_read(path, &a->module, error);
    if (read != ASSAY_OK)
        return read;
    a->record.module = &a->module;
    case_verdict_read(g->ws, &which, &a->module, &verdict);
    a->record.verdict = a->verdict = verdict.document;
    if (strcmp(verdict.status, "pass") != 0) {
        case_verdict_explain(&verdict, reason, sizeof reason);
        group_drop(g, a, "not timed", reason);
        return ASSAY_OK;
    }
    if (!g->set) /* only refusals are recorded: the problem does not fit */
        return ASSAY_OK;
    assay_run_fn run;
    const assay_status loaded = module_load(&a->module, g->op->spec->name, &run, error);
    if (loaded != ASSAY_OK)
        return loaded;
    a->active = 1;
    const assay_status made = candidate_make_variant(&a->candidate, g->set, a->record.name, run, error);
    if (made == ASSAY_OK && json_is_true(json_object_get(a->module.json, "synchronises")))
        candidate_may_wait(&a->candidate);
    return made;
}

static assay_status add_variant(group *g, const char *name, assay_error *error)
{
    group_candidate *a = add_candidate(g, CANDIDATE_VARIANT, name, error);
    if (!a)
        return ASSAY_ERR_INVALID;
    assay_error failure = {0};
    const assay_status status = load_variant(g, a, &failure);
    if (status == ASSAY_OK)
        return ASSAY_OK;
    if (group_is_fatal(g, status, &failure))
        return assay_error_set(error, status, "%s", failure.message);
    group_drop(g, a, "not timed", failure.message);
    return ASSAY_OK;
}

assay_status group_add_variants(group *g, assay_error *error)
{
    return group_for_each(g, g->options->variants, add_variant, error);
}

static assay_status make_peer(group *g, group_candidate *a, const char *name, assay_error *error)
{
    char path[4400];
    if (strcmp(name, "copy") == 0)
        return candidate_make_copy(&a->candidate, g->set, error);
    if (strcmp(name, "reference") == 0)
        return candidate_make_reference(&a->candidate, g->set, error);
    if (candidate_is_remote(name) && !g->options->torch_socket && g->options->torch_missing)
        return assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "%s", g->options->torch_missing);
    if (candidate_is_remote(name))
        return candidate_make_remote(&a->candidate, g->set, name, g->options->method.flush,
                                     g->options->torch_socket, error);
    snprintf(path, sizeof path, "%s/%s.%s.%s.so", g->ws->peers, g->op->spec->name, name,
             assay_dtype_name(g->dtype));
    return candidate_make_peer_module(&a->candidate, g->set, name, path, error);
}

static assay_status add_peer(group *g, const char *name, assay_error *error)
{
    char full[ASSAY_NAME_MAX + 8];
    snprintf(full, sizeof full, "peer_%.63s", name);
    group_candidate *a =
        add_candidate(g, strcmp(name, "copy") == 0 ? CANDIDATE_BOUND : CANDIDATE_PEER, full, error);
    if (!a)
        return ASSAY_ERR_INVALID;
    if (!g->set)
        return ASSAY_OK;
    assay_error failure = {0};
    const assay_status status = make_peer(g, a, name, &failure);
    char what[ASSAY_NAME_MAX + 24];
    snprintf(what, sizeof what, "preparing %s", full);
    group_trace(g, what);
    snprintf(a->record.version, sizeof a->record.version, "%s", a->candidate.version);
    snprintf(a->record.choice, sizeof a->record.choice, "%s", a->candidate.choice);
    a->record.floor_cold_us = a->candidate.floor_cold_us;
    if (a->candidate.kind)
        snprintf(a->record.kind, sizeof a->record.kind, "%s", a->candidate.kind);
    a->active = status == ASSAY_OK;
    if (status == ASSAY_OK)
        return ASSAY_OK;
    if (group_is_fatal(g, status, &failure))
        return assay_error_set(error, status, "%s", failure.message);
    char reason[RECORD_REASON_MAX];
    snprintf(reason, sizeof reason, "%s%s", status == ASSAY_ERR_UNSUPPORTED ? RESULT_NOT_OFFERED : "",
             failure.message);
    group_drop(g, a, "unavailable", reason);
    return ASSAY_OK;
}

assay_status group_add_peers(group *g, assay_error *error)
{
    return group_for_each(g, g->options->peers, add_peer, error);
}

assay_status group_for_each(group *g, const char *list, group_list_fn each, assay_error *error)
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

static void release_one(group_candidate *a)
{
    if (a->candidate.release)
        a->candidate.release(&a->candidate);
    memset(&a->candidate, 0, sizeof a->candidate);
}

void group_drop(group *g, group_candidate *a, const char *status, const char *reason)
{
    (void)g;
    a->active = 0;
    record_release(&a->record);
    record_set_status(&a->record, status, "%s", reason);
    release_one(a);
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
