/* The steps of one version: asked for, judged, timed. Each ends with the state saved, so that the next call goes on behind it. */
#include "core/json_file.h"
#include "optimize/evidence.h"
#include "optimize/loop.h"
#include "optimize/pages.h"
#include "optimize/prompt.h"
#include "optimize/single_change.h"
#include "optimize/tunable_changes.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

assay_status loop_open(const loop *l, outside *o, assay_error *error)
{
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s/work", l->out);
    const assay_status status = outside_open(l->base, l->options->op, folder, o, error);
    if (status == ASSAY_OK)
        workspace_use_slug(o->ws, l->device.slug);
    return status;
}

static void set_step(json_t *version, const char *step)
{
    json_object_set_new(version, "step", json_string(step));
}

/* ---- asking ---- */

/* What earlier versions tried and what came of it: enough not to try it again. */
static json_t *history_json(const loop *l)
{
    static const char *const keys[] = {"version", "base",    "hypothesis", "changes",    "outcome",
                                       "verdict", "speedup", "expected",   "expectation"};
    json_t *out = json_array(), *v;
    size_t i;
    json_array_foreach(json_object_get(l->state, "versions"), i, v)
    {
        json_t *item = json_object();
        if (i == 0 || !json_object_get(v, "outcome"))
            continue;
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
            if (json_object_get(v, keys[k]))
                json_object_set(item, keys[k], json_object_get(v, keys[k]));
        json_array_append_new(out, item);
    }
    return out;
}

static json_t *make_prompt(const loop *l, const outside *o, const json_t *version, const char *source)
{
    const json_t *tries = json_object_get(version, "tries");
    const size_t failed = json_array_size(tries);
    const json_t *best = json_array_get(json_object_get(l->state, "versions"), (size_t)loop_best(l));
    json_t *prompt = json_pack("{s:i, s:s, s:o, s:i, s:i, s:i, s:s, s:o, s:O?, s:O?, s:o}", "schema", 1,
                               "task", "optimize", "op", prompt_op(o, l->device.name), "iteration",
                               json_get_int(version, "version", 0), "iterations", l->options->iterations,
                               "base", loop_best(l), "source", source, "history", history_json(l), "measured",
                               json_object_get(l->state, "results"), "percent_of_bound",
                               json_object_get(best, "percent_of_bound"), "answer", provider_answer_rules());
    char folder[PATH_MAX];
    const json_t *gist = json_object_get(best, "profile");
    loop_path(l, loop_best(l), NULL, folder);
    if (gist)
        json_object_set_new(prompt, "profile", evidence_for_prompt(gist, folder));
    json_object_set_new(prompt, "experience",
                        evidence_experience(l->options->experience, o->op->spec, &l->device, gist));
    json_object_set_new(
        prompt, "rule",
        json_string("change exactly one thing of source, and say in hypothesis, rationale and "
                    "expected what, why and by how much (expected_speedup, a factor)"));
    if (failed > 0) {
        json_t *repair = json_deep_copy(json_array_get(tries, failed - 1));
        json_object_set_new(repair, "attempt", json_integer((json_int_t)failed));
        json_object_set_new(repair, "attempts_left", json_integer(OPTIMIZE_REPAIRS + 1 - (json_int_t)failed));
        json_object_set_new(prompt, "repair", repair);
    }
    return prompt;
}

static assay_status write_json(const loop *l, int version, const char *what, size_t try, const json_t *value,
                               assay_error *error)
{
    char name[64], path[PATH_MAX];
    snprintf(name, sizeof name, "%s%zu.json", what, try + 1);
    loop_path(l, version, name, path);
    return json_file_write(path, value, 0, error);
}

/* A version that never became right. */
static void abandon(loop *l, json_t *version)
{
    json_object_set_new(version, "outcome", json_string("abandoned"));
    json_object_set_new(version, "verdict", json_string("not timed"));
    json_object_set_new(l->state, "idle", json_integer((json_int_t)json_get_number(l->state, "idle", 0) + 1));
    set_step(version, "done");
    loop_say(l, "v%d: abandoned\n", json_get_int(version, "version", 0));
}

/* Another try where one is left: a provider repairs, changes of tunables cannot be. */
static assay_status fail_try(loop *l, json_t *version, const attempt *a, assay_error *error)
{
    json_t *tries = json_object_get(version, "tries");
    json_array_append_new(tries, attempt_json(a));
    loop_say(l, "v%d: %s: %.300s\n", json_get_int(version, "version", 0), a->error_class,
             a->message ? a->message : "");
    set_step(version, "ask");
    if (!l->options->provider.command || json_array_size(tries) > OPTIMIZE_REPAIRS)
        abandon(l, version);
    return loop_save(l, error);
}

