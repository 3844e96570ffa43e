/* Arguments of the op `mha`: scaled dot-product attention, forward. */
#ifndef ASSAY_OPS_MHA_H
#define ASSAY_OPS_MHA_H

#include <assay/module.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mha_args {
    const void *q;        /* [batch, heads, queries, dim], the module's dtype, device memory */
    const void *k, *v;    /* [batch, heads, keys, dim] */
    void *out;            /* [batch, heads, queries, dim]; overlaps no input */
    int64_t batch, heads; /* any size may be 0: no output, or with no keys an output of zeros */
    int64_t queries, keys;
    int64_t dim;             /* v1 takes any, the others up to MHA_MAX_DIM */
    double scale;            /* factor on the scores, resolved: never 0 */
    int32_t causal;          /* 1: query i sees the keys j <= i, counted from the first of each */
    void *workspace;         /* scratch for a variant that keeps scores in memory; 256-byte aligned */
    int64_t workspace_bytes; /* at least mha_workspace_bytes(); a variant that needs none ignores it */
} mha_args;

enum { MHA_MAX_DIM = 256, MHA_WORKSPACE_LIMIT = 256 << 20 };

/* Bytes of workspace for fp32 scores of `rows` query rows: all of them, or as many rows as stay below the limit, but at
 * least one. Only step 1 uses it, a group of rows at a time. */
static inline int64_t mha_workspace_bytes(int64_t rows, int64_t keys)
{
    if (rows == 0 || keys == 0)
        return 0;
    const int64_t row_bytes = keys * 4, fitting = MHA_WORKSPACE_LIMIT / row_bytes;
    return (fitting < 1 ? 1 : fitting < rows ? fitting : rows) * row_bytes;
}

ASSAY_EXPORT assay_status mha_run(const mha_args *args, assay_stream stream);

#ifdef __cplusplus
}
#endif
#endif
