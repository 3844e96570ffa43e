// transpose with one thread an element, for kernels that are wrong in one place: TO(row, column, args) and WRITES(row, column, args).
#include <assay/kernel.h>
#include "transpose.h"

#ifndef TO
#define TO(row, column, args) ((column) * (args).rows + (row))
#endif
#ifndef WRITES
#define WRITES(row, column, args) true
#endif

static __global__ void transpose_kernel(transpose_args args)
{
    const int64_t at = (int64_t)blockIdx.x * blockDim.x + threadIdx.x, matrix = args.rows * args.columns;
    if (at >= args.batch * matrix)
        return;
    const int64_t row = at % matrix / args.columns, column = at % args.columns;
    if (WRITES(row, column, args))
        ((scalar_t *)args.out)[at / matrix * matrix + TO(row, column, args)] = ((const scalar_t *)args.x)[at];
}

extern "C" assay_status transpose_run(const transpose_args *args, assay_stream stream)
{
    const int64_t count = args->batch * args->rows * args->columns;
    if (count == 0)
        return ASSAY_OK;
    return assay::launch(transpose_kernel, dim3((unsigned)((count + 255) / 256)), dim3(256), 0, stream,
                         *args);
}
