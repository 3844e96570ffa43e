/* Helpers of all contexts, and the identity of a report. */
#include "report/report_context.h"
#include "report/report_text.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void context_put(json_t *object, const char *key, const char *format, ...)
{
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    const int bytes = vsnprintf(NULL, 0, format, list);
    va_end(list);
    char *text = bytes < 0 ? NULL : malloc((size_t)bytes + 1);
    if (text)
        vsnprintf(text, (size_t)bytes + 1, format, again);
    va_end(again);
    json_t *value = text ? json_string(text) : NULL;
    free(text);
    json_object_set_new(object, key, value ? value : json_string("(not UTF-8)"));
}

json_t *context_add(json_t *object, const char *key)
{
    json_t *list = json_object_get(object, key);
    if (!list) {
        list = json_array();
        json_object_set_new(object, key, list);
    }
    json_t *item = json_object();
    json_array_append_new(list, item);
    return item;
}

void context_close_list(json_t *object, const char *key)
{
    char has[80];
    if (!json_object_get(object, key))
        json_object_set_new(object, key, json_array());
    snprintf(has, sizeof has, "has_%s", key);
    json_object_set_new(object, has, json_boolean(json_array_size(json_object_get(object, key)) > 0));
}

void context_identity(const report_model *model, json_t *out)
{
    context_put(out, "device", "%s", *model->device ? model->device : "unknown device");
    context_put(out, "time", "%s", *model->time ? model->time : "time unknown");
    context_put(out, "commit", "%.12s", *model->commit ? model->commit : "unknown");
    json_object_set_new(out, "dirty", json_boolean(model->dirty));
    json_object_set_new(out, "cpu", json_boolean(model->cpu));
}

static void add_line(json_t *list, const char *line)
{
    json_array_append_new(list, json_string(line));
}

static void flag_entry(const report_model *model, const report_entry *entry, json_t *list)
{
    char name[256], line[800];
    text_case(name, sizeof name, model, entry);
    if (entry->state == STATE_UNSTABLE || entry->state == STATE_STALE || entry->state == STATE_WRONG_OUTPUT ||
        entry->state == STATE_REMOVED) {
        snprintf(line, sizeof line, "`%s`: %s%s%s", name, text_state(entry->state),
                 *entry->reason ? ": " : "", entry->reason);
        add_line(list, line);
    }
    for (int m = 0; m < TIMING_MODES; m++) {
        if (!report_has_time(entry, (timing_mode)m) || !entry->times[m].above_roofline)
            continue;
        snprintf(
            line, sizeof line,
            "`%s`: the %s time is above its roofline bound (%.0f%%). This is a measuring error, not a fast "
            "kernel.",
            name, timing_mode_name((timing_mode)m), entry->times[m].percent_of_roofline);
        add_line(list, line);
    }
}

void context_flags(const report_model *model, int op, json_t *out)
{
    json_t *flags = json_array(), *left_out = json_array();
    int first = 0, end = model->count;
    if (op >= 0)
        report_range(model, op, -1, &first, &end);
    for (int i = first; i < end; i++)
        flag_entry(model, &model->entries[i], flags);
    for (int i = 0; i < model->left_out.count; i++) {
        char line[1100];
        report_left_out_text(&model->left_out.items[i], line, sizeof line);
        add_line(left_out, line);
    }
    json_object_set_new(out, "flags", flags);
    json_object_set_new(out, "left_out", left_out);
    context_close_list(out, "flags");
    context_close_list(out, "left_out");
}
