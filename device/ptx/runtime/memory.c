/* Memory of the device and memory of the host that kernels may touch, and what copies and fills do. The calls are in memory_api.c. */
#include "device/ptx/runtime/runtime.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { POISON = 0xcd, MOST_POISONED = 64 << 20 };

typedef struct host_block {
    struct host_block *next;
    char *start;
    size_t bytes, mapped; /* mapped 0: the program's own memory, registered */
    rt_memory_kind kind;
} host_block;

static host_block *host_blocks;
static unsigned long counts[RT_REGISTERED + 1];

static const char *const call_names[] = {"", "cudaMalloc", "cudaHostAlloc", "cudaMallocManaged",
                                         "cudaHostRegister"};

cudaError_t rt_from_ptx(ptx_status status)
{
    switch (status) {
    case PTX_OK:
        return cudaSuccess;
    case PTX_WRONG_USE:
        return cudaErrorInvalidValue;
    case PTX_NO_MEMORY:
        return cudaErrorMemoryAllocation;
    case PTX_BAD_TEXT:
        return cudaErrorInvalidKernelImage;
    case PTX_UNSUPPORTED:
        return cudaErrorNotSupported;
    case PTX_REFUSED:
        return cudaErrorInvalidConfiguration;
    case PTX_KERNEL_ERROR:
        return cudaErrorLaunchFailure;
    case PTX_TIMEOUT:
        return cudaErrorLaunchTimeout;
    }
    return cudaErrorUnknown;
}

static host_block *find_host(const void *pointer)
{
    host_block *b = host_blocks;
    while (b && ((const char *)pointer < b->start || (const char *)pointer >= b->start + b->bytes))
        b = b->next;
    return b;
}

rt_memory_kind rt_memory_of(const void *pointer)
{
    if (rt_device() && ptx_device_owns(rt_device(), pointer))
        return RT_DEVICE;
    const host_block *b = find_host(pointer);
    return b ? b->kind : RT_PAGEABLE;
}

/* ---- allocations ---- */

cudaError_t rt_malloc(void **pointer, size_t bytes, const char *call)
{
    char name[64];
    ptx_address start;
    ptx_error error;
    *pointer = NULL;
    if (!rt_device())
        return cudaErrorNoDevice;
    if (bytes == 0)
        return cudaSuccess;
    snprintf(name, sizeof name, "%s #%lu", call, ++counts[RT_DEVICE]);
    const ptx_status status = ptx_alloc(rt_device(), bytes, name, &start, &error);
    if (status != PTX_OK)
        return rt_refuse(rt_from_ptx(status), "%s of %zu bytes: %s", call, bytes, error.text);
    *pointer = (void *)(uintptr_t)start;
    return cudaSuccess;
}

static host_block *add_host(void *start, size_t bytes, size_t mapped, rt_memory_kind kind)
{
    char name[64];
    ptx_error error;
    host_block *b = calloc(1, sizeof *b);
    snprintf(name, sizeof name, "%s #%lu", call_names[kind], ++counts[kind]);
    if (!b || ptx_host_register(rt_device(), start, bytes, name, &error) != PTX_OK) {
        free(b);
        return NULL;
    }
    *b = (host_block){.next = host_blocks, .start = start, .bytes = bytes, .mapped = mapped, .kind = kind};
    return host_blocks = b;
}

cudaError_t rt_malloc_host(void **pointer, size_t bytes, rt_memory_kind kind)
{
    *pointer = NULL;
    if (!rt_device())
        return cudaErrorNoDevice;
    if (bytes == 0)
        return kind == RT_MANAGED ? cudaErrorInvalidValue : cudaSuccess;
    const size_t mapped = (bytes + 4095) / 4096 * 4096;
    void *start = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED)
        return cudaErrorMemoryAllocation;
    if (!add_host(start, bytes, mapped, kind)) {
        munmap(start, mapped);
        return cudaErrorMemoryAllocation;
    }
    if (bytes <= MOST_POISONED)
        memset(start, POISON, bytes); /* a card gives no zeros either */
    *pointer = start;
    return cudaSuccess;
}

cudaError_t rt_register_host(void *start, size_t bytes)
{
    if (!rt_device())
        return cudaErrorNoDevice;
    if (find_host(start))
        return cudaErrorHostMemoryAlreadyRegistered;
    return add_host(start, bytes, 0, RT_REGISTERED) ? cudaSuccess : cudaErrorMemoryAllocation;
}

