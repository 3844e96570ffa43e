/* What the files of the comparison share. Only they include this header. */
#ifndef ASSAY_VERIFY_COMPARE_PARTS_H
#define ASSAY_VERIFY_COMPARE_PARTS_H

#include "verify/compare.h"

enum { COMPARE_BLOCK = 1024 };

typedef struct compare_block {
    double got[COMPARE_BLOCK], ref[COMPARE_BLOCK], scale[COMPARE_BLOCK];
    float rounded[COMPARE_BLOCK]; /* reference in binary32 */
    int count, padded;
} compare_block;

static inline uint32_t compare_bits(const void *data, assay_dtype dtype, int64_t index)
{
    if (dtype == ASSAY_F32)
        return ((const uint32_t *)data)[index];
    return ((const uint16_t *)data)[index];
}

/* compare_values.c */
double compare_smallest_half_unit(assay_dtype dtype);
uint32_t compare_ulp_distance(uint32_t got_bits, double ref, assay_dtype dtype);
uint32_t compare_block_max_ulp(const compare_block *b, const void *out, assay_dtype dtype);

/* compare_rounding.c */
void compare_track_rounding(compare_result *result, const compare_block *b, const void *out);
double compare_rounding_bias(const compare_rounding *r);
double compare_square_ratio(const compare_squares *s);

/* compare_classes.c */
void compare_classes_add(compare_classes *c, int64_t index, double away, double up, uint32_t hash);
/* Add what other rows of the same output say. */
void compare_classes_merge(compare_classes *into, compare_classes *other);
/* The largest mean error in units of h that enough elements show; 0: none. `where` gets its part, in words. */
double compare_classes_worst(compare_classes *c, char *where, size_t where_bytes);

#endif
