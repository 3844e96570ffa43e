/* Instructions that this process executes in user space, by the processor's own counter (perf_event_open(2)). On the CPU device they are the
 * work of a kernel without the noise of its time. Threads that wait for work count, too, so the least of a few launches is taken. */
#ifndef ASSAY_BENCH_INSTRUCTION_COUNT_H
#define ASSAY_BENCH_INSTRUCTION_COUNT_H

/* Begin to count, in this thread and in all that it starts from here on. Call it before the device has threads. Without a counter (a virtual
 * machine, perf_event_paranoid) counts are not known. */
void instruction_count_open(void);
void instruction_count_close(void);

/* The count since it was opened; negative if it is not known. */
double instruction_count_now(void);

#endif
