/* Kernel files written for a contest: they export  void solve(pointers and sizes...)  and know nothing of Assay. A generated file
 * holds the file's text, translated (module_launch.h), and an entry point of the op that calls solve() with the members of the
 * op's argument struct in the order that op.json gives. */
#ifndef ASSAY_CORE_MODULE_SOLVE_H
#define ASSAY_CORE_MODULE_SOLVE_H

#include "core/opspec.h"
#include <jansson.h>

typedef struct solve_source {
    char *text, *mask; /* the file, and what of it is code */
    int parameter_count;
    unsigned
        dtypes; /* bit d set: a pointer parameter is to elements of assay_dtype d; 0: none that is known */
    int synchronises; /* it calls more of the CUDA runtime than launching takes: it may wait for the device or use other streams */
    json_t *form; /* of op.json's "solve", the one with as many arguments; a new reference */
} solve_source;

/* Read `path`. *found is 1 if it defines solve() and not the op's own entry point; only then is *source filled.
 * ASSAY_ERR_FORMAT: it does, and op.json gives no order of that many arguments; the message says what there is. */
assay_status solve_read(const opspec *spec, const char *path, int *found, solve_source *source,
                        assay_error *error);
void solve_release(solve_source *source);

/* Write the file to be compiled in place of `path`. `on_cpu`: for the CPU device. */
assay_status solve_write(const opspec *spec, const solve_source *source, const char *path, int on_cpu,
                         const char *generated, assay_error *error);

#endif
