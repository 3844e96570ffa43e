/* See instruction_count.h. */
#include "bench/run/instruction_count.h"
#include <linux/perf_event.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

static int counter = -1;

void instruction_count_open(void)
{
    struct perf_event_attr wanted = {.type = PERF_TYPE_HARDWARE,
                                     .size = sizeof wanted,
                                     .config = PERF_COUNT_HW_INSTRUCTIONS,
                                     .inherit = 1,
                                     .exclude_kernel = 1,
                                     .exclude_hv = 1};
    instruction_count_close();
    counter = (int)syscall(SYS_perf_event_open, &wanted, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

void instruction_count_close(void)
{
    if (counter >= 0)
        close(counter);
    counter = -1;
}

double instruction_count_now(void)
{
    uint64_t value;
    return counter >= 0 && read(counter, &value, sizeof value) == (ssize_t)sizeof value ? (double)value
                                                                                        : -1.0;
}
