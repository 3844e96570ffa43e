/* What only the owner of the CPU device may do: set the order of threads, hold streams, take errors. A kernel runs in the same process and
 * must not, so these functions have no symbols. Their table is given once in a process, to the device backend, which asks before any
 * kernel is loaded. */
#ifndef ASSAY_SIMT_CONTROL_H
#define ASSAY_SIMT_CONTROL_H

#include <assay_simt/runtime.h>

enum { ASSAY_SIMT_FORWARD = 0, ASSAY_SIMT_REVERSED = 1, ASSAY_SIMT_RANDOM = 2 };

typedef struct assay_simt_options {
    int workers; /* host threads; 0: all cores */
    int order; /* the order in which a block's threads, the blocks, and streams without an order among them run */
    uint64_t seed;     /* of the random order */
    int poison_shared; /* fill shared memory with 0xFF bytes (NaN patterns) before every block */
} assay_simt_options;

typedef struct simt_control {
    /* Not while a launch runs. Defaults: all cores, forward, no poison. */
    void (*set_options)(const assay_simt_options *options);
    /* Copy the first launch error since the last call into `message` and return its status; ASSAY_OK and "" if there is none. */
    assay_status (*take_error)(char *message, size_t message_bytes);
    /* 1 if kernels since the last call used atomics whose results show the order of threads: sums of floats, exchanges, tickets. */
    int (*take_order_shown)(void);
    /* A stream whose work is complete on return as long as the process has no other; NULL: out of memory. */
    assay_stream (*open_stream)(void);
    void (*close_stream)(assay_stream stream);
    void (*finish_stream)(assay_stream stream); /* run what is queued on it, and what that waits for */
    /* Tell `launched` of every launch from now on, before it runs, on the thread that runs it; NULL: nobody. */
    void (*watch_launches)(void (*launched)(void *context, const assay_simt_launch_config *config),
                           void *context);
    void (*finish_all)(void); /* the same for all streams, in an order that no event rules out */
} simt_control;

ASSAY_EXPORT const simt_control *simt_take_control(void); /* NULL from the second call on */

#endif
