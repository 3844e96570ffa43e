/* The stand-in CUDA runtime beyond the device interface: where it lies, for `assay run`, and its counts, for `assay count`. */
#ifndef ASSAY_DEVICE_BACKEND_PTX_H
#define ASSAY_DEVICE_BACKEND_PTX_H

#include <assay/status.h>
#include <stddef.h>

/* The path of libcudart.so.N of the device ptx into `path`. ASSAY_ERR_ENVIRONMENT: this build has none. */
assay_status device_ptx_runtime(char *path, size_t bytes, assay_error *error);

/* Once the device is open: count what kernels do from now on; print it by kernel and source line on standard output, and forget it. */
void device_ptx_count(void);
void device_ptx_print_counts(void);

#endif
