/* An op of the user's own, from a plain C reference and what its comments or a JSON file say of it (docs/outside.md):
 *
 *     // assay: A[M,K] B[K,N] C[M,N]
 *     // assay: small M=64 N=64 K=64
 *     void solve(const float *A, const float *B, float *C, int M, int N, int K) { ... }
 *
 * It becomes op.json, header and reference of an op in a workspace of its own, so that kernels of it are judged, timed and improved by
 * the same calls as those of the tree. The reference's `float` is compiled as double: the expected output is better than what it judges. */
#ifndef ASSAY_OUTSIDE_GIVEN_OP_H
#define ASSAY_OUTSIDE_GIVEN_OP_H

#include "core/workspace.h"

typedef struct given_op_request {
    const char *reference; /* the .c file; its stem is the op's name */
    const char *about;     /* a JSON file with shapes and sizes; NULL: the reference's comments */
    const char *kernel;    /* the .cu file to begin with; it becomes the op's variant v0_given */
    const char *folder;    /* where the workspace is made, or made again */
} given_op_request;

/* 1 if a word for an op is the name of a C file. */
int given_op_is_file(const char *word);

/* Make the op and open its workspace, whose one op it is; `base` gives toolchain and programs and may be closed then. Close *out with
 * workspace_close(). ASSAY_ERR_INVALID: what is wrong with the file, with its line; ASSAY_ERR_ENVIRONMENT: there is no C compiler. */
assay_status given_op_open(const workspace *base, const given_op_request *request, workspace **out,
                           assay_error *error);

#endif
