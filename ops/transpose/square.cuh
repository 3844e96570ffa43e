// A square of LANES x LANES elements in a thread's registers, as 16-byte rows, and the exchange of its rows
// and columns.
//
// Rows are kept as four 32-bit words each: two 2-byte elements then move by one byte permutation. Load and
// store them by __ldg and __stwb, which are one instruction of 16 bytes; plain assignments of vectors whose
// words come from different places are split by the compiler into stores of 4 or 8 bytes.
#ifndef ASSAY_OPS_TRANSPOSE_SQUARE_CUH
#define ASSAY_OPS_TRANSPOSE_SQUARE_CUH

#include <assay/kernel.h>

constexpr int LANES = assay::vec16<scalar_t>::size; // 4, or 8 of a 2-byte type

struct square {
    uint32_t word[LANES][4];

    __device__ __forceinline__ void set_row(int i, const uint4 &row)
    {
        word[i][0] = row.x, word[i][1] = row.y, word[i][2] = row.z, word[i][3] = row.w;
    }
    __device__ __forceinline__ uint4 column(int j) const
    {
        return {column_word(j, 0), column_word(j, 1), column_word(j, 2), column_word(j, 3)};
    }

  private:
    __device__ __forceinline__ uint32_t column_word(int j, int w) const
    {
#if ASSAY_DTYPE_F32
        return word[w][j];
#else
        return __byte_perm(word[2 * w][j / 2], word[2 * w + 1][j / 2], j % 2 == 0 ? 0x5410 : 0x7632);
#endif
    }
};

#endif
