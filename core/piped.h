/* A program with its input, output and messages in pipes, beside which the caller goes on: to talk to a provider, and to serve requests
 * while a command runs. For a program that is simply run to its end: process.h. */
#ifndef ASSAY_CORE_PIPED_H
#define ASSAY_CORE_PIPED_H

#include "core/process.h"

enum { PIPED_MOST_BYTES = 64 << 20 };

typedef struct piped {
    long pid;
    int in, out, err; /* -1: closed */
    const char *input;
    size_t input_left;
    int talks; /* 1, set behind piped_start(): `in` stays open, and the caller sends and receives there */
    char *output, *messages; /* what it wrote to standard output and error so far, NUL-terminated; owned */
    size_t output_bytes, message_bytes;
    double start_s;
    int overflow; /* it wrote more than PIPED_MOST_BYTES and was stopped for it */
    int stopped;  /* by piped_stop() */
} piped;

/* Start it with `input` (borrowed until the end) on its standard input; NULL: nothing. argv as in process_run().
 * ASSAY_ERR_ENVIRONMENT: it does not start. Release it always. */
assay_status piped_start(const char *const *argv, const char *input, piped *p, assay_error *error);

/* Pass on what is there, waiting at most `wait_ms` for something to happen. 1 when it has ended and `result` (without output) is filled. */
int piped_step(piped *p, int wait_ms, process_result *result);

/* To the end, or to the time limit (seconds, 0: none) or an interrupt, which stop it. */
void piped_finish(piped *p, double limit_s, process_result *result);

/* Ask it and all it started to end (SIGTERM), or end them (SIGKILL). */
void piped_stop(piped *p, int at_once);
void piped_release(piped *p);

#endif
