/* Reading a results folder: finds the JSON files, checks each and files it under its entry. Derives nothing. */
#include "report/report_read.h"
#include "core/json_file.h"
#include "report/parse_files.h"
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void note_unreadable(report_model *model, const char *file, const char *reason)
{
    if (model->unreadable_count == model->unreadable_capacity) {
        const int capacity = model->unreadable_capacity ? 2 * model->unreadable_capacity : 8;
        report_unreadable *grown = realloc(model->unreadable, (size_t)capacity * sizeof *grown);
        if (!grown)
            return;
        model->unreadable = grown;
        model->unreadable_capacity = capacity;
    }
    report_unreadable *u = &model->unreadable[model->unreadable_count++];
    snprintf(u->file, sizeof u->file, "%s", file);
    snprintf(u->reason, sizeof u->reason, "%s", reason);
}

static int ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), tail = strlen(end);
    return length > tail && strcmp(text + length - tail, end) == 0;
}

static int is_result_file(const struct dirent *item)
{
    return item->d_name[0] != '.' && ends_with(item->d_name, ".json");
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* Which op, kernel, dtype and size a file speaks of. 0 and a reason if this workspace cannot place it. */
static int place(const workspace *ws, const json_t *object, const char *file, report_entry *key, char *reason,
                 size_t reason_bytes)
{
    const char *op = json_get_text(object, "op", ""), *name = json_get_text(object, "variant", "");
    const char *dtype = json_get_text(object, "dtype", ""), *size = json_get_text(object, "size", "");
    char expected[4 * 100];
    snprintf(expected, sizeof expected, "%s.%s.%s.%s.json", op, name, dtype, size);
    const char *base = strrchr(file, '/');
    if (strcmp(expected, base ? base + 1 : file) != 0)
        return snprintf(reason, reason_bytes, "its content speaks of %s: renamed or damaged", expected), 0;
    const workspace_op *wop = workspace_find_op(ws, op);
    if (!wop)
        return snprintf(reason, reason_bytes, "the workspace has no op '%s'", op), 0;
    key->op = (int)(wop - ws->ops);
    snprintf(key->name, sizeof key->name, "%s", name);
    key->dtype = key->size = -1;
    for (int i = 0; i < wop->spec->dtype_count; i++)
        if (strcmp(report_dtype_name(wop->spec, i), dtype) == 0)
            key->dtype = i;
    for (int i = 0; i < wop->spec->size_count; i++)
        if (strcmp(wop->spec->sizes[i].name, size) == 0)
            key->size = i;
    if (strcmp(size, "edge") == 0)
        key->size = wop->spec->size_count;
    if (strcmp(size, "huge") == 0 && key->size < 0)
        key->size = REPORT_HUGE;
    if (key->dtype < 0 || key->size < 0)
        return snprintf(reason, reason_bytes, "op.json of '%s' has no %s '%s'", op,
                        key->dtype < 0 ? "dtype" : "size", key->dtype < 0 ? dtype : size),
               0;
    const char *kind = json_get_text(object, "kind", "variant");
    key->kind = strcmp(kind, "peer") == 0    ? REPORT_PEER
                : strcmp(kind, "bound") == 0 ? REPORT_BOUND
                                             : REPORT_VARIANT;
    return 1;
}

static void read_flaws(const json_t *flags, report_figure *figure)
{
    figure->flaws[0] = '\0';
    for (size_t i = 0; i < json_array_size(flags); i++) {
        const char *flag = json_string_value(json_array_get(flags, i));
        const size_t used = strlen(figure->flaws);
        snprintf(figure->flaws + used, sizeof figure->flaws - used, "%s%s", i ? ", " : "", flag ? flag : "");
    }
}

/* Half of the mean's 95% interval from which on a figure is called imprecise: two such figures cannot be told apart at 10%. */
#define IMPRECISE 0.05

static void note_imprecise(report_figure *figure)
{
    const double half = 0.5 * (figure->high_us - figure->low_us) / figure->mean_us;
    const size_t used = strlen(figure->flaws);
    if (figure->present && half > IMPRECISE) /* false for NAN */
        snprintf(figure->flaws + used, sizeof figure->flaws - used, "%simprecise: %.0f%% either way",
                 used ? ", " : "", 100.0 * half);
}

static void read_figure(const json_t *object, report_figure *figure)
{
    figure->mean_us = json_get_number(object, "mean_us", NAN);
    figure->median_us = json_get_number(object, "median_us", NAN);
    figure->min_us = json_get_number(object, "min_us", NAN);
    figure->p95_us = json_get_number(object, "p95_us", NAN);
    const json_t *interval = json_object_get(object, "ci95_us");
    const json_t *low = json_array_get(interval, 0), *high = json_array_get(interval, 1);
    figure->low_us = json_is_number(low) ? json_number_value(low) : NAN;
    figure->high_us = json_is_number(high) ? json_number_value(high) : NAN;
    figure->gbs = json_get_number(object, "gbs", NAN);
    figure->tflops = json_get_number(object, "tflops", NAN);
    figure->percent_of_roof = json_get_number(object, "percent_of_roof", NAN);
    figure->above_roof = json_is_true(json_object_get(object, "above_roof"));
    read_flaws(json_object_get(json_object_get(object, "quality"), "flags"), figure);
    figure->present = isfinite(figure->mean_us) && figure->mean_us > 0;
    note_imprecise(figure);
}

static const char *const health_keys[HEALTH_VALUES] = {"sm_mhz", "memory_mhz", "power_w", "temperature_c"};

static void widen_to(report_health *health, int k, double value)
{
    if (!isfinite(value) || value < 0) /* negative: unknown */
        return;
    health->low[k] = fmin(health->low[k], value);
    health->high[k] = fmax(health->high[k], value);
}

/* What was seen while turns ran: [min, median, max] of each value, and each reason by its bit. */
static void widen_during(report_health *health, json_t *during)
{
    const char *bit;
    json_t *share;
    for (int k = 0; k < HEALTH_VALUES; k++)
        for (size_t i = 0; i < json_array_size(json_object_get(during, health_keys[k])); i++)
            widen_to(health, k,
                     json_number_value(json_array_get(json_object_get(during, health_keys[k]), i)));
    json_object_foreach(json_object_get(during, "reasons"), bit, share)
    {
        health->reasons |= (json_int_t)strtoull(bit, NULL, 0);
    }
}

static void widen(report_health *health, const json_t *seen)
{
    for (int k = 0; k < HEALTH_VALUES; k++)
        widen_to(health, k, json_get_number(seen, health_keys[k], NAN));
    const json_int_t mask = json_integer_value(json_object_get(seen, "reasons"));
    health->reasons |= mask > 0 ? mask : 0;
}

/* Of the repetitions only their health is reported, and as objects they would take most of the memory. */
static void take_repetitions(json_t *figure, report_health *health)
{
    size_t i;
    json_t *repetition;
    json_array_foreach(json_object_get(figure, "repetitions"), i, repetition)
    {
        widen(health, json_object_get(repetition, "before"));
        widen(health, json_object_get(repetition, "after"));
    }
    widen_during(health, json_object_get(figure, "during"));
    json_object_del(figure, "repetitions");
}

static int take_result(json_t *root, report_entry *entry, char *reason, size_t reason_bytes)
{
    json_t *object = json_object_get(root, "assay"), *figures = json_object_get(object, "figures");
    for (int f = 0; f < REPORT_FIGURES; f++) {
        json_t *figure = json_object_get(figures, report_figure_name(f));
        if (!json_is_object(figure))
            continue;
        take_repetitions(figure, &entry->health);
        read_figure(figure, &entry->figures[f]);
        if (!entry->figures[f].present)
            return snprintf(reason, reason_bytes, "figures.%s.mean_us is not a positive number",
                            report_figure_name(f)),
                   0;
    }
    const char *status = json_get_text(object, "status", "");
    const int timed = strcmp(status, "ok") == 0 || strcmp(status, "unstable") == 0;
    if (!timed && strcmp(status, "not timed") != 0 && strcmp(status, "unavailable") != 0)
        return snprintf(reason, reason_bytes, "unknown status '%s'", status), 0;
    if (timed && !entry->figures[REPORT_COLD].present)
        return snprintf(reason, reason_bytes, "status is '%s' but there is no figure 'cold'", status), 0;
    entry->flops = json_get_number(object, "flops", NAN);
    entry->bytes = json_get_number(object, "bytes", NAN);
    const json_t *floor = json_object_get(object, "floor_us");
    const json_t *counters = json_object_get(object, "counters");
    entry->dram_bytes = json_get_number(counters, "dram_bytes", 0.0);
    entry->l2_bytes = json_get_number(counters, "l2_bytes", 0.0);
    entry->floor_cold_us = json_get_number(floor, "cold", NAN);
    entry->floor_hot_us = json_get_number(floor, "hot", NAN);
    entry->result = json_incref(object);
    return 1;
}

static int take_verdict(json_t *object, report_entry *entry, char *reason, size_t reason_bytes)
{
    static const char *const known[] = {"pass", "fail", "crash", "timeout", "does not compile", "skipped"};
    const char *status = json_get_text(object, "status", "");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(status, known[i]) == 0) {
            entry->verdict = json_incref(object);
            return 1;
        }
    return snprintf(reason, reason_bytes, "unknown status '%s'", status), 0;
}

