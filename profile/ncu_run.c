/* See ncu_run.h. */
#include "profile/ncu_run.h"
#include "core/json_file.h"
#include "core/process.h"
#include "profile/ncu_read.h"
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LIMIT_S = 300, IMPORT_LIMIT_S = 120, MOST_ARGUMENTS = 64 };

static int is_program(const char *path, char *out)
{
    if (access(path, X_OK) != 0)
        return 0;
    snprintf(out, PATH_MAX, "%s", path);
    return 1;
}

static int find_on_path(char *out)
{
    char candidate[PATH_MAX];
    const char *path = getenv("PATH");
    for (const char *at = path ? path : ""; *at; at += strcspn(at, ":") + (at[strcspn(at, ":")] == ':')) {
        snprintf(candidate, sizeof candidate, "%.*s/ncu", (int)strcspn(at, ":"), at);
        if (is_program(candidate, out))
            return 1;
    }
    return 0;
}

/* Where the toolkit's and the profiler's own packages put it; of several the last by name, which is the newest. */
static int find_in_toolkits(char *out)
{
    static const char *const patterns[] = {"/usr/local/cuda/bin/ncu", "/usr/local/cuda-*/bin/ncu",
                                           "/opt/nvidia/nsight-compute/*/ncu"};
    int found = 0;
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns && !found; i++) {
        glob_t paths;
        if (glob(patterns[i], 0, NULL, &paths) != 0)
            continue;
        for (size_t p = paths.gl_pathc; p > 0 && !found; p--)
            found = is_program(paths.gl_pathv[p - 1], out);
        globfree(&paths);
    }
    return found;
}

assay_status ncu_find(char *out, assay_error *error)
{
    const char *named = getenv("ASSAY_NCU");
    if (named && *named)
        return is_program(named, out)
                   ? ASSAY_OK
                   : assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "ASSAY_NCU: %s is no program", named);
    if (find_on_path(out) || find_in_toolkits(out))
        return ASSAY_OK;
    return assay_error_set(
        error, ASSAY_ERR_ENVIRONMENT,
        "ncu was not found; it comes with Nsight Compute in the CUDA toolkit: put its folder on "
        "PATH or name it in ASSAY_NCU");
}

typedef struct command {
    const char *words[MOST_ARGUMENTS];
    int count;
} command;

static void add(command *to, const char *word)
{
    if (to->count + 1 < MOST_ARGUMENTS)
        to->words[to->count++] = word;
}

static void add_all(command *to, const char *const *words)
{
    for (; *words; words++)
        add(to, *words);
}

/* The clocks stay as they are, as in all of Assay's measurements; the launch before the marks loads the code. */
static void add_launch(command *to, const workspace *ws, const assay_case *c, const char *launcher)
{
    const char *const words[] = {"--clock-control",
                                 "none",
                                 "--cache-control",
                                 "all",
                                 "--profile-from-start",
                                 "off",
                                 launcher,
                                 "--workspace",
                                 ws->path,
                                 "--op",
                                 c->op->spec->name,
                                 "--variant",
                                 c->variant,
                                 "--dtype",
                                 assay_dtype_name(c->dtype),
                                 "--size",
                                 c->size,
                                 "--mode",
                                 "profile",
                                 NULL};
    add_all(to, words);
}

/* ncu's and the program's own words, those that say what went wrong. */
static void find_complaint(const char *text, char *out, size_t out_bytes)
{
    const char *from = strstr(text, "assay-launch-case: ");
    if (!from && (from = strstr(text, "==ERROR==")) != NULL)
        from += strspn(from, "=ERROR ");
    if (!from)
        from = text + strspn(text, " \n");
    snprintf(out, out_bytes, "%.*s", (int)strcspn(from, "\n"), *from ? from : "it printed nothing");
}

static assay_status judge_run(const process_result *ended, assay_error *error)
{
    char how[128], complaint[512];
    const char *output = ended->output ? ended->output : "";
    if (ended->end == PROCESS_INTERRUPTED)
        return assay_error_set(error, ASSAY_ERR_CHECK, "interrupted");
    if (ncu_explain_permission(output, complaint, sizeof complaint))
        return assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "%s", complaint);
    if (ended->end == PROCESS_EXITED && ended->code == 0)
        return ASSAY_OK;
    process_describe(ended, how, sizeof how);
    find_complaint(output, complaint, sizeof complaint);
    return assay_error_set(error, ASSAY_ERR_DEVICE, "ncu %s: %s", how, complaint);
}

static assay_status find_launcher(const workspace *ws, char *out, assay_error *error)
{
    snprintf(out, PATH_MAX, "%s/assay-launch-case", ws->libexec);
    if (access(out, X_OK) == 0)
        return ASSAY_OK;
    return assay_error_set(
        error, ASSAY_ERR_ENVIRONMENT,
        "%s is not there: only a build for CUDA has the program that launches a kernel for ncu", out);
}

