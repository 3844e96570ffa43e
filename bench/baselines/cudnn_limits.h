/* Limits that all candidates of a cuDNN baseline share. */
#ifndef ASSAY_BENCH_CUDNN_LIMITS_H
#define ASSAY_BENCH_CUDNN_LIMITS_H

#include <stdint.h>

/* No candidate may take more; what libraries on top of cuDNN allow lies between 32 MiB and all that is free. */
#define CUDNN_WORKSPACE_LIMIT ((int64_t)1 << 30)

#endif
