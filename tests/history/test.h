/* cmocka with the headers it wants, and made-up results in a temporary folder. */
#ifndef ASSAY_TESTS_HISTORY_TEST_H
#define ASSAY_TESTS_HISTORY_TEST_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct made_result {
    const char *op, *variant, *dtype, *size; /* NULL: add, v1_baseline, f32, large */
    const char *kind, *status, *reason;      /* NULL: variant, ok, "" */
    const char *slug, *card, *uuid, *driver; /* NULL: of one made-up card */
    const char *math_mode, *distribution, *flush;
    const char *commit, *time, *source_sha256;
    const char *with;   /* the arms it took turns with, by commas, or NULL */
    const char *figure; /* NULL: cold */
    int dirty, count, samples, reasons, exported, locked_mhz, cold_batch, cold_rotation;
    double floor_us;     /* of the cold figure; 0: 3.0, negative: not known */
    const int *turns;    /* places of the repetitions in the order of all turns, or NULL: not known */
    const double *times; /* of the repetitions, microseconds; `count` of them, 0: a result without figures */
} made_result;

/* `count` repetitions of about `us`, spread evenly over +-`spread` (relative), in an order that is no trend. */
void fill_times(double *times, int count, double us, double spread);

/* The object `assay`; each repetition has `samples` samples around its time, or quantiles if `exported`. New reference. */
json_t *make_assay(const made_result *r);
/* FOLDER/bench/OP.VARIANT.DTYPE.SIZE.json with that object. */
void write_result(const char *folder, const made_result *r);

void make_folder(char out[256]);
void remove_folder(const char *folder);

#endif
