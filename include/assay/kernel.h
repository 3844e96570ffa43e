/* The one Assay header a kernel file includes. Kernels then use CUDA's own names; compiled by nvcc they are CUDA's,
 * compiled by a C++17 host compiler for the CPU device they are given meaning by device/cpu/include/.
 *
 * Given by this header on both devices:
 *   scalar_t                     the module's element type: float, __half or __nv_bfloat16
 *   ASSAY_DTYPE_F32/_F16/_BF16   defined to 1 for the module's dtype, the others to 0
 *   ASSAY_DTYPE_TF32             1 where the math mode is tf32 (ASSAY_DTYPE_F32 is 1 then too), else 0
 *   assay::launch(kernel, grid, block, shared_bytes, stream, args...)   checked launch, returns assay_status
 *   ASSAY_DYNAMIC_SHARED(T, name)  declares `T *name` at the start of dynamic shared memory, 1024-byte aligned
 *   assay::to_float(x), assay::from_float<T>(f)    conversions, round to nearest even
 *   assay::vec<T, N>, vec16<T>, load_vec<N>(const T *), store_vec(T *, vec)   aligned vectors, N*sizeof(T) of 2, 4, 8 or 16 bytes
 *   assay::to_tf32(f)                bits of f rounded to tf32
 *   assay::to_tf32_operand(f)        the same, only for the tensor cores: their unused bits undefined
 *   assay::ldmatrix_x4 / _x2 / _x4_trans / _x2_trans, assay::mma_m16n8k16<T>, assay::mma_m16n8k8_tf32
 *   assay::cp_async_16 / _8 / _4, cp_async_commit, cp_async_wait<N>
 */
#ifndef ASSAY_KERNEL_H
#define ASSAY_KERNEL_H

#include <assay/module.h>
#include <cstddef>
#include <cstdint>

#if defined(__CUDACC__) && !defined(ASSAY_CPU_DEVICE)
#include <assay/kernel_cuda.h>
#else
#include <assay_simt/kernel_cpu.h>
#endif

#endif
