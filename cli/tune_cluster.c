/* Tasks of a job and their folders: see tune_cluster.h. */
#include "cli/tune_cluster.h"
#include "core/json_file.h"
#include "core/process.h"
#include "tune/executor/join.h"
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

/* Other tunings, or another way to search, are another job. */
static void make_key(const cluster *c, char key[SHA256_DIGEST_STRING_LENGTH])
{
    SHA2_CTX hash;
    SHA256Init(&hash);
    for (int i = 0; i < c->count; i++) {
        SHA256Update(&hash, (const uint8_t *)c->tasks[i].label, strlen(c->tasks[i].label) + 1);
        for (int w = 0; w < c->a->passed_count; w++)
            SHA256Update(&hash, (const uint8_t *)c->a->passed[w], strlen(c->a->passed[w]) + 1);
    }
    SHA256End(&hash, key);
}

assay_status cluster_make_tasks(cluster *c, const tune_plan *plan, assay_error *error)
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
    snprintf(c->folder, sizeof c->folder, "%.3900s/slurm/%.10s", c->ws->path, key);
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

/* The workspace of a task: a path that is relative is so to the build folder, and the task's is another. */
static void make_absolute(const workspace *ws, json_t *object, const char *key)
{
    const char *path = json_get_text(object, key, "");
    if (path[0] != '\0' && path[0] != '/')
        json_object_set_new(object, key, json_sprintf("%s/%s", ws->path, path));
}

assay_status cluster_write_workspace(const cluster *c, const cluster_task *t, assay_error *error)
{
    static const char *const shared[] = {"source", "modules", "baselines", "libexec", "templates"},
                             *const own[] = {"results", "logs", "plots"};
    json_t *manifest = json_deep_copy(c->ws->manifest), *op;
    char path[PATH_MAX + 16];
    size_t index;
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
        make_absolute(c->ws, manifest, shared[i]);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        json_object_set_new(manifest, own[i], json_sprintf("%s/%s", t->folder, own[i]));
    json_array_foreach(json_object_get(manifest, "ops"), index, op)
    {
        make_absolute(c->ws, op, "directory");
        make_absolute(c->ws, op, "reference");
    }
    snprintf(path, sizeof path, "%.4000s/assay.json", t->folder);
    const assay_status status = json_file_write(path, manifest, 0, error);
    json_decref(manifest);
    return status;
}

assay_status cluster_set_apart(const cluster *c, const cluster_task *t, assay_error *error)
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
