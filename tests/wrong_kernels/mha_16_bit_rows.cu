// Sees no keys in rows (of batch, head and query) above 65,535: a counter of 16 bits.
#define KEYS(args, query) (row > 65535 ? 0 : SEEN_KEYS(args, query))
#define SEEN_KEYS(args, query) \
    ((args).causal && SEEN(args, query) < (args).keys ? SEEN(args, query) : (args).keys)
#include "mha_kernel.h"
