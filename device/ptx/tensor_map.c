/* Encoding of tensor maps with the driver's rules (CUDA driver API, cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col). */
#include "device/ptx/tensor_map.h"
#include "device/ptx/device.h"
#include <string.h>

/* Bytes of an element by CUtensorMapDataType; the kinds behind 12 pack 4- and 6-bit values and belong to later architectures. */
static const uint8_t element_bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};

static ptx_status check_shape(const ptx_tensor_map *m, uint32_t bytes, ptx_error *error)
{
    if (m->rank < (m->im2col ? 3u : 1u) || m->rank > 5)
        return ptx_fail(error, PTX_WRONG_USE, "tensor map: rank %u", m->rank);
    if (m->address % 16)
        return ptx_fail(error, PTX_WRONG_USE, "tensor map: the address %#llx is not a multiple of 16",
                        (unsigned long long)m->address);
    for (uint32_t i = 0; i < m->rank; i++)
        if (m->dims[i] == 0 || m->dims[i] > 1ull << 32)
            return ptx_fail(error, PTX_WRONG_USE, "tensor map: dimension %u has %llu elements", i,
                            (unsigned long long)m->dims[i]);
    for (uint32_t i = 0; i + 1 < m->rank; i++)
        if (m->strides[i] % 16 || m->strides[i] >= 1ull << 40)
            return ptx_fail(error, PTX_WRONG_USE,
                            "tensor map: stride %u is %llu bytes, not a multiple of 16 below 2^40", i,
                            (unsigned long long)m->strides[i]);
    for (uint32_t i = 0; i < m->rank; i++)
        if (m->element_strides[i] < 1 || m->element_strides[i] > 8)
            return ptx_fail(error, PTX_WRONG_USE, "tensor map: element stride %u is %u", i,
                            m->element_strides[i]);
    if (m->interleave)
        return ptx_fail(error, PTX_UNSUPPORTED, "tensor map: interleaved layouts are not supported");
    if (m->swizzle < 0 || m->swizzle > 3)
        return ptx_fail(error, PTX_UNSUPPORTED, "tensor map: swizzle mode %d is not supported", m->swizzle);
    const uint64_t row = (uint64_t)(m->im2col ? m->channels : m->box[0]) * bytes;
    if (row % 16)
        return ptx_fail(error, PTX_WRONG_USE,
                        "tensor map: a row of the box has %llu bytes, not a multiple of 16",
                        (unsigned long long)row);
    if (m->swizzle && row > (16ull << m->swizzle))
        return ptx_fail(error, PTX_WRONG_USE,
                        "tensor map: a row of the box has %llu bytes, more than its swizzle of %d",
                        (unsigned long long)row, 16 << m->swizzle);
    return PTX_OK;
}

static ptx_status check_box(const ptx_tensor_map *m, ptx_error *error)
{
    if (m->im2col)
        return m->channels > 256 || m->pixels > 1024 || !m->channels || !m->pixels
                   ? ptx_fail(error, PTX_WRONG_USE, "tensor map: %u channels and %u pixels a column",
                              m->channels, m->pixels)
                   : PTX_OK;
    for (uint32_t i = 0; i < m->rank; i++)
        if (m->box[i] < 1 || m->box[i] > 256)
            return ptx_fail(error, PTX_WRONG_USE, "tensor map: box dimension %u is %u; 1 to 256 are possible",
                            i, m->box[i]);
    return PTX_OK;
}

ptx_status ptx_tensor_map_encode(const ptx_tensor_map *m, void *out, ptx_error *error)
{
    if (m->data_type < 0 || m->data_type >= (int)sizeof element_bytes)
        return ptx_fail(error, PTX_UNSUPPORTED, "tensor map: data type %d is not supported", m->data_type);
    const uint32_t bytes = element_bytes[m->data_type];
    ptx_status status = check_shape(m, bytes, error);
    if (status == PTX_OK)
        status = check_box(m, error);
    if (status != PTX_OK)
        return status;
    tensor_map t = {.magic = TENSOR_MAP_MAGIC,
                    .im2col = m->im2col != 0,
                    .rank = (uint8_t)m->rank,
                    .element_bytes = (uint8_t)bytes,
                    .swizzle = (uint8_t)m->swizzle,
                    .address = m->address,
                    .oob_nan = m->oob_nan != 0,
                    .data_type = (uint8_t)m->data_type};
    for (uint32_t i = 0; i < m->rank; i++) {
        t.dims[i] = (uint32_t)(m->dims[i] - 1);
        t.box[i] = (uint16_t)m->box[i];
        t.element_strides[i] = (uint8_t)m->element_strides[i];
    }
    for (uint32_t i = 0; i + 1 < m->rank; i++)
        t.strides[i] = (uint32_t)(m->strides[i] / 16);
    if (m->im2col) {
        t.box[0] = (uint16_t)m->channels;
        t.box[1] = (uint16_t)m->pixels;
        for (uint32_t i = 0; i + 2 < m->rank; i++) {
            t.lower[i] = (int16_t)m->lower[i];
            t.upper[i] = (int16_t)m->upper[i];
        }
    }
    memset(out, 0, TENSOR_MAP_BYTES);
    memcpy(out, &t, sizeof t);
    return PTX_OK;
}
