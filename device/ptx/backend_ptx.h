/* The stand-in CUDA runtime beyond the device interface: where it lies, for `assay run`, and its counts, for `assay count`. */
#ifndef ASSAY_DEVICE_BACKEND_PTX_H
#define ASSAY_DEVICE_BACKEND_PTX_H

#include "device/ptx/runtime/control.h"
#include <assay/status.h>
#include <stddef.h>

/* The path of libcudart.so.N of the device ptx into `path`. ASSAY_ERR_ENVIRONMENT: this build has none. */
assay_status device_ptx_runtime(char *path, size_t bytes, assay_error *error);

/* Once the device is open: count what kernels do from now on; hand out what was counted, by kernel and source line
 * (control.h), and forget it; print a kernel's as a table on standard output. */
typedef void device_ptx_take(void *context, const ptx_counted_kernel *kernel);
void device_ptx_count(void);
void device_ptx_take_counts(device_ptx_take *take, void *context);
void device_ptx_print_kernel(const ptx_counted_kernel *kernel);

#endif
