/* Golden cases: inputs and expected results from elsewhere, so that kernel and reference are not only judged by us.
 *
 * DIR/manifest.json: {"about": text, "cases": [{"id", "op", "dtype", "params": {}, "inputs": {name: {"file", "shape"}},
 * "output_shape", "expected": file, "torch": file (optional)}]}. Files are .npy beside it and may be shared; the manifest's
 * shapes count. Tensors hold the case's dtype (bf16 as its bits in u2), "expected" float64.
 *
 * A case passes if the op's own reference agrees with `expected` (1e-12 of the scale of the values, NaN and infinities in
 * place) and the kernel's output does within op.json's tolerance. What torch returned is compared too, and only reported. */
#ifndef ASSAY_VERIFY_GOLDEN_H
#define ASSAY_VERIFY_GOLDEN_H

#include "verify/check.h"
#include <jansson.h>

typedef struct golden_set {
    char directory[4096];
    json_t *manifest, *cases; /* cases is borrowed from manifest */
} golden_set;

/* Read DIR/manifest.json and check its form. The error names file, case and key. Close with golden_close. */
assay_status golden_open(const char *directory, golden_set *set, assay_error *error);
void golden_close(golden_set *set);

/* Build the problem (shapes, dtypes, parameters) that a case describes; parameters unknown to op.json are an error. */
assay_status golden_problem(const golden_set *set, const json_t *golden, const opspec *spec,
                            const assay_op_impl *impl, assay_problem *problem, assay_error *error);

typedef struct golden_result {
    int passed, skipped; /* skipped: a contest's solve() that cannot be asked for the problem */
    char reason[LAUNCH_REASON_MAX + 64];
    int torch_agrees; /* 1, 0, or -1 where the case has none */
    double max_ulp;
} golden_result;

/* Run one case. ASSAY_OK: judged. Else the worker is lost, or the harness failed (a broken file included). */
assay_status golden_judge(const golden_set *set, const json_t *golden, const check_subject *subject,
                          golden_result *result, assay_error *error);

#endif
