/* What a tuning is asked for, and what comes of it: see tuner.h. */
#ifndef ASSAY_TUNE_TUNING_H
#define ASSAY_TUNE_TUNING_H

#include "history/comparison.h"
#include "tune/archive/archive.h"
#include "tune/evaluate/evaluate.h"
#include "tune/tuner/cards.h"

enum { TUNE_FINALISTS = 6 }; /* the default with them */

struct tune_options {
    const char *variant, *size; /* exact names */
    assay_dtype dtype;
    const char *strategy; /* NULL: "bayesian" */
    const char *provider,
        *provider_model; /* who proposes first candidates (tune/providers/provider.h); NULL: nobody */
    int provider_count;  /* how many are asked for; 0: 8 */
    uint64_t seed;
    long evaluations;    /* 0: no limit */
    double budget_s;     /* 0: no limit; with what an earlier process of the run spent */
    double target_us;    /* 0: none; the search ends when a time is below */
    long patience;       /* 0: none; evaluations without a new best that end the search */
    int batch;           /* 0: the default; evaluated together */
    int is_new;          /* do not go on with an earlier run */
    int no_finals;       /* end with the search: there is no winner, and the archive has what was measured */
    int save;            /* write the winner to ops/OP/best/ARCH.json */
    double improvement;  /* a winner is saved if it is faster, and by this much; relative */
    const char *command; /* that repeats the run */
    const char *report;  /* name of the report in LOGS, without .md; NULL: OP_tuning */
    evaluate_options evaluate;
    bench_options finals; /* how finalists are timed */
    tune_cards *cards;    /* started for this tuning; NULL: one device, in this process. Borrowed */
    FILE *progress;       /* NULL: silent */
};

/* A finalist, measured again. */
typedef struct tune_finalist {
    tune_candidate *candidate;  /* of tune_outcome.candidates; the first finalist is the default */
    double search_us;           /* its time during the search */
    double us, low_us, high_us; /* mean and 95% interval of the finals; NAN: not timed */
    int wrong;                  /* 1: wrong at another size or in an edge case; `why` says where */
    char why[EVALUATE_REASON];
    compare_verdict verdict; /* against the default; of the default itself COMPARE_SAME */
    ratio_interval ratio;    /* of its time to the default's */
} tune_finalist;

/* Default and winner at a size of the op that was not tuned, by quick repetitions; NAN: not timed. */
typedef struct tune_at_size {
    char size[ASSAY_NAME_MAX];
    double default_us, winner_us;
} tune_at_size;

typedef struct tune_outcome {
    tune_subject subject;
    space *space;
    tune_candidate *candidates; /* owned, in the order told */
    double *elapsed_s;          /* owned: of the run when each was decided */
    int count, capacity;
    int resumed; /* of these, taken from the archive */
    int best;    /* index, -1: none succeeded */
    int counts[EVALUATION_STATUS_COUNT];
    double seconds;        /* of the search, with those of earlier processes */
    double own_seconds;    /* of this process, finals included */
    evaluator_times spent; /* of these */
    tune_finalist finalists[TUNE_FINALISTS];
    int finalist_count;
    tune_at_size at_sizes[OPSPEC_MAX_SIZES];
    int at_size_count;
    int winner; /* index of the finalist; -1: none; 0: the default */
    char end
        [32]; /* why the search ended: "budget", "evaluations", "target", "patience", "exhausted", "interrupted" */
    char run[ARCHIVE_UID_BYTES];
    char strategy[64];
    char provider_note[700]; /* what became of the provider; "": none was asked */
    uint64_t seed;
    const tune_cards *cards;        /* as in the options */
    char report[4400], saved[4400]; /* paths; "": not written */
} tune_outcome;

/* The time of the default configuration in the search; NAN where it failed or is not known. */
double tune_default_us(const tune_outcome *outcome);

#endif
