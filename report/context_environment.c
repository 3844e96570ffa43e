/* The environment block: what card, software and conditions the figures were taken with, and every value where they differ. */
#include "report/report_context.h"
#include "core/json_file.h"
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

static void compiler_text(const json_t *result, char *out, size_t bytes)
{
    const json_t *toolchain = json_object_get(result, "toolchain"),
                 *flags = json_object_get(toolchain, "flags");
    size_t n = (size_t)snprintf(out, bytes, "%s", json_get_text(toolchain, "compiler", ""));
    const char *version = json_get_text(toolchain, "compiler_version", "");
    if (*version && !strstr(out, version) && n < bytes)
        n += (size_t)snprintf(out + n, bytes - n, " %s", version);
    if (json_is_string(flags) && n < bytes)
        snprintf(out + n, bytes - n, " %s", json_string_value(flags));
    for (size_t i = 0; json_is_array(flags) && i < json_array_size(flags) && n < bytes; i++) {
        const char *flag = json_string_value(json_array_get(flags, i));
        n += (size_t)snprintf(out + n, bytes - n, " %s", flag ? flag : "");
    }
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

static void widen(report_health *all, const report_health *one)
{
    for (int k = 0; k < HEALTH_VALUES; k++) {
        all->low[k] = fmin(all->low[k], one->low[k]);
        all->high[k] = fmax(all->high[k], one->high[k]);
    }
    all->reasons |= one->reasons;
}

static void put_reasons(json_t *out, json_int_t mask)
{
    static const struct {
        json_int_t bit;
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

void context_environment(const report_model *model, int op, json_t *out)
{
    text_set cards = {.count = 0}, drivers = {.count = 0}, runtimes = {.count = 0}, compilers = {.count = 0},
             commits = {.count = 0}, data = {.count = 0}, libraries = {.count = 0};
    report_health health = {.low = {NAN, NAN, NAN, NAN}, .high = {NAN, NAN, NAN, NAN}};
    for (int i = 0; i < model->count; i++) {
        const report_entry *entry = &model->entries[i];
        const json_t *result = entry->result ? entry->result : entry->verdict,
                     *device = json_object_get(result, "device");
        char text[600];
        if (entry->op != op || !result)
            continue;
        snprintf(text, sizeof text, "%s%s%s%s", json_get_text(device, "name", ""),
                 *json_get_text(device, "uuid", "") ? " (" : "", json_get_text(device, "uuid", ""),
                 *json_get_text(device, "uuid", "") ? ")" : "");
        set_add(&cards, text);
        set_add(&drivers, json_get_text(device, "driver", ""));
        set_add(&runtimes, json_get_text(device, "runtime", ""));
        if (entry->kind == REPORT_VARIANT) {
            compiler_text(result, text, sizeof text);
            set_add(&compilers, text);
        }
        if (entry->kind != REPORT_VARIANT && *json_get_text(result, "version", "")) {
            snprintf(text, sizeof text, "%s: %s", report_display_name(entry->name),
                     json_get_text(result, "version", ""));
            set_add(&libraries, text);
        }
        const json_t *git = json_object_get(result, "git"), *inputs = json_object_get(result, "inputs");
        snprintf(text, sizeof text, "%.12s%s", json_get_text(git, "commit", ""),
                 json_is_true(json_object_get(git, "dirty")) ? " (with uncommitted changes)" : "");
        set_add(&commits, text);
        const json_t *seed = json_object_get(inputs, "seed");
        const char *distribution = json_get_text(inputs, "distribution", "");
        snprintf(text, sizeof text, "%s, seed %lld", distribution, (long long)json_integer_value(seed));
        if (seed && *distribution)
            set_add(&data, text);
        if (entry->result)
            widen(&health, &entry->health);
    }
    put_set(out, model->cpu ? "Processor (CPU SIMT device)" : "Card", &cards);
    put_set(out, "Driver", &drivers);
    put_set(out, "Runtime", &runtimes);
    put_set(out, "Compiler and flags", &compilers);
    put_set(out, "Libraries", &libraries);
    put_set(out, "Commit", &commits);
    put_set(out, "Test data", &data);
    range_line(out, "SM clock", health.low[HEALTH_SM_MHZ], health.high[HEALTH_SM_MHZ], "MHz");
    range_line(out, "Memory clock", health.low[HEALTH_MEMORY_MHZ], health.high[HEALTH_MEMORY_MHZ], "MHz");
    range_line(out, "Power", health.low[HEALTH_POWER_W], health.high[HEALTH_POWER_W], "W");
    range_line(out, "Temperature", health.low[HEALTH_TEMPERATURE_C], health.high[HEALTH_TEMPERATURE_C], "C");
    if (isfinite(health.low[HEALTH_SM_MHZ]))
        put_reasons(out, health.reasons);
    for (int c = 0; c < model->ceiling_count; c++) {
        char key[64], text[160], spread[64] = "", theory[64] = "";
        const report_ceiling *ceiling = &model->ceilings[c];
        if (ceiling->theoretical > 0)
            snprintf(theory, sizeof theory, ", theoretical %.4g", ceiling->theoretical);
        if (isfinite(ceiling->low) && isfinite(ceiling->high))
            snprintf(spread, sizeof spread, " (%.4g to %.4g)", ceiling->low, ceiling->high);
        snprintf(key, sizeof key, "Ceiling: %s", ceiling->name);
        snprintf(text, sizeof text, "%.4g %s measured%s%s", ceiling->median, ceiling->unit, spread, theory);
        put_line(out, key, text);
    }
    if (!model->ceiling_count)
        put_line(out, "Ceilings", "not measured");
    context_close_list(out, "environment");
}
