/* Errors of the CUDA runtime: the codes that kernel files name, and the last one. */
#ifndef ASSAY_SIMT_HOST_ERROR_H
#define ASSAY_SIMT_HOST_ERROR_H

#include <assay_simt/builtins.h>

/* clang-format off */
#define ASSAY_SIMT_ERRORS(X)                                                                                  \
    X(cudaSuccess, 0, "no error")                                                                             \
    X(cudaErrorInvalidValue, 1, "invalid argument")                                                           \
    X(cudaErrorMemoryAllocation, 2, "out of memory")                                                          \
    X(cudaErrorInitializationError, 3, "initialization error")                                                \
    X(cudaErrorInvalidConfiguration, 9, "invalid configuration argument")                                     \
    X(cudaErrorInvalidSymbol, 13, "invalid device symbol")                                                    \
    X(cudaErrorInvalidHostPointer, 16, "invalid host pointer")                                                \
    X(cudaErrorInvalidDevicePointer, 17, "invalid device pointer")                                            \
    X(cudaErrorInvalidMemcpyDirection, 21, "invalid copy direction for memcpy")                               \
    X(cudaErrorInsufficientDriver, 35, "CUDA driver version is insufficient for CUDA runtime version")        \
    X(cudaErrorInvalidDeviceFunction, 98, "invalid device function")                                          \
    X(cudaErrorNoDevice, 100, "no CUDA-capable device is detected")                                           \
    X(cudaErrorInvalidDevice, 101, "invalid device ordinal")                                                  \
    X(cudaErrorNoKernelImageForDevice, 209, "no kernel image is available for execution on the device")       \
    X(cudaErrorInvalidResourceHandle, 400, "invalid resource handle")                                         \
    X(cudaErrorNotReady, 600, "device not ready")                                                             \
    X(cudaErrorIllegalAddress, 700, "an illegal memory access was encountered")                               \
    X(cudaErrorLaunchOutOfResources, 701, "too many resources requested for launch")                          \
    X(cudaErrorLaunchTimeout, 702, "the launch timed out and was terminated")                                 \
    X(cudaErrorAssert, 710, "device-side assert triggered")                                                   \
    X(cudaErrorLaunchFailure, 719, "unspecified launch failure")                                              \
    X(cudaErrorCooperativeLaunchTooLarge, 720, "too many blocks in cooperative launch")                       \
    X(cudaErrorNotPermitted, 800, "operation not permitted")                                                  \
    X(cudaErrorNotSupported, 801, "operation not supported")                                                  \
    X(cudaErrorUnknown, 999, "unknown error")
/* clang-format on */
#define ASSAY_SIMT_ERROR(name, value, text) name = value,
enum cudaError { ASSAY_SIMT_ERRORS(ASSAY_SIMT_ERROR) };
#undef ASSAY_SIMT_ERROR
typedef cudaError cudaError_t;

namespace assay_simt
{
/* As CUDA has it: set by what fails, cleared by cudaGetLastError(). */
inline cudaError_t last_error = cudaSuccess;

inline cudaError_t note_error(cudaError_t error)
{
    if (error != cudaSuccess)
        last_error = error;
    return error;
}
} // namespace assay_simt

inline cudaError_t cudaPeekAtLastError()
{
    return assay_simt::last_error;
}
inline cudaError_t cudaGetLastError()
{
    const cudaError_t error = assay_simt::last_error;
    assay_simt::last_error = cudaSuccess;
    return error;
}
inline const char *cudaGetErrorString(cudaError_t error)
{
#define ASSAY_SIMT_ERROR(name, value, text) \
    case name:                              \
        return text;
    switch (error) {
        ASSAY_SIMT_ERRORS(ASSAY_SIMT_ERROR)
    }
#undef ASSAY_SIMT_ERROR
    return "unrecognized error code";
}
inline const char *cudaGetErrorName(cudaError_t error)
{
#define ASSAY_SIMT_ERROR(name, value, text) \
    case name:                              \
        return #name;
    switch (error) {
        ASSAY_SIMT_ERRORS(ASSAY_SIMT_ERROR)
    }
#undef ASSAY_SIMT_ERROR
    return "cudaErrorUnknown";
}

#endif
