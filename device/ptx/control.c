/* Control flow of warps: branches that part lanes, points where they meet again, waiting for members, calls, exits.
 *
 * Lanes advance independently where they must. A branch that parts lanes makes two fragments and notes a meeting at the branch's
 * post-dominator; fragments that arrive there wait for the others and go on as one. Meetings only save work: where lanes that a meeting
 * waits for do not come, because they spin on what the waiting lanes will do, the meeting is given up (give_up_meeting). */
#include "device/ptx/builtin.h"
#include "device/ptx/exec.h"
#include "device/ptx/opcodes.h"
#include <stdlib.h>
#include <string.h>

static fragment *current(warp *w)
{
    return &w->fragments[w->current];
}

static fragment *fragment_new(warp *w, const insn *pc, uint32_t mask, int32_t at_meeting,
                              const ptx_function *function)
{
    for (uint32_t k = 0; k < FRAGMENTS; k++) {
        fragment *f = &w->fragments[k];
        if (f->state != FRAGMENT_FREE)
            continue;
        *f = (fragment){
            .pc = pc, .mask = mask, .meeting = at_meeting, .function = function, .state = FRAGMENT_READY};
        if (k >= w->fragment_high)
            w->fragment_high = k + 1;
        return f;
    }
    abort(); /* 32 lanes are in at most 32 fragments */
}

static int32_t meeting_new(warp *w, const insn *at, uint32_t expected, int32_t parent, bool is_call,
                           const ptx_function *function)
{
    uint32_t k = 0;
    while (k < w->meeting_count && w->meetings[k].used)
        k++;
    if (k == w->meeting_count) {
        const uint32_t count = w->meeting_count ? w->meeting_count * 2 : FIRST_MEETINGS;
        w->meetings = realloc(w->meetings, count * sizeof *w->meetings);
        if (!w->meetings)
            abort();
        memset(w->meetings + w->meeting_count, 0, (count - w->meeting_count) * sizeof *w->meetings);
        w->meeting_count = count;
    }
    w->meetings[k] = (meeting){.at = at,
                               .expected = expected,
                               .parent = parent,
                               .used = true,
                               .is_call = is_call,
                               .function = function};
    return (int32_t)k;
}

/* All that are still expected have arrived: they go on together. */
static void meeting_check(warp *w, int32_t k)
{
    meeting *t = &w->meetings[k];
    if (t->arrived != t->expected)
        return;
    t->used = false;
    if (t->arrived)
        fragment_new(w, t->at, t->arrived, t->parent, t->function);
}

/* Lanes leave all meetings from k outwards, up to but not with `until`. */
static void leave_meetings(warp *w, int32_t k, int32_t until, uint32_t lanes)
{
    while (k >= 0 && k != until) {
        meeting *t = &w->meetings[k];
        const int32_t parent = t->parent;
        if (t->expected & lanes) {
            t->expected &= ~lanes;
            meeting_check(w, k);
        }
        k = parent;
    }
}

bool give_up_meeting(warp *w)
{
    for (uint32_t k = 0; k < w->meeting_count; k++) {
        meeting *t = &w->meetings[k];
        if (!t->used || !t->arrived || t->is_call)
            continue;
        const uint32_t lanes = t->arrived;
        t->expected &= ~lanes;
        t->arrived = 0;
        fragment_new(w, t->at, lanes, t->parent, t->function);
        if (!t->expected)
            t->used = false;
        return true;
    }
    return false;
}

const insn *fragment_yield(warp *w, const insn *pc)
{
    fragment *f = current(w);
    f->pc = pc;
    f->mask = w->active;
    f->state = FRAGMENT_READY;
    return NULL;
}

const insn *fragment_wait(warp *w, const insn *pc, uint8_t state, uint32_t what, uint64_t address)
{
    fragment *f = current(w);
    f->pc = pc;
    f->mask = w->active;
    f->state = state;
    f->wait = what;
    f->wait_address = address;
    return NULL;
}

void fragment_wake(fragment *f)
{
    f->state = FRAGMENT_READY;
}

/* The running fragment's lanes outside of `mask` go on behind `i`, as a fragment of their own: a guarded instruction makes the others
 * wait. */
static void part_unguarded(warp *w, const insn *i, uint32_t mask)
{
    const uint32_t rest = w->active & ~mask;
    if (rest)
        fragment_new(w, i + 1, rest, current(w)->meeting, current(w)->function);
    w->active = mask;
    current(w)->mask = mask;
}

/* ---- waiting for members ---- */

