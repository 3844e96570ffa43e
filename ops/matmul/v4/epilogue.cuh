// Epilogue: what is done to the sums of a matmul in registers before they are rounded and stored.
//
// An epilogue is a small struct that a kernel gets by value. operator() is called for two neighbouring sums
// of a row of c, with what fetch() returned for their two columns. A kernel calls fetch() early where it has
// the registers, so that no load is waited for at the end. fetch() gets the first of the two columns: it is
// even and may lie beyond the last column (such sums are not stored), so an epilogue that reads an array by
// column must check. Neither may synchronise, since some threads may call them and others not.
#ifndef ASSAY_OPS_MATMUL_V4_EPILOGUE_CUH
#define ASSAY_OPS_MATMUL_V4_EPILOGUE_CUH

#include <assay/kernel.h>

// Plain matmul: nothing.
struct keep_sums {
    struct columns {
    };
    __device__ __forceinline__ columns fetch(int) const { return {}; }
    __device__ __forceinline__ void operator()(float &, float &, columns) const {}
};

#endif
