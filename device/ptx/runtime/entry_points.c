/* The driver's functions by name: cudaGetDriverEntryPoint, cuGetProcAddress, and libraries of kernels loaded by name. */
#include "device/ptx/runtime/runtime.h"
#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* This library exports them, some under a version of theirs ("cuMemAlloc_v2"). */
static void *find(const char *name)
{
    static const char *const versions[] = {"", "_v2", "_v3"};
    Dl_info self;
    char versioned[128];
    void *library =
        dladdr((void *)(uintptr_t)find, &self) ? dlopen(self.dli_fname, RTLD_NOLOAD | RTLD_NOW) : NULL;
    void *found = NULL;
    for (size_t i = 0;
         library && strncmp(name, "cu", 2) == 0 && !found && i < sizeof versions / sizeof versions[0]; i++) {
        snprintf(versioned, sizeof versioned, "%s%s", name, versions[i]);
        found = dlsym(library, versioned);
    }
    if (library)
        dlclose(library);
    return found;
}

static cudaError_t look_up(const char *name, void **function)
{
    *function = name ? find(name) : NULL;
    return *function ? cudaSuccess : cudaErrorSymbolNotFound;
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned int version,
                                             unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *result)
{
    RT_CALL();
    (void)version, (void)flags;
    if (!function)
        return rt_end(cudaErrorInvalidValue);
    const cudaError_t error = look_up(name, function);
    if (error != cudaSuccess && name)
        rt_say("the driver's %s is not supported by this device", name);
    if (!result)
        return rt_end(error);
    *result = error == cudaSuccess ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    return rt_end(cudaSuccess);
}

cudaError_t cudaGetDriverEntryPoint(const char *name, void **function, unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult *result)
{
    return cudaGetDriverEntryPointByVersion(name, function, CUDART_VERSION, flags, result);
}

CUresult cuGetProcAddress(const char *name, void **function, int version, cuuint64_t flags,
                          CUdriverProcAddressQueryResult *result)
{
    (void)version, (void)flags;
    if (!function)
        return CUDA_ERROR_INVALID_VALUE;
    const cudaError_t error =
        look_up(name, function); /* launchers ask for all there may be: a lack is no news */
    if (result)
        *result = error == cudaSuccess ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return error == cudaSuccess ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

/* ---- libraries ---- */

cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *image, enum cudaJitOption *jit,
                                void **jit_values, unsigned int jit_count, enum cudaLibraryOption *options,
                                void **values, unsigned int count)
{
    RT_CALL();
    (void)jit, (void)jit_values, (void)jit_count, (void)options, (void)values, (void)count;
    struct rt_module *loaded = NULL;
    const cudaError_t error =
        library ? rt_module_load(image, "a loaded library", &loaded) : cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *library = (cudaLibrary_t)(void *)loaded;
    return rt_end(error);
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library)
{
    RT_CALL();
    const cudaError_t error = rt_finish_all();
    if (library)
        rt_module_unload((struct rt_module *)(void *)library);
    return rt_end(error);
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t *out, cudaLibrary_t library, const char *name)
{
    RT_CALL();
    rt_kernel *kernel;
    const cudaError_t error = out && library && name
                                  ? rt_module_kernel((struct rt_module *)(void *)library, name, &kernel)
                                  : cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *out = (cudaKernel_t)(void *)kernel;
    return rt_end(error);
}

cudaError_t cudaLibraryGetGlobal(void **address, size_t *bytes, cudaLibrary_t library, const char *name)
{
    RT_CALL();
    void *found;
    size_t size;
    const cudaError_t error = library && name
                                  ? rt_module_global((struct rt_module *)(void *)library, name, &found, &size)
                                  : cudaErrorInvalidValue;
    if (error == cudaSuccess && address)
        *address = found;
    if (error == cudaSuccess && bytes)
        *bytes = size;
    return rt_end(error);
}

cudaError_t cudaLibraryGetKernelCount(unsigned int *count, cudaLibrary_t library)
{
    RT_CALL();
    if (!count || !library)
        return rt_end(cudaErrorInvalidValue);
    *count = (unsigned)rt_module_kernels((struct rt_module *)(void *)library, NULL, 0);
    return rt_end(cudaSuccess);
}

cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *kernels, unsigned int most, cudaLibrary_t library)
{
    RT_CALL();
    if (!kernels || !library)
        return rt_end(cudaErrorInvalidValue);
    rt_module_kernels((struct rt_module *)(void *)library, (rt_kernel **)(void *)kernels, most);
    return rt_end(cudaSuccess);
}
