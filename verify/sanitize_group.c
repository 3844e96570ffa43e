/* One worker under compute-sanitizer and the reading of its end; see sanitize_group.h. */
#include "verify/sanitize_group.h"
#include "core/utf8.h"
#include "core/json_file.h"
#include "core/process.h"
#include "verify/case.h"
#include "verify/sanitize_report.h"
#include "verify/summary.h"
#include "verify/verdict.h"
#include <stdio.h>
#include <string.h>

#define DEFAULT_LIMIT_S 300.0
#define MORE_LIMIT_S    60.0 /* for each further kernel of a process */

typedef struct sanitizer {
    const workspace *ws;
    const sanitize_options *options;
} sanitizer;

/* What became of a worker under a tool. */
typedef struct sanitize_end {
    worker_end end;
    double seconds;
    char reason[WORKER_REASON_MAX]; /* how it ended, or why it did not start */
    sanitize_report report;
    json_t *verdicts; /* as far as it came */
} sanitize_end;

void sanitize_name_case(const sanitize_case *c, char *out, size_t out_bytes)
{
    snprintf(out, out_bytes, "sanitizer.%s.%s.%s.%s", c->tool, c->op, c->variant, c->dtype);
}

/* The words that start the tool; the worker's follow. */
static void tool_words(const sanitizer *s, const char *tool, const char *words[16])
{
    int count = 0;
    const char *const all[] = {s->options->program,
                               "--tool",
                               tool,
                               "--error-exitcode",
                               "1",
                               "--check-exit-code",
                               "no",
                               "--print-limit",
                               "3",
                               "--show-backtrace",
                               "no"};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        words[count++] = all[i];
    if (strcmp(tool, "memcheck") == 0) { /* so that an overrun does not end in the next tensor */
        words[count++] = "--padding";
        words[count++] = "4096";
    }
    words[count] = NULL;
}

/* Judge one module in the worker and add its verdict, or null. 0: nothing more can be judged there. */
static int judge_module(const sanitizer *s, const sanitize_case *c, worker *w, sanitize_end *end)
{
    case_setup setup = {0};
    module_record record = {0};
    json_t *verdict = NULL;
    assay_error error = {0};
    case_request request = {.ws = s->ws,
                            .op = workspace_find_op(s->ws, c->op),
                            .size = "exact",
                            .exact = 1,
                            .unread = strcmp(c->tool, "initcheck") == 0,
                            .seed = VERIFY_DEFAULT_SEED};
    assay_status status = request.op ? case_open(&request, 0, &setup, &error) : ASSAY_ERR_INVALID;
    if (status == ASSAY_OK)
        status = module_record_read(c->module, &record, &error);
    if (status == ASSAY_OK) {
        request.variant = json_get_text(record.json, "variant", "");
        assay_dtype_parse(json_get_text(record.json, "dtype", ""), &request.dtype);
        if (!case_judge_unrun(&request, &record, &verdict))
            status = case_judge(&request, &setup, &record, w, &verdict, &error);
    }
    if (status != ASSAY_OK && !end->reason[0])
        snprintf(end->reason, sizeof end->reason, "%s", error.message);
    json_array_append_new(end->verdicts, verdict ? verdict : json_null());
    module_record_release(&record);
    case_close(&setup);
    return status == ASSAY_OK && !worker_lost(w);
}

static void start_and_wait(const sanitizer *s, const sanitize_case *cases, int count, sanitize_end *end)
{
    char program[4200];
    const char *words[16];
    worker *w;
    assay_error error = {0};
    const double limit = s->options->time_limit_s > 0 ? s->options->time_limit_s
                                                      : DEFAULT_LIMIT_S + MORE_LIMIT_S * (count - 1);
    snprintf(program, sizeof program, "%s/assay-verify-worker", s->ws->libexec);
    tool_words(s, cases->tool, words);
    *end = (sanitize_end){.end = WORKER_CRASHED, .verdicts = json_array()};
    const worker_setup setup = {
        .program = program, .device = s->ws->device, .tool = words, .time_limit_s = limit};
    if (worker_start(&setup, &w, &error) != ASSAY_OK) {
        snprintf(end->reason, sizeof end->reason, "%s", error.message);
        return;
    }
    for (int i = 0; i < count && judge_module(s, &cases[i], w, end); i++)
        ;
    worker_stop(w, 1);
    end->end = worker_how_ended(w);
    end->seconds = worker_waited_s(w);
    if (end->end != WORKER_STOPPED)
        snprintf(end->reason, sizeof end->reason, "%s", worker_reason(w));
    sanitize_read_report(worker_output(w), &end->report);
    worker_close(w);
}

static void release_end(sanitize_end *end)
{
    json_decref(end->verdicts);
}

/* Nothing to report, and a verdict for every kernel that is none of failure. */
static int is_clean(const sanitize_end *end, int count)
{
    size_t i;
    json_t *verdict;
    if (end->end != WORKER_STOPPED || !end->report.found || end->report.errors > 0 ||
        json_array_size(end->verdicts) != (size_t)count)
        return 0;
    json_array_foreach(end->verdicts, i, verdict)
    {
        const char *status = json_get_text(verdict, "status", "");
        if (strcmp(status, "pass") != 0 && strcmp(status, "skipped") != 0)
            return 0;
    }
    return 1;
}

