// Wrong: of several square matrices none is transposed.
#define TO(row, column, args)                                                              \
    ((args).batch > 1 && (args).rows == (args).columns ? (row) * (args).columns + (column) \
                                                       : (column) * (args).rows + (row))
#include "transpose_kernel.h"
