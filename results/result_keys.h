/* The keys that reader and writer share: JSON members that are a number, a count or a text of a struct.
 * Inside results/ only. */
#ifndef ASSAY_RESULTS_RESULT_KEYS_H
#define ASSAY_RESULTS_RESULT_KEYS_H

#include "results/result.h"
#include <stddef.h>

enum { RESULT_SCHEMA = 2 };

typedef struct result_key {
    const char *key;
    size_t offset;
} result_key;
typedef struct result_keys {
    const result_key *keys;
    size_t count;
} result_keys;
#define RESULT_KEYS(array)                     \
    (result_keys)                              \
    {                                          \
        array, sizeof(array) / sizeof *(array) \
    }

extern const result_keys result_texts_of_result;           /* const char * in result */
extern const result_keys result_texts_of_device;           /* const char * in result_device */
extern const result_keys result_texts_of_toolchain;        /* const char * in result_toolchain */
extern const result_keys result_numbers_of_method;         /* double in result_method; left out where 0 */
extern const result_keys result_counts_of_method;          /* int in result_method; left out where 0 */
extern const result_keys result_numbers_of_times;          /* double in result_times */
extern const result_keys result_numbers_of_sample_quality; /* double in result_sample_quality */

/* In the order of result_health_value. */
extern const char *const result_health_keys[RESULT_HEALTH_VALUES];
/* In the order of result_stop. */
extern const char *const result_stop_names[2];
/* In the order of result_kind: as files name them. */
extern const char *const result_kind_keys[3];

static inline double *result_number_at(const void *base, const result_key *key)
{
    return (double *)((char *)base + key->offset);
}
static inline int *result_count_at(const void *base, const result_key *key)
{
    return (int *)((char *)base + key->offset);
}
static inline const char **result_text_at(const void *base, const result_key *key)
{
    return (const char **)((char *)base + key->offset);
}

#endif
