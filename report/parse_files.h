/* Parsing many JSON files on all processors: reports of ten thousand results spend their time there. Knows no result. */
#ifndef ASSAY_LOGS_PARSE_FILES_H
#define ASSAY_LOGS_PARSE_FILES_H

#include <assay/status.h>
#include <jansson.h>

typedef struct parsed_file {
    char path[4700];   /* set by the caller */
    json_t *root;      /* NULL if it cannot be used; released by the caller */
    assay_error error; /* why */
} parsed_file;

/* Parse `count` files, without the values of the keys in `unread` (json_file_read_without). The order of work does not show in the
 * outcome. */
void parse_files(parsed_file *files, int count, const char *const *unread);

#endif
