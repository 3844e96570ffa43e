/* Arguments of the op `add`: out = x + alpha * y, elementwise over `count` elements. */
#ifndef ASSAY_OPS_ADD_H
#define ASSAY_OPS_ADD_H

#include <assay/module.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct add_args {
    const void *x; /* [count], the module's dtype, device memory */
    const void *y; /* [count] */
    void *out;     /* [count]; does not overlap x or y */
    int64_t count; /* 0 is allowed: nothing is launched */
    double alpha;
} add_args;

ASSAY_EXPORT assay_status add_run(const add_args *args, assay_stream stream);

#ifdef __cplusplus
}
#endif
#endif
