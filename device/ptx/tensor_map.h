/* The 128 bytes of a tensor map as this device lays them out. */
#ifndef ASSAY_DEVICE_PTX_TENSOR_MAP_H
#define ASSAY_DEVICE_PTX_TENSOR_MAP_H

#include <stdint.h>

enum { TENSOR_MAP_BYTES = 128 };
#define TENSOR_MAP_MAGIC 0x7e50a99aU

/* Data types by the numbers of CUtensorMapDataType. */
enum {
    TENSOR_U8,
    TENSOR_U16,
    TENSOR_U32,
    TENSOR_S32,
    TENSOR_U64,
    TENSOR_S64,
    TENSOR_F16,
    TENSOR_F32,
    TENSOR_F64,
    TENSOR_BF16,
    TENSOR_F32_FTZ,
    TENSOR_TF32,
    TENSOR_TF32_FTZ,
    TENSOR_TYPES
};

typedef struct tensor_map {
    uint32_t magic;
    uint8_t im2col, rank, element_bytes, swizzle;
    uint8_t oob_nan, data_type;
    /* For a fault of drivers, CUTLASS and Triton clear bit 21 of the second 8 bytes in maps of small tensors. */
    uint8_t unused[6];
    uint64_t address;
    uint32_t dims[5];    /* less 1: a dimension may have 2^32 elements */
    uint32_t strides[4]; /* bytes / 16; below 2^36 */
    uint16_t box[5];     /* im2col: channels, pixels */
    uint8_t element_strides[5];
    int16_t lower[3], upper[3];
} tensor_map;

_Static_assert(sizeof(tensor_map) <= TENSOR_MAP_BYTES, "a tensor map has 128 bytes");

#endif
