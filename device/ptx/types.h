/* Types and state spaces of PTX. */
#ifndef ASSAY_DEVICE_PTX_TYPES_H
#define ASSAY_DEVICE_PTX_TYPES_H

#include <stdbool.h>
#include <stdint.h>

/* name in PTX, bytes, 1 if signed */
/* clang-format off */
#define PTX_TYPES(T)                                                                                        \
    T(u8, 1, 0)                                                                                             \
    T(s8, 1, 1)                                                                                             \
    T(b8, 1, 0)                                                                                             \
    T(u16, 2, 0) T(s16, 2, 1) T(b16, 2, 0) T(u32, 4, 0) T(s32, 4, 1) T(b32, 4, 0) T(u64, 8, 0) T(s64, 8, 1) \
        T(b64, 8, 0) T(b128, 16, 0) T(f16, 2, 0) T(bf16, 2, 0) T(f16x2, 4, 0) T(bf16x2, 4, 0) T(f32, 4, 0)  \
            T(f64, 8, 0) T(tf32, 4, 0) T(e4m3, 1, 0) T(e5m2, 1, 0) T(e4m3x2, 2, 0) T(e5m2x2, 2, 0)          \
                T(s2, 1, 1) T(u2, 1, 0) T(s4, 1, 1) T(u4, 1, 0) T(b1, 1, 0) T(u16x2, 4, 0) T(s16x2, 4, 1) T(pred, 0, 0)
/* clang-format on */

typedef enum ptx_type {
#define T(name, bytes, is_signed) TYPE_##name,
    PTX_TYPES(T)
#undef T
        TYPE_COUNT,
    TYPE_NONE = 255
} ptx_type;

uint32_t type_bytes(ptx_type type);
bool type_signed(ptx_type type);
bool type_float(ptx_type type);
const char *type_name(ptx_type type);
/* The type of a name without its dot, or TYPE_NONE. */
ptx_type type_find(const char *name);

typedef enum ptx_space {
    SPACE_GENERIC,
    SPACE_GLOBAL,
    SPACE_SHARED,  /* of the own block */
    SPACE_CLUSTER, /* shared::cluster: of any block of the cluster */
    SPACE_LOCAL,
    SPACE_PARAM, /* a kernel's parameters */
    SPACE_CONST,
    SPACE_REG
} ptx_space;

#endif
