/* The strict reader of a provider's reply. */
#include "tune/providers/provider_internal.h"
#include "core/utf8.h"
#include "tune/providers/endpoint.h"
#include <stdio.h>
#include <string.h>

enum { MOST_READ = 1000 };

int provider_is_known(const provider_prompt *prompt, const configuration *out, int count,
                      const configuration *c)
{
    for (int i = 0; i < count; i++)
        if (configuration_equals(&out[i], c))
            return 1;
    for (int i = 0; i < prompt->attempt_count; i++)
        if (configuration_equals(&prompt->attempts[i].evaluation.configuration, c))
            return 1;
    return 0;
}

static void note_invalid(provider_report *report, const char *what)
{
    if (report->invalid++ == 0) {
        snprintf(report->first_invalid, sizeof report->first_invalid, "%s", what);
        utf8_make_line(report->first_invalid);
    }
}

static void take_candidate(const json_t *item, const provider_prompt *prompt, int most, configuration *out,
                           int *count, provider_report *report)
{
    configuration c;
    int broken = -1;
    assay_error error = {0};
    char what[300];
    report->received++;
    if (configuration_from_json(prompt->space, json_object_get(item, "values"), &c, &error) != ASSAY_OK) {
        note_invalid(report, error.message);
    } else if (!space_is_valid(prompt->space, &c, &broken)) {
        snprintf(what, sizeof what, "constraint \"%.200s\" does not hold",
                 broken >= 0 ? space_constraint_text(prompt->space, broken) : "?");
        note_invalid(report, what);
    } else if (provider_is_known(prompt, out, *count, &c)) {
        report->known++;
    } else if (*count < most) {
        out[(*count)++] = c;
        report->accepted++;
    }
}

int provider_read_reply(const char *reply, const provider_prompt *prompt, int most, configuration *out,
                        int *count, provider_report *report)
{
    size_t length = 0, index;
    json_error_t where;
    json_t *item;
    const char *text = endpoint_text(reply, &length);
    json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &where);
    const json_t *candidates = json_object_get(root, "candidates");
    *count = 0;
    if (root == NULL)
        snprintf(report->why, sizeof report->why, "the reply is not JSON: line %d, column %d: %s", where.line,
                 where.column, where.text);
    else if (!json_is_array(candidates))
        snprintf(report->why, sizeof report->why, "the reply has no list \"candidates\"");
    json_array_foreach(candidates, index, item)
    {
        if (index < MOST_READ)
            take_candidate(item, prompt, most, out, count, report);
    }
    if (json_is_array(candidates) && *count == 0)
        snprintf(report->why, sizeof report->why,
                 "no candidate of the reply is of use: %d received, %d invalid%s%s, %d known",
                 report->received, report->invalid, report->invalid ? ": " : "", report->first_invalid,
                 report->known);
    json_decref(root);
    return *count > 0;
}
