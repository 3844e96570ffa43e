/* Providers of candidates: someone outside proposes configurations, the search goes on from them.
 *
 *     heuristic                  scores of the configurations themselves (tune/strategies/heuristic.h); always there
 *     command:PROGRAM ARGS       a shell command: the prompt (JSON) on its input, the reply (JSON) on its output
 *     http://HOST/... https://   an endpoint that speaks OpenAI's chat completions; its base with or without /v1
 *
 * The reply is {"candidates": [{"values": {PARAMETER: VALUE, ...}, "reason": TEXT}, ...]}. It is parsed strictly and taken as
 * data: a candidate must name every parameter with one of its values and hold all constraints, known ones are dropped. A
 * provider that fails, is late or gives nothing of use is replaced by the heuristic, and the report says so: a search never
 * ends because of a provider. A provider proposes; it never decides what is right or fast. */
#ifndef ASSAY_TUNE_PROVIDER_H
#define ASSAY_TUNE_PROVIDER_H

#include "tune/space/space.h"

enum { PROVIDER_MAX_CANDIDATES = 64 };

typedef struct provider_options {
    const char *name;  /* as above; NULL: heuristic */
    const char *model; /* endpoint: the model's name; NULL: left out */
    /* Endpoint: the environment variable that holds the key; NULL: ASSAY_PROVIDER_KEY. The key goes into the request's header and
     * nowhere else; it is not sent over http:// to another machine. No such variable: no key is sent. */
    const char *key_variable;
    double time_limit_s; /* for everything, retries included; 0: 60 */
    int count;           /* candidates asked for, 1 ... PROVIDER_MAX_CANDIDATES */
    uint64_t seed;       /* of the heuristic */
} provider_options;

/* One earlier attempt, for the prompt. */
typedef struct provider_attempt {
    evaluation evaluation;
    const char *reason; /* of a failure; may be NULL */
} provider_attempt;

/* What a provider learns. Texts may be NULL, JSON values are borrowed and may be NULL. */
typedef struct provider_prompt {
    const space *space;
    const char *op, *variant, *dtype, *size, *dims, *device, *arch, *goal;
    const char *source;               /* of the kernel */
    const json_t *facts;              /* device facts and measured ceilings */
    const json_t *experience;         /* what experience_recommend gives */
    const provider_attempt *attempts; /* all, in order: the ten best and the ten latest failures are told */
    int attempt_count;
} provider_prompt;

typedef struct provider_report {
    char provider[160]; /* who proposed in the end: "command:...", "http://...", "heuristic" */
    int used_fallback;  /* 1: the heuristic stands in */
    char why[400];      /* why, one line; "" if not */
    int received, accepted, invalid, known; /* candidates of the reply */
    char first_invalid[300];
    char *prompt, *reply; /* as sent and received, for the archive; malloc'ed, may be NULL */
} provider_report;

/* Up to options->count configurations that are valid, different, and not among the attempts. *count is how many. Fails only on wrong
 * use: ASSAY_ERR_INVALID (an unknown form of name, a count out of range). Release the report. */
assay_status provider_propose(const provider_options *options, const provider_prompt *prompt,
                              configuration *out, int *count, provider_report *report, assay_error *error);
void provider_report_release(provider_report *report);

/* 1 if `name` has one of the forms above. */
int provider_name_is_valid(const char *name);

/* The prompt as JSON, for a look at it. New reference. */
json_t *provider_prompt_json(const provider_prompt *prompt, int count);

#endif
