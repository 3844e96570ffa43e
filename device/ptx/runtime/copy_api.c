/* Copies, fills and symbols as programs see them.
 *
 * From pageable memory a copy reads its source within the call; to pageable memory the call waits for the copy. With pinned memory nothing
 * happens before the stream gets there, so a missing wait shows. */
#include "device/ptx/runtime/stream.h"
#include <stdlib.h>
#include <string.h>

static bool is_pageable(const void *pointer)
{
    return rt_memory_of(pointer) == RT_PAGEABLE;
}

/* The bytes of the source, packed without pitches. */
static cudaError_t stage(rt_work *work)
{
    rt_copy *c = &work->as.copy;
    char *staged = malloc(c->width * c->height * c->depth + 1);
    if (!staged)
        return cudaErrorMemoryAllocation;
    for (size_t z = 0; z < c->depth; z++)
        for (size_t y = 0; y < c->height; y++)
            memcpy(staged + (z * c->height + y) * c->width,
                   (const char *)c->from + z * c->from_slice + y * c->from_pitch, c->width);
    c->from = work->staged = staged;
    c->from_pitch = c->width;
    c->from_slice = c->width * c->height;
    return cudaSuccess;
}

/* Within a call. `wait`: the call is a synchronous one. */
static cudaError_t copy(const rt_copy *c, cudaStream_t handle, bool wait)
{
    cudaStream_t stream = rt_find_stream(handle);
    rt_work work = {.kind = RT_COPY, .as.copy = *c};
    cudaError_t error = stream ? rt_copy_check(c) : cudaErrorInvalidResourceHandle;
    if (error != cudaSuccess || c->width * c->height * c->depth == 0)
        return error;
    if (wait && rt_is_capturing(stream))
        return cudaErrorStreamCaptureUnsupported;
    const bool from_pageable = is_pageable(c->from), to_pageable = is_pageable(c->to);
    if (from_pageable && !to_pageable && !wait && !rt_is_capturing(stream))
        error = stage(&work);
    if (error == cudaSuccess)
        error = rt_enqueue(stream, &work);
    /* Between device memory and device memory, also a synchronous copy returns at once. */
    const bool on_host = rt_memory_of(c->from) != RT_DEVICE || rt_memory_of(c->to) != RT_DEVICE;
    if (error == cudaSuccess && !rt_is_capturing(stream) && ((wait && on_host) || to_pageable))
        error = rt_finish_stream(stream);
    return error;
}

static rt_copy line(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    return (rt_copy){.to = to, .from = from, .width = bytes, .height = 1, .depth = 1, .kind = kind};
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    RT_CALL();
    const rt_copy c = line(to, from, bytes, kind);
    return rt_end(copy(&c, 0, true));
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    RT_CALL();
    const rt_copy c = line(to, from, bytes, kind);
    return rt_end(copy(&c, stream, false));
}

cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes)
{
    RT_CALL();
    const rt_copy c = line(to, from, bytes, cudaMemcpyDeviceToDevice);
    return rt_end(to_device == 0 && from_device == 0 ? copy(&c, 0, true) : cudaErrorInvalidDevice);
}

static rt_copy rows(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                    size_t height, enum cudaMemcpyKind kind)
{
    return (rt_copy){.to = to,
                     .from = from,
                     .width = width,
                     .height = height,
                     .depth = 1,
                     .to_pitch = to_pitch,
                     .from_pitch = from_pitch,
                     .kind = kind};
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                         size_t height, enum cudaMemcpyKind kind)
{
    RT_CALL();
    const rt_copy c = rows(to, to_pitch, from, from_pitch, width, height, kind);
    return rt_end(copy(&c, 0, true));
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                              size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    RT_CALL();
    const rt_copy c = rows(to, to_pitch, from, from_pitch, width, height, kind);
    return rt_end(copy(&c, stream, false));
}

static cudaError_t copy_box(const struct cudaMemcpy3DParms *p, cudaStream_t stream, bool wait)
{
    rt_copy c;
    const cudaError_t error = rt_copy_of_box(p, &c);
    return error == cudaSuccess ? copy(&c, stream, wait) : error;
}

