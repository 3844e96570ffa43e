/* From handles, which are host functions and the kernels' own addresses, to kernels. Under the runtime's lock. */
#ifndef ASSAY_DEVICE_PTX_RUNTIME_KERNEL_TABLE_H
#define ASSAY_DEVICE_PTX_RUNTIME_KERNEL_TABLE_H

#include "device/ptx/runtime/stream.h"

void kernel_table_enter(const void *handle, rt_kernel *kernel);
/* NULL where there is none. */
rt_kernel *kernel_table_find(const void *handle);
/* The handle stays, without a kernel behind it, if this one was. */
void kernel_table_forget(const void *handle, const rt_kernel *kernel);

#endif
