/* Pairing results of two sets: see compare_match.h. */
#include "history/compare_match.h"
#include "core/json_file.h"
#include "core/list.h"
#include "core/method_words.h"
#include "history/result_file.h"
#include <stdlib.h>
#include <string.h>

static const char *text_of(const json_t *result, const char *key)
{
    return json_get_text(result, key, "");
}

static const char *device_text(const json_t *result, const char *key)
{
    return json_get_text(json_object_get(result, "device"), key, "");
}

static int is_in_question(const json_t *result, const compare_options *o)
{
    return list_selects(o->ops, text_of(result, "op")) && list_selects(o->dtypes, text_of(result, "dtype")) &&
           list_selects(o->sizes, text_of(result, "size"));
}

int match_is_wanted(const match_pair *pair, const compare_options *o)
{
    const json_t *result = pair->base.count ? pair->base.results[0] : pair->changed.results[0];
    const char *kind = text_of(result, "kind");
    return (strcmp(kind, "variant") == 0 || (o->with_peers && strcmp(kind, "peer") == 0)) &&
           list_selects_variant(o->variants, text_of(result, "variant"));
}

static int compare_cases_of(const json_t *a, const json_t *b)
{
    static const char *const keys[] = {"op", "dtype", "size", "variant"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const int order = strcmp(text_of(a, keys[i]), text_of(b, keys[i]));
        if (order != 0)
            return order;
    }
    return 0;
}

static int by_case_and_card(const void *a, const void *b)
{
    const json_t *x = *(const json_t *const *)a, *y = *(const json_t *const *)b;
    int order = compare_cases_of(x, y);
    if (order == 0)
        order = strcmp(device_text(x, "slug"), device_text(y, "slug"));
    if (order == 0)
        order = strcmp(text_of(x, "time"), text_of(y, "time"));
    return order;
}

static const json_t **sorted(const result_set *set, const compare_options *options, int *count)
{
    const json_t **list = malloc(((size_t)set->count + 1) * sizeof *list);
    *count = 0;
    for (int i = 0; list && i < set->count; i++)
        if (is_in_question(set->results[i], options))
            list[(*count)++] = set->results[i];
    if (list && *count > 0)
        qsort(list, (size_t)*count, sizeof *list, by_case_and_card);
    return list;
}

static int has_slug(const json_t *const *list, int count, const char *slug)
{
    for (int i = 0; i < count; i++)
        if (strcmp(device_text(list[i], "slug"), slug) == 0)
            return 1;
    return 0;
}

static int has_common_card(const json_t *const *a, int a_count, const json_t *const *b, int b_count)
{
    const char *last = "";
    for (int i = 0; i < a_count; i++) {
        const char *slug = device_text(a[i], "slug");
        if (strcmp(slug, last) != 0 && has_slug(b, b_count, slug))
            return 1;
        last = slug;
    }
    return 0;
}

/* Order of two results as cases; cards count if `by_card`. */
static int order_of(const json_t *a, const json_t *b, int by_card)
{
    const int order = compare_cases_of(a, b);
    return order != 0 || !by_card ? order : strcmp(device_text(a, "slug"), device_text(b, "slug"));
}

static int take_runs(const json_t **list, int count, int at, const json_t *first, int by_card,
                     match_runs *runs)
{
    int end = at;
    while (end < count && order_of(list[end], first, by_card) == 0)
        end++;
    *runs = (match_runs){list + at, end - at};
    return end;
}

static int has_uuid(const match_runs *runs, const char *uuid)
{
    for (int i = 0; uuid[0] != '\0' && i < runs->count; i++)
        if (strcmp(device_text(runs->results[i], "uuid"), uuid) == 0)
            return 1;
    return 0;
}

static void keep_common(match_runs *runs, const match_runs *other)
{
    int kept = 0;
    for (int i = 0; i < runs->count; i++)
        if (has_uuid(other, device_text(runs->results[i], "uuid")))
            runs->results[kept++] = runs->results[i];
    runs->count = kept;
}

/* Cards of one model differ by a percent: where both sides have the same card, only its runs speak. */
static void prefer_same_card(match_pair *pair)
{
    for (int i = 0; i < pair->base.count && !pair->same_card; i++)
        pair->same_card = has_uuid(&pair->changed, device_text(pair->base.results[i], "uuid"));
    if (!pair->same_card)
        return;
    keep_common(&pair->base, &pair->changed);
    keep_common(&pair->changed, &pair->base);
}

