/* Asking a provider, and the heuristic where that gives nothing: see provider.h. */
#include "tune/providers/provider_internal.h"
#include "core/utf8.h"
#include "tune/providers/endpoint.h"
#include "tune/strategies/heuristic.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_TIME_LIMIT_S = 60, DRAWS = 2000 };

static int begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

int provider_name_is_valid(const char *name)
{
    return strcmp(name, "heuristic") == 0 || (begins(name, "command:") && name[8] != '\0') ||
           (begins(name, "http://") && name[7] != '\0') || (begins(name, "https://") && name[8] != '\0');
}

/* The best of many draws by heuristic_score, different from each other and from the attempts. Returns how many. */
static int provider_ask_heuristic(const provider_prompt *prompt, uint64_t seed, int most, configuration *out,
                                  int already)
{
    int count = already;
    while (count < most) {
        double best = -1;
        configuration chosen = {{0}}, c;
        for (uint64_t i = 0; i < DRAWS; i++) {
            if (!space_draw(prompt->space, seed, i, &c) || provider_is_known(prompt, out, count, &c))
                continue;
            const double score = heuristic_score(prompt->space, &c);
            if (score > best) {
                best = score;
                chosen = c;
            }
        }
        if (best < 0)
            break; /* all that was drawn is known: the space is small, or nearly used up */
        out[count++] = chosen;
    }
    return count;
}

static int ask_outside(const provider_options *options, const provider_prompt *prompt, configuration *out,
                       int *count, provider_report *report)
{
    const double limit = options->time_limit_s > 0 ? options->time_limit_s : DEFAULT_TIME_LIMIT_S;
    json_t *json = provider_prompt_json(prompt, options->count);
    report->prompt = json_dumps(json, JSON_COMPACT);
    json_decref(json);
    if (report->prompt == NULL) {
        snprintf(report->why, sizeof report->why,
                 "the prompt cannot be written as JSON (is the source UTF-8?)");
        return 0;
    }
    const endpoint_question question = {
        .address = options->name,
        .model = options->model,
        .key_variable = options->key_variable,
        .system =
            "You propose parameters of GPU kernels to an auto-tuner. Answer with one JSON object in the form "
            "that \"reply\" of the request asks for and with nothing else.",
        .most_tokens = 4096};
    const int has_reply =
        begins(options->name, "command:")
            ? provider_run_command(options->name + 8, report->prompt, limit, &report->reply, report->why,
                                   sizeof report->why)
            : endpoint_ask(&question, report->prompt, limit, &report->reply, report->why, sizeof report->why);
    return has_reply && provider_read_reply(report->reply, prompt, options->count, out, count, report);
}

assay_status provider_propose(const provider_options *options, const provider_prompt *prompt,
                              configuration *out, int *count, provider_report *report, assay_error *error)
{
    const char *name = options->name ? options->name : "heuristic";
    *report = (provider_report){0};
    *count = 0;
    if (!provider_name_is_valid(name))
        return assay_error_set(
            error, ASSAY_ERR_INVALID,
            "provider \"%.100s\": heuristic, command:PROGRAM, http://... or https://... is expected", name);
    if (options->count < 1 || options->count > PROVIDER_MAX_CANDIDATES)
        return assay_error_set(error, ASSAY_ERR_INVALID, "a provider is asked for 1 to %d candidates, not %d",
                               PROVIDER_MAX_CANDIDATES, options->count);
    snprintf(report->provider, sizeof report->provider, "%s", name);
    report->provider[strcspn(report->provider, "?#")] = '\0'; /* a query may hold a key */
    if (strcmp(name, "heuristic") != 0 && ask_outside(options, prompt, out, count, report))
        return ASSAY_OK;
    if (strcmp(name, "heuristic") != 0) {
        report->used_fallback = 1;
        utf8_make_line(report->why);
        snprintf(report->provider, sizeof report->provider, "heuristic");
    }
    *count = provider_ask_heuristic(prompt, options->seed, options->count, out, 0);
    return ASSAY_OK;
}

void provider_report_release(provider_report *report)
{
    free(report->prompt);
    free(report->reply);
    report->prompt = report->reply = NULL;
}
