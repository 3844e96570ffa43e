// Wrong: matrices are counted in 16 bits.
#define WRITES(row, column, args) (at / matrix < 65536)
#include "transpose_kernel.h"
