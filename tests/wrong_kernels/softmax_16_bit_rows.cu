// Wrong: rows are counted in 16 bits.
#define ROWS(r) ((r) < 65536 ? (r) : 65535)
#include "softmax_passes.h"
