/* Tasks of a job and their folders: see tune_cluster.h. */
#include "cli/tune_cluster.h"
#include "core/json_file.h"
#include "core/process.h"
#include "core/run_lock.h"
#include "tune/executor/join.h"
#include "tune/executor/task_workspace.h"
#include <glob.h>
#include <limits.h>
#include <sha256.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void make_words(const cluster *c, cluster_task *t)
{
    const planned_tuning *p = t->tuning;
    int n = 0;
    const char *const fixed[] = {
        "tune",    p->op->spec->name, "--variant", p->variant, "--dtype",  assay_dtype_name(p->dtype),
        "--build", t->folder,         "--outcome", t->outcome, "--report", p->report};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        t->words[n++] = fixed[i];
    if (!c->a->common.dims) {
        t->words[n++] = "--size";
        t->words[n++] = p->size;
    }
    for (int i = 0; i < c->a->passed_count; i++)
        t->words[n++] = c->a->passed[i];
    t->words[n] = NULL;
}

void cluster_add_word(cluster_task *t, const char *word)
{
    int n = 0;
    while (t->words[n])
        n++;
    t->words[n] = word;
    t->words[n + 1] = NULL;
}

/* Other tunings, or another way to search, are another job; so is a file of values that was edited. */
static void make_key(const cluster *c, char key[SHA256_DIGEST_STRING_LENGTH])
{
    SHA2_CTX hash;
    SHA256Init(&hash);
    for (int i = 0; i < c->count; i++) {
        SHA256Update(&hash, (const uint8_t *)c->tasks[i].label, strlen(c->tasks[i].label) + 1);
        for (int w = 0; w < c->a->passed_count; w++)
            SHA256Update(&hash, (const uint8_t *)c->a->passed[w], strlen(c->a->passed[w]) + 1);
    }
    char *values = NULL;
    if (c->a->space && text_file_read(c->a->space, &values, NULL, NULL) == ASSAY_OK)
        SHA256Update(&hash, (const uint8_t *)values, strlen(values));
    free(values);
    SHA256End(&hash, key);
}

assay_status cluster_make_tasks(cluster *c, const char *kind, const tune_plan *plan, assay_error *error)
{
    char key[SHA256_DIGEST_STRING_LENGTH];
    if (plan->count > SLURM_MOST_TASKS)
        return assay_error_set(error, ASSAY_ERR_INVALID, "%d tunings; one job array has at most %d",
                               plan->count, SLURM_MOST_TASKS);
    c->tasks = calloc((size_t)plan->count, sizeof *c->tasks);
    if (!c->tasks)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    c->count = plan->count;
    for (int i = 0; i < c->count; i++) {
        c->tasks[i].tuning = &plan->items[i];
        planned_tuning_label(&plan->items[i], c->tasks[i].label, CLUSTER_LABEL_BYTES);
    }
    make_key(c, key);
    snprintf(c->folder, sizeof c->folder, "%.3900s/%s/%.10s", c->ws->path, kind, key);
    for (int i = 0; i < c->count; i++) {
        cluster_task *t = &c->tasks[i];
        snprintf(t->folder, sizeof t->folder, "%.4000s/%d", c->folder, i);
        snprintf(t->outcome, sizeof t->outcome, "%.4000s/outcome.json", t->folder);
        make_words(c, t);
    }
    process_executable_folder(c->program, sizeof c->program);
    snprintf(c->program + strlen(c->program), sizeof c->program - strlen(c->program), "/assay");
    return ASSAY_OK;
}

int cluster_is_done(const cluster_task *t)
{
    return access(t->outcome, R_OK) == 0;
}

void cluster_forget(const cluster_task *t, const char *name)
{
    char path[PATH_MAX + 16];
    snprintf(path, sizeof path, "%.4000s/%s", t->folder, name);
    unlink(path);
}

assay_status cluster_write_workspace(const cluster *c, const cluster_task *t, assay_error *error)
{
    return task_workspace_write(c->ws, t->folder, error);
}

/* What a task has so far is joined, and its archive goes, so that it finds no run to go on with. */
static assay_status set_apart(const cluster *c, const cluster_task *t, assay_error *error)
{
    char path[PATH_MAX + 16];
    join_counts counts;
    glob_t found = {0};
    snprintf(path, sizeof path, "%.4000s/results/*/tuning.db*", t->folder);
    assay_status status = ASSAY_OK;
    if (glob(path, 0, NULL, &found) == 0) {
        snprintf(path, sizeof path, "%.4000s/results", t->folder);
        status = join_results(path, c->ws->results_base, &counts, error);
    }
    for (size_t i = 0; i < found.gl_pathc && status == ASSAY_OK; i++)
        unlink(found.gl_pathv[i]);
    globfree(&found);
    return status;
}

assay_status cluster_write_job(const cluster *c, int joined, assay_error *error)
{
    char path[PATH_MAX];
    json_t *tasks = json_array();
    for (int i = 0; i < c->count; i++)
        json_array_append_new(tasks, json_string(c->tasks[i].label));
    json_t *job =
        json_pack("{s:i, s:s, s:b, s:o}", "schema", 1, "job", c->id, "joined", joined, "tasks", tasks);
    snprintf(path, sizeof path, "%.4000s/job.json", c->folder);
    const assay_status status = json_file_write(path, job, 0, error);
    json_decref(job);
    return status;
}

/* The job of an earlier call, whose results are not joined yet; id "" where there is none. */
static void read_job(cluster *c, int *joined)
{
    char path[PATH_MAX];
    json_t *job = NULL;
    snprintf(path, sizeof path, "%.4000s/job.json", c->folder);
    *joined = 0;
    if (json_file_read(path, &job, NULL) == ASSAY_OK) {
        snprintf(c->id, sizeof c->id, "%s", json_get_text(job, "job", ""));
        *joined = json_is_true(json_object_get(job, "joined"));
    }
    json_decref(job);
}

assay_status cluster_open(cluster *c, int *joined, assay_error *error)
{
    char lock[PATH_MAX];
    snprintf(lock, sizeof lock, "%.4000s/lock", c->folder);
    const assay_status status = run_lock_hold(lock, error);
    read_job(c, joined);
    return status;
}

assay_status cluster_forget_outcomes(const cluster *c, int joined, assay_error *error)
{
    assay_status status = ASSAY_OK;
    for (int i = 0; i < c->count && status == ASSAY_OK; i++) {
        if (joined || c->a->options.is_new) {
            cluster_forget(&c->tasks[i], "outcome.json");
            cluster_forget(&c->tasks[i], "log.txt");
        }
        if (c->a->options.is_new)
            status = set_apart(c, &c->tasks[i], error);
    }
    return status;
}
