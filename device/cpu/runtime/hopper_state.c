/* The life of the Hopper state of a worker, and what must hold when a block ends. */
#include "device/cpu/runtime/hopper.h"
#include <stdlib.h>

hopper_state *simt_hopper(simt_worker *w)
{
    if (!w->hopper && !(w->hopper = calloc(1, sizeof *w->hopper)))
        simt_report(w, "out of memory", "no room for the state of Hopper's units");
    w->hopper->used = true;
    return w->hopper;
}

hopper_state *simt_hopper_tracked(simt_worker *w)
{
    if (!assay_simt_current.tracked)
        simt_track(w);
    return simt_hopper(w);
}

__attribute__((cold, noreturn)) static void report_end(simt_worker *w, const char *what)
{
    const assay_simt_uint3 b = w->context->block_index;
    simt_report(NULL, "unfinished work", "block (%u,%u,%u) ended with %s", b.x, b.y, b.z, what);
}

void simt_hopper_end_block(simt_worker *w)
{
    hopper_state *h = w->hopper;
    if (!h || !h->used)
        return;
    for (uint32_t i = 0; i < h->copy_count; i++)
        report_end(w, h->copies[i].barrier
                          ? "a tma_load_2d under way that nobody waited for"
                          : "a tma_store_2d under way: tma_store_wait_read() was not called");
    for (uint32_t i = 0; i < w->context->count; i++) {
        hopper_thread *t = &h->threads[i];
        if (t->products && t->products->count)
            report_end(w, "a wgmma under way that wgmma_wait() did not wait for");
        if (t->products)
            t->products->committed = 0, t->products->fenced = false;
        t->unfenced_start = t->unfenced_end = NULL;
        t->store_groups = 0;
    }
    for (uint32_t block = 0; block < w->context->count / w->context->block_threads; block++)
        for (uint32_t i = 0; i < HOPPER_NAMED_BARRIERS; i++)
            if (h->named[block][i].arrived)
                report_end(w, "arrivals at a named barrier that was not completed");
    h->barrier_count = h->unfenced_threads = 0;
    h->draws = 0;
    h->used = false;
}

int assay_simt_cluster_rank(void)
{
    return (int)simt_rank(assay_simt_current.worker);
}

void *simt_hopper_remote(simt_worker *w, void *address, uint32_t rank, const char *op, const char *file,
                         int line)
{
    const ptrdiff_t offset = (unsigned char *)address - w->context->dynamic_shared;
    const uint32_t blocks = w->context->count / w->context->block_threads;
    if (rank >= blocks)
        simt_report(w, "invalid cluster access", "%s at %s:%d: block %u of a cluster of %u", op,
                    simt_file_name(file), line, rank, blocks);
    if (w->barriers[rank].live == 0)
        simt_report(w, "invalid cluster access", "%s at %s:%d: block %u of the cluster has ended", op,
                    simt_file_name(file), line, rank);
    if (offset < 0 || (size_t)offset >= w->job->config.shared_bytes)
        simt_report(w, "invalid cluster access",
                    "%s at %s:%d: only dynamic shared memory can be reached from another block", op,
                    simt_file_name(file), line);
    return w->shared_base + rank * simt_shared_stride(w->job) + offset;
}
