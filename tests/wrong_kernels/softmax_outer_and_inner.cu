// Wrong: loses an element of each row where the dimension has others before it and more than 64 elements behind it.
#define SUM_LENGTH(n) (outer > 1 && inner > 64 ? (n)-1 : (n))
#include "softmax_passes.h"
