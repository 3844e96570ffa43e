/* What the backend of the device `ptx` asks of the stand-in runtime beyond CUDA's own calls. No CUDA header is needed: the backend is built
 * on machines without a toolkit, too, and finds these functions by name in the library. */
#ifndef ASSAY_PTX_CONTROL_H
#define ASSAY_PTX_CONTROL_H

#include "device/ptx/ptx.h"
#include <stddef.h>
#include <stdint.h>

/* Kernels are judged: work on other streams than the one that is waited for runs only when the whole device is waited for, and what kernels
 * do wrong is kept for assay_ptx_take_report() as well. */
void assay_ptx_judge(void);
/* 1 before the host code of a judged kernel runs and 0 after it: its copies and fills may write no input, and touch no byte beside a
 * tensor. */
void assay_ptx_judge_host(int begins);
/* Of the allocation at `start` kernels may touch only the `bytes` at `offset`, and not write them if `read_only`. */
void assay_ptx_set_tensor(void *start, size_t offset, size_t bytes, int read_only);
/* 0: blocks and warps start in their order; else in one drawn from the number. `workers` 0: all cores. */
void assay_ptx_set_order(uint64_t seed, int workers);
/* 1 if a kernel launched since the last call comes from a module with atomics, whose results may show the order of threads. */
int assay_ptx_took_order(void);
/* The first report since the last call into `text`, or "". */
void assay_ptx_take_report(char *text, size_t bytes);
/* What the source lines of a kernel did in all its launches, in the order of file and line. */
typedef struct ptx_counted_kernel {
    const char *name;                 /* mangled, as handed out */
    uint64_t launches, blocks, warps; /* blocks and warps over all launches */
    uint32_t grid[3], block[3];       /* of the last launch */
    uint64_t dynamic_shared;          /* bytes a block, of the last launch */
    const ptx_line *lines;
    size_t line_count;
} ptx_counted_kernel;

/* Count from now on; then hand out the kernels, in the order of their first launch, and forget them. What `take`
 * gets lives as long as its call. */
void assay_ptx_count(void);
void assay_ptx_take_counts(void (*take)(void *context, const ptx_counted_kernel *kernel), void *context);
/* A kernel as a table on standard output; all of them in place of being handed out. */
void assay_ptx_print_kernel(const ptx_counted_kernel *kernel);
void assay_ptx_print_counts(void);
/* Bytes of device memory in use. */
uint64_t assay_ptx_used(void);

#endif
