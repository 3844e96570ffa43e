/* Counters of instructions while a kernel runs, and their sums by source line for the report. */
#ifndef ASSAY_DEVICE_PTX_COUNTERS_H
#define ASSAY_DEVICE_PTX_COUNTERS_H

#include "device/ptx/exec.h"

/* Of one instruction, for one host thread. Counters of a module's functions lie one after the other. */
typedef struct line_counter {
    uint64_t executed, lanes, divergent, requests, sectors, ideal, bytes, async, wavefronts, shared_ideal,
        shared_requests;
} line_counter;

/* Room for the counters of all functions of the launch's module; NULL without memory. */
line_counter *counters_new(const ptx_module *module);
void count_instruction(line_counter *counters, const ptx_function *function, const insn *i, uint32_t mask,
                       uint32_t active);
void count_global(warp *w, const insn *i, uint32_t mask, const uint64_t *addresses, uint32_t bytes);
void count_shared(warp *w, const insn *i, uint32_t mask, const uint64_t *addresses, uint32_t bytes);
/* Bytes of a bulk copy; those of cp.async are counted with its request. */
void count_async(warp *w, const insn *i, uint64_t bytes);
/* Sum the threads' counters into report->lines and report->total. */
bool counters_report(const ptx_module *module, line_counter *const *threads, uint32_t count,
                     ptx_report *report);

#endif
