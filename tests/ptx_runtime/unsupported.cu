// Calls that this device does not have fail with cudaErrorNotSupported and are named once.
// expect: status 1
// expect: all refused
// expect: cudaMalloc3DArray is not supported by this device
// expect: cudaIpcGetMemHandle is not supported by this device
// expect: operation not supported
// expect: relocatable device code is not linked here
#include "check.h"

extern "C" void **__cudaRegisterFatBinary(void *wrapper);
extern "C" char __cudaInitModule(void **handle);

// What a program of nvcc -rdc=true registers: no code of its own.
static void linked_program()
{
    static const unsigned nothing[4] = {0xba55ed50, 0x00100001, 0, 0};
    static struct wrapper {
        int magic, version;
        const void *image, *parts;
    } linked = {0x466243b1, 2, nothing, nullptr};
    WANT(!__cudaInitModule(__cudaRegisterFatBinary(&linked)));
}

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
    linked_program();
    puts("all refused");
}
