// Operands that may lie transposed, for the steps that read element by element or by vectors. Which of them do is
// known when a kernel is compiled, so that plain operands cost nothing.
#ifndef ASSAY_OPS_MATMUL_STRIDED_CUH
#define ASSAY_OPS_MATMUL_STRIDED_CUH

#include <assay/kernel.h>

// Where the element at `row` and `column` of a matrix lies, whose rows as it lies are `stride` elements apart.
template <bool TRANSPOSED>
__device__ __forceinline__ int64_t element_at(int64_t row, int64_t column, int64_t stride)
{
    return TRANSPOSED ? column * stride + row : row * stride + column;
}

// out[c] = the element at (row, column + c), V of them.
template <bool TRANSPOSED, int V>
__device__ __forceinline__ assay::vec<scalar_t, V> load_row(const scalar_t *matrix, int64_t row,
                                                            int64_t column, int64_t stride)
{
    if constexpr (!TRANSPOSED)
        return assay::load_vec<V>(matrix + element_at<false>(row, column, stride));
    assay::vec<scalar_t, V> out;
#pragma unroll
    for (int l = 0; l < V; l++)
        out[l] = matrix[element_at<TRANSPOSED>(row, column + l, stride)];
    return out;
}

// Call `launch` with the two flags as constants: launch(transposed<A>{}, transposed<B>{}).
template <bool value>
struct transposed {
    static constexpr bool VALUE = value;
};

template <class Launch>
static assay_status with_transpositions(int transpose_a, int transpose_b, const Launch &launch)
{
    if (transpose_a)
        return transpose_b ? launch(transposed<true>{}, transposed<true>{})
                           : launch(transposed<true>{}, transposed<false>{});
    return transpose_b ? launch(transposed<false>{}, transposed<true>{})
                       : launch(transposed<false>{}, transposed<false>{});
}

#endif
