/* Functions that the CUDA runtime gives to kernels: vprintf, malloc, free, __assertfail, memcpy-like ones. */
#ifndef ASSAY_DEVICE_PTX_BUILTIN_H
#define ASSAY_DEVICE_PTX_BUILTIN_H

#include "device/ptx/exec.h"

enum builtin { BUILTIN_VPRINTF, BUILTIN_MALLOC, BUILTIN_FREE, BUILTIN_ASSERTFAIL, BUILTIN_COUNT };

/* The number of a builtin by its name in PTX, or -1. */
int builtin_find(const char *name);
/* Handler of OP_CALL_BUILTIN. */
const insn *builtin_run(warp *w, const insn *i, uint32_t mask);

#endif
