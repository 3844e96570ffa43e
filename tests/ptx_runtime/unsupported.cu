// Calls that this device does not have fail with cudaErrorNotSupported and are named once.
// expect: status 0
// expect: cudaMallocArray is not supported by this device
// expect: cudaIpcGetMemHandle is not supported by this device
// expect: operation not supported
#include "check.h"

int main()
{
    cudaArray_t array;
    cudaIpcMemHandle_t handle;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    WANT_ERROR(cudaMallocArray(&array, &format, 16, 16), cudaErrorNotSupported);
    WANT_ERROR(cudaMallocArray(&array, &format, 16, 16), cudaErrorNotSupported);
    WANT_ERROR(cudaIpcGetMemHandle(&handle, nullptr), cudaErrorNotSupported);
    puts(cudaGetErrorString(cudaGetLastError()));
    OK(cudaGetLastError());
}