static assay_status fail_before(loop *l, json_t *version, const char *error_class, const char *message,
                                assay_error *error)
{
    attempt a = {.passed = 0};
    char folder[PATH_MAX];
    attempt_fail(&a, error_class, message);
    loop_path(l, json_get_int(version, "version", 0), NULL, folder);
    assay_status status = page_correctness(folder, &a, json_object_get(version, "tries"), error);
    if (status == ASSAY_OK)
        status = fail_try(l, version, &a, error);
    attempt_release(&a);
    return status;
}

static void take_words(json_t *version, const json_t *answer, const json_t *changes)
{
    static const char *const keys[] = {"hypothesis", "rationale", "expected", "expected_speedup", "provider"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (json_object_get(answer, keys[i]))
            json_object_set(version, keys[i], json_object_get(answer, keys[i]));
    json_object_set(version, "changes", (json_t *)changes);
}

/* An answer becomes the version's source, if it changes one thing of the best version. */
static assay_status take_answer(loop *l, json_t *version, const json_t *answer, const char *source,
                                assay_error *error)
{
    const int number = json_get_int(version, "version", 0);
    char path[PATH_MAX];
    json_t *changes = NULL;
    assay_error refused = {0};
    const char *text = json_get_text(answer, "source", "");
    const assay_status one = single_change_check(source, text, &changes, &refused);
    take_words(version, answer, changes);
    json_decref(changes);
    loop_path(l, number, "kernel.cu", path);
    assay_status status = text_file_write(path, text, strlen(text), error);
    loop_path(l, number, NULL, path);
    if (status == ASSAY_OK)
        status = page_hypothesis(path, version, error);
    if (status != ASSAY_OK)
        return status;
    if (one == ASSAY_ERR_CHECK)
        return fail_before(l, version, "refused change", refused.message, error);
    if (one != ASSAY_OK)
        return assay_error_set(error, one, "%s", refused.message);
    loop_say(l, "v%d: %.200s\n", number, json_get_text(version, "hypothesis", "(no hypothesis)"));
    set_step(version, "judge");
    return loop_save(l, error);
}

static assay_status ask_provider(loop *l, json_t *version, const char *source, json_t **answer,
                                 assay_error *error)
{
    outside o;
    char hash[65];
    const int number = json_get_int(version, "version", 0);
    const size_t try = json_array_size(json_object_get(version, "tries"));
    assay_status status = loop_open(l, &o, error);
    if (status != ASSAY_OK)
        return status;
    json_t *prompt = make_prompt(l, &o, version, source);
    outside_close(&o);
    status = write_json(l, number, "prompt", try, prompt, error);
    if (status == ASSAY_OK)
        status = provider_ask(&l->options->provider, prompt, answer, hash, error);
    if (status == ASSAY_OK)
        json_object_set_new(version, "prompt_sha256", json_string(hash));
    if (status == ASSAY_OK)
        status = write_json(l, number, "answer", try, *answer, error);
    json_decref(prompt);
    return status;
}

/* The next change of a tunable; none left ends the run, and this version never was. */
static json_t *propose(loop *l, const char *source)
{
    const workspace_op *op = workspace_find_op(l->base, l->options->op);
    json_t *tried = json_object_get(l->state, "tried");
    json_t *answer = tunable_changes_next(op->spec, source, tried);
    json_t *versions = json_object_get(l->state, "versions");
    if (answer) {
        json_array_append(tried, json_object_get(answer, "change"));
        return answer;
    }
    json_array_remove(versions, json_array_size(versions) - 1);
    json_object_set_new(l->state, "stopped",
                        json_string("no tunable of the kernel is left to change, and there is no provider"));
    return NULL;
}

assay_status loop_ask(loop *l, json_t *version, assay_error *error)
{
    char path[PATH_MAX], *source = NULL;
    json_t *answer = NULL;
    assay_error failure = {0};
    loop_path(l, loop_best(l), "kernel.cu", path);
    assay_status status = text_file_read(path, &source, NULL, error);
    if (status != ASSAY_OK)
        return status;
    if (l->options->provider.command)
        status = ask_provider(l, version, source, &answer, &failure);
    else if (!(answer = propose(l, source))) {
        free(source);
        return loop_save(l, error);
    }
    if (status == ASSAY_ERR_CHECK)
        status = fail_before(l, version, "provider", failure.message, error);
    else if (status == ASSAY_OK)
        status = take_answer(l, version, answer, source, error);
    else
        assay_error_set(error, status, "%s", failure.message);
    json_decref(answer);
    free(source);
    return status;
}

/* ---- judging ---- */

static void name_version(int number, char out[16])
{
    snprintf(out, 16, "k%d", number);
}

assay_status loop_judge(loop *l, json_t *version, assay_error *error)
{
    outside o;
    attempt a = {.passed = 0};
    char path[PATH_MAX], folder[PATH_MAX], name[16];
    const int number = json_get_int(version, "version", 0);
    assay_status status = loop_open(l, &o, error);
    if (status != ASSAY_OK)
        return status;
    name_version(number, name);
    loop_path(l, number, "kernel.cu", path);
    loop_path(l, number, NULL, folder);
    status = attempt_judge(&o, path, name, &l->options->request, &a, error);
    outside_close(&o);
    if (status == ASSAY_OK)
        status = page_correctness(folder, &a, json_object_get(version, "tries"), error);
    if (status == ASSAY_OK && a.passed) {
        set_step(version, "time");
        status = loop_save(l, error);
    } else if (status == ASSAY_OK && number == 0) {
        status = assay_error_set(error, ASSAY_ERR_CHECK, "%s is wrong (%s): %.600s", l->options->kernel,
                                 a.error_class, a.message ? a.message : "");
    } else if (status == ASSAY_OK) {
        status = fail_try(l, version, &a, error);
    }
    attempt_release(&a);
    return status;
}

/* ---- timing ---- */

assay_status loop_profile(loop *l, const outside *o, json_t *version, const char *name, assay_error *error)
{
    char folder[PATH_MAX];
    json_t *gist = NULL;
    loop_path(l, json_get_int(version, "version", 0), NULL, folder);
    const assay_status status =
        evidence_profile(o, name, &l->options->request, l->options->use_ncu, folder, &gist, error);
    if (status == ASSAY_OK && gist) {
        loop_say(l, "v%d: %s%s%s%s\n", json_get_int(version, "version", 0),
                 json_get_text(gist, "verdict", ""), json_get_text(gist, "part", "")[0] ? " (" : "",
                 json_get_text(gist, "part", ""), json_get_text(gist, "part", "")[0] ? ")" : "");
        json_object_set_new(version, "profile", gist);
    }
    return status;
}

/* Did what was expected come? Only a number can be held against another; without one a hypothesis expects "faster". */
static const char *expectation(const json_t *version, const versus *v)
{
    const double expected = json_get_number(version, "expected_speedup", NAN);
    if (v->verdict == VERSUS_NOT_TIMED)
        return "not known";
    if (!isfinite(expected))
        return v->verdict == VERSUS_FASTER ? "held" : "did not hold";
    return v->verdict == VERSUS_FASTER && v->high >= expected ? "held" : "did not hold";
}

static void take_versus(loop *l, json_t *version, const versus *v, int base)
{
    const int number = json_get_int(version, "version", 0);
    const int kept = v->verdict == VERSUS_FASTER;
    const double percent = kept ? v->percent_of_bound : NAN;
    json_object_set_new(version, "base", json_integer(base));
    json_object_set_new(version, "verdict", json_string(versus_name(v->verdict)));
    json_object_set_new(version, "speedup", json_number(v->speedup));
    json_object_set_new(version, "low", json_number(v->low));
    json_object_set_new(version, "high", json_number(v->high));
    json_object_set_new(version, "percent_of_bound", json_number(percent));
    json_object_set(version, "cases", v->cases);
    json_object_set_new(version, "expectation", json_string(expectation(version, v)));
    json_object_set_new(version, "outcome", json_string(kept ? "kept" : "reverted"));
    json_object_set_new(l->state, "idle",
                        json_integer(kept ? 0 : (json_int_t)json_get_number(l->state, "idle", 0) + 1));
    if (kept)
        json_object_set_new(l->state, "best", json_integer(number));
    set_step(version, "done");
    loop_say(l, "v%d: %s than v%d, %.3fx: %s; the expectation %s\n", number,
             v->verdict == VERSUS_SAME ? "not faster" : versus_name(v->verdict), base, v->speedup,
             kept ? "kept" : "reverted", json_get_text(version, "expectation", ""));
}

assay_status loop_time(loop *l, json_t *version, assay_error *error)
{
    outside o;
    versus v = {.cases = NULL};
    char path[PATH_MAX], base_name[16], name[16];
    const int number = json_get_int(version, "version", 0), base = loop_best(l);
    if (number == 0) { /* timed with the baselines at once, by optimize.c */
        json_object_set_new(version, "outcome", json_string("as given"));
        set_step(version, "done");
        return loop_save(l, error);
    }
    assay_status status = loop_open(l, &o, error);
    if (status != ASSAY_OK)
        return status;
    name_version(base, base_name);
    name_version(number, name);
    loop_path(l, base, "kernel.cu", path);
    status = outside_add(&o, path, base_name, l->options->request.dtypes, error);
    loop_path(l, number, "kernel.cu", path);
    if (status == ASSAY_OK)
        status = outside_add(&o, path, name, l->options->request.dtypes, error);
    if (status == ASSAY_OK)
        status = versus_run(&o, base_name, name, &l->options->request, &l->options->bench, &v, error);
    if (status == ASSAY_OK)
        status = loop_profile(l, &o, version, name, error);
    if (status == ASSAY_OK) {
        const json_t *from = json_array_get(json_object_get(l->state, "versions"), (size_t)base);
        take_versus(l, version, &v, base);
        status = loop_save(l, error);
        if (status == ASSAY_OK)
            status = evidence_record(l->options->experience, o.op->spec, &l->device,
                                     json_object_get(from, "profile"), version, error);
    }
    outside_close(&o);
    versus_release(&v);
    return status;
}
