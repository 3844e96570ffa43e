/* Pages of global memory between guard zones. */
#ifndef ASSAY_SIMT_GUARDS_H
#define ASSAY_SIMT_GUARDS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct guarded_pages {
    char *mapping, *data;           /* the mapping with its guards; the first byte given out */
    size_t bytes, accessible_bytes; /* given out; in whole pages */
    int protection;                 /* PROT_... of the pages */
} guarded_pages;

/* Map room for `bytes` that end at the upper guard zone, readable and writable; the bytes of its pages around them hold a pattern.
 * False: no memory. guards_unmap() gives it back. */
bool guards_map(guarded_pages *pages, size_t bytes);
void guards_unmap(const guarded_pages *pages);
char *guards_end(const guarded_pages *pages); /* of the mapping, behind its upper guard zone */
void guards_protect(guarded_pages *pages, int protection);
bool guards_intact(const guarded_pages *pages); /* nothing was written around the bytes given out */
bool guards_discard(
    guarded_pages *pages); /* forget the contents; the addresses stay reserved and inaccessible */

#endif
