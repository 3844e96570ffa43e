/* Do kernels call what only host code may? A C++ compiler for the CPU device does not ask: __device__ means nothing to it. Clang in CUDA mode
 * does, and needs no toolkit for that. Where there is no Clang (assay.json has no device_code_toolchain) nobody asks. */
#ifndef ASSAY_CORE_MODULE_DEVICE_CODE_H
#define ASSAY_CORE_MODULE_DEVICE_CODE_H

#include "build_module/module_compile.h"

/* After a compile that went well: replaces *run by a refusal that names the places, where device code calls host functions or uses host
 * variables. Whatever else Clang has against the file is let be. */
assay_status compile_check_device_code(const compile_job *job, process_result *run, assay_error *error);

#endif
