/* Runs kernels under NVIDIA's compute-sanitizer: a process for each op and tool, which runs every variant's small size and edge
 * cases on exact-size allocations (exact.h), and one for each variant and dtype if anything is reported. What the tool reports becomes a file, results/CARD/sanitizer/OP.VARIANT.DTYPE.TOOL.json, and
 * a line. GPUs only: the CPU device watches accesses itself. */
#ifndef ASSAY_VERIFY_SANITIZE_H
#define ASSAY_VERIFY_SANITIZE_H

#include "verify/sanitize_group.h"

/* 1 and the path of compute-sanitizer: $ASSAY_COMPUTE_SANITIZER, on PATH, or in /usr/local/cuda/bin; else 0. */
int sanitize_find_program(char *path, size_t path_bytes);

/* Run the filter's variants in its dtypes (f32 and bf16 unless it names some). ASSAY_ERR_INVALID: unknown names. Release the
 * summary either way. ws->results must be set. */
assay_status sanitize_run(workspace *ws, const case_filter *filter, const sanitize_options *options,
                          verify_summary *summary, assay_error *error);

/* Run the kernels with injected mistakes in the workspace's folder `injected`, named OP.TOOL_MISTAKE.DTYPE: each passes if its tool reports
 * something, and fails if not: then a pass of the others means nothing. */
assay_status sanitize_self_test(workspace *ws, const sanitize_options *options, verify_summary *summary,
                                assay_error *error);

#endif
