// Wrong: the bias is taken by row.
#define BIAS_AT(row, column, args) ((row) % (args).n)
#include "matmul_bias_act_kernel.h"