/* `start` must be where a block of one of the kinds (a mask of 1 << kind) begins. */
static cudaError_t drop_host(void *start, unsigned kinds)
{
    host_block **link = &host_blocks;
    while (*link && (*link)->start != start)
        link = &(*link)->next;
    host_block *b = *link;
    if (!b || !(kinds >> b->kind & 1))
        return cudaErrorInvalidValue;
    ptx_host_unregister(rt_device(), start, NULL);
    *link = b->next;
    if (b->mapped)
        munmap(b->start, b->mapped);
    free(b);
    return cudaSuccess;
}

cudaError_t rt_unregister_host(void *start)
{
    return drop_host(start, 1u << RT_REGISTERED) == cudaSuccess ? cudaSuccess
                                                                : cudaErrorHostMemoryNotRegistered;
}

cudaError_t rt_free_host(void *start)
{
    return start ? drop_host(start, 1u << RT_PINNED) : cudaSuccess;
}

cudaError_t rt_free(void *pointer)
{
    ptx_error error;
    if (!pointer)
        return cudaSuccess;
    if (rt_memory_of(pointer) == RT_MANAGED)
        return drop_host(pointer, 1u << RT_MANAGED);
    if (!rt_device() || ptx_free(rt_device(), (ptx_address)(uintptr_t)pointer, &error) == PTX_OK)
        return cudaSuccess;
    return rt_refuse(cudaErrorInvalidValue, "cudaFree(%p): %s", pointer, error.text);
}

bool rt_find_allocation(const void *pointer, rt_memory_kind *kind, void **start, size_t *bytes)
{
    ptx_allocation found;
    const host_block *b = find_host(pointer);
    *kind = rt_memory_of(pointer);
    if (b) {
        *start = b->start;
        *bytes = b->bytes;
        return true;
    }
    if (*kind != RT_DEVICE || !ptx_find(rt_device(), (ptx_address)(uintptr_t)pointer, &found))
        return false;
    *start = (void *)(uintptr_t)found.start;
    *bytes = found.bytes;
    return true;
}

/* ---- copies ---- */

static size_t extent(size_t width, size_t height, size_t depth, size_t pitch, size_t slice)
{
    return width && height && depth ? (depth - 1) * slice + (height - 1) * pitch + width : 0;
}

/* A side that is device memory must lie in one allocation. */
static cudaError_t check_range(const void *pointer, size_t bytes, const char *what)
{
    rt_memory_kind kind;
    void *start;
    size_t has;
    if (rt_memory_of(pointer) != RT_DEVICE)
        return cudaSuccess;
    if (!rt_find_allocation(pointer, &kind, &start, &has))
        return rt_refuse(cudaErrorInvalidValue, "%s %p: device memory that is not allocated", what, pointer);
    const size_t offset = (size_t)((const char *)pointer - (char *)start);
    if (bytes > has - offset)
        return rt_refuse(cudaErrorInvalidValue, "%s %zu bytes from byte %zu of an allocation of %zu bytes",
                         what, bytes, offset, has);
    return cudaSuccess;
}

/* What a judged kernel's host code may not do to the tensors. The words name no judge: a report says which kind of tensor it was. */
static cudaError_t check_tensor(const void *pointer, size_t bytes, bool write, const char *what)
{
    char text[256];
    const ptx_address start = (ptx_address)(uintptr_t)pointer;
    if (!rt_get_options()->is_judged || rt_memory_of(pointer) != RT_DEVICE ||
        ptx_may_touch(rt_device(), start, bytes, write))
        return cudaSuccess;
    const bool may_read = ptx_may_touch(rt_device(), start, bytes, false);
    snprintf(text, sizeof text, "host code: %s %zu bytes%s", what, bytes,
             may_read ? " in an input, which may only be read" : " that do not lie within one tensor");
    rt_report(text);
    return cudaErrorInvalidValue;
}

static cudaError_t check_side(const void *pointer, bool on_device, const char *side, const char *kind_name)
{
    const rt_memory_kind kind = rt_memory_of(pointer);
    if (on_device ? kind == RT_PAGEABLE : kind == RT_DEVICE)
        return rt_refuse(cudaErrorInvalidValue, "a copy of kind %s: its %s %p is %s", kind_name, side,
                         pointer, on_device ? "memory of the host" : "device memory");
    return cudaSuccess;
}

