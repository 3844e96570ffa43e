/* The part of the driver's interface (cuda.h) that launchers need: modules, functions, launches. Streams and events are those of the
 * runtime, and so are the error numbers where both have them. libcuda.so.1 is another name of this library. */
#include "device/ptx/runtime/driver.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- modules ---- */

CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
    RT_CALL_AS(CUresult);
    struct rt_module *loaded = NULL;
    const cudaError_t error =
        module ? rt_module_load(image, "a loaded module", &loaded) : cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *module = (CUmodule)(void *)loaded;
    return driver_code(rt_end(error));
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int count, CUjit_option *options,
                            void **values)
{
    (void)count, (void)options, (void)values;
    return cuModuleLoadData(module, image);
}

CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image)
{
    return cuModuleLoadData(module, image);
}

/* Kept as long as the process: functions refer to its text. */
static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    if (file && fseek(file, 0, SEEK_END) == 0) {
        const long bytes = ftell(file);
        rewind(file);
        text = bytes >= 0 ? calloc(1, (size_t)bytes + 1) : NULL;
        if (text && fread(text, 1, (size_t)bytes, file) != (size_t)bytes) {
            free(text);
            text = NULL;
        }
    }
    if (file)
        fclose(file);
    return text;
}

CUresult cuModuleLoad(CUmodule *module, const char *path)
{
    char *text = path ? read_file(path) : NULL;
    return text ? cuModuleLoadData(module, text) : CUDA_ERROR_FILE_NOT_FOUND;
}

CUresult cuModuleUnload(CUmodule module)
{
    RT_CALL_AS(CUresult);
    const cudaError_t error = rt_finish_all();
    if (module)
        rt_module_unload((struct rt_module *)(void *)module);
    return driver_code(rt_end(error));
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
    RT_CALL_AS(CUresult);
    rt_kernel *kernel;
    const cudaError_t error = module && name && function
                                  ? rt_module_kernel((struct rt_module *)(void *)module, name, &kernel)
                                  : cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *function = (CUfunction)(void *)kernel;
    return driver_code(rt_end(error));
}

CUresult cuModuleGetGlobal(CUdeviceptr *address, size_t *bytes, CUmodule module, const char *name)
{
    RT_CALL_AS(CUresult);
    void *found = NULL;
    size_t size = 0;
    const cudaError_t error = module && name
                                  ? rt_module_global((struct rt_module *)(void *)module, name, &found, &size)
                                  : cudaErrorInvalidValue;
    if (address)
        *address = (CUdeviceptr)(uintptr_t)found;
    if (bytes)
        *bytes = size;
    return driver_code(rt_end(error));
}

CUresult cuLibraryLoadData(CUlibrary *library, const void *image, CUjit_option *jit, void **jit_values,
                           unsigned int jit_count, CUlibraryOption *options, void **values,
                           unsigned int count)
{
    (void)jit, (void)jit_values, (void)jit_count, (void)options, (void)values, (void)count;
    return cuModuleLoadData((CUmodule *)(void *)library, image);
}

CUresult cuLibraryUnload(CUlibrary library)
{
    return cuModuleUnload((CUmodule)(void *)library);
}

CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name)
{
    return cuModuleGetFunction((CUfunction *)(void *)kernel, (CUmodule)(void *)library, name);
}

CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel)
{
    *function = (CUfunction)(void *)kernel;
    return CUDA_SUCCESS;
}

/* ---- functions ---- */

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute which, CUfunction function)
{
    struct cudaFuncAttributes a;
    const cudaError_t error = value ? cudaFuncGetAttributes(&a, function) : cudaErrorInvalidValue;
    if (error != cudaSuccess)
        return driver_code(error);
    switch (which) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *value = a.maxThreadsPerBlock;
        break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        *value = (int)a.sharedSizeBytes;
        break;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
        *value = (int)a.constSizeBytes;
        break;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
        *value = (int)a.localSizeBytes;
        break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
        *value = a.numRegs;
        break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
        *value = a.ptxVersion;
        break;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
        *value = a.binaryVersion;
        break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *value = a.maxDynamicSharedSizeBytes;
        break;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        *value = a.preferredShmemCarveout;
        break;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

/* The numbers of the attributes that can be set are the same. */
CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute which, int value)
{
    return driver_code(cudaFuncSetAttribute(function, (enum cudaFuncAttribute)which, value));
}

CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache preference)
{
    return driver_code(cudaFuncSetCacheConfig(function, (enum cudaFuncCache)preference));
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int threads,
                                                     size_t shared)
{
    return driver_code(cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, shared));
}

/* `extra` may hold the parameters as one block. */
static void read_extra(void **extra, const void **packed, size_t *bytes)
{
    for (; extra && *extra != CU_LAUNCH_PARAM_END; extra += 2) {
        if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
            *packed = extra[1];
        else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE)
            *bytes = *(const size_t *)extra[1];
    }
}

static CUresult launch(CUfunction function, const cudaLaunchConfig_t *config, void **args, void **extra)
{
    RT_CALL_AS(CUresult);
    rt_kernel *kernel;
    rt_work work;
    const void *packed = NULL;
    size_t packed_bytes = 0;
    const cudaStream_t stream = rt_find_stream(config->stream);
    read_extra(extra, &packed, &packed_bytes);
    cudaError_t error = stream ? rt_find_kernel(function, &kernel) : cudaErrorInvalidResourceHandle;
    if (error == cudaSuccess)
        error = rt_launch_make(kernel, config, args, packed, packed_bytes, &work);
    if (error == cudaSuccess)
        error = rt_enqueue(stream, &work);
    return driver_code(rt_end(error));
}

CUresult cuLaunchKernel(CUfunction function, unsigned int gx, unsigned int gy, unsigned int gz,
                        unsigned int bx, unsigned int by, unsigned int bz, unsigned int shared,
                        CUstream stream, void **args, void **extra)
{
    const cudaLaunchConfig_t config = {
        .gridDim = {gx, gy, gz}, .blockDim = {bx, by, bz}, .dynamicSmemBytes = shared, .stream = stream};
    return launch(function, &config, args, extra);
}

/* The structs of attributes are the same in both interfaces. */
static cudaLaunchConfig_t runtime_config(const CUlaunchConfig *c)
{
    _Static_assert(sizeof(CUlaunchAttribute) == sizeof(cudaLaunchAttribute),
                   "attributes are handed on as they are");
    return (cudaLaunchConfig_t){.gridDim = {c->gridDimX, c->gridDimY, c->gridDimZ},
                                .blockDim = {c->blockDimX, c->blockDimY, c->blockDimZ},
                                .dynamicSmemBytes = c->sharedMemBytes,
                                .stream = c->hStream,
                                .attrs = (cudaLaunchAttribute *)(void *)c->attrs,
                                .numAttrs = c->numAttrs};
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *c, CUfunction function, void **args, void **extra)
{
    if (!c)
        return CUDA_ERROR_INVALID_VALUE;
    const cudaLaunchConfig_t config = runtime_config(c);
    return launch(function, &config, args, extra);
}

CUresult cuOccupancyMaxActiveClusters(int *clusters, CUfunction function, const CUlaunchConfig *c)
{
    if (!c)
        return CUDA_ERROR_INVALID_VALUE;
    const cudaLaunchConfig_t config = runtime_config(c);
    return driver_code(cudaOccupancyMaxActiveClusters(clusters, function, &config));
}
