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

/* ---- single elements of a register ---- */

INLINE u32 element_bits(u32 type)
{
    return type == TYPE_s4 || type == TYPE_u4 ? 4 : type_bytes(type) * 8;
}

INLINE f32 float_element(u32 word, u32 e, u32 type)
{
    switch (type) {
    case TYPE_f16:
        return half_to_f32((u16)(word >> (16 * e)));
    case TYPE_bf16:
        return bf16_to_f32((u16)(word >> (16 * e)));
    case TYPE_e4m3:
        return e4m3_to_f32((u8)(word >> (8 * e)));
    case TYPE_e5m2:
        return e5m2_to_f32((u8)(word >> (8 * e)));
    case TYPE_tf32:
        return bits_float(word & ~0x1fffu);
    default:
        return bits_float(word);
    }
}

INLINE s32 integer_element(u32 word, u32 e, u32 type)
{
    switch (type) {
    case TYPE_s8:
        return (s8)(word >> (8 * e));
    case TYPE_u8:
        return (u8)(word >> (8 * e));
    case TYPE_s4:
        return (s32)(word << (28 - 4 * e)) >> 28;
    case TYPE_u4:
        return (s32)(word >> (4 * e) & 15);
    default:
        return (s32)word;
    }
}

typedef f32 row_of_4 __attribute__((vector_size(16)));
typedef u32 words_4 __attribute__((vector_size(16)));

INLINE void transpose_4x4(const f32 *from, u32 from_stride, f32 *to, u32 to_stride)
{
    row_of_4 row[4];
    for (u32 k = 0; k < 4; k++)
        memcpy(&row[k], from + k * from_stride, sizeof row[k]);
    const row_of_4 low = __builtin_shufflevector(row[0], row[1], 0, 4, 1, 5),
                   low2 = __builtin_shufflevector(row[2], row[3], 0, 4, 1, 5),
                   high = __builtin_shufflevector(row[0], row[1], 2, 6, 3, 7),
                   high2 = __builtin_shufflevector(row[2], row[3], 2, 6, 3, 7);
    const row_of_4 out[4] = {
        __builtin_shufflevector(low, low2, 0, 1, 4, 5), __builtin_shufflevector(low, low2, 2, 3, 6, 7),
        __builtin_shufflevector(high, high2, 0, 1, 4, 5), __builtin_shufflevector(high, high2, 2, 3, 6, 7)};
    for (u32 k = 0; k < 4; k++)
        memcpy(to + k * to_stride, &out[k], sizeof out[k]);
}

/* ---- accumulators ---- */

/* Between two registers of accumulators of 32 bits and 8 rows of 8 columns: lane 4 r + k holds row r's columns 2 k and 2 k + 1. `stride`:
 * words between rows. */
INLINE void fragment_to_rows(const u32 *even, const u32 *odd, u32 *rows, u32 stride)
{
    for (u32 r = 0; r < 8; r++) {
        words_4 a, b, out[2];
        memcpy(&a, even + 4 * r, sizeof a);
        memcpy(&b, odd + 4 * r, sizeof b);
        out[0] = __builtin_shufflevector(a, b, 0, 4, 1, 5);
        out[1] = __builtin_shufflevector(a, b, 2, 6, 3, 7);
        memcpy(rows + r * stride, out, sizeof out);
    }
}

INLINE void rows_to_fragment(const u32 *rows, u32 stride, u32 *even, u32 *odd)
{
    for (u32 r = 0; r < 8; r++) {
        words_4 in[2], out;
        memcpy(in, rows + r * stride, sizeof in);
        out = __builtin_shufflevector(in[0], in[1], 0, 2, 4, 6);
        memcpy(even + 4 * r, &out, sizeof out);
        out = __builtin_shufflevector(in[0], in[1], 1, 3, 5, 7);
        memcpy(odd + 4 * r, &out, sizeof out);
    }
}

#endif
