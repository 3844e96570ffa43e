/* Asking an endpoint that speaks OpenAI's chat completions: one question, one text. The tuner and the loops that write kernels use it. */
#ifndef ASSAY_TUNE_ENDPOINT_H
#define ASSAY_TUNE_ENDPOINT_H

#include <stddef.h>

enum { PROVIDER_MAX_REPLY_BYTES = 4 << 20 }; /* of an endpoint or a command */

typedef struct endpoint_question {
    const char *address;      /* http:// or https://, its base with or without /v1 */
    const char *model;        /* NULL: left out */
    const char *key_variable; /* the environment variable that holds the key; NULL: ASSAY_PROVIDER_KEY */
    const char *system;       /* who is asked, and in which form to answer */
    int most_tokens;
} endpoint_question;

/* 1 if the word is an address. */
int endpoint_is_address(const char *word);

/* *reply is malloc'ed, without the key. 0 and a line in `why` if there is none. A fence of ``` around the whole reply is taken off by
 * endpoint_text(): the text within, of *length characters. */
int endpoint_ask(const endpoint_question *question, const char *prompt, double time_limit_s, char **reply,
                 char *why, size_t why_bytes);
const char *endpoint_text(const char *reply, size_t *length);

#endif
