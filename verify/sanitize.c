/* compute-sanitizer around assay-verify-case; see sanitize.h. */
#include "sanitize.h"
#include "json_file.h"
#include "output_folder.h"
#include "parallel.h"
#include "process.h"
#include "sanitize_report.h"
#include "summary.h"
#include "verdict.h"
#include "worker.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_LIMIT_S 300.0
#define MORE_LIMIT_S    60.0 /* for each further kernel of a process */
#define JOB_BYTES       2e9  /* host memory of a process: a CUDA context, the tool, small tensors */

static const char *const all_tools[] = {"memcheck", "racecheck", "initcheck", "synccheck"};
enum { TOOL_COUNT = sizeof all_tools / sizeof all_tools[0], MOST_JOBS = 16 };

/* One kernel under one tool. */
typedef struct sanitize_case {
    char op[ASSAY_NAME_MAX], variant[ASSAY_NAME_MAX], dtype[8];
    const char *tool;
    char module[4400]; /* its record */
    int planted;       /* 1: the tool must find something */
} sanitize_case;

/* Neighbours in `cases` of one op and tool, which one process runs. */
typedef struct sanitize_group {
    int first, count;
} sanitize_group;

typedef struct sanitizer {
    workspace *ws;
    const sanitize_options *options;
    sanitize_case *cases;
    int count;
    sanitize_group *groups;
    int group_count, jobs;
} sanitizer;

/* What became of a process. */
typedef struct sanitize_end {
    process_result process;
    sanitize_report report;
    json_t *verdicts; /* an array, or NULL where the worker wrote none */
} sanitize_end;

int sanitize_find_program(char *path, size_t path_bytes)
{
    const char *given = getenv("ASSAY_COMPUTE_SANITIZER");
    char folders[8192];
    snprintf(folders, sizeof folders, "%s:/usr/local/cuda/bin:/opt/cuda/bin",
             getenv("PATH") ? getenv("PATH") : "");
    snprintf(path, path_bytes, "%s", given ? given : "");
    if (given && given[0])
        return access(path, X_OK) == 0;
    for (char *rest = folders, *folder; (folder = strsep(&rest, ":")) != NULL;) {
        snprintf(path, path_bytes, "%s/compute-sanitizer", folder);
        if (folder[0] && access(path, X_OK) == 0)
            return 1;
    }
    path[0] = '\0';
    return 0;
}

