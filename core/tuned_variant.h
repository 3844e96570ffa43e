/* A configuration of a variant: a value for each of its tunables. "v2_tiling+3f9a01c25e" is its name wherever a variant's name
 * stands: in cases, file names, plans and results. The part before the mark is the variant's; the rest is a hash of the values, so
 * that two configurations never share a file. Modules, verdicts and results of configurations lie apart from the build's
 * (tuned_variant_folder()). Here are names and values only; op.json's constraints are for tune/space/. */
#ifndef ASSAY_CORE_TUNED_VARIANT_H
#define ASSAY_CORE_TUNED_VARIANT_H

#include "core/variant_name.h"
#include "core/workspace.h"

typedef struct tuned_variant {
    char variant[ASSAY_NAME_MAX]; /* without the mark */
    char name[ASSAY_NAME_MAX];    /* with it */
    int count;                    /* of all tunables of the variant, in op.json's order */
    struct {
        char name[ASSAY_NAME_MAX];
        int64_t value;
    } values[OPSPEC_MAX_TUNABLES];
} tuned_variant;

enum { TUNED_VARIANT_TEXT_MAX = OPSPEC_MAX_TUNABLES * (ASSAY_NAME_MAX + 22) };

/* "BLOCK_M=128,STAGES=4": what it does not name has op.json's default; NULL or "": all defaults. ASSAY_ERR_INVALID: the variant has no
 * tunables, or not this one, or not this value; the message names what there is. */
assay_status tuned_variant_parse(const opspec *spec, const char *variant, const char *text,
                                 tuned_variant *out, assay_error *error);
/* From values, one for each tunable in op.json's order. */
assay_status tuned_variant_make(const opspec *spec, const char *variant, const int64_t *values,
                                tuned_variant *out, assay_error *error);
/* "BLOCK_M=128,STAGES=4": all values. */
void tuned_variant_text(const tuned_variant *c, char out[TUNED_VARIANT_TEXT_MAX]);

/* Let the op have the configuration as a variant, until workspace_forget_tuned(). ASSAY_ERR_INVALID: too many at a time. */
assay_status workspace_add_tuned(const workspace *ws, const workspace_op *op, const tuned_variant *c,
                                 assay_error *error);
void workspace_forget_tuned(const workspace *ws);

/* "configurations/" for the case of a configuration or of a shape (opspec_add_shape()), else "": the folder below the workspace with
 * its module, and below a card's results with its verdict and times. */
const char *tuned_variant_folder(const char *variant, const char *size);

#endif
