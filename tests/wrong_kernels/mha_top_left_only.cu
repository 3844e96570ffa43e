// Wrong: the causal mask begins at the first query and key, also where it is to end at the last ones.
#define KEYS(args, query) ((args).causal && (query) + 1 < (args).keys ? (query) + 1 : (args).keys)
#include "mha_kernel.h"
