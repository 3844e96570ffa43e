/* A matrix product of a warp, whose factors and sum the handlers of mma and wmma fill in and read out. */
#ifndef ASSAY_DEVICE_PTX_MATRIX_PRODUCT_H
#define ASSAY_DEVICE_PTX_MATRIX_PRODUCT_H

#include "device/ptx/lanes.h"

enum { MOST_M = 32, MOST_N = 32, MOST_K = 64 };

/* The factors and the sum, of floats with exponents, of integers or of doubles. */
typedef struct product {
    f32 a[MOST_M][MOST_K], b[MOST_K][MOST_N], d[MOST_M][MOST_N];
    s16 ea[MOST_M][MOST_K], eb[MOST_K][MOST_N];
    s32 ia[MOST_M][MOST_K], ib[MOST_K][MOST_N], id[MOST_M][MOST_N];
    f64 da[MOST_M][MOST_K], db[MOST_K][MOST_N], dd[MOST_M][MOST_N];
} product;

typedef enum arithmetic { FLOATS, INTEGERS, DOUBLES } arithmetic;

INLINE arithmetic arithmetic_of(u32 a)
{
    return a == TYPE_f64                                                  ? DOUBLES
           : a == TYPE_s8 || a == TYPE_u8 || a == TYPE_s4 || a == TYPE_u4 ? INTEGERS
                                                                          : FLOATS;
}

/* The thread's own product, as long as the thread lives. */
product *EXEC(thread_product)(void);
/* d += a * b of m x k and k x n elements, as tensor cores do it for factors of the type `factor` and results of the type `result`.
 * `saturate`: sums of integers end at the largest values instead of wrapping around. */
void EXEC(multiply_matrices)(product *p, u32 m, u32 n, u32 k, u32 factor, u32 result, bool saturate);

#endif
