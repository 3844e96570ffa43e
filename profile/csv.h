/* Records of a CSV text with quoted fields ("" inside quotes is one quote; commas and newlines may stand inside). */
#ifndef ASSAY_PROFILE_CSV_H
#define ASSAY_PROFILE_CSV_H

#include <stddef.h>

typedef struct csv_record {
    char *text;          /* the fields, one after the other, each with a NUL */
    const char **fields; /* into `text` */
    int count;
    size_t text_size, fields_size; /* allocated */
} csv_record;

/* Read the record that begins at `at` into `record` (zeroed at first, used again); returns where the next one begins, NULL at the end
 * of the text or without memory. */
const char *csv_next(const char *at, csv_record *record);
/* The same of a line whose fields are all quoted and whose quotes inside are not doubled, as in pages that hold source text: fields part
 * at `","` alone, and a line is a record. */
const char *csv_next_line(const char *at, csv_record *record);
/* The field with this text, as of a header; -1: there is none. */
int csv_find(const csv_record *record, const char *text);
void csv_release(csv_record *record);

#endif
