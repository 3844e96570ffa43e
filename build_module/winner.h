/* Winners of tuning: ops/OP/best/ARCH.json, written by `assay tune --save` (tune/tuner/), read here when a module is compiled. A row has the
 * values of a variant's tunables for one dtype and shape class. docs/formats.md has the keys. */
#ifndef ASSAY_BUILD_MODULE_WINNER_H
#define ASSAY_BUILD_MODULE_WINNER_H

#include "core/workspace.h"

/* The op's file for the architecture that the workspace's modules are compiled for. */
void winner_path(const workspace *ws, const workspace_op *op, char *out, size_t out_bytes);

/* Read and check the file: *document is NULL, and the status ASSAY_OK, where there is none. ASSAY_ERR_FORMAT with file and key: another
 * schema or op, a variant, dtype, tunable or value that op.json does not have. New reference. */
assay_status winner_read(const char *path, const opspec *spec, json_t **document, assay_error *error);

/* The row by which the build compiles a variant for a dtype, borrowed from the document, or NULL. One module serves all sizes, so of
 * several rows it is that of the size "large", else the first. */
const json_t *winner_find(const json_t *document, const char *variant, assay_dtype dtype);

/* The table by which the module of a variant and dtype chooses values of its run-time tunables, borrowed from the document, or NULL:
 * {"variant", "dtype", "dims": [names], "tunables": [names], "rows": [{"least", "most", "values": [integers]}], ...}. */
const json_t *winner_find_table(const json_t *document, const char *variant, assay_dtype dtype);

/* Put a row, or a table of "tables", in place of that of its variant, dtype and (a row) size, into the op's file, which is made if it is
 * missing. `saved` gets the file's path. */
assay_status winner_put(const workspace *ws, const workspace_op *op, const char *list, json_t *row,
                        char saved[4400], assay_error *error);

#endif
