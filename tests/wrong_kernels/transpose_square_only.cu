// Wrong: takes the number of columns for the length of the output's rows, which is so in squares only.
#define TO(row, column, args) (((column) * (args).columns + (row)) % ((args).rows * (args).columns))
#include "transpose_kernel.h"
