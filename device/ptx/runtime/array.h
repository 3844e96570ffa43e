/* CUDA arrays inside the runtime. */
#ifndef ASSAY_PTX_ARRAY_H
#define ASSAY_PTX_ARRAY_H

#include "device/ptx/runtime/runtime.h"

struct cudaArray {
    struct cudaChannelFormatDesc format;
    size_t width, height; /* elements, rows; height 0: one dimension */
    size_t pitch;         /* bytes a row */
    void *data;           /* device memory */
};

/* Bytes of an element, or 0 for a format of no whole bytes. */
size_t rt_element_bytes(const struct cudaChannelFormatDesc *format);

#endif
