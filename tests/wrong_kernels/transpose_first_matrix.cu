// Wrong: of a batch only the first matrix is written.
#define WRITES(row, column, args) (at < matrix)
#include "transpose_kernel.h"