static void merge(match_list *list, int base_count, int changed_count)
{
    const int by_card = has_common_card(list->base, base_count, list->changed, changed_count);
    for (int i = 0, j = 0; i < base_count || j < changed_count;) {
        match_pair *pair = &list->pairs[list->count++];
        const int order = i == base_count      ? 1
                          : j == changed_count ? -1
                                               : order_of(list->base[i], list->changed[j], by_card);
        const json_t *first = order <= 0 ? list->base[i] : list->changed[j];
        *pair = (match_pair){0};
        if (order <= 0)
            i = take_runs(list->base, base_count, i, first, by_card, &pair->base);
        if (order >= 0)
            j = take_runs(list->changed, changed_count, j, first, by_card, &pair->changed);
        if (order == 0)
            prefer_same_card(pair);
    }
}

assay_status match_sets(const result_set *base, const result_set *changed, const compare_options *options,
                        match_list *list, assay_error *error)
{
    int base_count, changed_count;
    *list = (match_list){.base = sorted(base, options, &base_count),
                         .changed = sorted(changed, options, &changed_count)};
    list->pairs = calloc((size_t)base_count + (size_t)changed_count + 1, sizeof *list->pairs);
    if (!list->base || !list->changed || !list->pairs)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for a comparison");
    merge(list, base_count, changed_count);
    return ASSAY_OK;
}

void match_release(match_list *list)
{
    free(list->pairs);
    free(list->base);
    free(list->changed);
    *list = (match_list){0};
}

/* ---- what must not differ ---------------------------------------------------------------------------------------- */

typedef struct property {
    const char *what, *option; /* option: the word for --allow, NULL if nothing allows it */
    unsigned allow;
    void (*read)(const json_t *result, char *out, size_t bytes);
} property;

static void read_card(const json_t *r, char *out, size_t bytes)
{
    snprintf(out, bytes, "%s", device_text(r, "name"));
}

static void read_driver(const json_t *r, char *out, size_t bytes)
{
    snprintf(out, bytes, "%s, runtime %s", device_text(r, "driver"), device_text(r, "runtime"));
}

static void read_math(const json_t *r, char *out, size_t bytes)
{
    snprintf(out, bytes, "%s", text_of(r, "math_mode"));
}

static void read_inputs(const json_t *r, char *out, size_t bytes)
{
    snprintf(out, bytes, "%s", json_get_text(json_object_get(r, "inputs"), "distribution", ""));
}

static void read_method(const json_t *r, char *out, size_t bytes)
{
    method_words(json_object_get(r, "method"), out, bytes);
}

static void read_problem(const json_t *r, char *out, size_t bytes)
{
    char *dims = result_canonical(json_object_get(r, "dims")),
         *params = result_canonical(json_object_get(r, "params"));
    snprintf(out, bytes, "%s %s", dims ? dims : "", params ? params : "");
    free(dims);
    free(params);
}

static const property properties[] = {{"problem", NULL, 0, read_problem},
                                      {"card", "card", COMPARE_ALLOW_CARD, read_card},
                                      {"driver", "driver", COMPARE_ALLOW_DRIVER, read_driver},
                                      {"math mode", "math", COMPARE_ALLOW_MATH, read_math},
                                      {"input distribution", "inputs", COMPARE_ALLOW_INPUTS, read_inputs},
                                      {"method", "method", COMPARE_ALLOW_METHOD, read_method}};

static int differs(const property *p, const match_runs *runs, const char *first, char *other, size_t bytes)
{
    for (int i = 0; i < runs->count; i++) {
        p->read(runs->results[i], other, bytes);
        if (strcmp(first, other) != 0)
            return 1;
    }
    return 0;
}

int match_conflict(const match_pair *pair, unsigned allow, char *reason, size_t bytes)
{
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++) {
        const property *p = &properties[i];
        char first[1024], other[1024];
        if (allow & p->allow)
            continue;
        p->read(pair->base.results[0], first, sizeof first);
        if (!differs(p, &pair->base, first, other, sizeof other) &&
            !differs(p, &pair->changed, first, other, sizeof other))
            continue;
        snprintf(reason, bytes, "another %s: %s and %s%s%s", p->what, first, other,
                 p->option ? "; allowed by --allow " : "", p->option ? p->option : "");
        return 1;
    }
    return 0;
}
