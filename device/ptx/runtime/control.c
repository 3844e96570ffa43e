/* See control.h. */
#include "device/ptx/runtime/control.h"
#include "device/ptx/runtime/runtime.h"
#include <stdio.h>

void assay_ptx_judge(void)
{
    rt_get_options()->only_needed = true;
}

void assay_ptx_judge_host(int begins)
{
    rt_lock();
    rt_get_options()->is_judged = begins != 0;
    rt_unlock();
}

void assay_ptx_set_tensor(void *start, size_t offset, size_t bytes, int read_only)
{
    rt_lock();
    if (rt_device()) /* the judge's names are its own affair; a report says which kind of tensor it was */
        ptx_name(rt_device(), (ptx_address)(uintptr_t)start,
                 read_only ? "an input" : "an output or the workspace");
    if (rt_device())
        ptx_set_tensor(rt_device(), (ptx_address)(uintptr_t)start, offset, bytes, read_only);
    rt_unlock();
}

void assay_ptx_set_order(uint64_t seed, int workers)
{
    rt_lock();
    rt_get_options()->order_seed = seed;
    rt_get_options()->threads = (uint32_t)workers;
    rt_unlock();
}

int assay_ptx_took_order(void)
{
    rt_lock();
    const int took = rt_take_order();
    rt_unlock();
    return took;
}

void assay_ptx_take_report(char *text, size_t bytes)
{
    rt_lock();
    rt_take_report(text, bytes);
    rt_unlock();
}

void assay_ptx_count(void)
{
    rt_get_options()->checks |= PTX_CHECK_COUNTERS;
}

uint64_t assay_ptx_used(void)
{
    uint64_t used = 0, total = 0;
    rt_lock();
    if (rt_device())
        ptx_memory_info(rt_device(), &used, &total);
    rt_unlock();
    return used;
}
