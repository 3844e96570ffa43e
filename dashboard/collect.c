/* Reads the history into the site: commits and cards first, then the rows, op after op. */
#include "dashboard/site.h"
#include "results/launch_overhead.h"
#include <stdlib.h>
#include <string.h>

/* Index of a commit, or -1. Rows come in the order of history, so the search goes on from the last one found. */
static int find_commit(site *s, int64_t revision_id)
{
    for (int step = 0; step < s->commit_count; step++) {
        const int i = (s->last_commit + step) % s->commit_count;
        if (s->commits[i].revision_id == revision_id)
            return s->last_commit = i;
    }
    return -1;
}

static int add_commit(void *context, const history_revision *revision)
{
    site *s = context;
    site_commit *c = site_grow(s, &s->commits, &s->commit_count, &s->commit_capacity, sizeof *c);
    if (c == NULL)
        return 1;
    c->revision_id = revision->revision_id;
    c->time = revision->commit_time ? revision->commit_time : revision->first_run;
    c->hash = site_copy(s, revision->commit);
    c->subject = site_copy(s, revision->subject);
    return 0;
}

static int model_of(site *s, const history_card *card)
{
    for (int i = 0; i < s->model_count; i++)
        if (strcmp(s->models[i].slug, card->slug) == 0)
            return i;
    site_model *m = site_grow(s, &s->models, &s->model_count, &s->model_capacity, sizeof *m);
    if (m == NULL)
        return -1;
    m->slug = site_copy(s, card->slug);
    m->name = site_copy(s, card->name[0] ? card->name : card->slug);
    m->device_kind = site_copy(s, card->device_kind);
    return s->model_count - 1;
}

static int add_card(void *context, const history_card *card)
{
    site *s = context;
    const int model = model_of(s, card);
    site_card *c = model < 0 ? NULL : site_grow(s, &s->cards, &s->card_count, &s->card_capacity, sizeof *c);
    if (c == NULL)
        return 1;
    *c = (site_card){.card_id = card->card_id,
                     .first_run = card->first_run,
                     .last_run = card->last_run,
                     .results = card->results,
                     .model = model,
                     .sm_count = card->sm_count};
    c->uuid = site_copy(s, card->uuid);
    c->driver = site_copy(s, card->driver);
    c->runtime = site_copy(s, card->runtime);
    c->compute = site_copy(s, card->compute);
    return 0;
}

static int card_index(const site *s, int64_t card_id)
{
    for (int i = 0; i < s->card_count; i++)
        if (s->cards[i].card_id == card_id)
            return i;
    return -1;
}

/* The series that a row belongs to. Rows come ordered by case and mode, so it is among the last ones. A result without a time says something of
 * the main mode. */
static series *series_of(site *s, const history_row *row, int model)
{
    const char *method = row->method_label;
    for (int i = s->series_count - 1; i >= 0 && s->series[i].case_id == row->case_id; i--)
        if (s->series[i].model == model && s->series[i].mode == row->mode &&
            strcmp(s->series[i].method, method) == 0)
            return &s->series[i];
    series *one = site_grow(s, &s->series, &s->series_count, &s->series_capacity, sizeof *one);
    if (one == NULL)
        return NULL;
    one->case_id = row->case_id;
    one->model = model;
    one->newest_time = -1;
    one->variant = site_copy(s, row->variant);
    one->dtype = site_copy(s, row->dtype);
    one->size = site_copy(s, row->size);
    one->kind = site_copy(s, row->kind);
    one->math_mode = site_copy(s, row->math_mode);
    one->distribution = site_copy(s, row->distribution);
    one->dims = site_copy(s, row->dims);
    one->mode = row->mode;
    one->method = site_copy(s, method);
    one->reason = site_copy(s, "");
    return one;
}

static char status_letter(const history_row *row)
{
    if (strcmp(row->status, "unavailable") == 0)
        return 'x';
    if (!row->has_times || !(row->mean_us > 0.0))
        return 'n';
    return strcmp(row->status, "ok") == 0 ? 'o' : strcmp(row->status, "unstable") == 0 ? 'u' : 'n';
}

static void add_point(site *s, series *one, const history_row *row, int card)
{
    const int commit = find_commit(s, row->revision_id);
    if (commit < 0) /* came into the history after its commits were read */
        return;
    series_point *p = site_grow(s, &one->points, &one->count, &one->capacity, sizeof *p);
    if (p == NULL)
        return;
    *p = (series_point){.commit = commit,
                        .card = card,
                        .time = row->time,
                        .result_id = row->result_id,
                        .mean_us = row->mean_us,
                        .low_us = row->low_us,
                        .high_us = row->high_us,
                        .percent_of_bound = row->percent_of_roofline,
                        .overhead_us = row->overhead_us,
                        .status = status_letter(row),
                        .dirty = row->dirty != 0};
    if (row->time >= one->newest_time) {
        one->newest_time = row->time;
        free(one->reason);
        one->reason = site_copy(s, row->reason);
    }
    site_model *model = &s->models[one->model];
    if (row->time >= model->newest_time) {
        model->newest_time = row->time;
        model->newest_result = row->result_id;
    }
}

typedef struct walk {
    site *s;
    void (*finish_op)(site *s);
} walk;

static int add_row(void *context, const history_row *row)
{
    walk *w = context;
    site *s = w->s;
    if (s->op == NULL || strcmp(s->op, row->op) != 0) {
        if (s->op != NULL)
            w->finish_op(s);
        free(s->op);
        s->op = site_copy(s, row->op);
    }
    const int card = card_index(s, row->card_id);
    series *one = card < 0 ? NULL : series_of(s, row, s->cards[card].model);
    if (one != NULL)
        add_point(s, one, row, card);
    return s->status != ASSAY_OK;
}

assay_status site_collect(site *s, void (*finish_op)(site *s))
{
    walk w = {s, finish_op};
    const history_filter *filter = s->options->filter;
    if (s->status == ASSAY_OK)
        s->status = history_each_revision(s->h, filter, add_commit, s, s->error);
    if (s->status == ASSAY_OK)
        s->status = history_each_card(s->h, add_card, s, s->error);
    if (s->status == ASSAY_OK) {
        const assay_status status = history_each_row(s->h, filter, add_row, &w, s->error);
        s->status = s->status == ASSAY_OK ? status : s->status;
    }
    if (s->status == ASSAY_OK && s->op != NULL)
        finish_op(s);
    return s->status;
}

void site_release_series(site *s)
{
    for (int i = 0; i < s->series_count; i++) {
        series *one = &s->series[i];
        char *texts[] = {one->variant,      one->dtype, one->size,   one->kind,  one->math_mode,
                         one->distribution, one->dims,  one->method, one->reason};
        for (size_t j = 0; j < sizeof texts / sizeof texts[0]; j++)
            free(texts[j]);
        free(one->points);
        free(one->changes);
        free(one->statics);
    }
    free(s->series);
    s->series = NULL;
    s->series_count = s->series_capacity = 0;
}
