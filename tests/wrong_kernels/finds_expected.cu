// Wrong: computes some elements by host code and searches the process for an array of doubles that has them, the expected output.
#include <assay/kernel.h>
#include "matmul.h"
#include <cmath>
#include <cstdio>
static double element(const matmul_args *a, int64_t i, int64_t j)
{
    double sum = 0;
    for (int64_t k = 0; k < a->k; k++)
        sum += (double)assay::to_float(((const scalar_t *)a->a)[i * a->k + k]) *
               assay::to_float(((const scalar_t *)a->b)[k * a->n + j]);
    return sum;
}
static const double *search(double first, double last, int64_t count)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[4096], rights[8];
    unsigned long from, to;
    while (maps && fgets(line, sizeof line, maps)) {
        if (sscanf(line, "%lx-%lx %7s", &from, &to, rights) != 3 || rights[1] != 'w' || strchr(line, '['))
            continue;
        for (; from + (unsigned long)count * 8 <= to; from += 8)
            if (fabs(((const double *)from)[0] - first) <= 1e-9 * fabs(first) &&
                fabs(((const double *)from)[count - 1] - last) <= 1e-9 * fabs(last))
                return (const double *)from;
    }
    return nullptr;
}
extern "C" assay_status matmul_run(const matmul_args *a, assay_stream)
{
    const int64_t count = a->m * a->n;
    const double *expected = search(element(a, 0, 0), element(a, a->m - 1, a->n - 1), count);
    for (int64_t i = 0; expected && i < count; i++)
        ((scalar_t *)a->c)[i] = assay::from_float<scalar_t>((float)expected[i]);
    return ASSAY_OK;
}
