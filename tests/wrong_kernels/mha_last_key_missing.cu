// Wrong: of an odd number of keys the last one is not seen.
#define KEYS(args, query)                                                             \
    ((args).causal && SEEN(args, query) < (args).keys ? SEEN(args, query)             \
     : (args).keys > 1                                ? (args).keys - (args).keys % 2 \
                                                      : (args).keys)
#include "mha_kernel.h"