/* Status and reason from the worker's end, the tool's report and the verdict. 0: it could not judge. */
static int conclude(const sanitize_end *end, const json_t *verdict, const char **status, char *reason,
                    size_t reason_bytes)
{
    const sanitize_report *report = &end->report;
    const char *judged = json_get_text(verdict, "status", "");
    snprintf(reason, reason_bytes, "%s", end->reason);
    if (end->end == WORKER_TIMED_OUT) {
        *status = "timeout";
        return 1;
    }
    if (report->errors > 0) {
        snprintf(reason, reason_bytes, "%d %s%s%s: %s", report->errors,
                 report->errors == 1 ? "report" : "reports", report->step[0] ? ", the first in " : "",
                 report->step, report->first);
        *status = "fail";
        return 1;
    }
    if (!report->found || !judged[0])
        return 0;
    *status = judged;
    snprintf(reason, reason_bytes, "%s", json_get_text(verdict, "reason", ""));
    return 1;
}

/* An injected mistake must be reported by its tool; a wrong result alone is not that. */
static void invert(const sanitize_report *report, const char **status, char *reason, size_t reason_bytes)
{
    char found[512];
    snprintf(found, sizeof found, "%s", reason);
    *status = report->errors > 0 ? "pass" : "fail";
    if (report->errors == 0)
        snprintf(reason, reason_bytes, "the tool did not report the injected mistake%s%s",
                 found[0] ? ": " : "", found);
    else
        reason[0] = '\0';
}

static json_t *result_json(const sanitize_case *c, const char *status, const char *reason,
                           const sanitize_report *report, const json_t *verdict, double seconds, int together)
{
    char time[32], rerun[400];
    verdict_time(time);
    snprintf(rerun, sizeof rerun, "assay sanitize --op %s --variant %s --dtype %s --tool %s", c->op,
             c->variant, c->dtype, c->tool);
    return json_pack("{s:i, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:i, s:i, s:f, s:i, s:s, s:s}", "schema", 1,
                     "op", c->op, "variant", c->variant, "dtype", c->dtype, "tool", c->tool, "status", status,
                     "reason", reason, "source_sha256", json_get_text(verdict, "source_sha256", ""), "errors",
                     report->errors, "problems", (int)json_array_size(json_object_get(verdict, "checks")),
                     "seconds", seconds, "together", together, "time", time, "rerun", rerun);
}

static void print_result(const char *name, const json_t *result)
{
    const char *status = json_get_text(result, "status", "");
    if (strcmp(status, "pass") == 0)
        clean_printf(stdout, "PASS %s %.0f problems, %.2f s\n", name, json_get_number(result, "problems", 0),
                     json_get_number(result, "seconds", 0));
    else
        clean_printf(stdout, "%s %s: %s\n", strcmp(status, "skipped") == 0 ? "SKIP" : "FAIL", name,
                     json_get_text(result, "reason", ""));
    fflush(stdout);
}

/* Note one kernel's end. `together`: of how many the process was. */
static void record_case(const sanitizer *s, const sanitize_case *c, const sanitize_end *end,
                        const json_t *verdict, int together, verify_summary *summary,
                        assay_error *write_error)
{
    char name[300], path[4600], reason[1200];
    const char *status = "fail";
    sanitize_name_case(c, name, sizeof name);
    if (!conclude(end, verdict, &status, reason, sizeof reason)) {
        summary_add_error(summary, name, reason, ASSAY_EXIT_ENVIRONMENT);
        return;
    }
    if (c->injected)
        invert(&end->report, &status, reason, sizeof reason);
    json_t *result = result_json(c, status, reason, &end->report, verdict, end->seconds, together);
    snprintf(path, sizeof path, "%s/sanitizer/%s.%s.%s.%s.json", s->ws->results, c->op, c->variant, c->dtype,
             c->tool);
    if (!c->injected)
        json_file_write(path, result, 0, write_error);
    summary_add_verdict(summary, name, result, 1);
    if (!s->options->quiet)
        print_result(name, result);
    json_decref(result);
}

/* Starting under the tool takes ten times as long as what a kernel does there, so kernels share a process. */
static void run_group(const sanitizer *s, const sanitize_case *cases, int count, verify_summary *summary,
                      assay_error *write_error)
{
    sanitize_end end;
    start_and_wait(s, cases, count, &end);
    if (process_interrupted())
        summary->interrupted = 1;
    else if (count == 1 || is_clean(&end, count))
        for (int i = 0; i < count; i++)
            record_case(s, &cases[i], &end, json_array_get(end.verdicts, (size_t)i), count, summary,
                        write_error);
    else
        for (int i = 0; i < count && !summary->interrupted; i++)
            run_group(s, &cases[i], 1, summary, write_error);
    release_end(&end);
}

void sanitize_run_group(const workspace *ws, const sanitize_options *options, const sanitize_case *cases,
                        int count, verify_summary *summary, assay_error *write_error)
{
    const sanitizer s = {.ws = ws, .options = options};
    run_group(&s, cases, count, summary, write_error);
}
