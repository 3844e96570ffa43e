// Wrong: loses an element of each row where the dimension has others before it and more than 64 elements behind it.
#define LENGTH(n) (inner > 64 && rows > inner ? (n)-1 : (n))
#include "reduce_sum_rows.h"
