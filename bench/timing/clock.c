/* Host time: see clock.h. */
#include "bench/timing/clock.h"
#include "results/result.h"
#include <time.h>

int64_t clock_now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void clock_sleep_ms(double ms)
{
    if (ms <= 0.0)
        return;
    const int64_t ns = (int64_t)(ms * 1e6);
    const struct timespec t = {.tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000)};
    nanosleep(&t, NULL); /* an early return on a signal is fine: the caller looks at the signal next */
}

void clock_utc_text(char out[32])
{
    result_time_text((int64_t)time(NULL), out);
}
