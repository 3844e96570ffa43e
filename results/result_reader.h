/* What the files of the reader share. Inside results/ only. */
#ifndef ASSAY_RESULTS_RESULT_READER_H
#define ASSAY_RESULTS_RESULT_READER_H

#include "results/result_file.h"
#include <jansson.h>
#include <stdarg.h>

typedef struct reader {
    result *out;
    const char *where; /* file, for messages */
    result_load load;
    assay_error *error;
} reader;

/* Set the error "WHERE: KEY WHAT" and return 0. */
int reader_refuse(reader *in, const char *key, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* A count; `fallback` for what is none, or does not fit an int. */
int reader_count(const json_t *object, const char *key, int fallback);

/* All of the following return 0 after a refusal, else 1. */
/* The version of a method, which every result has. `where` is the whole key, for the refusal. */
int reader_take_version(reader *in, const json_t *object, const char *key, const char *where, int *out);
int reader_take_times(reader *in, const json_t *object, timing_mode mode);

#endif
