/* Repeating suspicious cases: see compare_repeat.h. */
#include "history/compare_repeat.h"
#include "core/json_file.h"
#include "core/list.h"
#include "core/method_words.h"
#include "core/process.h"
#include "history/result_file.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REPEAT_LIMIT_S = 1800 };

static int is_of_case(const json_t *result, const compare_case *c)
{
    return strcmp(json_get_text(result, "op", ""), c->op) == 0 &&
           strcmp(json_get_text(result, "variant", ""), c->variant) == 0 &&
           strcmp(json_get_text(result, "dtype", ""), c->dtype) == 0 &&
           strcmp(json_get_text(result, "size", ""), c->size) == 0;
}

static const json_t *find_result(const result_set *set, const compare_case *c)
{
    for (int i = 0; i < set->count; i++)
        if (is_of_case(set->results[i], c))
            return set->results[i];
    return NULL;
}

static int is_of_workspace(const workspace *ws, const compare_case *c, const json_t *result)
{
    char path[4400];
    module_record record;
    snprintf(path, sizeof path, "%s/%s.%s.%s.json", ws->modules, c->op, c->variant, c->dtype);
    if (module_record_read(path, &record, NULL) != ASSAY_OK)
        return 0;
    const int same = strcmp(record.source_sha256, json_get_text(result, "source_sha256", "")) == 0;
    module_record_release(&record);
    return same;
}

typedef struct bench_call {
    char assay[4300], repetitions[32], warmup[32], sample[32], bound[32], locked[32];
    char variants[4096],
        peers[2048]; /* lists; the case's process with all that took turns in it, which are its controls */
    const char *argv[40];
    int count;
} bench_call;

static void add(bench_call *call, const char *option, const char *value)
{
    call->argv[call->count++] = option;
    if (value)
        call->argv[call->count++] = value;
    call->argv[call->count] = NULL;
}

static void append(char *list, size_t bytes, const char *name)
{
    snprintf(list + strlen(list), bytes - strlen(list), "%s%s", list[0] ? "," : "", name);
}

/* Arms that need a Python of the right kind are left out, unless times are divided by theirs. */
static void list_arms(const compare_case *c, const json_t *result, bench_call *call)
{
    size_t i;
    json_t *item;
    append(call->variants, sizeof call->variants, c->variant);
    json_array_foreach(json_object_get(json_object_get(result, "method"), "interleaved_with"), i, item)
    {
        const char *name = json_is_string(item) ? json_string_value(item) : "";
        if (strncmp(name, "peer_", 5) != 0)
            append(call->variants, sizeof call->variants, name);
        else if (strcmp(name, c->normalised_by) == 0 ||
                 (strncmp(name + 5, "torch", 5) != 0 && strncmp(name + 5, "triton", 6) != 0))
            append(call->peers, sizeof call->peers, name + 5);
    }
    if (call->peers[0] == '\0')
        append(call->peers, sizeof call->peers, "none");
}

/* By the method of the result, so that the repeat is another run of the same measurement. */
static void make_call(const workspace *ws, const compare_case *c, const json_t *result, bench_call *call)
{
    const json_t *method = json_object_get(result, "method");
    *call = (bench_call){0};
    list_arms(c, result, call);
    process_executable_folder(call->assay, sizeof call->assay - 8);
    strcat(call->assay, "/assay");
    snprintf(call->repetitions, sizeof call->repetitions, "%.0f", json_get_number(method, "repetitions", 10));
    snprintf(call->warmup, sizeof call->warmup, "%.10g", json_get_number(method, "warmup_ms", 25));
    snprintf(call->sample, sizeof call->sample, "%.10g", json_get_number(method, "sample_ms", 100));
    snprintf(call->bound, sizeof call->bound, "%.10g", json_get_number(method, "bound_s", 20));
    add(call, call->assay, "bench");
    add(call, "--build", ws->path);
    add(call, "--op", c->op);
    add(call, "--variant", call->variants);
    add(call, "--dtype", c->dtype);
    add(call, "--size", c->size);
    add(call, "--peers", call->peers);
    add(call, "--figures", c->figure);
    add(call, "--flush", json_get_text(method, "flush", "memset"));
    add(call, "--repetitions", call->repetitions);
    add(call, "--warmup-ms", call->warmup);
    add(call, "--sample-ms", call->sample);
    add(call, "--bound-s", call->bound);
    if (json_get_number(method, "locked_mhz", 0) > 0) {
        snprintf(call->locked, sizeof call->locked, "%.0f", json_get_number(method, "locked_mhz", 0));
        add(call, "--lock-clocks", call->locked);
    }
    add(call, "--force", NULL);
}

