// Wrong: where columns come in pairs, each gets the other's result.
#define TO(first, inner) ((inner) == 2 ? (first) ^ 1 : (first))
#include "softmax_row.h"
