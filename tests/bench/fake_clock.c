/* The host's clock in place of bench/timing/clock.c: the invented device's, so that seconds of load take no time. */
#include "bench/timing/clock.h"
#include "fake_device.h"
#include <string.h>

int64_t clock_now_ns(void)
{
    return (int64_t)(fake_now_us() * 1e3);
}

void clock_sleep_ms(double ms)
{
    fake_rest(ms * 1e3);
}

void clock_utc_text(char out[32])
{
    memcpy(out, "2026-01-31T12:00:00Z", 21);
}
