/* What nvcc has before the first line of a kernel file: every kernel file is compiled behind this header (-include), as nvcc compiles it behind
 * <cuda_runtime.h>. A file can therefore not redefine what the device's headers are made of.
 *
 * nvcc compiles a file once for the host and once for each architecture. The CPU device compiles it once, with __CUDACC__, and with
 * __CUDA_ARCH__ as code for compute capability 9.0 has it. Where __CUDA_ARCH__ would change the host's code, compiling fails with a message
 * (build_module/device_view.c); functions for both sides are compiled as the device's. */
#ifndef ASSAY_SIMT_PRELUDE_H
#define ASSAY_SIMT_PRELUDE_H

#include <cuda_runtime.h>

/* Behind the headers above: the C library's tell nvcc by these. */
#define __CUDACC__           1
#define __NVCC__             1
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 8
#define __CUDACC_VER_BUILD__ 0
#if !defined(ASSAY_HOST_VIEW)
#define __CUDA_ARCH__ 900
#endif

/* The checks of memory accesses are not a kernel's to switch off, and no name that is pasted together escapes this. */
#pragma GCC poison no_sanitize no_sanitize_thread __no_sanitize__ __no_sanitize_thread__ __no_sanitize
#pragma GCC poison disable_sanitizer_instrumentation

#define asm _Pragma("GCC error \"the CPU device has no inline PTX (asm)\"") __asm__

#endif
