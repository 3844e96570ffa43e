/* The experience log: what was tried on which kind of kernel against which bottleneck, and what came of it.
 *
 * An entry is a JSON object and never changes: its identifier is the SHA-256 of its content, so that logs of many people
 * merge without conflict, in any order, and a second merge adds nothing. Entries that come with Assay (seed.jsonl) are
 * always there. Own ones lie in an SQLite file (an archive: `assay merge` joins both). */
#ifndef ASSAY_TUNE_EXPERIENCE_H
#define ASSAY_TUNE_EXPERIENCE_H

#include <assay/status.h>
#include <jansson.h>
#include <stdio.h>

/* Keys of an entry. All are texts but `effect`; the first six must be there.
 *   kind        matmul, attention, convolution, row (softmax, norms), reduction, elementwise, transpose, other
 *   backend     cuda, triton, any
 *   chip        sm_90, sm_80 ... or any
 *   bottleneck  memory, latency, compute, shared_memory, registers, occupancy, launch, synchronization, imbalance
 *   strategy    what was done, in one sentence: equal sentences are evidence of the same strategy
 *   outcome     success, failure, neutral
 *   effect      time before over time after (1.25: a quarter faster); left out where it was not measured
 *   conditions, predicted, measured, source, recorded */
typedef struct experience experience;

/* The entries that come with Assay, and those of `path` if it is not NULL and the file is there. */
assay_status experience_open(const char *path, experience **out, assay_error *error);
/* The same for experience_recommend() alone: of the file it reads what ranks an entry, and a document only where an entry is shown, which is
 * several times as fast in a large log. */
assay_status experience_open_to_recommend(const char *path, experience **out, assay_error *error);
void experience_close(experience *x);

/* Check an entry and add it to the file (made if missing). *is_new 0: it was there. ASSAY_ERR_INVALID names the key and what is
 * allowed. */
assay_status experience_add(experience *x, const json_t *entry, int *is_new, assay_error *error);

/* Add what a JSON-lines file or another experience file has. Broken lines are an error with their number, and nothing of the
 * file is added. */
assay_status experience_merge(experience *x, const char *path, long *added, long *known, assay_error *error);
/* Merge `path` into the log, then write all own entries of the log to it (JSON lines, atomically): both have the same. */
assay_status experience_sync(experience *x, const char *path, long *received, long *sent, assay_error *error);

/* NULL or "" matches all; `words` must all occur somewhere in the entry, in any case. */
typedef struct experience_filter {
    const char *kind, *backend, *chip, *bottleneck, *outcome, *words;
} experience_filter;

/* ASSAY_ERR_INVALID: a kind, backend, bottleneck or outcome that no entry can have; the message names those that there are. */
assay_status experience_check_filter(const experience_filter *filter, assay_error *error);

/* Matching entries in the order of their recording, each with its "uid". New reference. */
json_t *experience_list(const experience *x, const experience_filter *filter);

/* Strategies for such a kernel, best first, at most `limit` (0: all): [{strategy, score, successes, failures, neutral, effect,
 * similarity, evidence [...]}]. An entry counts as much as it resembles the question (kind, backend, chip, bottleneck: 1 for the
 * same, less for a related one, see experience_similarity). score = expected gain: (successes + 1/2) / (all + 1), weighted, times
 * 1 + log(effect), discounted for little evidence. A new reference, NULL after a failure. ASSAY_ERR_FORMAT: an entry that would be shown is
 * broken; the message names it. */
assay_status experience_recommend(const experience *x, const experience_filter *question, int limit,
                                  json_t **rows, assay_error *error);
/* The kind of an op's family in op.json: "matrix" is matmul, "layout" transpose; "other" for an unknown one. */
const char *experience_kind_of_family(const char *family);

/* 0 ... 1. */
double experience_similarity(const json_t *entry, const experience_filter *question);

/* A page for who writes kernels: by kind of kernel what helped, best first, with how often and by how much, and what did not. Markdown,
 * malloc'ed; NULL without memory. */
char *experience_learned(const experience *x);

/* {entries, own, by_kind, by_bottleneck, by_outcome, by_chip}. New reference. */
json_t *experience_stats(const experience *x);

#endif