static report_entry *append(report_entry **list, int *count, int *capacity, const report_entry *entry)
{
    if (*count == *capacity) {
        const int larger = *capacity ? 2 * *capacity : 256;
        report_entry *grown = realloc(*list, (size_t)larger * sizeof *grown);
        if (!grown)
            return NULL;
        *list = grown;
        *capacity = larger;
    }
    (*list)[*count] = *entry;
    return &(*list)[(*count)++];
}

static report_entry *add_entry(report_model *model, const report_entry *entry)
{
    return entry->size == REPORT_HUGE ? append(&model->huge, &model->huge_count, &model->huge_capacity, entry)
                                      : append(&model->entries, &model->count, &model->capacity, entry);
}

/* Members of result files that no report needs and that are most of them. */
enum { BATCH = 256 };
static const char *const unread[] = {"samples_us", "quantiles_us", "benchmarks", "context", NULL};

static void note_broken(report_model *model, const char *file, const parsed_file *parsed)
{
    char reason[700];
    const size_t length = strlen(parsed->path);
    const char *message = parsed->error.message; /* the path is named beside it already */
    if (strncmp(message, parsed->path, length) == 0 && message[length] == ':')
        message += length + 1;
    snprintf(reason, sizeof reason, "%s%s", message[0] >= '0' && message[0] <= '9' ? "line " : "", message);
    note_unreadable(model, file, reason);
}

