/* Patterns of special values that are put on top of drawn ones (inputs.h lists them). */
#ifndef ASSAY_VERIFY_PATTERNS_H
#define ASSAY_VERIFY_PATTERNS_H

#include <assay/op.h>

enum { PATTERN_STREAM = 64 }; /* added to a tensor's number: the stream of its special positions */

/* The tensor that a pattern is for. */
typedef struct pattern_tensor {
    const assay_tensor *tensor; /* its shape */
    assay_dtype dtype;          /* what values are rounded to */
    int index;                  /* the tensor's number in the problem */
    uint64_t seed;
    int64_t count, row; /* elements in all; length of the last dimension */
} pattern_tensor;

/* Rewrite the values [first, first + count) of a tensor; `words` are random and aligned with them. */
typedef void (*pattern_fn)(const pattern_tensor *fill, int64_t first, int count, const uint32_t *words,
                           float *values);

/* 1 and the pattern of that name, or 0. */
int pattern_find(const char *name, pattern_fn *apply);
/* The name of the pattern `number`, from 0; NULL: there is none. */
const char *pattern_name(int number);

#endif
