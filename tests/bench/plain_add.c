/* Modules of the op `add` for testing the harness: plain host code behind the module interface, so that their
 * time and their faults are exactly known. Compiled several times: BEHAVIOUR_SPIN   right, and every call
 * takes SPIN_US BEHAVIOUR_CRASH  right for the first CRASH_AFTER calls, then a segmentation fault
 *   BEHAVIOUR_DRIFT  right for the first DRIFT_AFTER calls, then one element is wrong
 *   BEHAVIOUR_TRUST  right, but does nothing where the first element of the output is right already
 *   BEHAVIOUR_ERROR  every call returns an error */
#include "add.h"
#include <assay/dtype.h>
#include <time.h>

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static void add(const add_args *args)
{
    const float *x = args->x, *y = args->y;
    float *out = args->out;
    for (int64_t i = 0; i < args->count; i++)
        out[i] = x[i] + (float)args->alpha * y[i];
}

ASSAY_EXPORT assay_status add_run(const add_args *args, assay_stream stream)
{
    static int calls;
    const double start = now_us();
    (void)stream;
    calls++;
#if defined(BEHAVIOUR_ERROR)
    (void)start;
    (void)add;
    return args ? ASSAY_ERR_DEVICE : ASSAY_ERR_INVALID;
#else
#if defined(BEHAVIOUR_TRUST)
    (void)start;
    if (args->count > 0 &&
        *(float *)args->out == *(const float *)args->x + (float)args->alpha * *(const float *)args->y)
        return ASSAY_OK;
#endif
    add(args);
#if defined(BEHAVIOUR_SPIN)
    while (now_us() - start < SPIN_US)
        ;
#elif defined(BEHAVIOUR_CRASH)
    (void)start;
    if (calls > CRASH_AFTER)
        *(volatile int *)16 = 1;
#elif defined(BEHAVIOUR_DRIFT)
    (void)start;
    if (calls > DRIFT_AFTER)
        ((float *)args->out)[args->count / 2] += 1.0f;
#endif
    return ASSAY_OK;
#endif
}
