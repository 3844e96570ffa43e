/* Tensor maps of <assay/hopper.h> on CUDA: the host describes a tensor, and TMA copies boxes of it. */
#ifndef ASSAY_HOPPER_TENSOR_MAP_CUDA_H
#define ASSAY_HOPPER_TENSOR_MAP_CUDA_H

#include <assay/kernel.h>
#include <cuda.h> /* for CUtensorMap and its enumerations; no function of the driver library is linked */

namespace assay
{

/* How TMA sees a matrix. Pass it to the kernel by value as `const __grid_constant__ assay::tensor_map`. */
using tensor_map = CUtensorMap;

namespace detail
{
using encode_tiled_fn = CUresult (*)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *,
                                     const cuuint64_t *, const cuuint64_t *, const cuuint32_t *,
                                     const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                                     CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

inline encode_tiled_fn encode_tiled()
{
    static const encode_tiled_fn found = [] {
        void *function = nullptr;
        cudaDriverEntryPointQueryResult result;
        if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault,
                                             &result) != cudaSuccess)
            (void)cudaGetLastError();
        return reinterpret_cast<encode_tiled_fn>(function);
    }();
    return found;
}

template <class T>
struct tensor_element;
template <>
struct tensor_element<float> {
    static constexpr CUtensorMapDataType TYPE = CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
};
template <>
struct tensor_element<double> {
    static constexpr CUtensorMapDataType TYPE = CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
};
template <>
struct tensor_element<__half> {
    static constexpr CUtensorMapDataType TYPE = CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
};
template <>
struct tensor_element<__nv_bfloat16> {
    static constexpr CUtensorMapDataType TYPE = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
};
} // namespace detail

/* tensor_map_nd, below, of which a box takes only every `every[i]`-th element along dimension i, 1 to 8, from its first on; `box` counts what
 * it spans, those in between included. every[0] must be 1. */
template <class T, int Rank>
inline assay_status tensor_map_strided(tensor_map *map, const T *base, const int64_t (&extents)[Rank],
                                       const int64_t (&strides)[Rank - 1], const int (&box)[Rank],
                                       const int (&every)[Rank], bool swizzled)
{
    cuuint64_t sizes[Rank], steps[Rank - 1];
    cuuint32_t copied[Rank], taken[Rank];
    for (int i = 0; i < Rank; i++) {
        sizes[i] = static_cast<cuuint64_t>(extents[i]);
        copied[i] = static_cast<cuuint32_t>(box[i]);
        taken[i] = static_cast<cuuint32_t>(every[i]);
        if (i > 0)
            steps[i - 1] = static_cast<cuuint64_t>(strides[i - 1]) * sizeof(T);
    }
    const size_t width = static_cast<size_t>(box[0]) * sizeof(T);
    const CUtensorMapSwizzle swizzle = !swizzled      ? CU_TENSOR_MAP_SWIZZLE_NONE
                                       : width == 128 ? CU_TENSOR_MAP_SWIZZLE_128B
                                       : width == 64  ? CU_TENSOR_MAP_SWIZZLE_64B
                                                      : CU_TENSOR_MAP_SWIZZLE_32B;
    if (detail::encode_tiled() == nullptr)
        return ASSAY_ERR_DEVICE;
    return detail::encode_tiled()(map, detail::tensor_element<T>::TYPE, Rank, const_cast<T *>(base), sizes,
                                  steps, copied, taken, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                                  CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS
               ? ASSAY_OK
               : ASSAY_ERR_INVALID;
}

/* Describe a tensor of Rank (2 to 5) dimensions, the innermost first and contiguous: `extents` in elements, `strides` those of the
 * outer dimensions in elements, `box` what one copy moves, up to 256 elements a dimension. It lies in shared memory as such a
 * tensor too, without gaps. `swizzled`: the box's innermost rows have 32, 64 or 128 bytes and are swizzled over that width (16-byte
 * chunk c of row r at chunk c ^ r % 8 for 128 bytes); otherwise any multiple of 16. Loads fill what lies outside the extents with
 * zeros, stores leave it out. ASSAY_ERR_INVALID: `base` or a stride is not aligned to 16 bytes, or an extent is out of range. */
template <class T, int Rank>
inline assay_status tensor_map_nd(tensor_map *map, const T *base, const int64_t (&extents)[Rank],
                                  const int64_t (&strides)[Rank - 1], const int (&box)[Rank], bool swizzled)
{
    int every[Rank];
    for (int &step : every)
        step = 1;
    return tensor_map_strided<T, Rank>(map, base, extents, strides, box, every, swizzled);
}

/* A row-major matrix of `rows` x `columns` elements whose rows are `row_stride` elements apart, in boxes of box_rows x box_columns,
 * swizzled where a box row has 32, 64 or 128 bytes. */
template <class T>
inline assay_status tensor_map_2d(tensor_map *map, const T *base, int64_t rows, int64_t columns,
                                  int64_t row_stride, int box_rows, int box_columns)
{
    return tensor_map_nd<T, 2>(map, base, {columns, rows}, {row_stride}, {box_columns, box_rows},
                               box_columns * sizeof(T) > 16 && 128 % (box_columns * sizeof(T)) == 0);
}

} // namespace assay

#endif
