/* Which kernels compute-sanitizer runs under which tools, and how many at a time; see sanitize.h. */
#include "core/output_folder.h"
#include "core/list.h"
#include "verify/sanitize.h"
#include "verify/parallel.h"
#include "verify/sanitize_group.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define JOB_BYTES 2e9 /* host memory of a process: a CUDA context, the tool, small tensors */

static const char *const all_tools[] = {"memcheck", "racecheck", "initcheck", "synccheck"};
enum { TOOL_COUNT = sizeof all_tools / sizeof all_tools[0], MOST_JOBS = 16 };

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

static assay_status run_share(void *context, int job, parallel_report *report, verify_summary *summary,
                              assay_error *error)
{
    const sanitizer *s = context;
    for (int i = job; i < s->group_count && !summary->interrupted; i += s->jobs) {
        assay_error write_error = {0};
        sanitize_run_group(s->ws, s->options, &s->cases[s->groups[i].first], s->groups[i].count, summary,
                           &write_error);
        if (write_error.status != ASSAY_OK)
            return assay_error_set(error, write_error.status, "%s", write_error.message);
        parallel_send(report, summary);
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

/* Neighbours of the same op and tool, injected mistakes each alone. */
static assay_status make_groups(sanitizer *s, assay_error *error)
{
    s->groups = calloc((size_t)s->count + 1, sizeof *s->groups);
    if (!s->groups)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    for (int i = 0; i < s->count; i++) {
        const sanitize_case *c = &s->cases[i], *before = i > 0 ? &s->cases[i - 1] : NULL;
        sanitize_group *last = s->group_count > 0 ? &s->groups[s->group_count - 1] : NULL;
        if (!before || c->injected || c->tool != before->tool || strcmp(c->op, before->op) != 0 ||
            last->count == SANITIZE_MOST_MODULES)
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
        sanitize_name_case(&s->cases[i], name, sizeof name);
        printf("%s\n", name);
    }
    if (status != ASSAY_OK || s->options->dry_run || s->count == 0)
        return status;
    snprintf(folder, sizeof folder, "%s/sanitizer", s->ws->results);
    status = output_folder_prepare(folder, error);
    if (status != ASSAY_OK)
        return status;
    const parallel_work work = {.run = run_share, .context = s};
    return parallel_run(s->jobs, &work, summary, error);
}

static assay_status check_tools(const char *tools, assay_error *error)
{
    for (list_item item = {0}; list_next(tools, &item);) {
        int known = 0;
        for (int i = 0; i < TOOL_COUNT; i++)
            known |= list_item_is(&item, all_tools[i]);
        if (!known)
            return assay_error_set(
                error, ASSAY_ERR_INVALID,
                "unknown tool \"%.*s\"; there are: memcheck, racecheck, initcheck, synccheck", item.length,
                item.text);
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
            for (int i = first; i < end && list_selects(options->tools, all_tools[t]); i++)
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
static int read_injected_name(const char *file, sanitize_case *c)
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
    snprintf(folder, sizeof folder, "%s/injected", ws->path);
    const int found = scandir(folder, &entries, NULL, alphasort);
    if (found < 0)
        return assay_error_set(
            error, ASSAY_ERR_ENVIRONMENT,
            "%s: no kernels with injected mistakes there; build the target injected_modules", folder);
    s.cases = calloc((size_t)found + 1, sizeof *s.cases);
    for (int i = 0; i < found; i++) {
        sanitize_case c = {.injected = 1};
        snprintf(c.module, sizeof c.module, "%.4096s/%.255s", folder, entries[i]->d_name);
        if (s.cases && read_injected_name(entries[i]->d_name, &c) && list_selects(options->tools, c.tool))
            s.cases[s.count++] = c;
        free(entries[i]);
    }
    free(entries);
    assay_status status = check_tools(options->tools, error);
    if (status == ASSAY_OK && s.count == 0)
        status = assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "%s: no kernels with injected mistakes there",
                                 folder);
    if (status == ASSAY_OK)
        status = run_all(&s, summary, error);
    free(s.groups);
    free(s.cases);
    return status;
}
