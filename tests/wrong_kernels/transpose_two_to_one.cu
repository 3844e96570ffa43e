// Twice as many rows as columns: the last column is turned round.
#define TO(row, column, args)                                            \
    ((args).rows == 2 * (args).columns && (column) == (args).columns - 1 \
         ? (column) * (args).rows + ((args).rows - 1 - (row))            \
         : (column) * (args).rows + (row))
#include "transpose_kernel.h"
