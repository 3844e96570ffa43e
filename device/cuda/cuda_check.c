/* From a status of the CUDA runtime to Assay's: see cuda_device.h. */
#include "device/cuda/cuda_device.h"

assay_status cuda_check(cudaError_t code, const char *what, assay_error *error)
{
    if (code == cudaSuccess)
        return ASSAY_OK;
    (void)cudaGetLastError();
    const assay_status status = code == cudaErrorMemoryAllocation ? ASSAY_ERR_NO_MEMORY : ASSAY_ERR_DEVICE;
    return assay_error_set(error, status, "%s: %s (%s)", what, cudaGetErrorName(code),
                           cudaGetErrorString(code));
}
