// What step 4 does to the sums of a product between adding and rounding them.
//
// An epilogue is a small struct that a kernel gets by value. It is called for two sums that lie side by side in a row of c, the
// first of them in the given column, which is even; that may lie beyond the last column (those sums are not stored), so an
// epilogue that reads an array by column must look. It must not synchronise: some threads may call it and others not.
#ifndef ASSAY_OPS_MATMUL_V4_EPILOGUE_CUH
#define ASSAY_OPS_MATMUL_V4_EPILOGUE_CUH

#include <assay/kernel.h>

// A plain product.
struct keep_sums {
    __device__ __forceinline__ void operator()(float &, float &, int) const {}
};

#endif
