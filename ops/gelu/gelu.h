/* Arguments of the op `gelu`: out = x * Phi(x), elementwise over `count` elements, Phi being the normal
 * distribution function.
 *
 * exact: Phi(x) = (1 + erf(x / sqrt(2))) / 2; otherwise the tanh form, Phi(x) ~ (1 + tanh(sqrt(2 / pi) (x
 * + 0.044715 x^3))) / 2. Special values are torch's: NaN for NaN and -infinity, +infinity for +infinity,
 * zeros keep their sign. */
#ifndef ASSAY_OPS_GELU_H
#define ASSAY_OPS_GELU_H

#include <assay/module.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gelu_args {
    const void *x; /* [count], the module's dtype, device memory */
    void *out;     /* [count]; does not overlap x */
    int64_t count; /* 0 is allowed: nothing is launched */
    int32_t exact; /* 1: erf, 0: tanh form */
} gelu_args;

ASSAY_EXPORT assay_status gelu_run(const gelu_args *args, assay_stream stream);

#ifdef __cplusplus
}
#endif
#endif