bool members_present(warp *w, const insn *i, uint32_t mask, uint32_t members, const insn **next)
{
    if (w->gathered)
        return true;
    if ((members & w->live & ~mask) == 0) {
        if (w->checks)
            check_warp_sync(w, mask);
        return true;
    }
    part_unguarded(w, i, mask);
    *next = fragment_wait(w, i, FRAGMENT_MEMBERS, members, 0);
    const bool any_place = i->op == OP_WARPSYNC;
    uint32_t together = 0;
    for (uint32_t k = 0; k < w->fragment_high; k++) {
        const fragment *f = &w->fragments[k];
        if (f->state == FRAGMENT_MEMBERS && f->wait == members &&
            (any_place ? f->pc->op == OP_WARPSYNC : f->pc == i))
            together |= f->mask;
    }
    if (members & w->live & ~together)
        return false;
    if (w->checks)
        check_warp_sync(w, together);
    if (!any_place) {
        w->gathered = true;
        i->run(w, i, together);
        w->gathered = false;
    }
    for (uint32_t k = 0; k < w->fragment_high; k++) {
        fragment *f = &w->fragments[k];
        if (f->state == FRAGMENT_MEMBERS && f->wait == members &&
            (any_place ? f->pc->op == OP_WARPSYNC : f->pc == i)) {
            f->pc++;
            f->state = FRAGMENT_READY;
        }
    }
    return false;
}

const insn *part_group(warp *w, const insn *i, uint32_t group, uint32_t rest, uint32_t members)
{
    const insn *next;
    fragment *f = current(w);
    if (rest & ~group)
        fragment_new(w, i, rest & ~group, f->meeting, f->function);
    if (w->active & ~rest) /* groups that are done, and lanes that the guard leaves out */
        fragment_new(w, i + 1, w->active & ~rest, f->meeting, f->function);
    w->active = f->mask = group;
    members_present(w, i, group, members, &next);
    return next;
}

/* Exited lanes are no longer waited for. */
static void recheck_members(warp *w)
{
    for (uint32_t k = 0; k < w->fragment_high; k++)
        if (w->fragments[k].state == FRAGMENT_MEMBERS)
            w->fragments[k].state = FRAGMENT_READY; /* asks again */
}

/* ---- branches ---- */

static const insn *run_bra(warp *w, const insn *i, uint32_t m)
{
    const insn *target = i + i->imm;
    if (m == w->active) {
        if (i->imm <= 0 && --w->budget < 0)
            return fragment_yield(w, target);
        return target;
    }
    fragment *f = current(w);
    const uint32_t rest = w->active & ~m;
    const insn *meet = i->reconverge == UINT32_MAX ? NULL : i + (int32_t)i->reconverge;
    if (meet && (f->meeting < 0 || w->meetings[f->meeting].at != meet || w->meetings[f->meeting].is_call))
        f->meeting = meeting_new(w, meet, w->active, f->meeting, false, f->function);
    if (meet && target == meet) { /* the branch leads to the meeting itself */
        w->meetings[f->meeting].arrived |= m;
        w->active = f->mask = rest;
        return i + 1;
    }
    if (meet && i + 1 == meet) {
        w->meetings[f->meeting].arrived |= rest;
        w->active = f->mask = m;
        if (i->imm <= 0 && --w->budget < 0)
            return fragment_yield(w, target);
        return target;
    }
    fragment_new(w, target, m, f->meeting, f->function);
    w->active = f->mask = rest;
    return i + 1;
}

static const insn *run_join(warp *w, const insn *i, uint32_t m)
{
    fragment *f = current(w);
    (void)m;
    if (f->meeting < 0 || w->meetings[f->meeting].at != i)
        return i + 1;
    const int32_t k = f->meeting;
    w->meetings[k].arrived |= w->active;
    f->state = FRAGMENT_FREE;
    meeting_check(w, k);
    return NULL;
}

static const insn *run_exit(warp *w, const insn *i, uint32_t m)
{
    fragment *f = current(w);
    w->live &= ~m;
    w->block->live_threads -= (uint32_t)__builtin_popcount(m);
    w->gang->events++;
    w->active &= ~m;
    f->mask = w->active;
    leave_meetings(w, f->meeting, -1, m);
    barriers_after_exit(w->block);
    if (w->live)
        recheck_members(w);
    if (w->active)
        return i + 1;
    f->state = FRAGMENT_FREE;
    return NULL;
}

static const insn *run_trap(warp *w, const insn *i, uint32_t m)
{
    return found(w, i, m, PTX_FOUND_TRAP, 0, "the kernel stops itself");
}

static const insn *run_unsupported(warp *w, const insn *i, uint32_t m)
{
    return found(w, i, m, PTX_FOUND_UNSUPPORTED, 0, "%s", current(w)->function->unsupported);
}

