/* Compiling and judging once: see attempt.h. */
#include "optimize/attempt.h"
#include "core/json_file.h"
#include "core/process.h"
#include "core/utf8.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_MISMATCHES = 4, MOST_MESSAGE = 8000 };

void attempt_fail(attempt *a, const char *error_class, const char *message)
{
    snprintf(a->error_class, sizeof a->error_class, "%s", error_class);
    free(a->message);
    a->message = strndup(message, MOST_MESSAGE);
    if (a->message)
        utf8_repair(a->message);
}

void attempt_release(attempt *a)
{
    free(a->message);
    json_decref(a->mismatches);
    json_decref(a->verdicts);
    *a = (attempt){.passed = 0};
}

json_t *attempt_json(const attempt *a)
{
    return json_pack("{s:s, s:s, s:O?}", "error_class", a->error_class, "message",
                     a->message ? a->message : "", "mismatches", a->mismatches);
}

/* A kernel may print what it likes into a reason, so the words count at its beginning only. */
static const char *class_of(const char *status, const char *reason)
{
    if (strcmp(status, "timeout") == 0 || strncmp(reason, "timed out after", 15) == 0)
        return "time limit";
    if (strcmp(status, "crash") == 0 || strncmp(reason, "killed by signal", 16) == 0 ||
        strncmp(reason, "exited with status", 18) == 0)
        return "crash";
    return "wrong results";
}

/* The first wrong elements of the first check that failed. */
static json_t *first_mismatches(const outside *o, const char *name)
{
    char path[4800];
    json_t *verdict = NULL, *out = json_array(), *check;
    size_t i;
    snprintf(path, sizeof path, "%s/verify/%s.json", o->ws->results, name);
    if (json_file_read(path, &verdict, NULL) == ASSAY_OK)
        json_array_foreach(json_object_get(verdict, "checks"), i, check)
        {
            const json_t *list = json_object_get(check, "mismatches");
            for (size_t m = 0; m < json_array_size(list) && json_array_size(out) < MOST_MISMATCHES; m++)
                json_array_append(out, json_array_get(list, m));
        }
    json_decref(verdict);
    return out;
}

static void take_verdicts(const outside *o, const verify_summary *summary, attempt *out)
{
    size_t i;
    json_t *item;
    out->verdicts = json_incref(summary->cases);
    out->passed = summary->passed > 0 && summary->failed == 0 && summary->errors == 0;
    if (out->passed) {
        attempt_fail(out, "passed", "");
        return;
    }
    json_array_foreach(summary->cases, i, item)
    {
        const char *reason = json_get_text(item, "reason", ""), *status = json_get_text(item, "status", "");
        char message[1200];
        if (strcmp(status, "pass") == 0 || strncmp(status, "skip", 4) == 0)
            continue;
        snprintf(message, sizeof message, "%s: %.1000s", json_get_text(item, "name", ""), reason);
        attempt_fail(out, class_of(status, reason), message);
        out->mismatches = first_mismatches(o, json_get_text(item, "name", ""));
        return;
    }
    attempt_fail(out, "no case", "none of the cases asked for could be judged with this kernel");
}

assay_status attempt_judge(outside *o, const char *file, const char *name, const outside_request *request,
                           attempt *out, assay_error *error)
{
    verify_summary summary = {0};
    *out = (attempt){.passed = 0};
    assay_status status = outside_add(o, file, name, request->dtypes, error);
    if (status == ASSAY_ERR_INVALID) { /* a contest's kernel of another dtype or form */
        attempt_fail(out, "no case", error->message);
        *error = (assay_error){0};
        return ASSAY_OK;
    }
    if (status != ASSAY_OK)
        return status;
    char *compiler = outside_compiler_message(o, name);
    if (compiler) {
        attempt_fail(out, "does not compile", compiler);
        free(compiler);
        return ASSAY_OK;
    }
    status = outside_verify(o, request, &summary, error);
    if (status == ASSAY_OK && (summary.interrupted || process_interrupted()))
        status = assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "interrupted");
    if (status == ASSAY_OK && summary.errors > 0)
        status =
            assay_error_set(error, ASSAY_ERR_ENVIRONMENT,
                            "%d cases could not be judged here; the messages above say why", summary.errors);
    if (status == ASSAY_OK)
        take_verdicts(o, &summary, out);
    verify_summary_release(&summary);
    return status;
}
