/* The state of a search, shared by tuner.c, which begins and ends it, and batches.c, which runs it. Inside the tuner only. */
#ifndef ASSAY_TUNE_SEARCH_H
#define ASSAY_TUNE_SEARCH_H

#include "tune/strategies/strategy.h"
#include "tune/tuner/tune_log.h"

typedef struct search {
    const tune_options *o;
    tune_outcome *out;
    evaluator *e;
    strategy *st;
    tune_log log;
    double start_ms, first_compile_s;
    int best_at; /* evaluations told when the best was found */
    long asked;
    double waited_s; /* over several cards: what they waited for compilers, mean of the cards */
} search;

/* Ask, compile, verify, time, keep and tell, until the search ends; outcome->end says why. */
assay_status search_run_batches(search *s, assay_error *error);
/* How many batches may be asked for and not told. It is part of the run, since it decides what is known when a batch is asked for: on one
 * GPU 2, so that one is compiled while the other is measured; on the CPU device 1, where compilers would be what is measured; on
 * several cards 2 for each. */
int search_window(const tune_options *o, const char *device_kind);

double search_elapsed_s(const search *s);
void search_say(const search *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
