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
    const void *k, *v;    /* [batch, heads / group, keys + key_padding, dim] */
    void *out;            /* [batch, heads, queries, dim]; overlaps no input */
    int64_t batch, heads; /* any size may be 0: no output, or with no keys an output of zeros */
    int64_t group;        /* divides heads: head h reads head h / group of k and v */
    int64_t queries, keys;
    int64_t dim;          /* v1 takes any, the others up to MHA_MAX_DIM */
    double scale;         /* factor on the scores, resolved: never 0 */
    int32_t causal;       /* 1: query i sees the keys j <= i + causal_shift; a row that sees none is zeros */
    int64_t causal_shift; /* 0, or keys - queries, with which the last query sees the last key */
    void *workspace;      /* scratch of steps 1 and 4, 256-byte aligned */
    int64_t workspace_bytes; /* at least mha_workspace_bytes() for step 1, mha_split_bytes() for step 4 */
    int64_t key_padding;     /* rows behind the keys of each head of k and v, which take no part */
} mha_args;

enum { MHA_MAX_DIM = 256, MHA_WORKSPACE_LIMIT = 256 << 20, MHA_SPLIT_DIM = 256 };
#define MHA_SPLIT_LIMIT ((int64_t)4 << 30)

/* Bytes of workspace for fp32 scores of `rows` query rows: all of them, or as many rows as stay below the
 * limit, but at least one. Only step 1 uses it, a group of rows at a time. */
static inline int64_t mha_workspace_bytes(int64_t rows, int64_t keys)
{
    if (rows == 0 || keys == 0)
        return 0;
    const int64_t row_bytes = keys * 4, fitting = MHA_WORKSPACE_LIMIT / row_bytes;
    return (fitting < 1 ? 1 : fitting < rows ? fitting : rows) * row_bytes;
}

/* Elements of a row of a split operand: dim, padded to 16 bytes of binary16. */
static inline int64_t mha_padded_dim(int64_t dim)
{
    return (dim + 7) / 8 * 8;
}

/* Bytes of both binary16 parts of all keys or of all values, a multiple of 256. */
static inline int64_t mha_part_bytes(int64_t heads, int64_t keys, int64_t dim)
{
    return (2 * 2 * heads * keys * mha_padded_dim(dim) + 255) / 256 * 256;
}

/* Bytes of workspace for step 4 in f32: k and v of `heads` key heads split, and two factors for every 64 keys
 * at most. 0 where rows are too long to be split or MHA_SPLIT_LIMIT is exceeded: step 4 then does without, as
 * where it is given less. */
static inline int64_t mha_split_bytes(int64_t heads, int64_t keys, int64_t dim)
{
    const int64_t row_bytes = 2 * 4 * mha_padded_dim(dim) + 8;
    if (dim > MHA_SPLIT_DIM || keys > MHA_SPLIT_LIMIT || heads > MHA_SPLIT_LIMIT / (row_bytes * (keys + 1)))
        return 0;
    return 2 * mha_part_bytes(heads, keys, dim) + 8 * heads * ((keys + 63) / 64);
}

ASSAY_EXPORT assay_status mha_run(const mha_args *args, assay_stream stream);

#ifdef __cplusplus
}
#endif
#endif
