// A product with one thread an element, for kernels that are wrong in one place: TERMS(m, n, k) says how many terms count, ADD(sum, x, y)
// how one is added, STORE(sum) what of the sum is stored and LEFT(row, column) which elements are left.
#include <assay/kernel.h>
#include "matmul.h"

#ifndef TERMS
#define TERMS(m, n, k) (k)
#endif
#ifndef ADD
#define ADD(sum, x, y) sum += (x) * (y)
#endif
#ifndef STORE
#define STORE(sum) (sum)
#endif
#ifndef LEFT
#define LEFT(row, column) false
#endif

static __global__ void matmul_kernel(const scalar_t *a, const scalar_t *b, scalar_t *c, int64_t m, int64_t n,
                                     int64_t k)
{
    const int64_t row = (int64_t)blockIdx.x * 16 + threadIdx.y,
                  column = (int64_t)blockIdx.y * 16 + threadIdx.x;
    if (row >= m || column >= n || LEFT(row, column))
        return;
    float sum = 0.0f;
    for (int64_t i = 0; i < TERMS(m, n, k); i++) {
        const float x = assay::to_float(a[row * k + i]), y = assay::to_float(b[i * n + column]);
        ADD(sum, x, y);
    }
    c[row * n + column] = assay::from_float<scalar_t>(STORE(sum));
}

extern "C" assay_status matmul_run(const matmul_args *args, assay_stream stream)
{
    if (args->m == 0 || args->n == 0)
        return ASSAY_OK;
    return assay::launch(
        matmul_kernel, dim3((unsigned)((args->m + 15) / 16), (unsigned)((args->n + 15) / 16)), dim3(16, 16),
        0, stream, static_cast<const scalar_t *>(args->a), static_cast<const scalar_t *>(args->b),
        static_cast<scalar_t *>(args->c), args->m, args->n, args->k);
}
