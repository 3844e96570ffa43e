// add, for the tests of the tuner: one tunable that decides the time, and values that fail in each way.
// Tunables: WORK (turns of a loop that computes nothing of use; fewer are faster), FAULT (0 none, 1 does not
// compile, 2 wrong, 3 crashes, 4 wrong only where the number of elements is odd, 5 hangs, 6 a race that no result
// shows).
#include <assay/kernel.h>
#include "add.h"
#include "extra.h"

#ifndef WORK
#define WORK 4
#endif
#ifndef FAULT
#define FAULT 0
#endif
#if FAULT == 1
#error this value does not compile
#endif

static __global__ void add_v5(const scalar_t *__restrict__ x, const scalar_t *__restrict__ y,
                              scalar_t *__restrict__ out, int64_t count, float alpha)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (FAULT == 3 && i == 0)
        *(volatile int *)8 = 1;
    for (volatile int spin = 1; FAULT == 5 && spin;)
        ;
    for (volatile int turn = 0; turn < 50 * WORK; turn = turn + 1)
        ;
    __shared__ float staged[256];
    if (FAULT == 6) { // the neighbour's value is read without a barrier, and thrown away
        staged[threadIdx.x] = 1.0f;
        if (staged[threadIdx.x ^ 32] > 2.0f)
            return;
    }
    if (i < count) {
        const float sum = assay::to_float(x[i]) + alpha * assay::to_float(y[i]);
        const int is_last = i == count - 1;
        out[i] = assay::from_float<scalar_t>((FAULT == 2 || (FAULT == 4 && is_last && count % 2)) ? sum + 1.0f
                                                                                                  : sum);
    }
}

extern "C" assay_status add_run(const add_args *args, assay_stream stream)
{
    if (args->count == 0)
        return ASSAY_OK;
    const int threads = 256;
    const int64_t blocks = (args->count + threads - 1) / threads;
    return assay::launch(add_v5, dim3((unsigned)blocks), dim3(threads), 0, stream,
                         static_cast<const scalar_t *>(args->x), static_cast<const scalar_t *>(args->y),
                         static_cast<scalar_t *>(args->out), args->count, static_cast<float>(args->alpha));
}
