/* Copies and fills between the host and device memory. */
#include "device/ptx/device.h"
#include <string.h>

void *ptx_view(ptx_device *d, ptx_address address, uint64_t bytes)
{
    ptx_allocation a;
    if (!ptx_find(d, address, &a) || bytes > a.start + a.bytes - address)
        return NULL;
    return a.host ? (char *)(uintptr_t)address : device_view(d, address);
}

/* The view of one side of a copy, or NULL with the error. */
static void *side(ptx_device *d, const char *what, ptx_address address, uint64_t bytes, ptx_error *error)
{
    void *view = ptx_view(d, address, bytes);
    if (!view) {
        char text[512];
        memory_describe(d, address, bytes, text, sizeof text);
        ptx_fail(error, PTX_WRONG_USE, "%s: %s", what, text);
    }
    return view;
}

ptx_status ptx_copy_in(ptx_device *d, ptx_address to, const void *host, uint64_t bytes, ptx_error *error)
{
    if (bytes == 0)
        return PTX_OK;
    void *view = side(d, "copy to the device", to, bytes, error);
    if (!view)
        return PTX_WRONG_USE;
    memmove(view, host, bytes);
    return PTX_OK;
}

ptx_status ptx_copy_out(ptx_device *d, void *host, ptx_address from, uint64_t bytes, ptx_error *error)
{
    if (bytes == 0)
        return PTX_OK;
    const void *view = side(d, "copy from the device", from, bytes, error);
    if (!view)
        return PTX_WRONG_USE;
    memmove(host, view, bytes);
    return PTX_OK;
}

ptx_status ptx_copy(ptx_device *d, ptx_address to, ptx_address from, uint64_t bytes, ptx_error *error)
{
    if (bytes == 0)
        return PTX_OK;
    void *target = side(d, "copy on the device, target", to, bytes, error);
    const void *source = target ? side(d, "copy on the device, source", from, bytes, error) : NULL;
    if (!source)
        return PTX_WRONG_USE;
    memmove(target, source, bytes);
    return PTX_OK;
}

ptx_status ptx_fill(ptx_device *d, ptx_address to, uint32_t value, int width, uint64_t count,
                    ptx_error *error)
{
    if (count == 0)
        return PTX_OK;
    if (width != 1 && width != 2 && width != 4)
        return ptx_fail(error, PTX_WRONG_USE, "a fill of elements of %d bytes; 1, 2 and 4 are possible",
                        width);
    char *view = side(d, "fill", to, count * (uint64_t)width, error);
    if (!view)
        return PTX_WRONG_USE;
    if (width == 1) {
        memset(view, (int)value, count);
        return PTX_OK;
    }
    for (uint64_t i = 0; i < count; i++)
        memcpy(view + i * (uint64_t)width, &value, (size_t)width);
    return PTX_OK;
}
