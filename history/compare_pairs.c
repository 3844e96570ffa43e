/* Pairing results of two sets: see compare_pairs.h. */
#include "history/compare_pairs.h"
#include "core/list.h"
#include <stdlib.h>
#include <string.h>

static int is_in_question(const result *r, const compare_options *o)
{
    return list_selects(o->ops, r->id.op) && list_selects(o->dtypes, assay_dtype_name(r->id.dtype)) &&
           list_selects(o->sizes, r->id.size);
}

const result *pair_any(const case_pair *pair)
{
    return pair->base.count > 0 ? pair->base.results[0]->r : pair->changed.results[0]->r;
}

const case_runs *pair_side(const case_pair *pair, int side)
{
    return side ? &pair->changed : &pair->base;
}

int pair_is_wanted(const case_pair *pair, const compare_options *o)
{
    const result *r = pair_any(pair);
    char name[ASSAY_NAME_MAX + 16];
    result_full_name(&r->id, name, sizeof name);
    return (r->id.kind == RESULT_VARIANT || (o->with_baselines && r->id.kind == RESULT_BASELINE)) &&
           list_selects_variant(o->variants, name);
}

int same_problem(const result *a, const result *b)
{
    return strcmp(a->id.op, b->id.op) == 0 && a->id.dtype == b->id.dtype &&
           strcmp(a->id.size, b->id.size) == 0;
}

static int order_of_cases(const result *a, const result *b)
{
    int order = strcmp(a->id.op, b->id.op);
    if (order == 0)
        order = strcmp(assay_dtype_name(a->id.dtype), assay_dtype_name(b->id.dtype));
    if (order == 0)
        order = strcmp(a->id.size, b->id.size);
    if (order == 0)
        order = (int)a->id.kind - (int)b->id.kind;
    return order != 0 ? order : strcmp(a->id.name, b->id.name);
}

static int by_case_card_and_time(const void *a, const void *b)
{
    const result *x = (*(const set_result *const *)a)->r, *y = (*(const set_result *const *)b)->r;
    int order = order_of_cases(x, y);
    if (order == 0)
        order = strcmp(x->device.slug, y->device.slug);
    return order != 0 ? order : (x->time > y->time) - (x->time < y->time);
}

static const set_result **sorted(const result_set *set, const compare_options *options, int *count)
{
    const set_result **list = malloc(((size_t)set->count + 1) * sizeof *list);
    *count = 0;
    for (int i = 0; list && i < set->count; i++)
        if (is_in_question(set->results[i].r, options))
            list[(*count)++] = &set->results[i];
    if (list && *count > 0)
        qsort(list, (size_t)*count, sizeof *list, by_case_card_and_time);
    return list;
}

static int has_slug(const set_result *const *list, int count, const char *slug)
{
    for (int i = 0; i < count; i++)
        if (strcmp(list[i]->r->device.slug, slug) == 0)
            return 1;
    return 0;
}

static int has_common_card(const set_result *const *a, int a_count, const set_result *const *b, int b_count)
{
    const char *last = "";
    for (int i = 0; i < a_count; i++) {
        const char *slug = a[i]->r->device.slug;
        if (strcmp(slug, last) != 0 && has_slug(b, b_count, slug))
            return 1;
        last = slug;
    }
    return 0;
}

/* Order of two results as cases; cards count if `by_card`. */
static int order_of(const set_result *a, const set_result *b, int by_card)
{
    const int order = order_of_cases(a->r, b->r);
    return order != 0 || !by_card ? order : strcmp(a->r->device.slug, b->r->device.slug);
}

static int take_runs(const set_result **list, int count, int at, const set_result *first, int by_card,
                     case_runs *runs)
{
    int end = at;
    while (end < count && order_of(list[end], first, by_card) == 0)
        end++;
    *runs = (case_runs){list + at, end - at};
    return end;
}

static int has_uuid(const case_runs *runs, const char *uuid)
{
    for (int i = 0; uuid[0] != '\0' && i < runs->count; i++)
        if (strcmp(runs->results[i]->r->device.uuid, uuid) == 0)
            return 1;
    return 0;
}

static void keep_common(case_runs *runs, const case_runs *other)
{
    int kept = 0;
    for (int i = 0; i < runs->count; i++)
        if (has_uuid(other, runs->results[i]->r->device.uuid))
            runs->results[kept++] = runs->results[i];
    runs->count = kept;
}

/* Cards of one model differ by a percent: where both sides have the same card, only its runs speak. */
static void prefer_same_card(case_pair *pair)
{
    for (int i = 0; i < pair->base.count && !pair->same_card; i++)
        pair->same_card = has_uuid(&pair->changed, pair->base.results[i]->r->device.uuid);
    if (!pair->same_card)
        return;
    keep_common(&pair->base, &pair->changed);
    keep_common(&pair->changed, &pair->base);
}

