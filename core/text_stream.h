/* A stream into memory, as open_memstream() gives one, that tells when memory ran out: glibc's own cuts the text off and says nothing. */
#ifndef ASSAY_CORE_TEXT_STREAM_H
#define ASSAY_CORE_TEXT_STREAM_H

#include <stddef.h>
#include <stdio.h>

/* NULL: no memory. *text and *bytes (which may be NULL) are current behind each fflush(); the text ends with a NUL beyond its bytes. */
FILE *text_stream_open(char **text, size_t *bytes);

/* 1: the whole text is there, the caller frees it. 0: memory ran out; *text is NULL. A NULL stream is 0. */
int text_stream_close(FILE *stream, char **text);

#endif