static const insn *run_nop(warp *w, const insn *i, uint32_t m)
{
    (void)w, (void)m;
    return i + 1;
}

/* Others go first. */
static const insn *run_nanosleep(warp *w, const insn *i, uint32_t m)
{
    (void)m;
    w->budget -= 512;
    w->polled = true;
    return i + 1;
}

/* ---- calls ---- */

static void copy_params(warp *w, uint32_t mask, const call_param *to, const call_param *from, uint32_t count)
{
    const uint32_t size = w->launch->local_bytes;
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t lane = 0; lane < 32; lane++)
            if (mask >> lane & 1) {
                char *local = w->block->local + ((uint64_t)w->number * 32 + lane) * size;
                memcpy(local + to[k].offset, local + from[k].offset,
                       to[k].bytes < from[k].bytes ? to[k].bytes : from[k].bytes);
            }
}

static const ptx_function *callee_of(warp *w, const insn *i, uint32_t lane)
{
    const ptx_module *m = w->launch->function->module;
    const call_site *s = &current(w)->function->calls_made[i->target];
    if (s->function >= 0)
        return m->functions[s->function];
    const uint64_t address = ((const uint64_t *)(w->base[0] + s->pointer))[lane];
    const uint64_t number = (address - device_param_window(m->device) - (1ull << 31)) / 16;
    return number < m->function_count && m->functions[number]->address == address &&
                   m->functions[number]->defined && !m->functions[number]->is_kernel
               ? m->functions[number]
               : NULL;
}

/* Lanes that call another function than the first one go round again. */
static const insn *run_call(warp *w, const insn *i, uint32_t m)
{
    const ptx_function *callee = callee_of(w, i, (uint32_t)__builtin_ctz(m));
    if (!callee)
        return found(w, i, m, PTX_FOUND_ILLEGAL, 0, "an indirect call of what is no function of the module");
    if (callee->unsupported[0])
        return found(w, i, m, PTX_FOUND_UNSUPPORTED, 0, "%s", callee->unsupported);
    fragment *f = current(w);
    const call_site *s = &f->function->calls_made[i->target];
    uint32_t same = m;
    if (s->function < 0)
        for (uint32_t lane = 0; lane < 32; lane++)
            if (m >> lane & 1 && callee_of(w, i, lane) != callee)
                same &= ~(1u << lane);
    const int32_t meet = meeting_new(w, i + 1, w->active, f->meeting, true, f->function);
    if (w->active & ~same) {
        /* Others: either they do not call, or they come again for their own function. */
        const uint32_t others = m & ~same, idle = w->active & ~m;
        if (idle)
            w->meetings[meet].arrived |= idle;
        if (others)
            fragment_new(w, i, others, meet, f->function);
        w->active = f->mask = same;
    }
    const uint32_t count =
        s->argument_count < callee->params_in_count ? s->argument_count : callee->params_in_count;
    copy_params(w, same, callee->params_in, s->arguments, count);
    /* The results are taken at the return. */
    f->meeting = meet;
    f->function = callee;
    f->pc = callee->code;
    f->mask = w->active;
    return NULL;
}

static const insn *run_ret(warp *w, const insn *i, uint32_t m)
{
    fragment *f = current(w);
    int32_t call = f->meeting;
    while (call >= 0 && !w->meetings[call].is_call)
        call = w->meetings[call].parent;
    if (call < 0)
        return run_exit(w, i, m);
    const ptx_function *callee = f->function;
    const uint32_t stay = w->active & ~m;
    const meeting *t = &w->meetings[call];
    /* Results go to where the caller wants them. */
    const call_site *s = &t->function->calls_made[t->at[-1].target];
    if (s->result_count && callee->params_out_count)
        copy_params(w, m, s->results, callee->params_out, 1);
    f->mask = w->active = stay;
    if (!stay)
        f->state = FRAGMENT_FREE;
    leave_meetings(w, f->meeting, call, m);
    w->meetings[call].arrived |= m;
    meeting_check(w, call);
    return stay ? i + 1 : NULL;
}

insn_run pick_control(insn *i)
{
    switch (i->op) {
    case OP_BRA:
        return run_bra;
    case OP_JOIN:
        return run_join;
    case OP_EXIT:
        return run_exit;
    case OP_RET:
        return run_ret;
    case OP_TRAP:
        return run_trap;
    case OP_CALL:
        return run_call;
    case OP_CALL_BUILTIN:
        return builtin_run;
    case OP_UNSUPPORTED:
        return run_unsupported;
    case OP_NANOSLEEP:
        return run_nanosleep;
    case OP_NOP:
        return run_nop;
    default:
        return NULL;
    }
}
