// Wrong: a query sees the keys behind it.
#define KEYS(args, query) (args).keys
#include "mha_kernel.h"
