// What kernels of Hopper's instructions share: a box of 64 columns in shared memory.
#ifndef ASSAY_TEST_HOPPER_BOX_CUH
#define ASSAY_TEST_HOPPER_BOX_CUH

#include <assay/kernel.h>
#include <assay/hopper.h>
#define PROBE_KERNEL_SIDE
#include "probe.h"

using element = __nv_bfloat16;
static constexpr int BOX_BYTES = 64 * 64 * 2;

// Where element (row, column) of a box of 64 columns lies, in elements: 16-byte chunks are permuted by the row.
static __device__ int in_box(int row, int column)
{
    return row * 64 + (column / 8 ^ row % 8) * 8 + column % 8;
}

#endif