/* Results of the names in a list, each with `prefix` in front. */
static assay_status load_repeats(const workspace *ws, const compare_case *c, const char *list,
                                 const char *prefix, result_set *repeats, assay_error *error)
{
    assay_status status = ASSAY_OK;
    for (list_item item = {0}; status == ASSAY_OK && list_next(list, &item);) {
        char path[4700];
        json_t *assay = NULL;
        snprintf(path, sizeof path, "%s/%s/bench/%s.%s%.*s.%s.%s.json", ws->results_base, c->slug, c->op,
                 prefix, item.length, item.text, c->dtype, c->size);
        /* An arm that could not run has a result that says so, or none: then it is no control. */
        if (result_file_read(path, &assay, NULL) == ASSAY_OK)
            status = result_set_add(repeats, assay, error);
    }
    return status;
}

/* What a program said last, which is why it ended; ends `output` there. */
static const char *last_line(char *output)
{
    size_t length = output ? strlen(output) : 0;
    while (length > 0 && output[length - 1] == '\n')
        output[--length] = '\0';
    const char *newline = output ? strrchr(output, '\n') : NULL;
    return newline ? newline + 1 : output ? output : "it said nothing";
}

static assay_status repeat_group(const workspace *ws, const compare_case *c, const json_t *result,
                                 result_set *repeats, assay_error *error)
{
    bench_call call;
    process_result end;
    char how[200];
    make_call(ws, c, result, &call);
    process_run(call.argv, REPEAT_LIMIT_S, 1, &end);
    process_describe(&end, how, sizeof how);
    assay_status status = ASSAY_OK;
    if (end.end != PROCESS_EXITED || end.code != 0)
        status = assay_error_set(error, ASSAY_ERR_ENVIRONMENT,
                                 "%s.%s.%s.%s could not be repeated: assay bench %s: %.300s", c->op,
                                 c->variant, c->dtype, c->size, how, last_line(end.output));
    process_result_release(&end);
    if (status == ASSAY_OK)
        status = load_repeats(ws, c, call.variants, "", repeats, error);
    if (status == ASSAY_OK && strcmp(call.peers, "none") != 0)
        status = load_repeats(ws, c, call.peers, "peer_", repeats, error);
    return status;
}

/* A group's process measures all its cases, so it runs once however many of them are suspicious. */
static int was_measured(const compare_report *report, int at, const char *done)
{
    const compare_case *c = &report->cases[at];
    for (int i = 0; i < at; i++) {
        const compare_case *other = &report->cases[i];
        if (done[i] && strcmp(other->op, c->op) == 0 && strcmp(other->dtype, c->dtype) == 0 &&
            strcmp(other->size, c->size) == 0 && strcmp(other->figure, c->figure) == 0 &&
            strcmp(other->slug, c->slug) == 0)
            return 1;
    }
    return 0;
}

/* Why a case cannot be repeated, or NULL. Another queue is another time (docs/measurement.md), and bench has one way only. */
static const char *obstacle(const workspace *ws, const compare_case *c, const json_t *result)
{
    char method[METHOD_LABEL_BYTES];
    const char *kind = json_get_text(json_object_get(result, "device"), "kind", "");
    method_label(json_object_get(result, "method"), kind, c->figure, method, sizeof method);
    if (strstr(method, "in batches of"))
        return "its cold launches were queued in batches, which is not done any more";
    return is_of_workspace(ws, c, result) ? NULL : "the build folder has another source of it";
}

