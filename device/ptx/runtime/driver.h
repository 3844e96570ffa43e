/* What the files of the driver's interface share. */
#ifndef ASSAY_PTX_DRIVER_H
#define ASSAY_PTX_DRIVER_H

#include "device/ptx/runtime/stream.h"
#include <cuda.h>

/* The driver's number for an error of the runtime; most are the same. */
CUresult driver_code(cudaError_t error);

#endif
