// What step 4 does to the sums of a product between adding and rounding them.
//
// An epilogue is a small struct that a kernel gets by value. It is called for two sums that lie side by side in a row of c, and with what
// its fetch() gave for their columns; a kernel fetches early where it has the registers, so that nothing is waited for at the end.
// fetch() gets the first column, which is even and may lie beyond the last one (those sums are not stored), so an epilogue that reads an
// array by column must look. Neither may synchronise: some threads may call them and others not.
#ifndef ASSAY_OPS_MATMUL_V4_EPILOGUE_CUH
#define ASSAY_OPS_MATMUL_V4_EPILOGUE_CUH

#include <assay/kernel.h>

// A plain product.
struct keep_sums {
    struct columns {
    };
    __device__ __forceinline__ columns fetch(int) const { return {}; }
    __device__ __forceinline__ void operator()(float &, float &, columns) const {}
};

#endif
