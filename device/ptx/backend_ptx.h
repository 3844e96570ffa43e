/* Where the stand-in CUDA runtime lies: for the backend, which loads it, and for `assay run`, which puts it before a program. */
#ifndef ASSAY_DEVICE_BACKEND_PTX_H
#define ASSAY_DEVICE_BACKEND_PTX_H

#include <assay/status.h>
#include <stddef.h>

/* The path of libcudart.so.N of the device ptx into `path`. ASSAY_ERR_ENVIRONMENT: this build has none. */
assay_status device_ptx_runtime(char *path, size_t bytes, assay_error *error);

#endif
