/* One process of compute-sanitizer and the reading of its end; see sanitize_group.h. */
#include "verify/sanitize_group.h"
#include "core/utf8.h"
#include "core/json_file.h"
#include "core/process.h"
#include "verify/sanitize_report.h"
#include "verify/summary.h"
#include "verify/verdict.h"
#include "verify/worker.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_LIMIT_S 300.0
#define MORE_LIMIT_S    60.0 /* for each further kernel of a process */

typedef struct sanitizer {
    const workspace *ws;
    const sanitize_options *options;
} sanitizer;

/* What became of a process. */
typedef struct sanitize_end {
    process_result process;
    sanitize_report report;
    json_t *verdicts; /* an array, or NULL where the worker wrote none */
} sanitize_end;

void sanitize_name_case(const sanitize_case *c, char *out, size_t out_bytes)
{
    snprintf(out, out_bytes, "sanitizer.%s.%s.%s.%s", c->tool, c->op, c->variant, c->dtype);
}

static void run_process(const sanitizer *s, const sanitize_case *cases, int count, const char *out,
                        process_result *result)
{
    char program[4200];
    snprintf(program, sizeof program, "%s/assay-verify-case", s->ws->libexec);
    const char *argv[33 + 2 * WORKER_MOST_BARE] = {s->options->program,
                                                   "--tool",
                                                   cases->tool,
                                                   "--error-exitcode",
                                                   "1",
                                                   "--check-exit-code",
                                                   "no",
                                                   "--print-limit",
                                                   "3",
                                                   "--show-backtrace",
                                                   "no"};
    int argc = 11;
    if (strcmp(cases->tool, "memcheck") == 0) { /* so that an overrun does not end in the next tensor */
        argv[argc++] = "--padding";
        argv[argc++] = "4096";
    }
    const char *worker[] = {program, "--workspace", s->ws->path, "--op", cases->op};
    for (size_t i = 0; i < sizeof worker / sizeof worker[0]; i++)
        argv[argc++] = worker[i];
    for (int i = 0; i < count; i++) {
        argv[argc++] = "--bare";
        argv[argc++] = cases[i].module;
    }
    if (strcmp(cases->tool, "initcheck") == 0)
        argv[argc++] = "--unread"; /* why: see the worker's --help */
    argv[argc++] = "--out";
    argv[argc++] = out;
    const double limit = s->options->time_limit_s > 0 ? s->options->time_limit_s
                                                      : DEFAULT_LIMIT_S + MORE_LIMIT_S * (count - 1);
    process_run(argv, limit, 1, result);
}

static void start_and_wait(const sanitizer *s, const sanitize_case *cases, int count, sanitize_end *end)
{
    char stem[4600], out[4700];
    json_t *file = NULL;
    *end = (sanitize_end){0};
    snprintf(stem, sizeof stem, "%s/sanitizer/%s.%s", s->ws->results, cases->op, cases->tool);
    worker_out_path(stem, out, sizeof out);
    run_process(s, cases, count, out, &end->process);
    sanitize_read_report(end->process.output, &end->report);
    if (json_file_read(out, &file, NULL) == ASSAY_OK)
        end->verdicts = json_incref(json_object_get(file, "verdicts"));
    json_decref(file);
    unlink(out);
}

static void release_end(sanitize_end *end)
{
    json_decref(end->verdicts);
    process_result_release(&end->process);
}

/* Nothing to report, and a verdict for every kernel that is none of failure. */
static int is_clean(const sanitize_end *end, int count)
{
    size_t i;
    json_t *verdict;
    if (end->process.end != PROCESS_EXITED || !end->report.found || end->report.errors > 0 ||
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

/* Status and reason of a process that ended, from the tool's report and the worker's verdict. 0: it could not judge. */
static int conclude(const process_result *process, const json_t *verdict, const sanitize_report *report,
                    const char **status, char *reason, size_t reason_bytes)
{
    const char *judged = json_get_text(verdict, "status", "");
    reason[0] = '\0';
    if (process->end != PROCESS_EXITED) {
        process_describe(process, reason, reason_bytes);
        *status = process->end == PROCESS_TIMED_OUT ? "timeout" : "crash";
        return process->end != PROCESS_NOT_STARTED;
    }
    if (report->errors > 0) {
        snprintf(reason, reason_bytes, "%d %s%s%s: %s", report->errors,
                 report->errors == 1 ? "report" : "reports", report->step[0] ? ", the first in " : "",
                 report->step, report->first);
        *status = "fail";
        return 1;
    }
    if (!report->found || !judged[0]) {
        char step[160];
        worker_last_words(process->output, reason, reason_bytes, step, sizeof step);
        return 0;
    }
    *status = judged;
    snprintf(reason, reason_bytes, "%s", json_get_text(verdict, "reason", ""));
    return 1;
}

/* A planted mistake must be reported by its tool; a wrong result alone is not that. */
static void invert(const sanitize_report *report, const char **status, char *reason, size_t reason_bytes)
{
    char found[512];
    snprintf(found, sizeof found, "%s", reason);
    *status = report->errors > 0 ? "pass" : "fail";
    if (report->errors == 0)
        snprintf(reason, reason_bytes, "the tool did not report the planted mistake%s%s",
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
    if (!conclude(&end->process, verdict, &end->report, &status, reason, sizeof reason)) {
        summary_add_error(summary, name, reason, ASSAY_EXIT_ENVIRONMENT);
        return;
    }
    if (c->planted)
        invert(&end->report, &status, reason, sizeof reason);
    json_t *result = result_json(c, status, reason, &end->report, verdict, end->process.seconds, together);
    snprintf(path, sizeof path, "%s/sanitizer/%s.%s.%s.%s.json", s->ws->results, c->op, c->variant, c->dtype,
             c->tool);
    if (!c->planted)
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
    if (end.process.end == PROCESS_INTERRUPTED || process_interrupted())
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
