/* Names and descriptions of errors. The names come from the toolkit's header at build time; where a description is not in the table, it is the
 * name in words. */
#include "device/ptx/runtime/runtime.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const struct {
    int code;
    const char *name;
} names[] = {
#include "cuda_error_names.inc"
};

static const struct {
    int code;
    const char *text;
} descriptions[] = {
    {cudaSuccess, "no error"},
    {cudaErrorInvalidValue, "invalid argument"},
    {cudaErrorMemoryAllocation, "out of memory"},
    {cudaErrorInitializationError, "initialization error"},
    {cudaErrorInvalidConfiguration, "invalid configuration argument"},
    {cudaErrorInvalidPitchValue, "invalid pitch argument"},
    {cudaErrorInvalidSymbol, "invalid device symbol"},
    {cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"},
    {cudaErrorInvalidDeviceFunction, "invalid device function"},
    {cudaErrorInvalidDevice, "invalid device ordinal"},
    {cudaErrorInvalidKernelImage, "device kernel image is invalid"},
    {cudaErrorNoKernelImageForDevice, "no kernel image is available for execution on the device"},
    {cudaErrorInvalidResourceHandle, "invalid resource handle"},
    {cudaErrorSymbolNotFound, "named symbol not found"},
    {cudaErrorNotReady, "device not ready"},
    {cudaErrorIllegalAddress, "an illegal memory access was encountered"},
    {cudaErrorLaunchOutOfResources, "too many resources requested for launch"},
    {cudaErrorLaunchTimeout, "the launch timed out and was terminated"},
    {cudaErrorAssert, "device-side assert triggered"},
    {cudaErrorHostMemoryAlreadyRegistered, "part or all of the requested memory range is already mapped"},
    {cudaErrorHostMemoryNotRegistered, "pointer does not correspond to a registered memory region"},
    {cudaErrorIllegalInstruction, "an illegal instruction was encountered"},
    {cudaErrorMisalignedAddress, "misaligned address"},
    {cudaErrorLaunchFailure, "unspecified launch failure"},
    {cudaErrorCooperativeLaunchTooLarge, "too many blocks in cooperative launch"},
    {cudaErrorNotSupported, "operation not supported"},
    {cudaErrorStreamCaptureUnsupported, "operation not permitted when stream is capturing"},
    {cudaErrorStreamCaptureInvalidated, "operation failed due to a previous error during capture"},
    {cudaErrorStreamCaptureUnjoined, "capturing stream has unjoined work"},
    {cudaErrorInvalidClusterSize, "cluster misconfiguration"},
    {cudaErrorUnknown, "unknown error"},
};

const char *cudaGetErrorName(cudaError_t error)
{
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].code == (int)error)
            return names[i].name;
    return "unrecognized error code";
}

/* cudaErrorSetOnActiveProcess -> "set on active process". */
static const char *in_words(const char *name, char *text, size_t bytes)
{
    size_t used = 0;
    const char *at = strncmp(name, "cudaError", 9) == 0 ? name + 9 : name;
    for (; *at && used + 2 < bytes; at++) {
        if (isupper((unsigned char)*at) && used > 0)
            text[used++] = ' ';
        text[used++] = (char)tolower((unsigned char)*at);
    }
    text[used] = '\0';
    return text;
}

const char *cudaGetErrorString(cudaError_t error)
{
    static __thread char text[128];
    for (size_t i = 0; i < sizeof descriptions / sizeof descriptions[0]; i++)
        if (descriptions[i].code == (int)error)
            return descriptions[i].text;
    return in_words(cudaGetErrorName(error), text, sizeof text);
}