static void name_case(const sanitize_case *c, char *out, size_t out_bytes)
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
        printf("PASS %s %.0f problems, %.2f s\n", name, json_get_number(result, "problems", 0),
               json_get_number(result, "seconds", 0));
    else
        printf("%s %s: %s\n", strcmp(status, "skipped") == 0 ? "SKIP" : "FAIL", name,
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
    name_case(c, name, sizeof name);
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

/* Starting under the tool takes ten times as long as what a kernel does there, so kernels share a process; if anything is amiss, each
 * gets one of its own, which says whose it is. */
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

static assay_status run_share(void *context, int job, verify_summary *summary, assay_error *error)
{
    const sanitizer *s = context;
    for (int i = job; i < s->group_count && !summary->interrupted; i += s->jobs) {
        assay_error write_error = {0};
        run_group(s, &s->cases[s->groups[i].first], s->groups[i].count, summary, &write_error);
        if (write_error.status != ASSAY_OK)
            return assay_error_set(error, write_error.status, "%s", write_error.message);
    }
    return ASSAY_OK;
}

static int default_jobs(void)
{
    const double free_bytes = (double)sysconf(_SC_AVPHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    const long by_memory = (long)(free_bytes / JOB_BYTES), cores = sysconf(_SC_NPROCESSORS_ONLN);
    const long jobs = by_memory < cores ? by_memory : cores;
    return jobs < 1 ? 1 : jobs < MOST_JOBS ? (int)jobs : MOST_JOBS;
}

/* Neighbours of the same op and tool, planted mistakes each alone. */
static assay_status make_groups(sanitizer *s, assay_error *error)
{
    s->groups = calloc((size_t)s->count + 1, sizeof *s->groups);
    if (!s->groups)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    for (int i = 0; i < s->count; i++) {
        const sanitize_case *c = &s->cases[i], *before = i > 0 ? &s->cases[i - 1] : NULL;
        sanitize_group *last = s->group_count > 0 ? &s->groups[s->group_count - 1] : NULL;
        if (!before || c->planted || c->tool != before->tool || strcmp(c->op, before->op) != 0 ||
            last->count == WORKER_MOST_BARE)
            s->groups[s->group_count++] = (sanitize_group){i, 1};
        else
            last->count++;
    }
    return ASSAY_OK;
}

/* Run or, in a dry run, name the cases. */
static assay_status run_all(sanitizer *s, verify_summary *summary, assay_error *error)
{
    char name[300], folder[4400];
    const int wanted = s->options->jobs > 0 ? s->options->jobs : default_jobs();
    assay_status status = make_groups(s, error);
    s->jobs = wanted < s->group_count ? wanted : s->group_count;
    for (int i = 0; i < s->count && s->options->dry_run; i++) {
        name_case(&s->cases[i], name, sizeof name);
        printf("%s\n", name);
    }
    if (status != ASSAY_OK || s->options->dry_run || s->count == 0)
        return status;
    snprintf(folder, sizeof folder, "%s/sanitizer", s->ws->results);
    status = output_folder_prepare(folder, error);
    if (status != ASSAY_OK)
        return status;
    return s->jobs > 1 ? parallel_run(s->jobs, run_share, s, summary, error)
                       : run_share(s, 0, summary, error);
}

static int is_wanted(const char *tools, const char *tool)
{
    const size_t length = strlen(tool);
    for (const char *at = tools; at && (at = strstr(at, tool)) != NULL; at += length)
        if ((at == tools || at[-1] == ',') && (at[length] == '\0' || at[length] == ','))
            return 1;
    return tools == NULL;
}

static assay_status check_tools(const char *tools, assay_error *error)
{
    for (const char *at = tools ? tools : ""; *at;) {
        const size_t length = strcspn(at, ",");
        int known = 0;
        for (int i = 0; i < TOOL_COUNT; i++)
            known |= strlen(all_tools[i]) == length && strncmp(all_tools[i], at, length) == 0;
        if (!known)
            return assay_error_set(
                error, ASSAY_ERR_INVALID,
                "unknown tool \"%.*s\"; there are: memcheck, racecheck, initcheck, synccheck", (int)length,
                at);
        at += length + (at[length] == ',');
    }
    return ASSAY_OK;
}

static void add_case(sanitizer *s, const assay_case *from, const char *tool)
{
    sanitize_case *c = &s->cases[s->count++];
    *c = (sanitize_case){.tool = tool};
    snprintf(c->op, sizeof c->op, "%s", from->op->spec->name);
    snprintf(c->variant, sizeof c->variant, "%s", from->variant);
    snprintf(c->dtype, sizeof c->dtype, "%s", assay_dtype_name(from->dtype));
    case_module_path(s->ws, from, c->module, sizeof c->module);
}

assay_status sanitize_run(workspace *ws, const case_filter *filter, const sanitize_options *options,
                          verify_summary *summary, assay_error *error)
{
    sanitizer s = {.ws = ws, .options = options};
    assay_case *cases = NULL;
    int count = 0;
    const case_filter own = {
        .ops = filter->ops, .variants = filter->variants, .dtypes = filter->dtypes, .sizes = "small"};
    *summary = (verify_summary){.cases = json_array()};
    assay_status status = check_tools(options->tools, error);
    if (status == ASSAY_OK)
        status = workspace_list_cases(ws, &own, 0, &cases, &count, error);
    s.cases = status == ASSAY_OK ? calloc((size_t)count * TOOL_COUNT + 1, sizeof *s.cases) : NULL;
    for (int first = 0, end; s.cases && first < count; first = end) {
        for (end = first; end < count && cases[end].op == cases[first].op;)
            end++;
        for (int t = 0; t < TOOL_COUNT; t++)
            for (int i = first; i < end && is_wanted(options->tools, all_tools[t]); i++)
                /* f16 takes the code of bf16: only where it is asked for. */
                if (filter->dtypes || cases[i].dtype != ASSAY_F16)
                    add_case(&s, &cases[i], all_tools[t]);
    }
    if (status == ASSAY_OK)
        status = run_all(&s, summary, error);
    free(cases);
    free(s.groups);
    free(s.cases);
    return status;
}

/* OP.TOOL_MISTAKE.DTYPE.json */
static int read_planted_name(const char *file, sanitize_case *c)
{
    char tool[32];
    if (sscanf(file, "%63[a-z0-9_].%63[a-z0-9_].%7[a-z0-9].json", c->op, c->variant, c->dtype) != 3 ||
        sscanf(c->variant, "%31[a-z]", tool) != 1 || !strstr(file, ".json"))
        return 0;
    for (int i = 0; i < TOOL_COUNT; i++)
        if (strcmp(tool, all_tools[i]) == 0)
            c->tool = all_tools[i];
    return c->tool != NULL;
}

assay_status sanitize_self_test(workspace *ws, const sanitize_options *options, verify_summary *summary,
                                assay_error *error)
{
    sanitizer s = {.ws = ws, .options = options};
    char folder[4200];
    struct dirent **entries;
    *summary = (verify_summary){.cases = json_array()};
    snprintf(folder, sizeof folder, "%s/planted", ws->path);
    const int found = scandir(folder, &entries, NULL, alphasort);
    if (found < 0)
        return assay_error_set(error, ASSAY_ERR_ENVIRONMENT,
                               "%s: no kernels with planted mistakes there; build the target planted_modules",
                               folder);
    s.cases = calloc((size_t)found + 1, sizeof *s.cases);
    for (int i = 0; i < found; i++) {
        sanitize_case c = {.planted = 1};
        snprintf(c.module, sizeof c.module, "%.4096s/%.255s", folder, entries[i]->d_name);
        if (s.cases && read_planted_name(entries[i]->d_name, &c) && is_wanted(options->tools, c.tool))
            s.cases[s.count++] = c;
        free(entries[i]);
    }
    free(entries);
    assay_status status = check_tools(options->tools, error);
    if (status == ASSAY_OK && s.count == 0)
        status = assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "%s: no kernels with planted mistakes there",
                                 folder);
    if (status == ASSAY_OK)
        status = run_all(&s, summary, error);
    free(s.groups);
    free(s.cases);
    return status;
}
