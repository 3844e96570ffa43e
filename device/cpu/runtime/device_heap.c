/* malloc, free, new and delete of checked modules, which are linked with --wrap for each: in a kernel they give device memory, so that it is
 * not taken for the host's. Outside of kernels they are the C library's. */
#include "device/cpu/runtime/simt.h"
#include <stdlib.h>

static bool in_kernel(void)
{
    const simt_worker *w = assay_simt_current.worker;
    return w && w->job;
}

static void *take(size_t bytes)
{
    return in_kernel() ? assay_simt_memory_alloc_for(bytes, ASSAY_SIMT_DEVICE) : malloc(bytes);
}

static void give_back(void *pointer)
{
    if (pointer && (!assay_simt_memory_is_device(pointer) || !assay_simt_memory_free(pointer)))
        free(pointer);
}

static void *take_or_end(
    size_t bytes) /* an exception of C++ could not leave a kernel, and no host code expects this one */
{
    void *pointer = take(bytes ? bytes : 1);
    if (!pointer)
        abort();
    return pointer;
}

/* The C++ names are new, new[], delete, delete[], and the last two with the size. */
ASSAY_EXPORT void *__wrap_malloc(size_t bytes);
ASSAY_EXPORT void __wrap_free(void *pointer);
ASSAY_EXPORT void *__wrap__Znwm(size_t bytes);
ASSAY_EXPORT void *__wrap__Znam(size_t bytes);
ASSAY_EXPORT void __wrap__ZdlPv(void *pointer);
ASSAY_EXPORT void __wrap__ZdaPv(void *pointer);
ASSAY_EXPORT void __wrap__ZdlPvm(void *pointer, size_t bytes);
ASSAY_EXPORT void __wrap__ZdaPvm(void *pointer, size_t bytes);
void *__wrap_malloc(size_t bytes)
{
    return take(bytes);
}
void __wrap_free(void *pointer)
{
    give_back(pointer);
}
void *__wrap__Znwm(size_t bytes)
{
    return take_or_end(bytes);
}
void *__wrap__Znam(size_t bytes)
{
    return take_or_end(bytes);
}
void __wrap__ZdlPv(void *pointer)
{
    give_back(pointer);
}
void __wrap__ZdaPv(void *pointer)
{
    give_back(pointer);
}
void __wrap__ZdlPvm(void *pointer, size_t bytes)
{
    (void)bytes;
    give_back(pointer);
}
void __wrap__ZdaPvm(void *pointer, size_t bytes)
{
    (void)bytes;
    give_back(pointer);
}
