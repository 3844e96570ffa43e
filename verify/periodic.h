/* A host array whose content repeats, in the memory of one period: the period's pages are mapped one after another. */
#ifndef ASSAY_VERIFY_PERIODIC_H
#define ASSAY_VERIFY_PERIODIC_H

#include <assay/status.h>
#include <stddef.h>
#include <stdint.h>

typedef struct periodic {
    void *
        data; /* [count] values, element i equal to element i % period. Writing one writes all of its copies */
    int64_t period; /* in elements; as many as the array has where it is shorter */
    size_t mapped_bytes;
} periodic;

/* `count` binary32 values that repeat after `pages` pages. Undefined content. Close with periodic_close, also on failure. */
assay_status periodic_open(int64_t count, int64_t pages, periodic *array, assay_error *error);
void periodic_close(periodic *array);

#endif
