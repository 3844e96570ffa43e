// Wrong: takes the diagonal for what need not move.
#define WRITES(row, column, args) ((row) != (column))
#include "transpose_kernel.h"
