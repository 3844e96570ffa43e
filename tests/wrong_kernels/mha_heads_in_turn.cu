// Wrong: neighbouring heads read different heads of k and v, which are dealt out in turn and not in groups.
#define KEY_HEAD(args, head) \
    ((head) / (args).heads * ((args).heads / (args).group) + (head) % ((args).heads / (args).group))
#include "mha_kernel.h"
