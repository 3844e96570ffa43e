// Wrong: the keys that are padding take part.
#define KEYS(args, query) \
    ((args).causal && SEEN(args, query) < KEY_ROWS(args) ? SEEN(args, query) : KEY_ROWS(args))
#include "mha_kernel.h"
