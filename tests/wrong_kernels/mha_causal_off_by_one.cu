// Wrong: with a causal mask a query does not see the last of its keys, but for the first query.
#define KEYS(args, query)                                                                               \
    ((args).causal && SEEN(args, query) - 1 < (args).keys ? SEEN(args, query) - (SEEN(args, query) > 1) \
                                                          : (args).keys)
#include "mha_kernel.h"
