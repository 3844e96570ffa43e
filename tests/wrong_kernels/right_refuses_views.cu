// Right: a kernel for whole rows that says so of views of wider ones, which are an extra.
#define reduce_sum_run whole_rows_run
#include "reduce_sum_rows.h"
#undef reduce_sum_run

extern "C" ASSAY_EXPORT assay_status reduce_sum_run(const reduce_sum_args *args, assay_stream stream)
{
    return args->row_padding > 0 ? ASSAY_ERR_UNSUPPORTED : whole_rows_run(args, stream);
}
