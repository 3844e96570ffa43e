/* Source lines for the addresses in a worker's report. A confined worker may start no program, so it names a place as
 * MODULE.so+0xOFFSET; the judge asks addr2line. */
#ifndef ASSAY_VERIFY_SOURCE_LINES_H
#define ASSAY_VERIFY_SOURCE_LINES_H

#include <stddef.h>

/* Replace each NAME+0xOFFSET in `text`, NAME being the file name of `library`, by FILE:LINE. A place stays as it is where
 * addr2line is missing, knows no line, or the text would grow beyond `bytes`. */
void source_lines_resolve(const char *library, char *text, size_t bytes);

#endif
