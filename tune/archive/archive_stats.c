/* What an archive says as a whole: see archive_stats.h. */
#include "tune/archive/archive_stats.h"
#include "tune/archive/impact.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_REASONS = 20, MOST_STABLE = 10, MOST_PROBLEMS = 64 };

typedef struct problem_stats {
    char name[300];   /* OP.VARIANT.DTYPE.SIZE on DEVICE */
    char kernel[300]; /* the same without the size */
    impact_table *impact;
    double best_us;
} problem_stats;

typedef struct stats_job {
    json_t *by_status, *reasons;
    long attempts, successes;
    problem_stats problems[MOST_PROBLEMS];
    int problem_count;
    json_t *stable; /* label|kernel -> {problem number: us} */
    json_t *runs;
} stats_job;

static void count_in(json_t *object, const char *key)
{
    json_object_set_new(object, key, json_integer(json_integer_value(json_object_get(object, key)) + 1));
}

static problem_stats *find_problem(stats_job *job, const archive_run *run)
{
    char name[300], kernel[300];
    const archive_problem *p = &run->problem;
    snprintf(name, sizeof name, "%s.%s.%s.%s (%s) on %s", p->op, p->variant, p->dtype, p->size, p->dims,
             p->device);
    snprintf(kernel, sizeof kernel, "%s.%s.%s on %s", p->op, p->variant, p->dtype, p->device);
    for (int i = 0; i < job->problem_count; i++)
        if (strcmp(job->problems[i].name, name) == 0)
            return &job->problems[i];
    if (job->problem_count == MOST_PROBLEMS)
        return NULL;
    problem_stats *own = &job->problems[job->problem_count];
    *own = (problem_stats){.best_us = INFINITY, .impact = impact_create()};
    if (own->impact == NULL)
        return NULL;
    snprintf(own->name, sizeof own->name, "%s", name);
    snprintf(own->kernel, sizeof own->kernel, "%s", kernel);
    job->problem_count++;
    return own;
}

static void note_success(stats_job *job, const archive_run *run, const archive_candidate *c)
{
    problem_stats *p = find_problem(job, run);
    if (p == NULL || !(c->time_us > 0))
        return;
    impact_add(p->impact, c->values, c->time_us);
    p->best_us = fmin(p->best_us, c->time_us);
    char key[2400], number[16];
    snprintf(key, sizeof key, "%s|%s", p->kernel, c->values);
    snprintf(number, sizeof number, "%d", (int)(p - job->problems));
    json_t *times = json_object_get(job->stable, key);
    if (times == NULL) {
        times = json_object();
        json_object_set_new(job->stable, key, times);
    }
    json_object_set_new(times, number, json_real(c->time_us));
}

static assay_status note(void *context, const archive_run *run, const archive_candidate *c,
                         assay_error *error)
{
    stats_job *job = context;
    (void)error;
    job->attempts++;
    count_in(job->by_status, evaluation_status_name(c->status));
    json_object_set_new(job->runs, run->uid, json_true());
    if (c->status == EVALUATION_SUCCESS) {
        job->successes++;
        note_success(job, run, c);
        return ASSAY_OK;
    }
    char key[400];
    snprintf(key, sizeof key, "%s|%.300s", evaluation_status_name(c->status), c->reason);
    count_in(job->reasons, key);
    return ASSAY_OK;
}

static int by_count(const void *a, const void *b)
{
    const json_int_t x = json_integer_value(json_object_get(*(json_t *const *)a, "count"));
    const json_int_t y = json_integer_value(json_object_get(*(json_t *const *)b, "count"));
    return x < y ? 1 : x > y ? -1 : 0;
}

static int by_worst(const void *a, const void *b)
{
    const double x = json_real_value(json_object_get(*(json_t *const *)a, "worst"));
    const double y = json_real_value(json_object_get(*(json_t *const *)b, "worst"));
    return x < y ? 1 : x > y ? -1 : 0;
}

/* The first `most` of an array in order. Steals `rows`. */
static json_t *sorted(json_t *rows, int (*order)(const void *, const void *), size_t most)
{
    const size_t count = json_array_size(rows);
    json_t **items = malloc((count + 1) * sizeof *items), *out = json_array();
    for (size_t i = 0; items && i < count; i++)
        items[i] = json_array_get(rows, i);
    if (items)
        qsort(items, count, sizeof *items, order);
    for (size_t i = 0; items && i < count && i < most; i++)
        json_array_append(out, items[i]);
    free(items);
    json_decref(rows);
    return out;
}

static json_t *failures_json(const json_t *reasons)
{
    json_t *rows = json_array(), *count;
    const char *key;
    json_object_foreach((json_t *)reasons, key, count)
    {
        const char *bar = strchr(key, '|');
        json_array_append_new(rows, json_pack("{s:s%, s:s, s:O}", "status", key, (size_t)(bar - key),
                                              "reason", bar + 1, "count", count));
    }
    return sorted(rows, by_count, MOST_REASONS);
}

static json_t *stability_json(const stats_job *job)
{
    json_t *rows = json_array(), *times, *us;
    const char *key, *number;
    json_object_foreach(job->stable, key, times)
    {
        double worst = INFINITY, sum = 0;
        if (json_object_size(times) < 2)
            continue;
        json_object_foreach(times, number, us)
        {
            const double share = job->problems[atoi(number)].best_us / json_real_value(us);
            worst = fmin(worst, share);
            sum += share;
        }
        const char *bar = strchr(key, '|');
        json_array_append_new(rows,
                              json_pack("{s:s%, s:s, s:i, s:f, s:f}", "kernel", key, (size_t)(bar - key),
                                        "values", bar + 1, "sizes", (int)json_object_size(times), "worst",
                                        worst, "mean", sum / (double)json_object_size(times)));
    }
    return sorted(rows, by_worst, MOST_STABLE);
}

static json_t *parameters_json(const stats_job *job)
{
    json_t *rows = json_array();
    for (int i = 0; i < job->problem_count; i++) {
        json_t *own = impact_json(job->problems[i].impact);
        size_t index;
        json_t *row;
        json_array_foreach(own, index, row)
        {
            json_object_set_new(row, "problem", json_string(job->problems[i].name));
            json_array_append(rows, row);
        }
        json_decref(own);
    }
    return rows;
}

assay_status archive_stats(archive *a, const archive_filter *filter, json_t **out, assay_error *error)
{
    stats_job *job = calloc(1, sizeof *job);
    *out = NULL;
    if (job == NULL)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for statistics");
    job->by_status = json_object();
    job->reasons = json_object();
    job->stable = json_object();
    job->runs = json_object();
    const assay_status status = archive_walk(a, filter, note, job, error);
    if (status == ASSAY_OK)
        *out = json_pack("{s:I, s:I, s:f, s:I, s:O, s:o, s:o, s:o}", "attempts", (json_int_t)job->attempts,
                         "successes", (json_int_t)job->successes, "success_rate",
                         job->attempts ? (double)job->successes / (double)job->attempts : 0.0, "runs",
                         (json_int_t)json_object_size(job->runs), "by_status", job->by_status, "failures",
                         failures_json(job->reasons), "parameters", parameters_json(job), "stability",
                         stability_json(job));
    for (int i = 0; i < job->problem_count; i++)
        impact_free(job->problems[i].impact);
    json_decref(job->by_status);
    json_decref(job->reasons);
    json_decref(job->stable);
    json_decref(job->runs);
    free(job);
    return status;
}
