/* A provider of kernels: a command that gets a prompt as JSON on standard input and gives its answer as JSON on standard output, or an
 * endpoint that speaks OpenAI's chat completions and gets the prompt as the user's message. What is in the prompts and answers is in
 * docs/optimize.md. Judges nothing. */
#ifndef ASSAY_OPTIMIZE_PROVIDER_H
#define ASSAY_OPTIMIZE_PROVIDER_H

#include <assay/status.h>
#include <jansson.h>

typedef struct provider {
    const char *command; /* for /bin/sh; or http://... or https://..., whose key is in ASSAY_PROVIDER_KEY */
    const char *model;   /* endpoint: the model's name; NULL: left out */
    double limit_s;      /* of one answer; 0: 600 s */
} provider;

/* Ask once. *answer (new reference) has a text "source", and texts "hypothesis", "rationale" and "expected" where it gave any; `hash` gets
 * the SHA-256 of the prompt. ASSAY_ERR_CHECK: the answer is of no use, and why (no JSON, no source, an exit status, too slow).
 * ASSAY_ERR_ENVIRONMENT: the command cannot be run, or an interrupt. */
assay_status provider_ask(const provider *p, const json_t *prompt, json_t **answer, char hash[65],
                          assay_error *error);

/* What files say of it: the command, or the address without a query, which may hold a key. */
void provider_describe(const provider *p, char *out, size_t bytes);

/* The prompt's "answer" member: what is expected, in words and as a schema. New reference. */
json_t *provider_answer_rules(void);

#endif
