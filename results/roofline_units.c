/* See roofline_units.h. */
#include "results/roofline_units.h"
#include <string.h>

static int is_product(const opspec *spec)
{
    return strcmp(spec->family, "matrix") == 0 || strcmp(spec->family, "attention") == 0 ||
           strcmp(spec->family, "convolution") == 0;
}

int roofline_units(const opspec *spec, assay_dtype dtype, int tf32, roofline_unit units[ROOFLINE_MOST_UNITS])
{
    int count = 0;
    units[count++] = (roofline_unit){"fma_f32", 1, "fma_f32"};
    if (!is_product(spec))
        return count;
    if (dtype == ASSAY_F16)
        units[count++] = (roofline_unit){"tensor_f16", 1, "tensor_f16"};
    else if (dtype == ASSAY_BF16)
        units[count++] = (roofline_unit){"tensor_bf16", 1, "tensor_bf16"};
    else if (tf32)
        units[count++] = (roofline_unit){"tensor_tf32", 1, "tensor_tf32"};
    else {
        units[count++] = (roofline_unit){"tensor_tf32", 3, "tensor_tf32 / 3"};
        units[count++] = (roofline_unit){"tensor_bf16", 6, "tensor_bf16 / 6"};
        units[count++] =
            (roofline_unit){"tensor_f16", 3, "tensor_f16 / 3"}; /* two halves of 11 bits, scaled */
    }
    return count;
}
