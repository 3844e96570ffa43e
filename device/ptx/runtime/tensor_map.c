/* cuTensorMapEncodeTiled and ...Im2col: the map's 128 bytes are this device's own. */
#include "device/ptx/runtime/runtime.h"
#include <cuda.h>
#include <string.h>

static CUresult encode(const ptx_tensor_map *map, CUtensorMap *out)
{
    ptx_error error;
    if (ptx_tensor_map_encode(map, out, &error) == PTX_OK)
        return CUDA_SUCCESS;
    rt_say("a tensor map is refused: %s (CUDA_ERROR_INVALID_VALUE)", error.text);
    return CUDA_ERROR_INVALID_VALUE;
}

/* What both kinds have in common; the driver takes one stride less than dimensions. */
static int begin(ptx_tensor_map *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
                 const cuuint64_t *dims, const cuuint64_t *strides, const cuuint32_t *element_strides)
{
    if (rank < 1 || rank > 5 || !dims || !element_strides || (rank > 1 && !strides))
        return 0;
    map->data_type = (int)type;
    map->rank = rank;
    map->address = (ptx_address)(uintptr_t)address;
    for (cuuint32_t i = 0; i < rank; i++) {
        map->dims[i] = dims[i];
        map->element_strides[i] = element_strides[i];
        if (i > 0)
            map->strides[i - 1] = strides[i - 1];
    }
    return 1;
}

static void end(ptx_tensor_map *map, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill)
{
    map->interleave = (int)interleave;
    map->swizzle = (int)swizzle;
    map->l2_promotion = (int)promotion;
    map->oob_nan = fill == CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
}

CUresult cuTensorMapEncodeTiled(CUtensorMap *out, CUtensorMapDataType type, cuuint32_t rank, void *address,
                                const cuuint64_t *dims, const cuuint64_t *strides, const cuuint32_t *box,
                                const cuuint32_t *element_strides, CUtensorMapInterleave interleave,
                                CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                                CUtensorMapFloatOOBfill fill)
{
    ptx_tensor_map map = {.im2col = 0};
    if (!out || !box || !begin(&map, type, rank, address, dims, strides, element_strides))
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(map.box, box, rank * sizeof map.box[0]);
    end(&map, interleave, swizzle, promotion, fill);
    return encode(&map, out);
}

CUresult cuTensorMapEncodeIm2col(CUtensorMap *out, CUtensorMapDataType type, cuuint32_t rank, void *address,
                                 const cuuint64_t *dims, const cuuint64_t *strides, const int *lower,
                                 const int *upper, cuuint32_t channels, cuuint32_t pixels,
                                 const cuuint32_t *element_strides, CUtensorMapInterleave interleave,
                                 CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                                 CUtensorMapFloatOOBfill fill)
{
    ptx_tensor_map map = {.im2col = 1, .channels = channels, .pixels = pixels};
    if (!out || !lower || !upper || rank < 3 ||
        !begin(&map, type, rank, address, dims, strides, element_strides))
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(map.lower, lower, (rank - 2) * sizeof map.lower[0]);
    memcpy(map.upper, upper, (rank - 2) * sizeof map.upper[0]);
    end(&map, interleave, swizzle, promotion, fill);
    return encode(&map, out);
}
