/* The host side of a problem: inputs widened to binary32 and, unless the op is too costly for it, every output in double. */
#ifndef ASSAY_VERIFY_EXPECTED_OUTPUT_H
#define ASSAY_VERIFY_EXPECTED_OUTPUT_H

#include "core/opspec.h"

typedef struct expected_output {
    assay_problem host; /* inputs ASSAY_F32; outputs ASSAY_F64, or output 0 ASSAY_F32 in sampled mode */
    double *scale;      /* one double per element of output 0 if the op has a scale, else NULL */
    int sampled;
    /* Sampled: the reference of some rows of output 0 (sampled.h), and behind them their scales. */
    int64_t most_rows, row_bytes; /* rows that there is room for; bytes of row_values */
    double *row_values;
    uint64_t row_seed;
    int rows_known; /* 1: row_values are those of the inputs that are there, picked by row_seed */
} expected_output;

/* From how many operations on the full reference gives way to Freivalds' check, for ops that offer it: at the speed of a
 * plain C reference (about 2 Gflop/s) this is two seconds. */
#define EXPECTED_SAMPLED_FLOPS 4e9

/* Operations spent on the reference of sampled rows: half a second. */
#define EXPECTED_ROWS_FLOPS 1e9
enum { EXPECTED_FEWEST_ROWS = 4, EXPECTED_MOST_ROWS = 64 };

/* Host memory that expected_output_open allocates. */
int64_t expected_output_need_bytes(const assay_op_impl *impl, const assay_problem *shapes);

/* Allocate for a problem given by shapes. Inputs are uninitialised. Close with expected_output_close, also on failure. */
assay_status expected_output_open(const assay_op_impl *impl, const assay_problem *shapes, expected_output *t,
                                  assay_error *error);
void expected_output_close(expected_output *t);

/* Compute all outputs from the inputs. Not for sampled problems. */
assay_status expected_output_compute(const assay_op_impl *impl, expected_output *t, assay_error *error);

#endif
