/* Host time. The device's own times come from its events (include/assay/device.h); this clock bounds loops,
 * paces cool-downs and cross-checks the device's. */
#ifndef ASSAY_BENCH_CLOCK_H
#define ASSAY_BENCH_CLOCK_H

#include <stdint.h>

/* Monotonic, arbitrary origin. */
int64_t clock_now_ns(void);
static inline double clock_now_ms(void)
{
    return (double)clock_now_ns() * 1e-6;
}
void clock_sleep_ms(double ms);

/* "2026-01-31T12:00:00Z"; `out` needs 32 bytes. */
void clock_utc_text(char out[32]);

#endif
