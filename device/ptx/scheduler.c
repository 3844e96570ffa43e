/* Who runs when: fragments of a warp, warps of a gang, gangs on a host thread. */
#include "device/ptx/counters.h"
#include "device/ptx/exec.h"
#include "device/ptx/opcodes.h"
#include "device/ptx/races.h"
#include "device/ptx/scheduler.h"
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BUDGET = 16384, STALLED_TURNS = 4, MOST_GANGS = 64, SPIN_ROUNDS = 4 };

static void execute(warp *w)
{
    const insn *i = w->fragments[w->current].pc;
    uint64_t n = 0;
    do {
        uint32_t m = w->active;
        n++;
        if (i->guard != NO_OPERAND) {
            const uint32_t p = *(const uint32_t *)(w->base[i->guard & 1] + (i->guard & ~1u));
            m &= i->guard_negated ? ~p : p;
            if (!m) {
                i++;
                continue;
            }
        }
        if (__builtin_expect(w->wgmmas != NULL, 0) && !wgmma_allows(w, i, m))
            break;
        if (__builtin_expect(w->undefined_at != NULL, 0))
            check_undefined(w, i);
        i = i->run(w, i, m);
    } while (i);
    w->executed += n;
}

static void execute_counting(warp *w)
{
    const insn *i = w->fragments[w->current].pc;
    const ptx_function *f = w->fragments[w->current].function;
    struct line_counter *counters = w->gang->counters;
    uint64_t n = 0, lanes = 0;
    do {
        uint32_t m = w->active;
        n++;
        if (i->guard != NO_OPERAND) {
            const uint32_t p = *(const uint32_t *)(w->base[i->guard & 1] + (i->guard & ~1u));
            m &= i->guard_negated ? ~p : p;
        }
        lanes += (uint32_t)__builtin_popcount(m);
        count_instruction(counters, f, i, m, w->active);
        if (!m) {
            i++;
            continue;
        }
        if (w->wgmmas != NULL && !wgmma_allows(w, i, m))
            break;
        if (__builtin_expect(w->undefined_at != NULL, 0))
            check_undefined(w, i);
        i = i->run(w, i, m);
    } while (i);
    w->executed += n;
    w->lane_count += lanes;
}

static bool pick_fragment(warp *w)
{
    for (uint32_t k = 0; k < w->fragment_high; k++) {
        const uint32_t n = ((uint32_t)w->current + 1 + k) % w->fragment_high;
        const fragment *f = &w->fragments[n];
        if (f->state != FRAGMENT_READY)
            continue;
        w->current = (int32_t)n;
        w->active = f->mask;
        w->base[1] = f->function->constant_data;
        w->lists = f->function->lists;
        return true;
    }
    return false;
}

/* Run a warp until it must wait, ends, or has used its budget. */
void warp_turn(warp *w)
{
    w->budget = BUDGET;
    w->polled = false;
    while (w->budget >= 0 && pick_fragment(w) &&
           !atomic_load_explicit(&w->launch->stop, memory_order_relaxed)) {
        if (w->checks & PTX_CHECK_COUNTERS)
            execute_counting(w);
        else
            execute(w);
    }
    if (w->budget >= 0) {
        w->stalled = 0;
    } else if (++w->stalled >= STALLED_TURNS) {
        /* Lanes may wait at a meeting for lanes that spin on what the waiting ones will do. */
        w->stalled = 0;
        give_up_meeting(w);
    }
}

static bool warp_ready(const warp *w)
{
    for (uint32_t k = 0; k < w->fragment_high; k++)
        if (w->fragments[k].state == FRAGMENT_READY)
            return true;
    return false;
}

/* ---- gangs ---- */

/* Where nobody can go on: waits that the hardware gives up after a time, then meetings. True if somebody can go on now. */
static bool unblock(gang *g)
{
    bool done = false;
    if (g->idle_rounds++ == 0) {
        for (uint32_t r = 0; r < g->block_count; r++)
            for (uint32_t k = 0; k < g->blocks[r].warp_count; k++) {
                warp *w = &g->blocks[r].warps[k];
                for (uint32_t n = 0; n < w->fragment_high; n++)
                    if (w->fragments[n].state == FRAGMENT_MBARRIER) {
                        w->fragments[n].timed_out = true;
                        fragment_wake(&w->fragments[n]);
                        done = true;
                    }
            }
    }
    for (uint32_t r = 0; !done && r < g->block_count; r++)
        for (uint32_t k = 0; !done && k < g->blocks[r].warp_count; k++)
            done = give_up_meeting(&g->blocks[r].warps[k]);
    return done;
}

