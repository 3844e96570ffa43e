/* Elements of matrices in registers and shared memory as f32. */
#ifndef ASSAY_DEVICE_PTX_MATRIX_ELEMENTS_H
#define ASSAY_DEVICE_PTX_MATRIX_ELEMENTS_H

#include "device/ptx/lanes.h"

INLINE void halves_to_f32(const u16 *in, u32 count, f32 *out)
{
    for (u32 j = 0; j < count; j++)
        out[j] = half_to_f32(in[j]);
}

/* `count` elements that lie one behind the other. s8 and u8 too: they are exact in f32. */
INLINE void matrix_elements(const void *in, u32 count, u32 type, f32 *out)
{
    const u8 *bytes = in;
    const u16 *shorts = in;
    const u32 *words = in;
    switch (type) {
    case TYPE_f16:
        halves_to_f32(shorts, count, out);
        break;
    case TYPE_bf16:
        for (u32 j = 0; j < count; j++)
            out[j] = bf16_to_f32(shorts[j]);
        break;
    case TYPE_tf32:
        for (u32 j = 0; j < count; j++)
            out[j] = bits_float(words[j] & ~0x1fffu);
        break;
    case TYPE_e4m3:
        for (u32 j = 0; j < count; j++)
            out[j] = e4m3_to_f32(bytes[j]);
        break;
    case TYPE_e5m2:
        for (u32 j = 0; j < count; j++)
            out[j] = e5m2_to_f32(bytes[j]);
        break;
    case TYPE_s8:
        for (u32 j = 0; j < count; j++)
            out[j] = (s8)bytes[j];
        break;
    case TYPE_u8:
        for (u32 j = 0; j < count; j++)
            out[j] = bytes[j];
        break;
    default:
        memcpy(out, in, count * sizeof *out);
    }
}

#endif
