/* A workspace of its own for a test: one op (`add`) whose variants are the modules of plain_add.c, in a
 * temporary folder. */
#ifndef ASSAY_TESTS_BENCH_SCRATCH_H
#define ASSAY_TESTS_BENCH_SCRATCH_H

#include "core/workspace.h"

typedef struct scratch {
    char folder[256];
    workspace *ws;
} scratch;

/* Folders and files are made by scratch_add_variant(); scratch_open() must come after the last one. */
void scratch_create(scratch *s);
/* `module` is the file name of a module beside the test, without ".so"; `verdict` its recorded status at all
 * sizes ("" for none). */
void scratch_add_variant(const scratch *s, const char *variant, const char *module, const char *verdict);
/* Give a variant another source hash, as if its file had been edited; with `verified`, its verdicts follow.
 */
void scratch_edit_variant(const scratch *s, const char *variant, const char *hash, int verified);
void scratch_open(scratch *s);
/* As if the variant had been verified again with what is there now, and passed as before. */
void scratch_verify(const scratch *s, const char *variant);
void scratch_close(scratch *s); /* removes the folder */

/* The result of a candidate at a size as JSON (a new reference), or NULL if there is none or it is broken. */
json_t *scratch_result(const scratch *s, const char *name, const char *size);
void scratch_result_path(const scratch *s, const char *name, const char *size, char *out, size_t out_bytes);
/* `assay.KEY` of a result as text ("" if absent). The text is valid until the next call. */
const char *scratch_text(const scratch *s, const char *name, const char *size, const char *key);
/* modes.MODE.KEY of a result; -1 if absent. */
double scratch_metric(const scratch *s, const char *name, const char *size, const char *mode,
                      const char *key);

#endif
