/* HTTP providers in a build without libcurl: named as missing, and the heuristic stands in. */
#include "tune/providers/endpoint.h"
#include <stdio.h>

int endpoint_ask(const endpoint_question *question, const char *prompt, double time_limit_s, char **reply,
                 char *why, size_t why_bytes)
{
    (void)question, (void)prompt, (void)time_limit_s;
    *reply = NULL;
    snprintf(
        why, why_bytes,
        "this build was made without libcurl (apt-get install libcurl4-openssl-dev, then configure again)");
    return 0;
}
