/* Barriers of blocks and clusters, and fences. A barrier counts threads; lanes of a warp that parted arrive on their own. */
#include "device/ptx/exec.h"
#include "device/ptx/instructions.h"
#include "device/ptx/opcodes.h"

static uint32_t operand_value(warp *w, operand o, uint32_t lane)
{
    return ((const uint32_t *)(w->base[o & 1] + (o & ~1u)))[lane];
}

static void give_result(warp *w, const insn *i, uint32_t mask, const named_barrier *b)
{
    if (i->sub == BAR_RED_POPC) {
        uint32_t *d = (uint32_t *)(w->base[0] + i->d);
        for (uint32_t lane = 0; lane < 32; lane++)
            if (mask >> lane & 1)
                d[lane] = b->votes;
    } else if (i->sub >= BAR_RED_AND) {
        uint32_t *d = (uint32_t *)(w->base[0] + i->d);
        const bool yes = i->sub == BAR_RED_AND ? b->votes == b->threads : b->votes != 0;
        *d = (*d & ~mask) | (yes ? mask : 0);
    }
}

/* The lanes of the warp that wait at the barrier, in whatever fragments. */
static uint32_t waiting_lanes(const warp *w, uint32_t id)
{
    uint32_t lanes = 0;
    for (uint32_t n = 0; n < w->fragment_high; n++)
        if (w->fragments[n].state == FRAGMENT_BARRIER && w->fragments[n].wait == id)
            lanes |= w->fragments[n].mask;
    return lanes;
}

/* If everybody is there, the barrier opens. */
static bool open_if_complete(block *b, uint32_t id)
{
    named_barrier *bar = &b->barriers[id];
    const uint32_t needed = bar->needed ? bar->needed : b->live_threads;
    if (bar->arrived == 0 || bar->arrived < needed)
        return false;
    for (uint32_t k = 0; k < b->warp_count; k++) {
        warp *w = &b->warps[k];
        const uint32_t lanes = waiting_lanes(w, id);
        if (w->race && lanes)
            check_barrier_leave(w, id, lanes);
        for (uint32_t n = 0; n < w->fragment_high; n++) {
            fragment *f = &w->fragments[n];
            if (f->state != FRAGMENT_BARRIER || f->wait != id)
                continue;
            give_result(w, f->pc, f->mask, bar);
            f->pc++;
            fragment_wake(f);
        }
    }
    *bar = (named_barrier){0};
    check_barrier_reset(b, id);
    b->gang->events++;
    return true;
}

void barriers_after_exit(block *b)
{
    for (uint32_t id = 0; id < 16; id++)
        if (b->barriers[id].arrived && !b->barriers[id].needed)
            open_if_complete(b, id);
    gang *g = b->gang;
    uint32_t live = 0;
    for (uint32_t k = 0; k < g->block_count; k++)
        live += g->blocks[k].live_threads;
    if (g->cluster_arrived && g->cluster_arrived >= live) {
        g->cluster_arrived = 0;
        g->cluster_phase++;
        for (uint32_t k = 0; k < g->block_count; k++)
            for (uint32_t n = 0; n < g->blocks[k].warp_count; n++)
                for (uint32_t f = 0; f < FRAGMENTS; f++)
                    if (g->blocks[k].warps[n].fragments[f].state == FRAGMENT_CLUSTER)
                        fragment_wake(&g->blocks[k].warps[n].fragments[f]);
    }
}

static const insn *run_bar(warp *w, const insn *i, uint32_t m)
{
    block *b = w->block;
    const uint32_t first = (uint32_t)__builtin_ctz(m), id = operand_value(w, i->a, first);
    if (id > 15)
        return found(w, i, m, PTX_FOUND_ILLEGAL, 0, "barrier %u; there are 16", id);
    named_barrier *bar = &b->barriers[id];
    const uint32_t count = i->b == NO_OPERAND ? 0 : operand_value(w, i->b, first);
    if (count % 32)
        return found(w, i, m, PTX_FOUND_ILLEGAL, 0, "a barrier of %u threads, not a multiple of 32", count);
    if (bar->arrived && bar->needed != count)
        return found(w, i, m, PTX_FOUND_BARRIER, 0, "barrier %u is used with %u and with %u threads at once",
                     id, bar->needed, count);
    bar->needed = count;
    const uint32_t lanes = (uint32_t)__builtin_popcount(m);
    /* Barriers of a number of threads count whole warps, exited lanes as well. */
    bar->arrived += count && m == w->live ? 32 : lanes;
    bar->threads += lanes;
    if (w->race)
        check_barrier_arrive(w, id, m);
    if (i->sub >= BAR_RED_AND) {
        const uint32_t vote = *(const uint32_t *)(w->base[i->c & 1] + (i->c & ~1u));
        bar->votes += (uint32_t)__builtin_popcount((i->flags & FLAG_NEGATED_A ? ~vote : vote) & m);
    }
    w->gang->events++;
    if (count && bar->arrived > count)
        return found(w, i, m, PTX_FOUND_BARRIER, 0, "more than %u threads arrive at barrier %u", count, id);
    if (i->sub == BAR_ARRIVE) {
        open_if_complete(b, id);
        return i + 1;
    }
    if (m != w->active) { /* a guard that holds for some lanes: the others go on */
        fragment *f = &w->fragments[w->current];
        for (uint32_t k = 0; k < FRAGMENTS; k++)
            if (w->fragments[k].state == FRAGMENT_FREE) {
                w->fragments[k] = (fragment){.pc = i + 1,
                                             .mask = w->active & ~m,
                                             .meeting = f->meeting,
                                             .function = f->function,
                                             .state = FRAGMENT_READY};
                if (k >= w->fragment_high)
                    w->fragment_high = k + 1;
                break;
            }
        w->active = m;
    }
    fragment_wait(w, i, FRAGMENT_BARRIER, id, 0);
    open_if_complete(b, id);
    return NULL;
}

static const insn *run_cluster_arrive(warp *w, const insn *i, uint32_t m)
{
    w->cluster_phase = w->gang->cluster_phase;
    if (w->race)
        check_cluster_arrive(w);
    w->gang->cluster_arrived += (uint32_t)__builtin_popcount(m);
    w->gang->events++;
    barriers_after_exit(w->block);
    return i + 1;
}

static const insn *run_cluster_wait(warp *w, const insn *i, uint32_t m)
{
    (void)m;
    if (w->gang->cluster_phase != w->cluster_phase) {
        if (w->race)
            check_cluster_leave(w);
        return i + 1;
    }
    return fragment_wait(w, i, FRAGMENT_CLUSTER, 0, 0);
}

static const insn *run_fence(warp *w, const insn *i, uint32_t m)
{
    (void)m;
    if (w->race && (i->sub == FENCE_PROXY_ASYNC || i->sub == FENCE_MBARRIER_INIT))
        check_proxy_fence(w);
    if (w->race && i->sub == FENCE_MEMORY)
        check_device_fence(w);
    return i + 1;
}

insn_run pick_barrier(insn *i)
{
    switch (i->op) {
    case OP_BAR:
        return run_bar;
    case OP_CLUSTER_ARRIVE:
        return run_cluster_arrive;
    case OP_CLUSTER_WAIT:
        return run_cluster_wait;
    case OP_FENCE:
        return run_fence;
    default:
        return NULL;
    }
}
