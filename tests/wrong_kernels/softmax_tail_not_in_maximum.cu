// Wrong: what is behind the last whole 1024 elements of a long row is not in its maximum, and overflows if it is far above.
#define MAX_LENGTH(n) ((n) >= 1024 ? (n) / 1024 * 1024 : (n))
#include "softmax_passes.h"
