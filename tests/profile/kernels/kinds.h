// What the test kernels share: a kind is a kernel built to have one bottleneck, under a name that tests/profile/expected.txt lists.
// CUDA's runtime only. kinds_main.cu runs them by name.
#ifndef ASSAY_TESTS_PROFILE_KINDS_H
#define ASSAY_TESTS_PROFILE_KINDS_H

#include <cstddef>
#include <cuda_runtime.h>

// One buffer for all kinds. Each launch gets all of it and what it needs of the card.
struct kind_run {
    float *in, *out; // device memory, `count` floats each; `in` holds small random numbers
    size_t count;
    int sms;
};

struct kind {
    const char *name;
    void (*launch)(const kind_run &run);
    kind *next;
};

extern kind *first_kind;

struct kind_registration {
    kind entry;
    kind_registration(const char *name, void (*launch)(const kind_run &run)) : entry{name, launch, first_kind}
    {
        first_kind = &entry;
    }
};

// KIND(copy_contiguous) { kernel<<<...>>>(run.in, run.out); }
#define KIND(name)                                              \
    static void launch_##name(const kind_run &run);             \
    static kind_registration name##_kind(#name, launch_##name); \
    static void launch_##name(const kind_run &run)

// A value that the compiler must have in a register here, and may not know.
__device__ __forceinline__ void keep(float &value)
{
    asm volatile("" : "+f"(value));
}

#endif
