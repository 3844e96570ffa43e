// transpose, step 4, of few elements that vectors do not fit: an element a thread, without a tile.
//
// A problem that is done within a microsecond of its launch pays for each instruction before its loads and
// for a barrier. A thread loads one element and stores it; one division finds where. Neighbouring threads
// follow the flat side, so both sides are accessed in runs where the matrix is thin.
#ifndef ASSAY_OPS_TRANSPOSE_V4_FEW_CUH
#define ASSAY_OPS_TRANSPOSE_V4_FEW_CUH

#include "division.cuh"

constexpr int FEW_THREADS = 128;
constexpr int64_t FEW = 1 << 14; // elements, of any matrix

// Elements of a thin matrix. Loads and stores of 2 bytes take as long as those of 4 and move half as much.
constexpr int64_t FEW_THIN = sizeof(scalar_t) == 4 ? 3 << 17 : 1 << 17;

// A matrix of `lines.by` long lines on one side, flat on the other, as in thin.cuh. FROM_LINES: x has the
// lines.
template <bool FROM_LINES>
static __global__ void __launch_bounds__(FEW_THREADS)
    transpose_few(const scalar_t *__restrict__ x, scalar_t *__restrict__ out, division lines, int length,
                  int count)
{
    const int flat = (int)blockIdx.x * FEW_THREADS + (int)threadIdx.x;
    if (flat >= count)
        return;
    const int l = lines(flat), in_lines = (flat - l * (int)lines.by) * length + l;
    out[FROM_LINES ? flat : in_lines] = x[FROM_LINES ? in_lines : flat];
}

// At most FEW_THIN elements: the lesser side is below 2^10, so division is exact.
static inline assay_status launch_few(const scalar_t *x, scalar_t *out, int64_t rows, int64_t columns,
                                      assay_stream stream)
{
    const bool from_lines = rows <= columns;
    const int lines = (int)(from_lines ? rows : columns), length = (int)(from_lines ? columns : rows);
    const int count = lines * length;
    return assay::launch(from_lines ? transpose_few<true> : transpose_few<false>,
                         dim3((unsigned)((count + FEW_THREADS - 1) / FEW_THREADS)), dim3(FEW_THREADS), 0,
                         stream, x, out, division_by(lines), length, count);
}

#endif
