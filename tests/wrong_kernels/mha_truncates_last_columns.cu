// Cuts off the last columns, behind the last whole vector of 12: the remainder's path has a store of its own.
#include "truncate.h"
#define STORE(x) (d >= args.dim / 12 * 12 ? truncate(x) : assay::from_float<scalar_t>(x))
#include "mha_kernel.h"
