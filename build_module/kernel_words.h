/* What the text of a kernel's own files says that the CPU device cannot give. */
#ifndef ASSAY_BUILD_MODULE_KERNEL_WORDS_H
#define ASSAY_BUILD_MODULE_KERNEL_WORDS_H

#include "build_module/module_compile.h"

/* Refuse a kernel: the reason comes in front of run->output, and run->code is not 0. */
void refuse_kernel(process_result *run, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Look for forbidden words in the kernel's files; `dependencies` as for compile_hash_sources(). Returns 1 if the kernel is refused.
 * *uses_arch is set to 1 where a file names __CUDA_ARCH__. */
int kernel_words_judge(const compile_job *job, const char *dependencies, int *uses_arch, process_result *run);

/* A compile failed: say so in plain words where the source includes a header that the device does not have. */
void kernel_words_hint(const compile_job *job, process_result *run);

#endif