assay_status ncu_run_metrics(const workspace *ws, const assay_case *c, const char *metrics, char **text,
                             assay_error *error)
{
    char ncu[PATH_MAX], launcher[PATH_MAX];
    process_result ended;
    command call = {0};
    *text = NULL;
    assay_status status = ncu_find(ncu, error);
    if (status == ASSAY_OK)
        status = find_launcher(ws, launcher, error);
    if (status != ASSAY_OK)
        return status;
    add_all(&call, (const char *const[]){ncu, "--csv", "--print-units", "base", "--metrics", metrics, NULL});
    add_launch(&call, ws, c, launcher);
    process_run(call.words, LIMIT_S, 1, &ended);
    status = judge_run(&ended, error);
    if (status ==
        ASSAY_ERR_DEVICE) /* what it printed may be a table all the same, and says more than its status */
        status = ASSAY_OK;
    *text = ended.output;
    ended.output = NULL;
    process_result_release(&ended);
    if (status == ASSAY_OK && !*text)
        status = assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for what ncu printed");
    return status;
}

/* One run that leaves a report. `metrics` NULL: those of the sections only. *refused: ncu does not know a metric. */
static assay_status collect(const workspace *ws, const assay_case *c, const char *ncu, const char *launcher,
                            const char *report, const char *metrics, int *refused, assay_error *error)
{
    process_result ended;
    command call = {0};
    add_all(&call, (const char *const[]){ncu, "--force-overwrite", "--export", report, "--import-source",
                                         "yes", NULL});
    for (const char *const *section = metric_sections; *section; section++) {
        add(&call, "--section");
        add(&call, *section);
    }
    if (metrics) {
        add(&call, "--metrics");
        add(&call, metrics);
    }
    add_launch(&call, ws, c, launcher);
    process_run(call.words, LIMIT_S, 1, &ended);
    const assay_status status = judge_run(&ended, error);
    *refused = status == ASSAY_ERR_DEVICE && ended.output &&
               (strstr(ended.output, "ailed to find metric") || strstr(ended.output, "nvalid metric") ||
                strstr(ended.output, "metrics"));
    process_result_release(&ended);
    return status;
}

/* A page of the report, as a file; its text in *text. */
static assay_status import_page(const char *ncu, const char *folder, const char *report, const char *page,
                                const char *units, char **text, assay_error *error)
{
    char path[PATH_MAX];
    process_result ended;
    command call = {0};
    size_t bytes;
    snprintf(path, sizeof path, "%s/ncu_%s.csv", folder, page);
    add_all(&call, (const char *const[]){ncu, "--import", report, "--csv", "--page", page, "--log-file", path,
                                         NULL});
    if (units)
        add_all(&call, (const char *const[]){"--print-units", units, NULL});
    else /* the view of the source alone has no counters */
        add_all(&call, (const char *const[]){"--print-source", "cuda,sass", NULL});
    process_run(call.words, IMPORT_LIMIT_S, 1, &ended);
    assay_status status = judge_run(&ended, error);
    process_result_release(&ended);
    if (status == ASSAY_OK)
        status = text_file_read(path, text, &bytes, error);
    return status;
}

static assay_status read_pages(const char *ncu, const char *folder, const char *report,
                               launch_profile *profile, assay_error *error)
{
    static const struct {
        const char *name, *units;
        assay_status (*read)(const char *text, launch_profile *profile, assay_error *error);
        int needed;
    } pages[] = {{"raw", "base", ncu_read_page, 1},
                 {"details", "base", ncu_read_page, 1},
                 {"source", NULL, ncu_read_source, 0}};
    assay_status status = ASSAY_OK;
    for (size_t i = 0; i < sizeof pages / sizeof *pages && status == ASSAY_OK; i++) {
        char *text = NULL;
        status = import_page(ncu, folder, report, pages[i].name, pages[i].units, &text, error);
        if (status == ASSAY_OK)
            status = pages[i].read(text, profile, error);
        free(text);
        if (!pages[i].needed && status != ASSAY_ERR_CHECK) /* without lines there is still a verdict */
            status = ASSAY_OK;
    }
    return status;
}

assay_status ncu_run_case(const workspace *ws, const assay_case *c, const char *folder,
                          launch_profile *profile, assay_error *error)
{
    char ncu[PATH_MAX], launcher[PATH_MAX], report[PATH_MAX];
    int refused = 0;
    assay_status status = ncu_find(ncu, error);
    if (status == ASSAY_OK)
        status = find_launcher(ws, launcher, error);
    if (status == ASSAY_OK)
        status = make_folders(folder, error);
    if (status != ASSAY_OK)
        return status;
    snprintf(report, sizeof report, "%s/ncu.ncu-rep", folder);
    status = collect(ws, c, ncu, launcher, report, metric_asked_names(), &refused, error);
    if (refused) { /* an older or newer ncu: what its sections bring is better than nothing */
        if (error)
            *error = (assay_error){0};
        status = collect(ws, c, ncu, launcher, report, NULL, &refused, error);
    }
    return status == ASSAY_OK ? read_pages(ncu, folder, report, profile, error) : status;
}
