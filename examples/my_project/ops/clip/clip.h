/* Arguments of the op `clip`: out = min(max(x, low), high), elementwise over `count` elements. */
#ifndef MY_PROJECT_CLIP_H
#define MY_PROJECT_CLIP_H

#include <assay/module.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct clip_args {
    const void *x; /* [count], the module's dtype, device memory */
    void *out;     /* [count]; does not overlap x */
    int64_t count; /* 0 is allowed: nothing is launched */
    double low, high;
} clip_args;

ASSAY_EXPORT assay_status clip_run(const clip_args *args, assay_stream stream);

#ifdef __cplusplus
}
#endif
#endif
