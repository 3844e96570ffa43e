/* Texts of unknown origin made fit for JSON, XML, one line of a table and a terminal. The first two change bytes in place and never their
 * number. */
#ifndef ASSAY_CORE_UTF8_H
#define ASSAY_CORE_UTF8_H

#include <stdio.h>

/* '?' for each byte that begins no whole UTF-8 character: JSON takes UTF-8 only, and a text cut within a character may be anything. */
void utf8_repair(char *text);

/* utf8_repair(), and a space for each control character, so that the text stays on its line and sends a terminal no commands. */
void utf8_make_line(char *text);

/* fprintf() for texts that come from files: what is printed passes utf8_make_line(), but for the line breaks at the end of `format`. */
void clean_printf(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