cudaError_t rt_copy_check(const rt_copy *c)
{
    static const char *const kinds[] = {"cudaMemcpyHostToHost", "cudaMemcpyHostToDevice",
                                        "cudaMemcpyDeviceToHost", "cudaMemcpyDeviceToDevice",
                                        "cudaMemcpyDefault"};
    const size_t to = extent(c->width, c->height, c->depth, c->to_pitch, c->to_slice);
    const size_t from = extent(c->width, c->height, c->depth, c->from_pitch, c->from_slice);
    if ((unsigned)c->kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (to == 0)
        return cudaSuccess;
    if (!c->to || !c->from)
        return cudaErrorInvalidValue;
    if (c->height > 1 && (c->width > c->to_pitch || c->width > c->from_pitch))
        return cudaErrorInvalidPitchValue;
    cudaError_t error = cudaSuccess;
    if (c->kind != cudaMemcpyDefault) {
        error = check_side(c->to, c->kind == cudaMemcpyHostToDevice || c->kind == cudaMemcpyDeviceToDevice,
                           "destination", kinds[c->kind]);
        if (error == cudaSuccess)
            error =
                check_side(c->from, c->kind == cudaMemcpyDeviceToHost || c->kind == cudaMemcpyDeviceToDevice,
                           "source", kinds[c->kind]);
    }
    if (error == cudaSuccess)
        error = check_range(c->to, to, "a copy to");
    if (error == cudaSuccess)
        error = check_range(c->from, from, "a copy from");
    if (error == cudaSuccess)
        error = check_tensor(c->to, to, true, "a copy to");
    return error == cudaSuccess ? check_tensor(c->from, from, false, "a copy from") : error;
}

static ptx_status copy_line(void *to, const void *from, size_t bytes, bool to_device, bool from_device,
                            ptx_error *error)
{
    const ptx_address to_address = (ptx_address)(uintptr_t)to, from_address = (ptx_address)(uintptr_t)from;
    if (to_device && from_device)
        return ptx_copy(rt_device(), to_address, from_address, bytes, error);
    if (to_device)
        return ptx_copy_in(rt_device(), to_address, from, bytes, error);
    if (from_device)
        return ptx_copy_out(rt_device(), to, from_address, bytes, error);
    memmove(to, from, bytes);
    return PTX_OK;
}

cudaError_t rt_copy_run(const rt_copy *c)
{
    const bool to_device = rt_memory_of(c->to) == RT_DEVICE, from_device = rt_memory_of(c->from) == RT_DEVICE;
    ptx_error error;
    for (size_t z = 0; z < c->depth && c->width; z++)
        for (size_t y = 0; y < c->height; y++)
            if (copy_line((char *)c->to + z * c->to_slice + y * c->to_pitch,
                          (const char *)c->from + z * c->from_slice + y * c->from_pitch, c->width, to_device,
                          from_device, &error) != PTX_OK)
                return rt_refuse(cudaErrorIllegalAddress, "a copy: %s", error.text);
    return cudaSuccess;
}

/* ---- fills ---- */

cudaError_t rt_fill_check(const rt_fill *f)
{
    const size_t bytes = extent(f->width * (size_t)f->element, f->height, f->depth, f->pitch, f->slice);
    if (bytes == 0)
        return cudaSuccess;
    if (rt_memory_of(f->to) == RT_PAGEABLE)
        return rt_refuse(cudaErrorInvalidValue, "a memset of %p, which is memory of the host", f->to);
    if ((uintptr_t)f->to % (uintptr_t)f->element != 0)
        return cudaErrorInvalidValue;
    const cudaError_t error = check_range(f->to, bytes, "a memset of");
    return error == cudaSuccess ? check_tensor(f->to, bytes, true, "a memset of") : error;
}

static void fill_host(char *to, uint32_t value, int element, size_t count)
{
    for (size_t i = 0; i < count; i++)
        memcpy(to + i * (size_t)element, &value, (size_t)element);
}

cudaError_t rt_fill_run(const rt_fill *f)
{
    const bool on_device = rt_memory_of(f->to) == RT_DEVICE;
    ptx_error error;
    for (size_t z = 0; z < f->depth && f->width; z++)
        for (size_t y = 0; y < f->height; y++) {
            char *row = (char *)f->to + z * f->slice + y * f->pitch;
            if (!on_device)
                fill_host(row, f->value, f->element, f->width);
            else if (ptx_fill(rt_device(), (ptx_address)(uintptr_t)row, f->value, f->element, f->width,
                              &error) != PTX_OK)
                return rt_refuse(cudaErrorIllegalAddress, "a memset: %s", error.text);
        }
    return cudaSuccess;
}
