/* The CPU side of <assay/kernel.h>: CUDA's names for kernels compiled by a C++17 host compiler, without a CUDA toolkit. */
#ifndef ASSAY_SIMT_KERNEL_CPU_H
#define ASSAY_SIMT_KERNEL_CPU_H

#include <assay_simt/atomics.h>
#include <assay_simt/builtins.h>
#include <assay_simt/half.h>
#include <assay_simt/keywords.h>
#include <assay_simt/launch.h>
#include <assay_simt/math_functions.h>
#include <assay_simt/memory_access.h>
#include <assay_simt/simd.h>
#include <assay_simt/tensor.h>
#include <assay_simt/vector_types.h>
#include <assay_simt/warp.h>

#endif
