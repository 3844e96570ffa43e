/* Which CUDA thread runs next. A fiber claims unstarted threads one by one (the loop is in assay_simt/launch.h); when a thread
 * waits, the worker goes on with a thread that is ready, else with unstarted threads on another fiber. */
#include "device/cpu/runtime/simt.h"
#include <stdio.h>
#include <string.h>
#if SIMT_ASAN
#include <sanitizer/common_interface_defs.h>
#endif

__thread assay_simt_context assay_simt_current;
__thread assay_simt_uint3 assay_simt_grid_dim, assay_simt_block_dim;

/* ---- starting blocks ---- */

static void number_threads(simt_worker *w, assay_simt_uint3 block)
{
    if (memcmp(&w->slots_of, &block, sizeof block) == 0)
        return;
    const uint32_t threads = block.x * block.y * block.z;
    uint32_t i = 0;
    for (uint32_t z = 0; z < block.z; z++)
        for (uint32_t y = 0; y < block.y; y++)
            for (uint32_t x = 0; x < block.x; x++, i++)
                w->slots[i] = (assay_simt_slot){{x, y, z}, i};
    for (; i < SIMT_MAX_THREADS; i++) /* of the further blocks of a cluster */
        w->slots[i] = (assay_simt_slot){w->slots[i - threads].at, i};
    w->slots_of = block;
}

/* A permutation that depends on the seed and the block only, so that it is the same with any number of workers. */
static void shuffle_threads(simt_worker *w, uint64_t seed, uint32_t count)
{
    memcpy(w->permuted, w->slots, count * sizeof w->slots[0]);
    uint64_t random = simt_mix(seed ^ simt_mix(w->block));
    for (uint32_t i = count - 1; i > 0; i--) { /* Fisher-Yates */
        random = simt_mix(random);
        const uint32_t j = (uint32_t)(((random >> 32) * (i + 1)) >> 32);
        const assay_simt_slot other = w->permuted[j];
        w->permuted[j] = w->permuted[i];
        w->permuted[i] = other;
    }
}

static void set_block_index(assay_simt_context *c, uint64_t block)
{
    if (block < c->grid.x) { /* no division for one-dimensional grids */
        c->block_index = (assay_simt_uint3){(uint32_t)block, 0, 0};
        return;
    }
    const uint64_t row = block / c->grid.x;
    c->block_index = (assay_simt_uint3){(uint32_t)(block % c->grid.x), (uint32_t)(row % c->grid.y),
                                        (uint32_t)(row / c->grid.y)};
}

static bool start_block(simt_worker *w)
{
    simt_job *job = w->job;
    const uint64_t i = atomic_fetch_add_explicit(&job->next, 1, memory_order_relaxed);
    if (i >= job->blocks)
        return false;
    w->block = job->order == ASSAY_SIMT_FORWARD
                   ? i
                   : (uint64_t)(((unsigned __int128)i * job->block_stride + job->block_offset) % job->blocks);
    set_block_index(w->context, w->block * (w->context->count / w->context->block_threads));
    if (job->order == ASSAY_SIMT_RANDOM)
        shuffle_threads(w, job->seed, w->context->count);
    w->context->started = 0;
    w->context->tracked = 0;
    simt_shared_start_block(w);
    if (job->checked)
        simt_check_start_block(w);
    return true;
}

static void end_block(simt_worker *w)
{
    simt_shared_check_block(w);
    if (w->copies_used)
        simt_copies_reset(w);
    simt_hopper_end_block(w);
}

/* Blocks whose threads use no collective need no state. At the first collective, all threads claimed before the calling one
 * have ended, because none of them could wait. */
void simt_track(simt_worker *w)
{
    assay_simt_context *c = w->context;
    c->tracked = 1;
    w->live = c->count - (c->started - 1);
    for (uint32_t i = 0; i < c->count / c->block_threads; i++) {
        w->barriers[i].live = c->block_threads;
        w->barriers[i].waiting = w->barriers[i].true_count = 0;
    }
    w->ready_head = w->ready_tail = 0;
    w->active_waiting = w->active_yields = 0;
    for (uint32_t first = 0; first < c->count; first += 32) {
        const uint32_t lanes = c->count - first;
        w->warps[first / 32].live = lanes >= 32 ? 0xffffffffu : (1u << lanes) - 1;
        w->warps[first / 32].open = 0;
    }
    for (uint32_t i = 0; i + 1 < c->started; i++) {
        w->warps[c->order[i].index / 32].live &= ~(1u << (c->order[i].index % 32));
        w->barriers[c->order[i].index / c->block_threads].live--;
    }
}

/* ---- switching ---- */

__attribute__((cold, noreturn)) static void report_deadlock(simt_worker *w)
{
    char list[1024];
    size_t used = 0;
    list[0] = '\0';
    const thread_state *last = NULL;
    uint32_t waiting = 0, shown = 0;
    for (uint32_t i = 0; i < w->context->count; i++) {
        const thread_state *t = &w->threads[i];
        if (!t->op)
            continue;
        waiting++;
        if ((last && last->op == t->op && last->line == t->line && last->file == t->file) || shown == 8)
            continue;
        const assay_simt_uint3 at = w->slots[i].at;
        const int n = snprintf(list + used, sizeof list - used, "%sthread (%u,%u,%u) waits in %s at %s:%d",
                               shown ? "; " : "", at.x, at.y, at.z, t->op, simt_file_name(t->file), t->line);
        used = n > 0 && used + (size_t)n < sizeof list ? used + (size_t)n : used;
        last = t;
        shown++;
    }
    simt_report(w, "deadlock", "no thread of the block can go on: %u of %u wait, %u have ended; %s", waiting,
                w->context->count, w->context->count - w->live, list);
}

