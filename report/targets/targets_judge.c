/* Judging one cell: which results count is the report's rule (report_model.h); this file adds only how conditions compare. */
#include "report/targets/targets_internal.h"
#include "core/json_file.h"
#include <math.h>
#include <string.h>

static int figure_index(const char *name)
{
    static const char *const names[REPORT_FIGURES] = {"cold", "hot", "burst", "sustained"};
    for (int i = 0; i < REPORT_FIGURES; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return REPORT_COLD;
}

int targets_is_variant(const char *name, const char *wanted)
{
    const size_t length = strlen(wanted);
    return strncmp(name, wanted, length) == 0 && (name[length] == '\0' || name[length] == '_');
}

int targets_is_at(const report_entry *entry, const target_cell *cell)
{
    return entry->op == cell->op && entry->dtype == cell->dtype && entry->size == cell->size;
}

/* A time that may be believed: taken under the rules, and no faster than the card can be. */
static int counts(const report_entry *entry, int figure)
{
    return entry->state == STATE_TIMED && report_has_time(entry, figure) &&
           !entry->figures[figure].above_roof;
}

typedef struct search {
    const target_cell *cell;
    int figure;
    targets_wanted wanted;
    const void *context;
} search;

static int is_found(const search *s, const report_entry *entry)
{
    return targets_is_at(entry, s->cell) && counts(entry, s->figure) && s->wanted(entry, s->context);
}

/* The fastest of those that have the method of `like`. */
static const report_entry *fastest_like(const report_model *model, const search *s, const report_entry *like)
{
    const report_entry *best = NULL;
    for (int i = 0; i < model->count; i++) {
        const report_entry *entry = &model->entries[i];
        if (is_found(s, entry) && report_same_method(entry, like, s->figure) &&
            (best == NULL || entry->figures[s->figure].mean_us < best->figures[s->figure].mean_us))
            best = entry;
    }
    return best;
}

const report_entry *targets_fastest(const report_model *model, const target_cell *cell, int figure,
                                    targets_wanted wanted, const void *context)
{
    const search s = {cell, figure, wanted, context};
    const report_entry *lead = NULL;
    for (int i = 0; i < model->count; i++)
        if (is_found(&s, &model->entries[i]) &&
            (lead == NULL || report_method_leads(&model->entries[i], lead, figure)))
            lead = &model->entries[i];
    return lead == NULL ? NULL : fastest_like(model, &s, lead);
}

const report_entry *targets_fastest_against(const report_model *model, const target_cell *cell, int figure,
                                            targets_wanted wanted, const void *context,
                                            const report_entry *own)
{
    const report_entry *other = fastest_like(model, &(search){cell, figure, wanted, context}, own);
    return other != NULL ? other : targets_fastest(model, cell, figure, wanted, context);
}

int targets_is_own(const report_entry *entry, const void *context)
{
    const row_rule *rule = context;
    return entry->kind == REPORT_VARIANT && targets_is_variant(entry->name, rule->variant) &&
           report_is_tf32(entry) == rule->tf32;
}

int targets_is_peer(const report_entry *entry, const void *context)
{
    const peer_rule *rule = context;
    size_t index;
    json_t *name;
    if (entry->kind != REPORT_PEER || report_is_tf32(entry) != rule->tf32)
        return 0;
    json_array_foreach(rule->names, index, name)
    {
        if (strcmp(report_display_name(entry->name), json_string_value(name)) == 0)
            return 1;
    }
    return rule->names == NULL;
}

static int is_copy(const report_entry *entry, const void *context)
{
    (void)context;
    return entry->kind == REPORT_BOUND && strcmp(report_display_name(entry->name), "copy") == 0;
}

static void not_measured(target_cell *cell, const char *format, const char *text)
{
    cell->verdict = TARGET_NOT_MEASURED;
    snprintf(cell->reason, sizeof cell->reason, format, text);
}

/* Why there is no figure of the kernel: the state of the first of its entries that has one. */
static void explain_kernel(const report_model *model, target_cell *cell, const row_rule *rule, int figure)
{
    static const char *const states[] = {"timed",          "unstable", "stale",     "wrong output",
                                         "not compiled",   "wrong",    "not timed", "unavailable",
                                         "source removed", "no result"};
    for (int i = 0; i < model->count; i++) {
        const report_entry *entry = &model->entries[i];
        if (!targets_is_at(entry, cell) || entry->kind != REPORT_VARIANT ||
            !targets_is_variant(entry->name, rule->variant))
            continue;
        if (entry->result != NULL && report_is_tf32(entry) != rule->tf32)
            continue;
        snprintf(cell->kernel, sizeof cell->kernel, "%.47s", entry->name);
        if (entry->state == STATE_TIMED && report_has_time(entry, figure))
            not_measured(cell, "its %s figure lies above the roof", cell->figure);
        else if (entry->state == STATE_TIMED)
            not_measured(cell, "has no %s figure", cell->figure);
        else
            snprintf(cell->reason, sizeof cell->reason, "%s%s%.200s", states[entry->state],
                     entry->reason[0] ? ": " : "", entry->reason);
        return;
    }
    not_measured(cell, rule->tf32 ? "no kernel %s in the math mode tf32" : "no kernel %s", rule->variant);
}

void targets_compare_times(target_cell *cell, const report_entry *own, const report_entry *other, int figure,
                           double scale)
{
    cell->measured = scale * other->figures[figure].mean_us / own->figures[figure].mean_us;
    char time[24];
    targets_time_text(other->figures[figure].mean_us, time);
    snprintf(cell->against, sizeof cell->against, "%.36s %s", report_display_name(other->name), time);
}

/* 1 if the kernel's result names the other among those that it took turns with: only then did both see the same card at the same heat.
 * Older results name none. */
int targets_took_turns(const report_entry *own, const report_entry *other)
{
    const json_t *names = json_object_get(json_object_get(own->result, "method"), "interleaved_with");
    size_t index;
    json_t *name;
    json_array_foreach(names, index, name)
    {
        if (json_is_string(name) && strcmp(json_string_value(name), other->name) == 0)
            return 1;
    }
    return !json_is_array(names);
}

/* Own and other time, where both may be compared. */
static void judge_pair(target_cell *cell, const report_entry *own, const report_entry *other,
                       const char *name, int figure, double scale)
{
    if (!report_same_method(own, other, figure))
        not_measured(cell, "%s was timed by another method", name);
    else if (!targets_took_turns(own, other))
        not_measured(cell, "%s was timed in another run", name);
    else
        targets_compare_times(cell, own, other, figure, scale);
}

static void judge_ratio(const report_model *model, target_cell *cell, const json_t *condition,
                        const row_rule *rule, const report_entry *own, int figure)
{
    const peer_rule peers = {.names = json_object_get(condition, "peers"), .tf32 = rule->tf32};
    const report_entry *peer = targets_fastest_against(model, cell, figure, targets_is_peer, &peers, own);
    if (peer != NULL)
        judge_pair(cell, own, peer, report_display_name(peer->name), figure, 1.0);
    else
        not_measured(cell, "no peer of its math mode has a %s figure", cell->figure);
}

static void judge_copy(const report_model *model, target_cell *cell, const report_entry *own, int figure)
{
    const report_entry *copy = targets_fastest_against(model, cell, figure, is_copy, NULL, own);
    if (copy != NULL)
        judge_pair(cell, own, copy, "the copy", figure, 100.0);
    else
        not_measured(cell, "the copy of the same bytes has no %s figure", cell->figure);
}

static void judge_read(const report_model *model, target_cell *cell, const report_entry *own, int figure)
{
    const double bandwidth = report_ceiling_of(model, "read"), gbs = own->figures[figure].gbs;
    if (!isfinite(bandwidth) || !isfinite(gbs)) {
        not_measured(cell, "%s", "the read bandwidth of the card was not measured");
        return;
    }
    cell->measured = 100.0 * gbs / bandwidth;
    snprintf(cell->against, sizeof cell->against, "read %.4g GB/s", bandwidth);
}

/* Another op's kernel of the same dtype, size name and dimensions. */
static void judge_own(const report_model *model, target_cell *cell, const json_t *condition,
                      const row_rule *rule, const report_entry *own, int figure)
{
    const char *name = json_get_text(condition, "own", "");
    target_cell other = *cell;
    other.op = -1;
    for (int i = 0; i < model->ws->op_count; i++)
        if (strcmp(model->ws->ops[i].spec->name, name) == 0)
            other.op = i;
    const opspec *spec = other.op >= 0 ? model->ws->ops[other.op].spec : NULL;
    other.size = other.dtype = -1;
    for (int i = 0; spec != NULL && i < spec->size_count; i++)
        if (strcmp(spec->sizes[i].name, cell->size_name) == 0)
            other.size = i;
    for (int i = 0; spec != NULL && i < spec->dtype_count; i++)
        if (strcmp(report_dtype_name(spec, i), cell->dtype_name) == 0)
            other.dtype = i;
    const report_entry *entry = targets_fastest_against(model, &other, figure, targets_is_own, rule, own);
    if (entry == NULL)
        not_measured(cell, "our own %s has no such figure", name);
    else if (!json_equal(json_object_get(entry->result, "dims"), json_object_get(own->result, "dims")))
        not_measured(cell, "our own %s was timed with other dimensions", name);
    else if (!report_same_method(own, entry, figure))
        not_measured(cell, "our own %s was timed by another method", name);
    else {
        targets_compare_times(cell, own, entry, figure, 100.0);
        char time[24];
        targets_time_text(entry->figures[figure].mean_us, time);
        snprintf(cell->against, sizeof cell->against, "%.18s %.18s %s", name, entry->name, time);
    }
}

static void judge_tflops(target_cell *cell, const report_entry *own, int figure)
{
    cell->measured = own->figures[figure].tflops;
    if (!isfinite(cell->measured))
        not_measured(cell, "%s", "its rate is not known");
}

/* "best peer", or the peers that a condition names. */
static void name_peers(const json_t *condition, char *out, size_t bytes)
{
    const json_t *names = json_object_get(condition, "peers");
    size_t index, used = 0;
    json_t *name;
    snprintf(out, bytes, "best peer");
    json_array_foreach(names, index, name)
    {
        if (used < bytes)
            used += (size_t)snprintf(out + used, bytes - used, "%s%s", index ? " or " : "",
                                     json_string_value(name));
    }
}

/* The condition's kind, wanted value and text; 0 if it has not exactly one kind. */
int targets_read_condition(const json_t *condition, target_cell *cell)
{
    static const struct {
        const char *key, *unit, *what;
        int digits;
    } kinds[] = {{"ratio", "x", "", 2},
                 {"copy_percent", "%", " of a copy", 0},
                 {"read_percent", "%", " of read bandwidth", 0},
                 {"own_percent", "%", " of our own ", 0},
                 {"tflops", "TFLOP/s", "", 0}};
    int found = -1;
    for (int i = 0; i < 5; i++) {
        if (json_object_get(condition, kinds[i].key) == NULL)
            continue;
        if (found >= 0)
            return 0;
        found = i;
    }
    if (found < 0 || (found == 3) != (json_object_get(condition, "own") != NULL) ||
        (found != 0 && json_object_get(condition, "peers") != NULL))
        return 0;
    char peers[64] = "";
    if (found == 0)
        name_peers(condition, peers, sizeof peers);
    cell->wanted = json_get_number(condition, kinds[found].key, NAN);
    snprintf(cell->unit, sizeof cell->unit, "%s", kinds[found].unit);
    snprintf(cell->target, sizeof cell->target, ">= %.*f%s%s%s%s%.20s", kinds[found].digits, cell->wanted,
             found == 4 ? " " : "", kinds[found].unit, found == 0 ? " " : kinds[found].what, peers,
             json_get_text(condition, "own", ""));
    return 1;
}

void targets_judge(const report_model *model, target_cell *cell, const json_t *condition,
                   const row_rule *rule)
{
    const int figure = figure_index(cell->figure);
    const report_entry *own =
        cell->size < 0 ? NULL : targets_fastest(model, cell, figure, targets_is_own, rule);
    cell->verdict = TARGET_MET;
    if (own == NULL) {
        explain_kernel(model, cell, rule, figure);
        cell->verdict = TARGET_NOT_MEASURED;
        return;
    }
    snprintf(cell->kernel, sizeof cell->kernel, "%.47s", own->name);
    cell->kernel_us = own->figures[figure].mean_us;
    if (json_object_get(condition, "ratio") != NULL)
        judge_ratio(model, cell, condition, rule, own, figure);
    else if (json_object_get(condition, "copy_percent") != NULL)
        judge_copy(model, cell, own, figure);
    else if (json_object_get(condition, "read_percent") != NULL)
        judge_read(model, cell, own, figure);
    else if (json_object_get(condition, "own_percent") != NULL)
        judge_own(model, cell, condition, rule, own, figure);
    else
        judge_tflops(cell, own, figure);
    if (cell->verdict == TARGET_MET && !(cell->measured >= cell->wanted))
        cell->verdict = TARGET_MISSED;
}
