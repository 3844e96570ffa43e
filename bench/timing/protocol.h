/* How long a timing mode warms up and samples, and for whom it is measured unless a user names it. */
#ifndef ASSAY_BENCH_PROTOCOL_H
#define ASSAY_BENCH_PROTOCOL_H

#include "results/timing_mode.h"

/* Of one candidate: `repetitions` times `warmup_ms` of load and `sample_ms` of samples. */
typedef struct protocol {
    int repetitions;
    double warmup_ms, sample_ms;
} protocol;

/* What a mode makes of the usual protocol (10 times 25 ms and 100 ms). `sustained` is a steady state: 4 times 1 s of load and 1.5 s of
 * samples, in proportion where the usual protocol is shorter. A power controller takes some tenths of a second to settle, so
 * shorter repetitions measure what ran before: one kernel differed from itself by 1.5%, against 0.2% in a steady state. */
protocol protocol_of(timing_mode mode, const protocol *usual);

/* 1 if a mode that was not asked for by name is worth its time for a candidate whose cold time is `cold_us` in a group whose fastest takes
 * `fastest_us`. Only `sustained` leaves candidates out:
 * - above PROTOCOL_SUSTAINED_WITHIN of the fastest, since nobody chooses a kernel that is that much slower, and each candidate costs 10 s;
 * - below PROTOCOL_SUSTAINED_LEAST_US, since such products leave an H100 above 1875 of its 1980 MHz under lasting load, and `hot` says
 *   the same. */
#define PROTOCOL_SUSTAINED_WITHIN   1.5
#define PROTOCOL_SUSTAINED_LEAST_US 50.0
int protocol_is_worth(timing_mode mode, double cold_us, double fastest_us);

#endif
