// Wrong: what lies in no whole tile of 32 x 32 stays as it was.
#define WRITES(row, column, args) ((row) < (args).rows / 32 * 32 && (column) < (args).columns / 32 * 32)
#include "transpose_kernel.h"
