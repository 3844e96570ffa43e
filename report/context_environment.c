/* The environment block: the card, software and conditions of the measurement, and every value where they
 * differ. */
#include "report/report_context.h"
#include "report/report_text.h"
#include <math.h>
#include <string.h>

typedef struct text_set { /* distinct texts in the order of first use */
    char items[8][600];
    int count, more;
} text_set;

static void set_add(text_set *set, const char *text)
{
    if (!*text)
        return;
    for (int i = 0; i < set->count; i++)
        if (strcmp(set->items[i], text) == 0)
            return;
    if (set->count == 8)
        set->more++;
    else
        snprintf(set->items[set->count++], sizeof set->items[0], "%s", text);
}

static void put_line(json_t *out, const char *key, const char *value)
{
    char escaped[3000];
    if (!*value)
        return;
    text_markdown(escaped, sizeof escaped, value, 1200);
    json_t *item = context_add(out, "environment");
    context_put(item, "key", "%s", key);
    context_put(item, "value", "%s", escaped);
}

static void put_set(json_t *out, const char *key, const text_set *set)
{
    char text[2600];
    size_t n = 0;
    for (int i = 0; i < set->count && n < sizeof text; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", i ? "; " : "", set->items[i]);
    if (set->more && n < sizeof text)
        snprintf(text + n, sizeof text - n, "; and %d more", set->more);
    if (set->count)
        put_line(out, key, text);
}

static void range_line(json_t *out, const char *key, double low, double high, const char *unit)
{
    char text[128];
    if (!isfinite(low))
        return;
    if (low == high)
        snprintf(text, sizeof text, "%.0f %s", low, unit);
    else
        snprintf(text, sizeof text, "%.0f to %.0f %s", low, high, unit);
    put_line(out, key, text);
}

/* Clocks, power and temperature over all results. */
typedef struct health {
    double low[RESULT_HEALTH_VALUES], high[RESULT_HEALTH_VALUES]; /* NAN: unknown */
    int64_t reasons;
} health;

static void widen_value(health *all, int value, double low, double high)
{
    if (!isfinite(low) || low < 0) /* negative: the device does not say */
        return;
    all->low[value] = fmin(all->low[value], low); /* fmin and fmax ignore a NAN */
    all->high[value] = fmax(all->high[value], high);
}

static void widen_at(health *all, const assay_device_health *seen)
{
    const double values[RESULT_HEALTH_VALUES] = {
        [RESULT_SM_MHZ] = seen->sm_mhz,
        [RESULT_MEMORY_MHZ] = seen->memory_mhz,
        [RESULT_POWER_W] = seen->power_w,
        [RESULT_TEMPERATURE_C] = seen->temperature_c,
    };
    for (int v = 0; v < RESULT_HEALTH_VALUES; v++)
        widen_value(all, v, values[v], values[v]);
}

static void widen(health *all, const result_times *times)
{
    for (int i = 0; i < times->repetition_count; i++) {
        widen_at(all, &times->repetitions[i].before);
        widen_at(all, &times->repetitions[i].after);
    }
    for (int v = 0; times->during.samples > 0 && v < RESULT_HEALTH_VALUES; v++)
        widen_value(all, v, times->during.low[v], times->during.high[v]);
    all->reasons |= result_reasons(times);
}

static void put_reasons(json_t *out, int64_t mask)
{
    static const struct {
        int64_t bit;
        const char *name;
    } known[] = {{0x1, "idle"},
                 {0x2, "application clocks"},
                 {0x4, "software power cap"},
                 {0x8, "hardware slowdown"},
                 {0x20, "software thermal slowdown"},
                 {0x40, "hardware thermal slowdown"},
                 {0x80, "hardware power brake"}};
    char text[400];
    size_t n = 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (mask & known[i].bit)
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", n ? ", " : "", known[i].name);
    put_line(out, "Clock event reasons seen", n ? text : "none");
}

typedef struct environment {
    text_set cards, hosts, drivers, runtimes, compilers, commits, data, libraries;
    health health;
} environment;

static void add_commit(environment *e, const char *commit, int dirty)
{
    char text[600];
    snprintf(text, sizeof text, "%.12s%s", commit, dirty ? " (with uncommitted changes)" : "");
    set_add(&e->commits, *commit ? text : "");
}

static void add_card(environment *e, const char *name, const char *uuid, const char *driver,
                     const char *runtime)
{
    char text[600];
    snprintf(text, sizeof text, "%s%s%s%s", name, *uuid ? " (" : "", uuid, *uuid ? ")" : "");
    set_add(&e->cards, text);
    set_add(&e->drivers, driver);
    set_add(&e->runtimes, runtime);
}

static void add_result(environment *e, const result *r)
{
    char text[600];
    add_card(e, r->device.name, r->device.uuid, r->device.driver, r->device.runtime);
    add_commit(e, r->commit, r->dirty);
    set_add(&e->hosts, r->host.cpu);
    snprintf(text, sizeof text, "%s %s", r->toolchain.compiler, r->toolchain.flags);
    set_add(&e->compilers, *r->toolchain.compiler ? text : "");
    snprintf(text, sizeof text, "%s: %s", r->id.name, r->library_version);
    set_add(&e->libraries, *r->library_version ? text : "");
    snprintf(text, sizeof text, "%s, seed %llu", r->problem.distribution,
             (unsigned long long)r->problem.seed);
    set_add(&e->data, *r->problem.distribution ? text : "");
    for (int m = 0; m < TIMING_MODES; m++)
        if (r->times[m].present)
            widen(&e->health, &r->times[m]);
}

static void put_ceilings(const report_model *model, json_t *out)
{
    for (int c = 0; c < model->ceiling_count; c++) {
        char key[64], text[160], spread[64] = "", theory[64] = "";
        const report_ceiling *ceiling = &model->ceilings[c];
        if (ceiling->theoretical > 0)
            snprintf(theory, sizeof theory, ", data sheet %.4g", ceiling->theoretical);
        if (isfinite(ceiling->low) && isfinite(ceiling->high))
            snprintf(spread, sizeof spread, " (%.4g to %.4g)", ceiling->low, ceiling->high);
        snprintf(key, sizeof key, "Ceiling: %s", ceiling->name);
        snprintf(text, sizeof text, "%.4g %s measured%s%s", ceiling->median, ceiling->unit, spread, theory);
        put_line(out, key, text);
    }
    if (!model->ceiling_count)
        put_line(out, "Ceilings", "not measured");
}

static void put_health(const health *h, json_t *out)
{
    static const struct {
        const char *name, *unit;
    } values[RESULT_HEALTH_VALUES] = {[RESULT_SM_MHZ] = {"SM clock", "MHz"},
                                      [RESULT_MEMORY_MHZ] = {"Memory clock", "MHz"},
                                      [RESULT_POWER_W] = {"Power", "W"},
                                      [RESULT_TEMPERATURE_C] = {"Temperature", "C"}};
    for (int v = 0; v < RESULT_HEALTH_VALUES; v++)
        range_line(out, values[v].name, h->low[v], h->high[v], values[v].unit);
    if (isfinite(h->low[RESULT_SM_MHZ]))
        put_reasons(out, h->reasons);
}

void context_environment(const report_model *model, int op, json_t *out)
{
    environment e = {.health = {.low = {NAN, NAN, NAN, NAN}, .high = {NAN, NAN, NAN, NAN}}};
    int first, end;
    report_range(model, op, -1, &first, &end);
    for (int i = first; i < end; i++) {
        const report_entry *entry = &model->entries[i];
        const verdict_record *v = entry->verdict;
        if (entry->result)
            add_result(&e, entry->result);
        else if (v) {
            add_card(&e, v->device_name, v->device_uuid, v->driver, v->runtime);
            add_commit(&e, v->commit, v->dirty);
        }
    }
    put_set(out, model->cpu ? "Processor (CPU SIMT device)" : "Card", &e.cards);
    put_set(out, "Host", &e.hosts);
    put_set(out, "Driver", &e.drivers);
    put_set(out, "Runtime", &e.runtimes);
    put_set(out, "Compiler and flags", &e.compilers);
    put_set(out, "Libraries", &e.libraries);
    put_set(out, "Commit", &e.commits);
    put_set(out, "Test data", &e.data);
    put_health(&e.health, out);
    put_ceilings(model, out);
    context_close_list(out, "environment");
}
