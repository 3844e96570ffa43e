/* What programs do where memory runs out inside a library: a JSON value or a row that could not be allocated leaves a hole, and what has a hole
 * must never be written as if it was whole. Files are replaced atomically and the history is a database, so the end of the process harms
 * neither, and running again goes on. Assay's own allocations are checked where they are made. */
#ifndef ASSAY_CORE_MEMORY_H
#define ASSAY_CORE_MEMORY_H

#include <stddef.h>

/* One line on stderr, and ASSAY_EXIT_ENVIRONMENT. */
__attribute__((noreturn)) void memory_exhausted(void);

/* malloc() of at least one byte, or memory_exhausted(): for scratch of functions that return a number, where a missing one would be taken for
 * one that says nothing. The caller frees it. */
void *memory_need(size_t bytes);

/* First of all in main(): from here on jansson has the memory that it asks for, or memory_exhausted() is called. */
void memory_require_for_json(void);

#endif
