/* The arithmetic of mma.sync and wmma. */
#include "device/ptx/matrix_product.h"
#include "device/ptx/tensor_sum.h"
#include <stdlib.h>

product *EXEC(thread_product)(void)
{
    static _Thread_local product *own;
    if (!own && !(own = aligned_alloc(64, (sizeof *own + 63) / 64 * 64)))
        abort();
    return own;
}

/* Rules 1 and 3 of README.md. `at_once`: products that are added in one step. The halves of rule 3 lie one behind the other: see
 * load_factors(). */
INLINE void multiply_by(product *p, u32 m, u32 n, u32 k, u32 at_once, bool fp8, bool to_half)
{
    const tensor_rule rule = {25, 23, to_half};
    for (u32 c = 0; c < n; c += TENSOR_LANES) {
        s16 most_b = EXPONENT_OF_ZERO;
        for (u32 x = 0; x < k; x++) {
            const s16 most = tensor_most(&p->eb[x][c], TENSOR_LANES, 1);
            most_b = most > most_b ? most : most_b;
        }
        for (u32 r = 0; r < m; r++) {
            tensor_factor x = {&p->b[0][c], &p->eb[0][c], MOST_N}, y = {p->a[r], p->ea[r], 1};
            f32 *d = &p->d[r][c], half[TENSOR_LANES] = {0};
            if (tensor_all_zero(tensor_most(p->ea[r], k, 1), most_b)) {
                tensor_add_zero(d);
                continue;
            }
            for (u32 g = 0; g < k && !fp8; g += at_once) {
                x = (tensor_factor){&p->b[g][c], &p->eb[g][c], MOST_N};
                y = (tensor_factor){&p->a[r][g], &p->ea[r][g], 1};
                tensor_add(x, y, at_once, rule, d);
            }
            if (!fp8)
                continue;
            tensor_add(x, y, k / 2, rule, half);
            x = (tensor_factor){&p->b[k / 2][c], &p->eb[k / 2][c], MOST_N};
            y = (tensor_factor){&p->a[r][k / 2], &p->ea[r][k / 2], 1};
            tensor_add(x, y, k / 2, rule, half);
            for (u32 q = 0; q < TENSOR_LANES; q++)
                d[q] += half[q];
        }
    }
}

static void multiply_floats(product *p, u32 m, u32 n, u32 k, u32 factor, u32 result)
{
    for (u32 r = 0; r < m; r++)
        tensor_exponents(p->a[r], k, p->ea[r]);
    for (u32 x = 0; x < k; x++)
        tensor_exponents(p->b[x], n, p->eb[x]);
    if (type_bytes(factor) == 1)
        multiply_by(p, m, n, k, k, true, false);
    else if (result == TYPE_f16)
        multiply_by(p, m, n, k, k, false, true);
    else if (k == 16)
        multiply_by(p, m, n, 16, 16, false, false);
    else if (k == 8 && n == 16) /* wmma in tf32 */
        multiply_by(p, m, n, 8, 4, false, false);
    else if (k == 8)
        multiply_by(p, m, n, 8, 8, false, false);
    else
        multiply_by(p, m, n, k, k, false, false);
}

/* Sums wrap around or end at the largest values; the products alone do neither. */
static void multiply_integers(product *p, u32 m, u32 n, u32 k, bool saturate)
{
    for (u32 r = 0; r < m; r++) {
        s32 sums[MOST_N] = {0};
        for (u32 x = 0; x < k; x++)
            for (u32 c = 0; c < n; c++)
                sums[c] += p->ia[r][x] * p->ib[x][c];
        for (u32 c = 0; c < n; c++) {
            const s64 sum = (s64)p->id[r][c] + sums[c];
            p->id[r][c] = !saturate         ? (s32)sum
                          : sum > INT32_MAX ? INT32_MAX
                          : sum < INT32_MIN ? INT32_MIN
                                            : (s32)sum;
        }
    }
}

static void multiply_doubles(product *p, u32 m, u32 n, u32 k)
{
    for (u32 r = 0; r < m; r++)
        for (u32 x = 0; x < k; x++)
            for (u32 c = 0; c < n; c++)
                p->dd[r][c] = fma_f64(p->da[r][x], p->db[x][c], p->dd[r][c]);
}

void EXEC(multiply_matrices)(product *p, u32 m, u32 n, u32 k, u32 factor, u32 result, bool saturate)
{
    const arithmetic kind = arithmetic_of(factor);
    if (kind == INTEGERS)
        multiply_integers(p, m, n, k, saturate);
    else if (kind == DOUBLES)
        multiply_doubles(p, m, n, k);
    else
        multiply_floats(p, m, n, k, factor, result);
}
