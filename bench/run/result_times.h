/* The measured part of a result: the times of its modes. */
#ifndef ASSAY_BENCH_RESULT_TIMES_H
#define ASSAY_BENCH_RESULT_TIMES_H

#include "bench/run/record.h"
#include "bench/run/roofline_bound.h"

/* The times of all modes of the record. */
assay_status times_fill(result *r, const bench_record *record, const roofline_bound *top, assay_error *error);

#endif