static void end_warp(warp *w)
{
    gang *g = w->gang;
    launch_state *l = g->launch;
    g->live_warps--;
    async_end_of_warp(w);
    const uint64_t total =
        atomic_fetch_add_explicit(&l->executed, w->executed, memory_order_relaxed) + w->executed;
    atomic_fetch_add_explicit(&l->lanes, w->lane_count, memory_order_relaxed);
    if (l->launch->limit_instructions && total > l->launch->limit_instructions && !atomic_load(&l->stop))
        found_gang(g, PTX_FOUND_TIMEOUT, "the launch executed more instructions than its limit");
}

static bool out_of_time(gang *g)
{
    launch_state *l = g->launch;
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    const uint64_t now = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
    uint64_t executed = atomic_load(&l->executed);
    for (uint32_t r = 0; r < g->block_count; r++)
        for (uint32_t k = 0; k < g->blocks[r].warp_count; k++)
            executed += g->blocks[r].warps[k].live ? g->blocks[r].warps[k].executed : 0;
    if (l->launch->limit_instructions && executed > l->launch->limit_instructions)
        return true;
    return l->launch->limit_seconds > 0 && (double)(now - l->start_ns) * 1e-9 > l->launch->limit_seconds;
}

/* One turn for every warp. False: the gang is done. */
static bool gang_round(gang *g)
{
    launch_state *l = g->launch;
    bool ran = false, spun = true;
    const uint64_t before = g->events;
    const uint32_t total = g->block_count * l->warps;
    for (uint32_t k = 0; k < total; k++) {
        const uint32_t n =
            (uint32_t)drawn_order(k, total, l->launch->order_seed ? l->launch->order_seed + g->order : 0);
        warp *w = &g->blocks[n / l->warps].warps[n % l->warps];
        if (!w->live || !warp_ready(w))
            continue;
        ran = true;
        warp_turn(w);
        if (atomic_load_explicit(&l->stop, memory_order_relaxed))
            return false;
        spun = spun && w->budget < 0 && w->polled;
        if (!w->live)
            end_warp(w);
    }
    if (g->live_warps == 0)
        return false;
    if (g->events != before)
        g->idle_rounds = 0;
    g->spin_rounds = ran && spun ? g->spin_rounds + 1 : 0;
    if (!ran && !unblock(g)) {
        found_gang(g, PTX_FOUND_DEADLOCK, "nobody can go on");
        return false;
    }
    if (ran && out_of_time(g)) {
        found_gang(g, PTX_FOUND_TIMEOUT, "the kernel does not end");
        return false;
    }
    return true;
}

/* ---- host threads ---- */

typedef struct worker {
    launch_state *launch;
    gang *gangs[4096];
    uint32_t count;
    gang *idle[MOST_GANGS];
    uint32_t idle_count;
    struct line_counter *counters;
} worker;

static bool admit(worker *w)
{
    launch_state *l = w->launch;
    const uint64_t number = atomic_fetch_add_explicit(&l->next_gang, 1, memory_order_relaxed);
    if (number >= l->gangs)
        return false;
    gang *g = w->idle_count ? w->idle[--w->idle_count] : gang_new(l, w->counters);
    start_gang(g, number);
    w->gangs[w->count++] = g;
    return true;
}

static void retire(worker *w, uint32_t k)
{
    gang *g = w->gangs[k];
    w->gangs[k] = w->gangs[--w->count];
    if (w->idle_count < MOST_GANGS)
        w->idle[w->idle_count++] = g;
    else
        gang_free(g);
}

/* Cooperative launches run all their blocks side by side, others one after the other; where a block spins on what another one has to do,
 * the next block is started beside it. */
void *worker_run(void *argument)
{
    worker *w = calloc(1, sizeof *w);
    if (!w)
        abort();
    w->launch = ((worker_start *)argument)->launch;
    w->counters = ((worker_start *)argument)->counters;
    launch_state *l = w->launch;
    const uint32_t share = ((worker_start *)argument)->share;
    while (w->count < share && admit(w))
        ;
    while (!atomic_load(&l->stop)) {
        if (w->count == 0 && !admit(w))
            break;
        bool all_spin = true;
        for (uint32_t k = 0; k < w->count && !atomic_load(&l->stop);) {
            if (gang_round(w->gangs[k])) {
                all_spin = all_spin && w->gangs[k]->spin_rounds >= SPIN_ROUNDS;
                k++;
            } else {
                all_spin = false;
                retire(w, k);
            }
        }
        if (all_spin && w->count) {
            if (w->count >= MOST_GANGS || l->launch->cooperative || !admit(w))
                sched_yield();
        }
    }
    while (w->count)
        gang_free(w->gangs[--w->count]);
    while (w->idle_count)
        gang_free(w->idle[--w->idle_count]);
    free(w);
    return NULL;
}
