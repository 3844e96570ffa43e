/* A predicted time of a counted launch: from its counts, its shape, the warps that fit and the measured ceilings of a card. It is a
 * prediction and no measurement, ranks nothing, and never becomes a result. How good it is: docs/prediction.md.
 *
 * The model: launch overhead plus the p-norm of the times that each part of the card would take alone (the roofline of Williams et al.
 * 2009 is the norm of p = infinity), and of the latencies of one warp's own chain of instructions, requests and barriers, once for each wave of
 * warps. Each time has one factor that was fitted to committed results (tools/prediction/). */
#ifndef ASSAY_COUNTS_PREDICT_H
#define ASSAY_COUNTS_PREDICT_H

#include "results/result.h"
#include <assay/status.h>

/* A card's ceilings, in units of the model. */
typedef struct predict_card {
    char name[128];
    double launch_us; /* what a cold launch of an empty kernel takes, by the method of its results */
    double read_gbs, l2_gbs, shared_gbs;
    double
        fma_tflops; /* f32: a multiprocessor issues four warp instructions a cycle, 128 lanes of 2 operations */
    double tensor_tflops[ASSAY_DTYPE_COUNT]; /* by the dtype of the factors; 0: not known */
    int sm_count;
} predict_card;

/* The ceilings of a card's results folder (ceilings.json, docs/ceilings.md) and the median launch overhead of the results there.
 * ASSAY_ERR_INVALID: not there; ASSAY_ERR_FORMAT: one that the model needs is missing, or it is no GPU's. */
assay_status predict_card_read(const char *results, predict_card *card, assay_error *error);

typedef enum predict_part {
    PREDICT_LAUNCH,
    PREDICT_DRAM,           /* the op's bytes */
    PREDICT_L2,             /* sectors of global requests */
    PREDICT_SHARED,         /* wavefronts of shared memory */
    PREDICT_ISSUE,          /* warp instructions */
    PREDICT_TENSOR,         /* operations of matrix instructions */
    PREDICT_LATENCY,        /* of one warp's instructions, */
    PREDICT_MEMORY_LATENCY, /* of its requests, */
    PREDICT_BARRIERS,       /* and of its barriers, a wave of warps after the other */
    PREDICT_PARTS
} predict_part;
extern const char *const predict_part_names[PREDICT_PARTS];

typedef struct predict_model {
    double factor[PREDICT_PARTS]; /* of the times; of the latencies cycles an instruction and a request */
    double norm;                  /* p */
    double low,
        high; /* 80% of the measured times lie between these parts of the predicted one, on ops left out of the fit */
} predict_model;

/* The one that was fitted to the committed results. */
extern const predict_model predict_fitted;

typedef struct prediction {
    double us, low_us, high_us; /* 80% interval */
    double part_us[PREDICT_PARTS];
    predict_part most; /* the part with the longest time, launch aside */
} prediction;

/* The first fact of counts that the model needs and this result lacks, or NULL. Counts of an earlier version may lack some. */
const char *predict_missing_fact(const result *counted);

/* Of a counted result (counts_result()), which lacks no fact, at a card's dimensions. */
void predict_time(const result *counted, const predict_card *card, const predict_model *model,
                  prediction *out);

/* Its two halves: the parts before their factors, in us (of latencies: of one cycle an instruction,
 * request or barrier); and what a model makes of them. */
void predict_find_parts(const result *counted, const predict_card *card, double part[PREDICT_PARTS]);
void predict_combine(const double part[PREDICT_PARTS], const predict_model *model, prediction *out);

#endif