/* The fiber to go on with when the running one cannot. */
static fiber *pick(simt_worker *w)
{
    if (w->ready_head != w->ready_tail)
        return w->threads[w->ready[w->ready_head++ % SIMT_MAX_THREADS]].fiber;
    if (w->context->started < w->context->count)
        return simt_fiber_take(w);
    if (w->active_waiting) {
        simt_active_resolve(w);
        return pick(w);
    }
    while (simt_hopper_land(w))
        if (w->ready_head != w->ready_tail)
            return pick(w);
    report_deadlock(w);
}

/* A thread that spins may wait for one that has not started: those go first. */
static fiber *pick_instead_of_spinning(simt_worker *w)
{
    return w->context->started < w->context->count ? simt_fiber_take(w) : pick(w);
}

static void wait(simt_worker *w, const char *op, const char *file, int line, fiber *(*choose)(simt_worker *))
{
    const uint32_t me = w->context->self.index;
    thread_state *t = &w->threads[me];
    t->fiber = w->running;
    t->op = op;
    t->file = file;
    t->line = line;
    fiber *next = choose(w);
    if (next != t->fiber)
        simt_fiber_switch(w, next);
    t->op = NULL;
    w->context->self = w->slots[me];
    if (w->context->count != w->context->block_threads)
        simt_enter_block(w);
}

void simt_wait(simt_worker *w, const char *op, const char *file, int line)
{
    wait(w, op, file, line, pick);
}

void simt_enter_block(simt_worker *w)
{
    const uint64_t rank = simt_rank(w);
    set_block_index(w->context, w->block * (w->context->count / w->context->block_threads) + rank);
    w->context->dynamic_shared = w->shared_base + rank * simt_shared_stride(w->job);
}

void assay_simt_enter_block(void)
{
    simt_enter_block(assay_simt_current.worker);
}

void assay_simt_yield(void)
{
    simt_worker *w = assay_simt_current.worker;
    if (!assay_simt_current.tracked)
        simt_track(w);
    const bool alone = w->ready_head == w->ready_tail && w->context->started >= w->context->count;
    if (alone && !w->active_waiting)
        return;
    /* Threads that spin never let a block come to rest: after two rounds of them those at rest count. */
    if (w->active_waiting && (alone || ++w->active_yields > 2 * w->context->count))
        simt_active_resolve(w);
    simt_make_ready(w, w->context->self.index);
    wait(w, "a spin loop", "", 0, pick_instead_of_spinning);
}

void assay_simt_thread_exit(void)
{
    simt_worker *w = assay_simt_current.worker;
    barrier_state *b = simt_barrier(w);
    w->live--;
    b->live--;
    if (b->waiting && b->waiting == b->live) /* the others wait for no one else */
        simt_barrier_complete(w, b);
    simt_cluster_thread_ended(w);
    simt_warp_lane_ended(w, assay_simt_current.self.index);
}

void simt_fiber_main(void)
{
    simt_worker *w = assay_simt_current.worker;
#if SIMT_ASAN
    const void *bottom;
    size_t bytes;
    __sanitizer_finish_switch_fiber(NULL, &bottom, &bytes);
    if (!w->main_stack) { /* the first fiber of a host thread is entered from its own stack */
        w->main_stack = bottom;
        w->main_stack_bytes = bytes;
    }
#endif
    for (;;) {
        w->job->run(w->job->call);
        fiber *next;
        if (!w->context->tracked || w->live == 0) { /* the block is done, and all other fibers are free */
            end_block(w);
            if (start_block(w))
                continue;
            next = &w->main_fiber;
        } else {
            next = pick(w);
        }
        w->free_fibers[w->free_count++] = w->running;
        simt_fiber_switch(w, next);
    }
}

void simt_worker_run(simt_worker *w, simt_job *job)
{
    assay_simt_context *c = &assay_simt_current;
    w->job = job;
    w->context = c;
    c->worker = w;
    c->grid = job->config.grid;
    c->block = job->config.block;
    assay_simt_grid_dim = c->grid;
    assay_simt_block_dim = c->block;
    c->block_threads = c->block.x * c->block.y * c->block.z;
    c->count = c->block_threads * (job->config.cluster ? job->config.cluster : 1);
    number_threads(w, c->block);
    c->order = w->slots;
    if (job->order != ASSAY_SIMT_FORWARD) {
        for (uint32_t i = 0; i < c->count; i++)
            w->permuted[i] = w->slots[c->count - 1 - i];
        c->order = w->permuted;
    }
    simt_shared_prepare(w);
    if (job->checked)
        simt_check_prepare(w);
    if (start_block(w)) {
        w->running = &w->main_fiber;
        simt_fiber_switch(w, simt_fiber_take(w));
    }
    if (c->order_shown)
        simt_note_order_shown();
    c->order_shown = 0;
    w->job = NULL; /* a fault from here on is not a kernel's */
}
