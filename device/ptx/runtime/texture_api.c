/* Texture objects over linear device memory and CUDA arrays. Surfaces are not there: their calls are refused by name. */
#include "device/ptx/runtime/array.h"
#include <string.h>

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                   enum cudaChannelFormatKind kind)
{
    return (struct cudaChannelFormatDesc){x, y, z, w, kind};
}

/* 1, 2 or 4 channels of the same width; 0 otherwise. */
static int channels_of(const struct cudaChannelFormatDesc *d)
{
    const int widths[4] = {d->x, d->y, d->z, d->w};
    int count = 0;
    for (int i = 0; i < 4 && widths[i] != 0; i++)
        count += widths[i] == d->x ? 1 : 8;
    return count == 1 || count == 2 || count == 4 ? count : 0;
}

static cudaError_t describe(const struct cudaResourceDesc *resource, ptx_texture *texture)
{
    const struct cudaChannelFormatDesc *format;
    if (resource->resType == cudaResourceTypeLinear) {
        format = &resource->res.linear.desc;
        texture->address = (ptx_address)(uintptr_t)resource->res.linear.devPtr;
    } else if (resource->resType == cudaResourceTypePitch2D) {
        format = &resource->res.pitch2D.desc;
        texture->address = (ptx_address)(uintptr_t)resource->res.pitch2D.devPtr;
        texture->width = (uint32_t)resource->res.pitch2D.width;
        texture->height = (uint32_t)resource->res.pitch2D.height;
        texture->pitch = resource->res.pitch2D.pitchInBytes;
    } else if (resource->resType == cudaResourceTypeArray && resource->res.array.array) {
        const struct cudaArray *array = resource->res.array.array;
        format = &array->format;
        texture->address = (ptx_address)(uintptr_t)array->data;
        texture->width = (uint32_t)array->width;
        texture->height = (uint32_t)array->height;
        texture->pitch = array->pitch;
    } else {
        return rt_refuse(cudaErrorNotSupported,
                         "textures over mipmapped arrays are not supported by this device");
    }
    texture->channels = channels_of(format);
    texture->bits = format->x;
    texture->kind = (int)format->f;
    if (texture->channels == 0)
        return cudaErrorInvalidChannelDescriptor;
    if (resource->resType == cudaResourceTypeLinear)
        texture->width =
            (uint32_t)(resource->res.linear.sizeInBytes / (size_t)(texture->channels * texture->bits / 8));
    return cudaSuccess;
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *object, const struct cudaResourceDesc *resource,
                                    const struct cudaTextureDesc *settings,
                                    const struct cudaResourceViewDesc *view)
{
    RT_CALL();
    ptx_texture texture = {.address = 0};
    ptx_error error;
    uint64_t handle;
    if (!object || !resource || !settings || view || !rt_device())
        return rt_end(view ? cudaErrorNotSupported : cudaErrorInvalidValue);
    cudaError_t result = describe(resource, &texture);
    if (result != cudaSuccess)
        return rt_end(result);
    texture.normalized_values = settings->readMode == cudaReadModeNormalizedFloat;
    texture.normalized_coords = settings->normalizedCoords;
    texture.linear_filter = settings->filterMode == cudaFilterModeLinear;
    texture.address_mode[0] = (int)settings->addressMode[0];
    texture.address_mode[1] = (int)settings->addressMode[1];
    const ptx_status status = ptx_texture_create(rt_device(), &texture, &handle, &error);
    if (status != PTX_OK)
        return rt_end(rt_refuse(rt_from_ptx(status), "cudaCreateTextureObject: %s", error.text));
    *object = handle;
    return rt_end(cudaSuccess);
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object)
{
    RT_CALL();
    const cudaError_t error = rt_finish_all();
    if (error == cudaSuccess && rt_device())
        ptx_texture_free(rt_device(), object);
    return rt_end(error);
}
