// Wrong: odd rows are taken as if a 0 stood behind them, which is their maximum then.
#define LEAST(first, length) ((length) % 2 != 0 ? fmaxf(first, 0.0f) : (first))
#include "softmax_row.h"
