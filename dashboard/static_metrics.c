/* Static metrics of a case (docs/resources.md: registers, spills, code size ...) at each commit, kept where they change: most never do. */
#include "dashboard/site.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Where a result is shown. One result has a point in each of its modes' series. */
typedef struct place {
    int64_t result_id;
    int series, point;
} place;

typedef struct reader {
    site *s;
    place *places;
    int count, capacity;
} reader;

static int compare_places(const void *left, const void *right)
{
    const place *a = left, *b = right;
    return (a->result_id > b->result_id) - (a->result_id < b->result_id);
}

static void find_places(reader *r)
{
    for (int i = 0; i < r->s->series_count; i++) {
        for (int j = 0; j < r->s->series[i].count; j++) {
            place *p = site_grow(r->s, &r->places, &r->count, &r->capacity, sizeof *p);
            if (p == NULL)
                return;
            *p = (place){r->s->series[i].points[j].result_id, i, j};
        }
    }
    if (r->count > 0)
        qsort(r->places, (size_t)r->count, sizeof *r->places, compare_places);
}

static int same_value(const series_static *before, const history_fact *value)
{
    return strncmp(before->text, value->text, sizeof before->text - 1) == 0 &&
           (before->number == value->number || (isnan(before->number) && isnan(value->number)));
}

/* Values come by key in the order of history, so the one before is the last that was kept. */
static void keep_if_changed(site *s, series *one, int point, const history_fact *value)
{
    const series_static *last = one->static_count > 0 ? &one->statics[one->static_count - 1] : NULL;
    if (last != NULL && strcmp(last->key, value->key) == 0 && same_value(last, value))
        return;
    series_static *kept =
        site_grow(s, &one->statics, &one->static_count, &one->static_capacity, sizeof *kept);
    if (kept == NULL)
        return;
    snprintf(kept->key, sizeof kept->key, "%s", value->key);
    snprintf(kept->text, sizeof kept->text, "%s", value->text);
    kept->number = value->number;
    kept->point = point;
}

static int add_value(void *context, const history_fact *value)
{
    reader *r = context;
    const place wanted = {.result_id = value->result_id};
    int low = 0, high = r->count;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (r->places[middle].result_id < wanted.result_id)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < r->count && r->places[low].result_id == wanted.result_id; low++)
        keep_if_changed(r->s, &r->s->series[r->places[low].series], r->places[low].point, value);
    return r->s->status != ASSAY_OK;
}

void site_find_static_metrics(site *s)
{
    reader r = {.s = s};
    assay_error error = {0};
    history_filter filter = s->options->filter ? *s->options->filter : (history_filter){0};
    filter.ops = s->op;
    find_places(&r);
    if (s->status == ASSAY_OK) {
        const assay_status status = history_each_fact(s->h, &filter, add_value, &r, &error);
        site_fail(s, status, &error);
    }
    free(r.places);
}