/* Takes over parsed->root. */
static void take_file(report_model *model, const char *folder, const char *base, parsed_file *parsed,
                      int is_result)
{
    char file[512], reason[700] = "";
    json_t *root = parsed->root;
    snprintf(file, sizeof file, "%s/%s", folder, base);
    if (!root) {
        note_broken(model, file, parsed);
        return;
    }
    const json_t *object = is_result ? json_object_get(root, "assay") : root;
    const json_t *schema = json_object_get(object, "schema");
    report_entry entry = {.health = {.low = {NAN, NAN, NAN, NAN}, .high = {NAN, NAN, NAN, NAN}},
                          .flops = NAN,
                          .bytes = NAN,
                          .floor_cold_us = NAN,
                          .floor_hot_us = NAN};
    int usable = 0;
    if (!json_is_object(object))
        snprintf(reason, sizeof reason, "no object 'assay': not a result of this program");
    else if (!json_is_integer(schema))
        snprintf(reason, sizeof reason, "no schema number");
    else if (json_integer_value(schema) != 1)
        snprintf(reason, sizeof reason, "schema %lld; this program reads schema 1",
                 (long long)json_integer_value(schema));
    else if (is_result && strcmp(json_get_text(object, "size", ""), "huge") == 0)
        snprintf(reason, sizeof reason, "huge problems are judged and never timed");
    else
        usable = place(model->ws, object, file, &entry, reason, sizeof reason) &&
                 (is_result ? take_result(root, &entry, reason, sizeof reason)
                            : take_verdict(root, &entry, reason, sizeof reason));
    if (!usable)
        note_unreadable(model, file, reason);
    else if (add_entry(model, &entry))
        model->file_count++;
    json_decref(root);
}

