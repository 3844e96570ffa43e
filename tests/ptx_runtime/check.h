/* For the programs of this folder: a call that must succeed, one that must fail with a given error, and a condition. */
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define WANT(condition)                                                    \
    do {                                                                   \
        if (!(condition)) {                                                \
            printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            exit(9);                                                       \
        }                                                                  \
    } while (0)

#define WANT_ERROR(call, error)                                                                          \
    do {                                                                                                 \
        const cudaError_t got_ = (call);                                                                 \
        if (got_ != (error)) {                                                                           \
            printf("%s:%d: %s returned %s, not %s\n", __FILE__, __LINE__, #call, cudaGetErrorName(got_), \
                   #error);                                                                              \
            exit(9);                                                                                     \
        }                                                                                                \
    } while (0)

#define OK(call) WANT_ERROR(call, cudaSuccess)
