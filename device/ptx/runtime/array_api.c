/* CUDA arrays of one and two dimensions: rows of device memory, 32-byte aligned, that copies reach by array and offset and textures read. */
#include "device/ptx/runtime/array.h"
#include <stdlib.h>
#include <string.h>

enum { ROW_ALIGNMENT = 32 };

size_t rt_element_bytes(const struct cudaChannelFormatDesc *format)
{
    const int bits = format->x + format->y + format->z + format->w;
    return bits > 0 && bits % 8 == 0 ? (size_t)bits / 8 : 0;
}

cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *format, size_t width,
                            size_t height, unsigned int flags)
{
    RT_CALL();
    if (!array || !format || width == 0 || rt_element_bytes(format) == 0)
        return rt_end(cudaErrorInvalidValue);
    if (flags != cudaArrayDefault)
        return rt_end(rt_refuse(cudaErrorNotSupported,
                                "cudaMallocArray with flags %#x is not supported by this device", flags));
    struct cudaArray *a = calloc(1, sizeof *a);
    if (!a)
        return rt_end(cudaErrorMemoryAllocation);
    a->format = *format;
    a->width = width;
    a->height = height;
    a->pitch = (width * rt_element_bytes(format) + ROW_ALIGNMENT - 1) / ROW_ALIGNMENT * ROW_ALIGNMENT;
    const cudaError_t error = rt_malloc(&a->data, a->pitch * (height ? height : 1), "cudaMallocArray");
    if (error == cudaSuccess)
        *array = a;
    else
        free(a);
    return rt_end(error);
}

cudaError_t cudaFreeArray(cudaArray_t array)
{
    RT_CALL();
    cudaError_t error = rt_finish_all();
    if (array && error == cudaSuccess)
        error = rt_free(array->data);
    free(array);
    return rt_end(error);
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *format, cudaArray_const_t array)
{
    RT_CALL();
    if (!format || !array)
        return rt_end(cudaErrorInvalidValue);
    *format = array->format;
    return rt_end(cudaSuccess);
}

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *format, struct cudaExtent *extent,
                             unsigned int *flags, cudaArray_t array)
{
    RT_CALL();
    if (!array)
        return rt_end(cudaErrorInvalidValue);
    if (format)
        *format = array->format;
    if (extent)
        *extent = (struct cudaExtent){array->width, array->height, 0};
    if (flags)
        *flags = cudaArrayDefault;
    return rt_end(cudaSuccess);
}

/* ---- copies: offsets and widths in bytes, heights in rows ---- */

static cudaError_t check_window(const struct cudaArray *a, size_t x, size_t y, size_t width, size_t height)
{
    const size_t row = a ? a->width * rt_element_bytes(&a->format) : 0, rows = a && a->height ? a->height : 1;
    return a && x <= row && width <= row - x && y <= rows && height <= rows - y ? cudaSuccess
                                                                                : cudaErrorInvalidValue;
}

static void *place(const struct cudaArray *a, size_t x, size_t y)
{
    return (char *)a->data + y * a->pitch + x;
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch,
                                     size_t width, size_t height, enum cudaMemcpyKind kind,
                                     cudaStream_t stream)
{
    const cudaError_t error = check_window(to, x, y, width, height);
    return cudaMemcpy2DAsync(error == cudaSuccess ? place(to, x, y) : NULL,
                             error == cudaSuccess ? to->pitch : 0, from, pitch, width, height, kind, stream);
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch,
                                size_t width, size_t height, enum cudaMemcpyKind kind)
{
    const cudaError_t error = check_window(to, x, y, width, height);
    return cudaMemcpy2D(error == cudaSuccess ? place(to, x, y) : NULL, error == cudaSuccess ? to->pitch : 0,
                        from, pitch, width, height, kind);
}

cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
                                       size_t width, size_t height, enum cudaMemcpyKind kind,
                                       cudaStream_t stream)
{
    const cudaError_t error = check_window(from, x, y, width, height);
    return cudaMemcpy2DAsync(to, pitch, error == cudaSuccess ? place(from, x, y) : NULL,
                             error == cudaSuccess ? from->pitch : 0, width, height, kind, stream);
}

cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
                                  size_t width, size_t height, enum cudaMemcpyKind kind)
{
    const cudaError_t error = check_window(from, x, y, width, height);
    return cudaMemcpy2D(to, pitch, error == cudaSuccess ? place(from, x, y) : NULL,
                        error == cudaSuccess ? from->pitch : 0, width, height, kind);
}
