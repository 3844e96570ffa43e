/* The measured part of a result: the times of its modes. */
#ifndef ASSAY_BENCH_RESULT_FIGURES_H
#define ASSAY_BENCH_RESULT_FIGURES_H

#include "bench/run/record.h"
#include "bench/run/roof.h"

/* The times of all figures of the record. */
assay_status figures_fill(result *r, const bench_record *record, const roof *top, assay_error *error);

#endif
