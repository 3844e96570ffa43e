/* What the running CUDA thread knows of itself: the thread-locals that compiled kernels read. */
#include "device/cpu/runtime/simt.h"

__thread assay_simt_context assay_simt_current;
__thread assay_simt_uint3 assay_simt_grid_dim, assay_simt_block_dim;
