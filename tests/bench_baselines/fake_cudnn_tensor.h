/* Tensors of the stand-in for cuDNN: reading and writing elements on host memory, in any type and layout; and the descriptors that they come from. */
#ifndef ASSAY_TESTS_FAKE_CUDNN_TENSOR_H
#define ASSAY_TESTS_FAKE_CUDNN_TENSOR_H

#include "bench/baselines/cudnn_api.h"
#include <assay/dtype.h>
#include <math.h>
#include <stdlib.h>

enum { MOST_ATTRIBUTES = 16, MOST_TENSORS = 64, ENGINES = 4, FAILED = 5000, BAD = 2000 };

typedef struct attribute {
    int name, type;
    int64_t count;
    void *values;
} attribute;

typedef struct descriptor {
    int type, count;
    attribute attributes[MOST_ATTRIBUTES];
    int64_t engine;           /* ENGINE, ENGINECFG */
    struct descriptor *graph; /* ENGINECFG */
    double *values;           /* TENSOR that is virtual: what was computed */
} descriptor;

/* Milliseconds, the test's own; and handles and descriptors not destroyed yet. */
extern float *fake_cudnn_clock;
extern int fake_cudnn_live;

static inline const void *find(const descriptor *d, int name)
{
    for (int i = 0; i < d->count; i++)
        if (d->attributes[i].name == name)
            return d->attributes[i].values;
    return NULL;
}

static inline int get_int(const descriptor *d, int name, int otherwise)
{
    const int *value = find(d, name);
    return value ? *value : otherwise;
}

static inline descriptor *get_descriptor(const descriptor *d, int name)
{
    descriptor *const *value = find(d, name);
    return value ? *value : NULL;
}

typedef struct tensor {
    descriptor *d;
    const int64_t *dim, *stride;
    int data_type;
    void *memory; /* NULL: d->values, packed */
} tensor;

/* A dimension of 1 is repeated, as everywhere in cuDNN. */
static inline int64_t offset(const tensor *t, const int64_t at[4])
{
    int64_t where = 0;
    const int64_t packed[4] = {t->dim[1] * t->dim[2] * t->dim[3], t->dim[2] * t->dim[3], t->dim[3], 1};
    for (int i = 0; i < 4; i++)
        where += (t->dim[i] == 1 ? 0 : at[i]) * (t->memory ? t->stride[i] : packed[i]);
    return where;
}

static inline double load(const tensor *t, const int64_t at[4])
{
    const int64_t i = offset(t, at);
    if (!t->memory)
        return t->d->values[i];
    return t->data_type == CUDNN_HALF       ? assay_f16_to_float(((uint16_t *)t->memory)[i])
           : t->data_type == CUDNN_BFLOAT16 ? assay_bf16_to_float(((uint16_t *)t->memory)[i])
           : t->data_type == CUDNN_INT32    ? ((int32_t *)t->memory)[i]
                                            : ((float *)t->memory)[i];
}

static inline void store(const tensor *t, const int64_t at[4], double value)
{
    const int64_t i = offset(t, at);
    if (!t->memory)
        t->d->values[i] = value;
    else if (t->data_type == CUDNN_HALF)
        ((uint16_t *)t->memory)[i] = assay_float_to_f16((float)value);
    else if (t->data_type == CUDNN_BFLOAT16)
        ((uint16_t *)t->memory)[i] = assay_float_to_bf16((float)value);
    else
        ((float *)t->memory)[i] = (float)value;
}

#define FOR_EACH(at, t)                                   \
    for (at[0] = 0; at[0] < (t)->dim[0]; at[0]++)         \
        for (at[1] = 0; at[1] < (t)->dim[1]; at[1]++)     \
            for (at[2] = 0; at[2] < (t)->dim[2]; at[2]++) \
                for (at[3] = 0; at[3] < (t)->dim[3]; at[3]++)

static inline double convolve(const tensor *x, const tensor *w, const int64_t at[4], const int64_t *stride,
                              const int64_t *padding, const int64_t *dilation, int64_t group)
{
    double sum = 0.0;
    for (int64_t c = 0; c < w->dim[1]; c++)
        for (int64_t r = 0; r < w->dim[2]; r++)
            for (int64_t s = 0; s < w->dim[3]; s++) {
                const int64_t h = at[2] * stride[0] - padding[0] + r * dilation[0];
                const int64_t v = at[3] * stride[1] - padding[1] + s * dilation[1];
                const int64_t from[4] = {at[0], group * w->dim[1] + c, h, v}, tap[4] = {at[1], c, r, s};
                if (h >= 0 && h < x->dim[2] && v >= 0 && v < x->dim[3])
                    sum += load(x, from) * load(w, tap);
            }
    return sum;
}

#endif
