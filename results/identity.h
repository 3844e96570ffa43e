/* What a result is of, as a whole: which problem, source, reference, machine and method. One function
 * makes it, of a result that was read and of what would be timed now alike; one function compares, and
 * names what differs.
 *
 * Which parts must agree depends on the question: IDENTITY_FRESH, IDENTITY_TABLE, IDENTITY_COMPARE.
 * Nothing here reads files. */
#ifndef ASSAY_RESULTS_IDENTITY_H
#define ASSAY_RESULTS_IDENTITY_H

#include "results/result.h"

typedef enum identity_part {
    IDENTITY_OP,
    IDENTITY_NAME, /* variant or baseline, with its kind */
    IDENTITY_TUNABLES,
    IDENTITY_DTYPE,
    IDENTITY_MATH_MODE,
    IDENTITY_SIZE, /* its name */
    IDENTITY_DIMS,
    IDENTITY_PARAMS,
    IDENTITY_INPUTS, /* the distribution */
    IDENTITY_KERNEL, /* its source */
    IDENTITY_CODE,   /* the machine code that it became */
    IDENTITY_REFERENCE,
    IDENTITY_OP_JSON,
    IDENTITY_COMPILER,
    IDENTITY_FLAGS,
    IDENTITY_ARCH,
    IDENTITY_LIBRARY,    /* a baseline's version */
    IDENTITY_CARD_MODEL, /* slug and name; of the CPU device the processor */
    IDENTITY_CARD,       /* UUID */
    IDENTITY_DRIVER,     /* with the runtime */
    IDENTITY_HOST,
    IDENTITY_METHOD,   /* version, flush, locked clock: what makes a time another time */
    IDENTITY_SETTINGS, /* repetitions, lengths, modes, seeds: what makes a time more or less certain */
    IDENTITY_PARTS
} identity_part;

#define IDENTITY_BIT(part) (1u << (part))
enum {
    IDENTITY_PROBLEM = IDENTITY_BIT(IDENTITY_OP) | IDENTITY_BIT(IDENTITY_DTYPE) |
                       IDENTITY_BIT(IDENTITY_SIZE) | IDENTITY_BIT(IDENTITY_DIMS) |
                       IDENTITY_BIT(IDENTITY_PARAMS) | IDENTITY_BIT(IDENTITY_INPUTS),
    IDENTITY_MACHINE = IDENTITY_BIT(IDENTITY_CARD_MODEL) | IDENTITY_BIT(IDENTITY_CARD) |
                       IDENTITY_BIT(IDENTITY_DRIVER) | IDENTITY_BIT(IDENTITY_HOST),
    IDENTITY_EXPECTED = IDENTITY_BIT(IDENTITY_REFERENCE) | IDENTITY_BIT(IDENTITY_OP_JSON),

    /* A result need not be timed again. A library's version is known only once it was timed. */
    IDENTITY_FRESH = (IDENTITY_BIT(IDENTITY_PARTS) - 1) & ~IDENTITY_BIT(IDENTITY_LIBRARY),
    /* Two results may stand in one column of a table and be divided by each other. */
    IDENTITY_TABLE = IDENTITY_PROBLEM | IDENTITY_MACHINE | IDENTITY_EXPECTED | IDENTITY_BIT(IDENTITY_METHOD),
    /* Two results of a case may be compared to see what a change did. */
    IDENTITY_COMPARE = IDENTITY_PROBLEM | IDENTITY_BIT(IDENTITY_NAME) | IDENTITY_BIT(IDENTITY_MATH_MODE) |
                       IDENTITY_BIT(IDENTITY_CARD_MODEL) | IDENTITY_BIT(IDENTITY_DRIVER) |
                       IDENTITY_BIT(IDENTITY_METHOD)
};

typedef struct result_identity {
    char *text[IDENTITY_PARTS]; /* owned; "" where nothing is known, which equals nothing but itself */
} result_identity;

/* `mode`: the method as it bears on that mode, or TIMING_MODES for all that were asked for. Release also
 * after a failure. */
assay_status identity_of(const result *r, timing_mode mode, result_identity *out, assay_error *error);
void identity_release(result_identity *identity);

/* The parts of `mask` that differ, as bits; 0 if none. `words` (may be NULL) gets what differs, first
 * difference first: "dims N=256 M=1024, now N=256 M=256; reference 1f2e3d4c, now 5b6a7988". `between`
 * stands between both sides: ", now ", " and ". */
unsigned identity_compare(const result_identity *a, const result_identity *b, unsigned mask,
                          const char *between, char *words, size_t bytes);

/* All three steps for two results and a mode. Without memory: all of `mask`. */
unsigned result_differs(const result *a, const result *b, timing_mode mode, unsigned mask,
                        const char *between, char *words, size_t bytes);

#endif
