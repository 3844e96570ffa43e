/* The table of what only the owner of the CPU device may do, given away once: see control.h. */
#include "device/cpu/runtime/simt.h"

const simt_control *simt_take_control(void)
{
    static atomic_flag taken = ATOMIC_FLAG_INIT;
    static const simt_control control = {
        .set_options = simt_set_options,
        .take_error = simt_take_error,
        .take_order_shown = simt_take_order_shown,
        .open_stream = simt_stream_open_own,
        .close_stream = simt_stream_close_own,
        .finish_stream = simt_stream_finish,
        .watch_launches = simt_watch_launches,
        .finish_all = simt_stream_finish_all,
    };
    return atomic_flag_test_and_set(&taken) ? NULL : &control;
}
