/* Inside tune/providers only: the roads to a reply, and its reader. */
#ifndef ASSAY_TUNE_PROVIDER_INTERNAL_H
#define ASSAY_TUNE_PROVIDER_INTERNAL_H

#include "tune/providers/provider.h"

/* A reply as text: malloc'ed, NUL-terminated. 0 and a line in `why` if there is none. */
int provider_run_command(const char *command, const char *prompt, double time_limit_s, char **reply,
                         char *why, size_t why_bytes);

/* The candidates of a reply. Counts into the report. 0 and a line in report->why if the reply is none. */
int provider_read_reply(const char *reply, const provider_prompt *prompt, int most, configuration *out,
                        int *count, provider_report *report);

/* 1 if the configuration is among the attempts or among out[0 ... count - 1]. */
int provider_is_known(const provider_prompt *prompt, const configuration *out, int count,
                      const configuration *c);

#endif
