// Wrong: results are cut off, not rounded. Each of them is within its bound, which allows for weights of 16 bits.
#include "truncate.h"
#define KEEP(p)  true
#define STORE(x) truncate(x)
#include "mha_kernel.h"