static void merge(pair_list *list, int base_count, int changed_count)
{
    const int by_card = has_common_card(list->base, base_count, list->changed, changed_count);
    for (int i = 0, j = 0; i < base_count || j < changed_count;) {
        case_pair *pair = &list->pairs[list->count++];
        const int order = i == base_count      ? 1
                          : j == changed_count ? -1
                                               : order_of(list->base[i], list->changed[j], by_card);
        const set_result *first = order <= 0 ? list->base[i] : list->changed[j];
        *pair = (case_pair){0};
        if (order <= 0)
            i = take_runs(list->base, base_count, i, first, by_card, &pair->base);
        if (order >= 0)
            j = take_runs(list->changed, changed_count, j, first, by_card, &pair->changed);
        if (order == 0)
            prefer_same_card(pair);
    }
}

assay_status pair_sets(const result_set *base, const result_set *changed, const compare_options *options,
                       pair_list *list, assay_error *error)
{
    int base_count, changed_count;
    *list = (pair_list){.base = sorted(base, options, &base_count),
                        .changed = sorted(changed, options, &changed_count)};
    list->pairs = calloc((size_t)base_count + (size_t)changed_count + 1, sizeof *list->pairs);
    if (!list->base || !list->changed || !list->pairs)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for a comparison");
    merge(list, base_count, changed_count);
    return ASSAY_OK;
}

void pair_list_release(pair_list *list)
{
    free(list->pairs);
    free(list->base);
    free(list->changed);
    *list = (pair_list){0};
}

/* ---- what must not differ ------------------------------------------------------------------------------ */

unsigned pair_differs(const case_pair *pair, timing_mode mode, unsigned mask, char *words, size_t bytes)
{
    const result *first = pair_any(pair);
    for (int side = 0; side < 2; side++) {
        const case_runs *runs = pair_side(pair, side);
        for (int i = 0; i < runs->count; i++) {
            const unsigned differ =
                result_differs(first, runs->results[i]->r, mode, mask, " and ", words, bytes);
            if (differ)
                return differ;
        }
    }
    return 0;
}

/* Runs of an earlier method are not compared with each other, either: this program knows how the present one
 * measures. */
static int is_of_other_method(const case_pair *pair, timing_mode mode, char *reason, size_t bytes)
{
    for (int side = 0; side < 2; side++) {
        const case_runs *runs = pair_side(pair, side);
        for (int i = 0; i < runs->count; i++) {
            const result *r = runs->results[i]->r;
            if (!result_has(r, mode) || (r->method.version == RESULT_METHOD_VERSION &&
                                         r->times[mode].method_version == timing_mode_get(mode)->version))
                continue;
            result_method_label(r, mode, reason, bytes);
            return 1;
        }
    }
    return 0;
}

/* The option of `assay compare --allow` for a part, NULL if nothing allows it. */
static const char *option_of(unsigned parts)
{
    static const struct {
        identity_part part;
        const char *option;
    } options[] = {{IDENTITY_CARD_MODEL, "card"},
                   {IDENTITY_DRIVER, "driver"},
                   {IDENTITY_MATH_MODE, "math"},
                   {IDENTITY_INPUTS, "inputs"},
                   {IDENTITY_METHOD, "method"}};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (parts == IDENTITY_BIT(options[i].part))
            return options[i].option;
    return NULL;
}

int pair_conflict(const case_pair *pair, timing_mode mode, unsigned allow, char *reason, size_t bytes)
{
    char words[320];
    if (is_of_other_method(pair, mode, reason, bytes))
        return 1;
    const unsigned differ = pair_differs(pair, mode, IDENTITY_COMPARE & ~allow, words, sizeof words);
    const char *option = option_of(differ);
    if (differ)
        snprintf(reason, bytes, "another %s%s%s", words, option ? "; allowed by --allow " : "",
                 option ? option : "");
    return differ != 0;
}

/* The same machine code: by its own hash, or else by what it was compiled from and with. */
static int has_same_code(const case_pair *pair, timing_mode mode)
{
    enum {
        FROM = IDENTITY_BIT(IDENTITY_KERNEL) | IDENTITY_BIT(IDENTITY_TUNABLES) |
               IDENTITY_BIT(IDENTITY_COMPILER) | IDENTITY_BIT(IDENTITY_FLAGS) | IDENTITY_BIT(IDENTITY_ARCH)
    };
    const result *any = pair_any(pair);
    if (any->hashes.code[0] != '\0' && pair_differs(pair, mode, IDENTITY_BIT(IDENTITY_CODE), NULL, 0) == 0)
        return 1;
    const int known = any->id.kind == RESULT_UNRANKED_BASELINE || any->hashes.kernel[0] != '\0' ||
                      any->library_version[0] != '\0';
    return known && pair_differs(pair, mode, FROM, NULL, 0) == 0;
}

int pair_is_unchanged(const case_pair *pair, timing_mode mode)
{
    return pair->base.count > 0 && pair->changed.count > 0 && has_same_code(pair, mode) &&
           pair_differs(pair, mode, IDENTITY_COMPARE | IDENTITY_BIT(IDENTITY_LIBRARY), NULL, 0) == 0;
}
