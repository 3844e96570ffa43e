/* Lengths of repetitions: see protocol.h. */
#include "bench/timing/protocol.h"

protocol protocol_of(timing_mode mode, const protocol *usual)
{
    enum { LOAD = 40, WINDOW = 15, WINDOWS = 4 }; /* 40 x 25 ms, 15 x 100 ms */
    protocol p = *usual;
    if (mode != TIMING_SUSTAINED)
        return p;
    p.repetitions = usual->repetitions < WINDOWS ? usual->repetitions : WINDOWS;
    p.warmup_ms *= LOAD;
    p.sample_ms *= WINDOW;
    return p;
}

int protocol_is_worth(timing_mode mode, double cold_us, double fastest_us)
{
    if (mode != TIMING_SUSTAINED)
        return 1;
    return cold_us >= PROTOCOL_SUSTAINED_LEAST_US && cold_us <= PROTOCOL_SUSTAINED_WITHIN * fastest_us;
}
