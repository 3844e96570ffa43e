/* Uses fake_cudnn.c, whose path is FAKE_CUDNN, in place of cuDNN. Include after the baseline's file and fake_cuda.h. */
#ifndef ASSAY_TESTS_FAKE_CUDNN_H
#define ASSAY_TESTS_FAKE_CUDNN_H

#include "tests/unit.h"

static int *fake_cudnn_live;
static float *fake_cudnn_algorithm_ms;
static int *fake_cudnn_no_bias_plan;

static int use_fake_cudnn(void **state)
{
    setenv("ASSAY_CUDNN", FAKE_CUDNN, 1);
    if (cudnn_load() != ASSAY_OK)
        return -1;
    float **clock = dlsym(cudnn_found.library, "fake_cudnn_clock");
    fake_cudnn_live = dlsym(cudnn_found.library, "fake_cudnn_live");
    fake_cudnn_algorithm_ms = dlsym(cudnn_found.library, "fake_cudnn_algorithm_ms");
    fake_cudnn_no_bias_plan = dlsym(cudnn_found.library, "fake_cudnn_no_bias_plan");
    if (!clock || !fake_cudnn_no_bias_plan || !fake_cudnn_live || !fake_cudnn_algorithm_ms)
        return -1;
    *clock = &fake.clock_ms;
    return 0;
}

/* As if no baseline had looked for cuDNN yet. */
static inline void forget_cudnn(void)
{
    cudnn_found.library = NULL;
}

#endif