/* In batches, so that never more than these are in memory whole. */
static void read_folder(report_model *model, const char *folder, int is_result)
{
    char path[4608];
    snprintf(path, sizeof path, "%s/%s", model->results, folder);
    struct dirent **items = NULL;
    const int count = scandir(path, &items, is_result_file, by_bytes);
    parsed_file *batch = count > 0 ? calloc(BATCH, sizeof *batch) : NULL;
    for (int first = 0; batch && first < count; first += BATCH) {
        const int size = count - first < BATCH ? count - first : BATCH;
        memset(batch, 0, (size_t)size * sizeof *batch);
        for (int i = 0; i < size; i++)
            snprintf(batch[i].path, sizeof batch[i].path, "%s/%s", path, items[first + i]->d_name);
        parse_files(batch, size, unread);
        for (int i = 0; i < size; i++)
            take_file(model, folder, items[first + i]->d_name, &batch[i], is_result);
    }
    for (int i = 0; i < count; i++)
        free(items[i]);
    free(items);
    free(batch);
}

static void read_ceilings(report_model *model)
{
    char path[4608];
    snprintf(path, sizeof path, "%s/ceilings.json", model->results);
    FILE *there = fopen(path, "r");
    if (!there)
        return;
    fclose(there);
    json_t *root = NULL;
    assay_error error = {0};
    if (json_file_read(path, &root, &error) != ASSAY_OK) {
        note_unreadable(model, "ceilings.json",
                        strlen(error.message) > strlen(path) ? error.message + strlen(path) + 1 : "");
        return;
    }
    if (json_get_number(root, "schema", 0) != 1)
        note_unreadable(model, "ceilings.json", "not schema 1");
    else {
        size_t i;
        json_t *item;
        json_array_foreach(json_object_get(root, "ceilings"), i, item)
        {
            const double median = json_get_number(item, "median", NAN);
            if (model->ceiling_count == REPORT_MAX_CEILINGS || !(median > 0))
                continue;
            report_ceiling *c = &model->ceilings[model->ceiling_count++];
            snprintf(c->name, sizeof c->name, "%s", json_get_text(item, "name", ""));
            snprintf(c->unit, sizeof c->unit, "%s", json_get_text(item, "unit", ""));
            c->median = median;
            c->low = json_get_number(item, "min", NAN);
            c->high = json_get_number(item, "max", NAN);
            c->theoretical = json_get_number(item, "theoretical", NAN);
            c->possible = fmax(median, fmax(json_get_number(item, "max", NAN), c->theoretical));
        }
    }
    json_decref(root);
}

/* A case of the workspace that no file speaks of still has a row. */
static void add_known_cases(report_model *model)
{
    for (int o = 0; o < model->ws->op_count; o++) {
        const workspace_op *op = &model->ws->ops[o];
        for (int v = 0; v < op->variant_count; v++)
            for (int d = 0; d < op->spec->dtype_count; d++)
                for (int s = 0; s < op->spec->size_count; s++) {
                    if (!opspec_variant_has_dtype(op->spec, op->variants[v], op->spec->dtypes[d]))
                        continue;
                    report_entry entry = {.op = o, .kind = REPORT_VARIANT, .dtype = d, .size = s};
                    entry.flops = entry.bytes = entry.floor_cold_us = entry.floor_hot_us = NAN;
                    entry.dram_bytes = entry.l2_bytes = 0.0;
                    snprintf(entry.name, sizeof entry.name, "%s", op->variants[v]);
                    add_entry(model, &entry);
                }
    }
}

static int compare(const void *a, const void *b)
{
    return report_entry_compare(a, b);
}

/* Sort and merge the entries of one case: at most one has the verdict, at most one the result. */
static void sort_and_merge(report_model *model)
{
    qsort(model->entries, (size_t)model->count, sizeof *model->entries, compare);
    int kept = 0;
    for (int i = 0; i < model->count; i++) {
        report_entry *from = &model->entries[i], *to = kept ? &model->entries[kept - 1] : NULL;
        if (!to || report_entry_compare(to, from) != 0) {
            model->entries[kept++] = *from;
            continue;
        }
        if (from->result) {
            json_t *verdict = to->verdict;
            *to = *from;
            to->verdict = verdict;
        } else if (from->verdict)
            to->verdict = from->verdict;
    }
    model->count = kept;
    if (model->huge_count > 0)
        qsort(model->huge, (size_t)model->huge_count, sizeof *model->huge, compare);
}

void report_read_files(report_model *model)
{
    read_folder(model, "verify", 0);
    read_folder(model, "bench", 1);
    read_ceilings(model);
    add_known_cases(model);
    sort_and_merge(model);
}
