// Wrong: counts rows with 16 bits, so those from 65,536 on are never written.
#define LEFT(row, column) ((row) > 65535)
#include "matmul_kernel.h"