/* Offsets count in bytes in x; arrays are not there. */
cudaError_t rt_copy_of_box(const struct cudaMemcpy3DParms *p, rt_copy *c)
{
    if (!p)
        return cudaErrorInvalidValue;
    if (p->srcArray || p->dstArray)
        return rt_refuse(cudaErrorNotSupported, "copies of CUDA arrays are not supported by this device");
    const size_t from_slice = p->srcPtr.pitch * p->srcPtr.ysize, to_slice = p->dstPtr.pitch * p->dstPtr.ysize;
    *c = (rt_copy){
        .to = (char *)p->dstPtr.ptr + p->dstPos.z * to_slice + p->dstPos.y * p->dstPtr.pitch + p->dstPos.x,
        .from =
            (char *)p->srcPtr.ptr + p->srcPos.z * from_slice + p->srcPos.y * p->srcPtr.pitch + p->srcPos.x,
        .width = p->extent.width,
        .height = p->extent.height,
        .depth = p->extent.depth,
        .to_pitch = p->dstPtr.pitch,
        .to_slice = to_slice,
        .from_pitch = p->srcPtr.pitch,
        .from_slice = from_slice,
        .kind = p->kind};
    return cudaSuccess;
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p)
{
    RT_CALL();
    return rt_end(copy_box(p, 0, true));
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream)
{
    RT_CALL();
    return rt_end(copy_box(p, stream, false));
}

/* ---- fills: the call never waits ---- */

static cudaError_t fill(const rt_fill *f, cudaStream_t handle)
{
    cudaStream_t stream = rt_find_stream(handle);
    rt_work work = {.kind = RT_FILL, .as.fill = *f};
    const cudaError_t error = stream ? rt_fill_check(f) : cudaErrorInvalidResourceHandle;
    return error == cudaSuccess && f->width * f->height * f->depth > 0 ? rt_enqueue(stream, &work) : error;
}

static rt_fill bytes_of(void *to, int value, size_t width, size_t height, size_t depth, size_t pitch,
                        size_t slice)
{
    return (rt_fill){.to = to,
                     .value = (unsigned char)value,
                     .element = 1,
                     .width = width,
                     .height = height,
                     .depth = depth,
                     .pitch = pitch,
                     .slice = slice};
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream)
{
    RT_CALL();
    const rt_fill f = bytes_of(to, value, bytes, 1, 1, 0, 0);
    return rt_end(fill(&f, stream));
}

cudaError_t cudaMemset(void *to, int value, size_t bytes)
{
    return cudaMemsetAsync(to, value, bytes, 0);
}

cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream)
{
    RT_CALL();
    const rt_fill f = bytes_of(to, value, width, height, 1, pitch, 0);
    return rt_end(fill(&f, stream));
}

cudaError_t cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height)
{
    return cudaMemset2DAsync(to, pitch, value, width, height, 0);
}

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr to, int value, struct cudaExtent extent,
                              cudaStream_t stream)
{
    RT_CALL();
    const rt_fill f =
        bytes_of(to.ptr, value, extent.width, extent.height, extent.depth, to.pitch, to.pitch * to.ysize);
    return rt_end(fill(&f, stream));
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr to, int value, struct cudaExtent extent)
{
    return cudaMemset3DAsync(to, value, extent, 0);
}

/* ---- symbols ---- */

cudaError_t cudaGetSymbolAddress(void **address, const void *symbol)
{
    RT_CALL();
    size_t bytes;
    return rt_end(address ? rt_find_symbol(symbol, address, &bytes) : cudaErrorInvalidValue);
}

cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol)
{
    RT_CALL();
    void *address;
    return rt_end(bytes ? rt_find_symbol(symbol, &address, bytes) : cudaErrorInvalidValue);
}

static cudaError_t copy_symbol(const void *symbol, const rt_copy *plain, bool to_symbol, size_t offset,
                               cudaStream_t stream, bool wait)
{
    void *address;
    size_t bytes;
    rt_copy c = *plain;
    const cudaError_t error = rt_find_symbol(symbol, &address, &bytes);
    if (error != cudaSuccess)
        return error;
    if (offset > bytes || c.width > bytes - offset)
        return rt_refuse(cudaErrorInvalidValue, "%zu bytes from byte %zu of a variable of %zu bytes", c.width,
                         offset, bytes);
    if (to_symbol)
        c.to = (char *)address + offset;
    else
        c.from = (char *)address + offset;
    return copy(&c, stream, wait);
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes, size_t offset,
                                    enum cudaMemcpyKind kind, cudaStream_t stream)
{
    RT_CALL();
    const rt_copy c = line(NULL, from, bytes, kind);
    return rt_end(copy_symbol(symbol, &c, true, offset, stream, false));
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset,
                               enum cudaMemcpyKind kind)
{
    RT_CALL();
    const rt_copy c = line(NULL, from, bytes, kind);
    return rt_end(copy_symbol(symbol, &c, true, offset, 0, true));
}

cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream)
{
    RT_CALL();
    const rt_copy c = line(to, NULL, bytes, kind);
    return rt_end(copy_symbol(symbol, &c, false, offset, stream, false));
}

cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset,
                                 enum cudaMemcpyKind kind)
{
    RT_CALL();
    const rt_copy c = line(to, NULL, bytes, kind);
    return rt_end(copy_symbol(symbol, &c, false, offset, 0, true));
}
