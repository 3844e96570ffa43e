/* mbarrier and named barriers. The word in shared memory only names the entry of the table that holds the state, so that a
 * barrier that was overwritten or never initialised is recognised. */
#include "device/cpu/runtime/hopper.h"

#define COOKIE 0x6d62617200000000u

static uint64_t cookie(uint32_t index)
{
    return COOKIE | index;
}

void assay_simt_mbarrier_init(uint64_t *barrier, int arrivals, const char *file, int line)
{
    simt_worker *w = assay_simt_current.worker;
    hopper_state *h = simt_hopper(w);
    uint32_t i = 0;
    if ((uintptr_t)barrier % 8)
        assay_simt_misaligned(barrier, 8, "mbarrier_init", file, line);
    if (arrivals < 1 || arrivals >= 1 << 20)
        simt_report(w, "invalid mbarrier", "mbarrier_init at %s:%d for %d arrivals", simt_file_name(file),
                    line, arrivals);
    while (i < h->barrier_count && h->barriers[i].address != barrier)
        i++;
    if (i == HOPPER_MAX_BARRIERS)
        simt_report(w, "invalid mbarrier", "more than %d barriers in a block at %s:%d", HOPPER_MAX_BARRIERS,
                    simt_file_name(file), line);
    if (i == h->barrier_count)
        h->barrier_count++;
    h->barriers[i] = (hopper_barrier){.address = barrier,
                                      .expected = (uint32_t)arrivals,
                                      .pending = (uint32_t)arrivals,
                                      .initialiser = (uint16_t)w->context->self.index,
                                      .first_waiter = NO_THREAD};
    *barrier = cookie(i);
}

void assay_simt_mbarrier_fence_init(void)
{
    simt_worker *w = assay_simt_current.worker;
    hopper_state *h = simt_hopper(w);
    for (uint32_t i = 0; i < h->barrier_count; i++)
        h->barriers[i].visible |= h->barriers[i].initialiser == w->context->self.index;
}

hopper_barrier *simt_hopper_barrier(simt_worker *w, const uint64_t *address, const char *op, const char *file,
                                    int line)
{
    hopper_state *h = w->hopper;
    if ((uintptr_t)address % 8)
        assay_simt_misaligned(address, 8, op, file, line);
    const uint32_t index = (uint32_t)*address;
    if (!h || *address != cookie(index) || index >= h->barrier_count || h->barriers[index].address != address)
        simt_report(w, "invalid mbarrier",
                    "%s at %s:%d on a barrier that was not initialised, or was overwritten", op,
                    simt_file_name(file), line);
    return &h->barriers[index];
}

/* Who comes after a completed barrier is ordered behind all who came before it. The checked build has no finer notion than the
 * block's: it may miss a race beside such a barrier, but never sees one that is none. */
static void simt_hopper_ordered(simt_worker *w)
{
    if (w->job->checked)
        simt_check_barrier(w);
}

/* If nothing is missing any more, begin the next phase and let the waiting threads go on. */
static void complete_phase(simt_worker *w, hopper_barrier *b)
{
    if (b->pending || b->bytes)
        return;
    b->completed++;
    b->pending = b->expected;
    simt_hopper_ordered(w);
    for (uint16_t thread = b->first_waiter; thread != NO_THREAD;
         thread = w->hopper->threads[thread].next_waiter)
        simt_make_ready(w, thread);
    b->first_waiter = NO_THREAD;
}

void simt_hopper_bytes_landed(simt_worker *w, hopper_barrier *b, uint32_t bytes)
{
    b->bytes -= bytes;
    complete_phase(w, b);
}

void assay_simt_mbarrier_arrive(uint64_t *barrier, int rank, int bytes, const char *op, const char *file,
                                int line)
{
    simt_worker *w = assay_simt_current.worker;
    simt_hopper_tracked(w);
    if (rank >= 0)
        barrier = simt_hopper_remote(w, barrier, (uint32_t)rank, op, file, line);
    hopper_barrier *b = simt_hopper_barrier(w, barrier, op, file, line);
    if (rank >= 0 && !b->visible)
        simt_report(w, "invalid mbarrier", "%s at %s:%d on a barrier whose initialisation was not fenced", op,
                    simt_file_name(file), line);
    if (b->pending == 0)
        simt_report(w, "invalid mbarrier", "%s at %s:%d is one arrival more than the %u of a phase", op,
                    simt_file_name(file), line, b->expected);
    b->bytes += bytes;
    b->pending--;
    complete_phase(w, b);
}

void assay_simt_mbarrier_wait(uint64_t *barrier, int parity, const char *file, int line)
{
    simt_worker *w = assay_simt_current.worker;
    const hopper_state *h = simt_hopper_tracked(w);
    hopper_barrier *b = simt_hopper_barrier(w, barrier, "mbarrier_wait", file, line);
    const uint32_t me = w->context->self.index;
    (void)h;
    while ((b->completed & 1) == (uint64_t)(parity & 1)) {
        w->hopper->threads[me].next_waiter = b->first_waiter;
        b->first_waiter = (uint16_t)me;
        simt_wait(w, parity & 1 ? "mbarrier_wait of parity 1" : "mbarrier_wait of parity 0", file, line);
    }
}

/* All `threads` meet; only the last goes on at once. */
static void meet(simt_worker *w, hopper_named_barrier *b, uint32_t threads, int wait, const char *op,
                 const char *file, int line)
{
    b->expected = threads;
    if (++b->arrived == b->expected) {
        simt_hopper_ordered(w);
        for (uint32_t i = 0; i < b->waiting; i++)
            simt_make_ready(w, b->threads[i]);
        b->arrived = b->waiting = 0;
        return;
    }
    if (!wait)
        return;
    b->threads[b->waiting++] = (uint16_t)w->context->self.index;
    simt_wait(w, op, file, line);
}

/* Threads that have ended are not waited for, as at a block's barrier. */
void simt_cluster_thread_ended(simt_worker *w)
{
    if (!w->hopper || !w->hopper->used)
        return;
    hopper_named_barrier *b = &w->hopper->named[0][0];
    if (b->arrived == 0 || b->arrived != w->live)
        return;
    simt_hopper_ordered(w);
    for (uint32_t i = 0; i < b->waiting; i++)
        simt_make_ready(w, b->threads[i]);
    b->arrived = b->waiting = 0;
}

void assay_simt_cluster_barrier(const char *op, const char *file, int line)
{
    simt_worker *w = assay_simt_current.worker;
    meet(w, &simt_hopper_tracked(w)->named[0][0], w->live, 1, op, file, line);
}

void assay_simt_named_barrier(int id, int threads, int wait, const char *op, const char *file, int line)
{
    simt_worker *w = assay_simt_current.worker;
    hopper_state *h = simt_hopper_tracked(w);
    if (id < 1 || id >= HOPPER_NAMED_BARRIERS || threads < 32 || threads % 32 ||
        (uint32_t)threads > w->context->block_threads)
        simt_report(w, "invalid barrier",
                    "%s at %s:%d of barrier %d for %d threads: barriers are 1 to 15, threads whole warps of "
                    "the block",
                    op, simt_file_name(file), line, id, threads);
    hopper_named_barrier *b = &h->named[simt_rank(w)][id];
    if (b->arrived && b->expected != (uint32_t)threads)
        simt_report(w, "divergent barrier",
                    "%s at %s:%d of barrier %d for %d threads, while others came for %u", op,
                    simt_file_name(file), line, id, threads, b->expected);
    meet(w, b, (uint32_t)threads, wait, op, file, line);
}