assay_status repeat_suspicious(const workspace *ws, const compare_report *report, const result_set *changed,
                               FILE *progress, result_set *repeats, int *cases, assay_error *error)
{
    assay_status status = ASSAY_OK;
    char *done = calloc((size_t)report->count + 1, 1);
    snprintf(repeats->label, sizeof repeats->label, "repeats");
    *cases = 0;
    if (!done)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for repeats");
    for (int i = 0; status == ASSAY_OK && i < report->count; i++) {
        const compare_case *c = &report->cases[i];
        const json_t *result = compare_is_suspicious(c) ? find_result(changed, c) : NULL;
        if (!result || strcmp(json_get_text(result, "kind", ""), "variant") != 0)
            continue;
        const char *why = obstacle(ws, c, result);
        if (progress)
            fprintf(progress, "%s %s.%s.%s.%s %s\n", why ? "not repeated:" : "repeating", c->op, c->variant,
                    c->dtype, c->size, why ? why : c->figure);
        if (why)
            continue;
        done[i] = 1;
        ++*cases;
        if (!was_measured(report, i, done))
            status = repeat_group(ws, c, result, repeats, error);
    }
    free(done);
    return status;
}

static const compare_case *find_case(const compare_report *report, const compare_case *c)
{
    for (int i = 0; i < report->count; i++) {
        const compare_case *other = &report->cases[i];
        if (strcmp(other->op, c->op) == 0 && strcmp(other->variant, c->variant) == 0 &&
            strcmp(other->dtype, c->dtype) == 0 && strcmp(other->size, c->size) == 0 &&
            strcmp(other->figure, c->figure) == 0 && strcmp(other->slug, c->slug) == 0)
            return other;
    }
    return NULL;
}

static void withdraw_case(compare_report *report, compare_case *c, const char *what, const char *more)
{
    report->verdicts[c->verdict]--;
    c->verdict = COMPARE_INCONCLUSIVE;
    report->verdicts[c->verdict]++;
    snprintf(c->reason, sizeof c->reason, "%s%.300s", what, more);
}

/* Slower with all runs together, but not in the repeats alone, is no confirmed slowdown. */
static void withdraw(compare_report *report, const compare_report *alone)
{
    for (int i = 0; i < report->count; i++) {
        compare_case *c = &report->cases[i];
        const compare_case *again = find_case(alone, c);
        if (again && again->verdict == COMPARE_NOT_OK && c->verdict == COMPARE_SLOWER)
            withdraw_case(report, c, "looked slower at first, and could not be repeated: ", again->reason);
        if (!again || again->verdict > COMPARE_INCONCLUSIVE)
            continue;
        c->repeated = again->new_runs;
        if (c->verdict != COMPARE_SLOWER || again->verdict == COMPARE_SLOWER)
            continue;
        char how[120];
        snprintf(how, sizeof how, "%+.2f%% when repeated, 95%% interval %+.1f%% to %+.1f%%",
                 100 * (again->ratio.ratio - 1), 100 * (again->ratio.low95 - 1),
                 100 * (again->ratio.high95 - 1));
        withdraw_case(report, c, "looked slower at first; ", how);
    }
}

assay_status compare_confirm(const result_set *base, const result_set *changed, const result_set *repeats,
                             const compare_options *options, compare_report *report, assay_error *error)
{
    result_set all = {0};
    compare_report alone = {0}, together = {0};
    assay_status status = result_set_join(changed, repeats, &all, error);
    if (status == ASSAY_OK)
        status = compare_sets(base, repeats, options, &alone, error);
    if (status == ASSAY_ERR_INVALID && alone.verdicts[COMPARE_NOT_OK] > 0)
        status = ASSAY_OK; /* no repeat can be judged, which withdraw() says case by case */
    if (status == ASSAY_OK)
        status = compare_sets(base, &all, options, &together, error);
    if (status == ASSAY_OK) {
        withdraw(&together, &alone);
        compare_report_release(report);
        *report = together;
    } else
        compare_report_release(&together);
    compare_report_release(&alone);
    result_set_release(&all);
    return status;
}
