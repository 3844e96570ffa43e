/* The configurations that a search begins with: the default, the winner of an earlier run, what the archive has as
 * fast for like problems, and what a provider proposes. Inside the tuner
 * only. A run that goes on begins with what it began with, whatever a provider would say now. */
#ifndef ASSAY_TUNE_SEEDS_H
#define ASSAY_TUNE_SEEDS_H

#include "tune/archive/archive.h"
#include "tune/tuner/tuning.h"

enum { TUNE_MOST_SEEDS = 72, TUNE_SEED_FROM = 160 };

typedef struct tune_seed {
    configuration configuration;
    char from[TUNE_SEED_FROM]; /* "default", "winner", "archive", or the provider */
} tune_seed;
typedef struct tune_seeds {
    int count;
    tune_seed items[TUNE_MOST_SEEDS];
} tune_seeds;

/* Collect them. outcome->provider_note says what became of a provider that was asked for. Its failure is none here: the heuristic stands
 * in. ASSAY_ERR_INVALID: no such provider. */
assay_status tune_seeds_collect(const tune_options *options, tune_outcome *outcome, archive *a,
                                const archive_problem *problem, tune_seeds *out, assay_error *error);

/* As an array for the archive, and back; entries that are no configuration of the space are left out. */
json_t *tune_seeds_json(const space *s, const tune_seeds *seeds);
void tune_seeds_read(const space *s, const json_t *list, tune_seeds *out);

/* Where a configuration comes from; NULL: from the strategy. */
const char *tune_seed_from(const tune_seeds *seeds, const configuration *c);

#endif
