/* Which CUDA thread runs next. A fiber claims unstarted threads one by one (the loop is in assay_simt/launch.h); when a thread
 * waits, the worker goes on with a thread that is ready, else with unstarted threads on another fiber. */
#include "device/cpu/runtime/simt.h"
#include <stdio.h>
#include <string.h>

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

/* ---- which lanes run together ---- */

/* A lane waits here until no thread of its block can go on. The lanes of its warp that then wait at the same place came there together:
 * what a warp in lockstep would show. No lane gets one that is elsewhere or has ended. */
static const char active_op[] = "__activemask";

static void resolve_active(simt_worker *w)
{
    for (uint32_t first = 0; first < w->context->count; first += 32) {
        const thread_state *t = &w->threads[first];
        uint32_t waiting = 0;
        for (uint32_t rest = w->warps[first / 32].live; rest; rest &= rest - 1)
            if (t[__builtin_ctz(rest)].op == active_op)
                waiting |= rest & -rest;
        for (uint32_t rest = waiting; rest; rest &= rest - 1) {
            const int lane = __builtin_ctz(rest);
            uint32_t together = 0;
            for (uint32_t others = waiting; others; others &= others - 1) {
                const int other = __builtin_ctz(others);
                if (t[other].line == t[lane].line && simt_same_text(t[other].file, t[lane].file))
                    together |= 1u << other;
            }
            w->threads[first + (uint32_t)lane].active = together;
            simt_make_ready(w, first + (uint32_t)lane);
        }
    }
    w->active_waiting = w->active_yields = 0;
}

/* ---- switching ---- */

/* The stacks of a block are more than the first-level cache holds: that of the next but one is asked for while a thread works. */
enum { AHEAD = 2, STACK_LINES = 3, LINE_BYTES = 64 };

static inline fiber *ready_fiber(const simt_worker *w, uint32_t position)
{
    return w->threads[w->ready[position % SIMT_MAX_THREADS]].fiber;
}

static inline fiber *next_ready(simt_worker *w)
{
    fiber *next = ready_fiber(w, w->ready_head++);
    if (w->ready_tail - w->ready_head >= AHEAD) {
        const char *stack = ready_fiber(w, w->ready_head + AHEAD - 1)->stack_pointer;
        for (int line = 0; line < STACK_LINES; line++)
            __builtin_prefetch(stack + line * LINE_BYTES);
    }
    return next;
}

/* The fiber to go on with when no thread is ready. */
__attribute__((noinline)) static fiber *make_ready_or_start(simt_worker *w)
{
    if (w->context->started < w->context->count)
        return simt_fiber_take(w);
    if (w->active_waiting)
        resolve_active(w);
    while (w->ready_head == w->ready_tail)
        if (!w->land_copy || !w->land_copy(w))
            report_deadlock(w);
    return next_ready(w);
}

static inline fiber *next_fiber(simt_worker *w)
{
    return w->ready_head != w->ready_tail ? next_ready(w) : make_ready_or_start(w);
}

fiber *simt_next_fiber(simt_worker *w)
{
    return next_fiber(w);
}

/* A thread that spins may wait for one that has not started: those go first. */
static fiber *pick_instead_of_spinning(simt_worker *w)
{
    return w->context->started < w->context->count ? simt_fiber_take(w) : next_fiber(w);
}

void simt_set_block_index(assay_simt_context *c, uint64_t block)
{
    if (block < c->grid.x) { /* no division for one-dimensional grids */
        c->block_index = (assay_simt_uint3){(uint32_t)block, 0, 0};
        return;
    }
    const uint64_t row = block / c->grid.x;
    c->block_index = (assay_simt_uint3){(uint32_t)(block % c->grid.x), (uint32_t)(row % c->grid.y),
                                        (uint32_t)(row / c->grid.y)};
}

/* Make current what belongs to the running thread's block. */
static void enter_block(simt_worker *w)
{
    const uint64_t rank = simt_rank(w);
    simt_set_block_index(w->context, w->block * (w->context->count / w->context->block_threads) + rank);
    w->context->dynamic_shared = w->shared_base + rank * simt_shared_stride(w->job);
}

static inline __attribute__((always_inline)) void wait(simt_worker *w, const char *op, const char *file,
                                                       int line, fiber *(*choose)(simt_worker *))
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
        enter_block(w);
}

void simt_wait(simt_worker *w, const char *op, const char *file, int line)
{
    wait(w, op, file, line, next_fiber);
}

void assay_simt_enter_block(void)
{
    enter_block(assay_simt_current.worker);
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
        resolve_active(w);
    simt_make_ready(w, w->context->self.index);
    wait(w, "a spin loop", "", 0, pick_instead_of_spinning);
}

uint32_t assay_simt_active_mask(const char *file, int line)
{
    simt_worker *w = assay_simt_current.worker;
    if (!assay_simt_current.tracked)
        simt_track(w);
    thread_state *t = &w->threads[w->context->self.index];
    w->active_waiting++;
    simt_wait(w, active_op, file, line);
    return t->active;
}
