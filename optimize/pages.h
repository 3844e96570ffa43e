/* The pages of a run, written from its state alone. */
#ifndef ASSAY_OPTIMIZE_PAGES_H
#define ASSAY_OPTIMIZE_PAGES_H

#include "optimize/attempt.h"

/* FOLDER/correctness.md: what was judged, and what was wrong. `tries` is array of attempt_json() of the tries before; may be NULL. */
assay_status page_correctness(const char *folder, const attempt *a, const json_t *tries, assay_error *error);

/* FOLDER/hypothesis.txt: Hypothesis, Rationale, Expected, and the one change that the checker saw. */
assay_status page_hypothesis(const char *folder, const json_t *version, assay_error *error);

/* FOLDER/env_check.md from environment_gate(). */
assay_status page_environment(const char *folder, const json_t *gate, int missing, assay_error *error);

/* FOLDER/final_report.md and FOLDER/benchmark.md from the state. */
assay_status page_final_report(const char *folder, const json_t *state, assay_error *error);
assay_status page_benchmark(const char *folder, const json_t *state, assay_error *error);

#endif
