/* What came of the tasks of a job: see tune_cluster.h. */
#include "cli/tune_cluster.h"
#include "core/json_file.h"
#include "tune/executor/join.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The last line of a task's log that begins with `start`. */
void cluster_last_line(const cluster_task *t, const char *start, char *out, size_t out_bytes)
{
    char path[PATH_MAX + 16], *text = NULL, *rest = NULL;
    out[0] = '\0';
    snprintf(path, sizeof path, "%.4000s/log.txt", t->folder);
    if (text_file_read(path, &text, NULL, NULL) != ASSAY_OK)
        return;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        if (strncmp(line, start, strlen(start)) == 0)
            snprintf(out, out_bytes, "%s", line);
    free(text);
}

static int read_status(const cluster_task *t)
{
    char path[PATH_MAX + 16];
    int status = -1;
    snprintf(path, sizeof path, "%.4000s/status", t->folder);
    FILE *f = fopen(path, "r");
    if (f && fscanf(f, "%d", &status) != 1)
        status = -1;
    if (f)
        fclose(f);
    return status;
}

/* Why a task has no outcome. */
static void describe_failure(const cluster_task *t, char *out, size_t out_bytes)
{
    char said[200];
    const int status = read_status(t);
    cluster_last_line(t, "", said, sizeof said);
    if (status > 0)
        snprintf(out, out_bytes, "exited with status %d: %.150s", status, said);
    else if (t->state.state[0])
        snprintf(out, out_bytes, "ended by Slurm: %s", t->state.state);
    else
        snprintf(out, out_bytes, "ended without a result: cancelled, killed, or out of time");
}

static void describe_winner(const json_t *outcome, char *out, size_t out_bytes)
{
    const json_t *winner = json_object_get(outcome, "winner"),
                 *values = json_object_get(winner, "configuration");
    const char *verdict = json_get_text(winner, "verdict", "");
    const char *name;
    json_t *value;
    size_t used = 0;
    if (!json_is_object(winner)) {
        snprintf(out, out_bytes, "no winner: no configuration is right and timed");
        return;
    }
    used = (size_t)snprintf(out, out_bytes, "%s:", verdict);
    json_object_foreach((json_t *)values, name, value) if (used < out_bytes) used += (size_t)snprintf(
        out + used, out_bytes - used, " %s=%lld", name, (long long)json_integer_value(value));
    if (used < out_bytes)
        snprintf(out + used, out_bytes - used, ", %.4g us, default %.4g us", json_get_number(winner, "us", 0),
                 json_get_number(outcome, "default_us", 0));
}

void cluster_tell_end(cluster *c, cluster_task *t)
{
    char text[600];
    json_t *outcome = NULL;
    t->told = 1;
    if (json_file_read(t->outcome, &outcome, NULL) == ASSAY_OK)
        describe_winner(outcome, text, sizeof text);
    else
        describe_failure(t, text, sizeof text);
    if (!c->a->common.json)
        printf("%s: %s%s%s/log.txt\n", t->label, text, outcome ? "; log: " : "; failed, log: ", t->folder);
    json_decref(outcome);
}

/* ---- joining ---- */

static assay_status copy_reports(const cluster *c, const cluster_task *t, assay_error *error)
{
    static const char *const ends[] = {"md", "svg"};
    assay_status status = ASSAY_OK;
    for (size_t i = 0; i < sizeof ends / sizeof *ends && status == ASSAY_OK; i++) {
        char from[PATH_MAX + 300], into[PATH_MAX + 300], *text;
        size_t bytes;
        snprintf(from, sizeof from, "%.4000s/logs/%s.%s", t->folder, t->tuning->report, ends[i]);
        snprintf(into, sizeof into, "%.4000s/%s.%s", c->ws->logs, t->tuning->report, ends[i]);
        if (text_file_read(from, &text, &bytes, NULL) != ASSAY_OK)
            continue; /* a run without times has no chart */
        status = text_file_write(into, text, bytes, error);
        free(text);
    }
    return status;
}

/* One task that is done: archive and results, report, and with --save its winner. */
static assay_status join_task(const cluster *c, const cluster_task *t, json_t *outcome, assay_error *error)
{
    char results[PATH_MAX + 16], saved[4400];
    join_counts counts;
    json_t *row = json_object_get(outcome, "row");
    snprintf(results, sizeof results, "%.4000s/results", t->folder);
    assay_status status = join_results(results, c->ws->results_base, &counts, error);
    if (status == ASSAY_OK)
        status = copy_reports(c, t, error);
    if (status == ASSAY_OK)
        json_object_set_new(outcome, "report", json_sprintf("%s/%s.md", c->ws->logs, t->tuning->report));
    if (status == ASSAY_OK && c->a->options.save && json_is_object(row)) {
        status = tune_put_winner(c->ws, t->tuning->op, row, saved, error);
        if (status == ASSAY_OK)
            json_object_set_new(outcome, "saved", json_string(saved));
    }
    json_object_del(outcome, "row");
    return status;
}

static json_t *failure_json(const cluster_task *t)
{
    const planned_tuning *p = t->tuning;
    char why[400];
    describe_failure(t, why, sizeof why);
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:o}", "op", p->op->spec->name, "variant", p->variant,
                     "dtype", assay_dtype_name(p->dtype), "size", p->size, "error", why, "log",
                     json_sprintf("%s/log.txt", t->folder));
}

static void print_joined(const cluster *c, const json_t *documents, int failed)
{
    size_t index;
    json_t *document;
    if (c->a->common.json)
        return;
    json_array_foreach((json_t *)documents, index, document)
    {
        const char *saved = json_get_text(document, "saved", NULL);
        if (saved)
            printf("saved to %s; build again to use it\n", saved);
        if (json_object_get(document, "report"))
            printf("report: %s\n", json_get_text(document, "report", ""));
    }
    if (failed > 0)
        printf("%d of %d tasks failed; the same command submits them again\n", failed, c->count);
}

static assay_status join(cluster *c, int *exit_status, assay_error *error)
{
    json_t *documents = json_array();
    assay_status status = ASSAY_OK;
    int failed = 0, without = 0;
    for (int i = 0; i < c->count && status == ASSAY_OK; i++) {
        const cluster_task *t = &c->tasks[i];
        json_t *outcome = NULL;
        if (!cluster_is_done(t)) {
            failed++;
            json_array_append_new(documents, failure_json(t));
            continue;
        }
        status = json_file_read(t->outcome, &outcome, error);
        if (status == ASSAY_OK)
            status = join_task(c, t, outcome, error);
        without += status == ASSAY_OK && !json_is_object(json_object_get(outcome, "winner"));
        json_array_append_new(documents, outcome);
    }
    if (status == ASSAY_OK)
        print_joined(c, documents, failed);
    if (status == ASSAY_OK && c->a->common.json)
        cli_print_json(json_incref(documents));
    json_decref(documents);
    *exit_status = failed > 0 ? ASSAY_EXIT_ENVIRONMENT : without > 0 ? ASSAY_EXIT_CHECK : ASSAY_EXIT_OK;
    return status;
}

assay_status cluster_end(cluster *c, int *exit_status, assay_error *error)
{
    const assay_status status = join(c, exit_status, error);
    return status == ASSAY_OK && *exit_status != ASSAY_EXIT_ENVIRONMENT ? cluster_write_job(c, 1, error)
                                                                        : status;
}
