// Calls that this device does not have fail with cudaErrorNotSupported and are named once.
// expect: status 0
// expect: cudaMalloc3DArray is not supported by this device
// expect: cudaIpcGetMemHandle is not supported by this device
// expect: operation not supported
#include "check.h"

int main()
{
    cudaArray_t array;
    cudaIpcMemHandle_t handle;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    WANT_ERROR(cudaMalloc3DArray(&array, &format, make_cudaExtent(4, 4, 4)), cudaErrorNotSupported);
    WANT_ERROR(cudaMalloc3DArray(&array, &format, make_cudaExtent(4, 4, 4)), cudaErrorNotSupported);
    WANT_ERROR(cudaIpcGetMemHandle(&handle, nullptr), cudaErrorNotSupported);
    puts(cudaGetErrorString(cudaGetLastError()));
    OK(cudaGetLastError());
}
