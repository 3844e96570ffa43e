// Wrong: with a causal mask a query does not see its own key, but for the first.
#define KEYS(args, query) ((args).causal && (query) < (args).keys ? ((query) > 0 ? (query) : 1) : (args).keys)
#include "mha_kernel.h"
