/* What the CPU device's one pass over a kernel file cannot give, found by looking at its text: the device's own names, and host code that
 * __CUDA_ARCH__ changes; and a hint where a compile failed for something that the device does not have. */
#ifndef ASSAY_BUILD_MODULE_DEVICE_VIEW_H
#define ASSAY_BUILD_MODULE_DEVICE_VIEW_H

#include "build_module/module_compile.h"

/* Look at a kernel compiled for the CPU device. `dependencies` as for compile_hash_sources(). A kernel that is refused has run->code set and
 * the reason in front of run->output. */
void device_view_judge(const compile_job *job, const char *dependencies, process_result *run);

#endif
