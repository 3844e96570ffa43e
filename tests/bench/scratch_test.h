/* The workspace of the test that runs, which it fills with variants of its own; close_scratch() is its teardown. */
#ifndef ASSAY_TESTS_BENCH_SCRATCH_TEST_H
#define ASSAY_TESTS_BENCH_SCRATCH_TEST_H

#include "tests/unit.h"
#include "scratch.h"

static scratch s;

static inline int close_scratch(void **state)
{
    scratch_close(&s);
    return 0;
}

/* As scratch_add_variant() has them. A row without a name ends them. */
typedef struct made_variant {
    const char *name, *module, *verdict;
} made_variant;

static inline void open_with(const made_variant *v)
{
    scratch_create(&s);
    for (; v->name; v++)
        scratch_add_variant(&s, v->name, v->module, v->verdict);
    scratch_open(&s);
}

/* `assay.KEY` of a result at small, and its metric in a timing mode. */
static inline const char *said_of(const char *name, const char *key)
{
    return scratch_text(&s, name, "small", key);
}

static inline double metric_of(const char *name, const char *mode, const char *key)
{
    return scratch_metric(&s, name, "small", mode, key);
}

#endif
