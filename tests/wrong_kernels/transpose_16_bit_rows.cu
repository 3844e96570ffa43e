// Wrong: rows and columns are counted in 16 bits.
#define WRITES(row, column, args) (row < 65536 && column < 65536)
#include "transpose_kernel.h"
