/* cp.async: copies of up to 16 bytes a lane, waited for by groups or by mbarriers. */
#include "device/ptx/exec.h"
#include "device/ptx/instructions.h"
#include "device/ptx/opcodes.h"
#include <stdlib.h>
#include <string.h>

static uint32_t u32_of_lane(warp *w, operand o, uint32_t lane)
{
    return ((const uint32_t *)(w->base[o & 1] + (o & ~1u)))[lane];
}

/* memset() and memcpy() of the sizes that cp.async has. */
static void fill_piece(char *to, int value, uint32_t bytes)
{
    if (bytes == 16)
        memset(to, value, 16);
    else
        memset(to, value, bytes);
}

static void copy_piece(char *to, const char *from, uint32_t bytes)
{
    if (bytes == 16)
        memcpy(to, from, 16);
    else if (bytes == 4)
        memcpy(to, from, 4);
    else
        memcpy(to, from, bytes);
}

static const insn *run_cp_async(warp *w, const insn *i, uint32_t m)
{
    async_op *op = async_new(w, i, ASYNC_COPY, m);
    op->size = i->sub;
    uint32_t reads = 0;
    for (uint32_t lane = 0; lane < 32; lane++) {
        if (!(m >> lane & 1))
            continue;
        op->to[lane] = async_address(w, i->a, i->imm, i->flags & FLAG_ADDRESS32, lane);
        op->from[lane] = async_address(w, i->b, (int32_t)i->target, i->flags & FLAG_ADDRESS32_B, lane);
        op->group[lane] = w->copy_groups[lane];
        op->bytes[lane] = i->sub;
        if (i->c != NO_OPERAND && i->flags & FLAG_NEGATED_A) /* ignore-src */
            op->bytes[lane] = u32_of_lane(w, i->c, 0) >> lane & 1 ? 0 : i->sub;
        else if (i->c != NO_OPERAND && u32_of_lane(w, i->c, lane) < i->sub)
            op->bytes[lane] = u32_of_lane(w, i->c, lane);
        reads |= (uint32_t)(op->bytes[lane] > 0) << lane;
        if (op->to[lane] % i->sub || (op->bytes[lane] && op->from[lane] % i->sub)) {
            async_release(w->gang, op);
            return found(w, i, 1u << lane, PTX_FOUND_MISALIGNED, op->to[lane],
                         "cp.async of %u bytes from %#llx to byte %lld of shared memory", i->sub,
                         (unsigned long long)op->from[lane], (long long)op->to[lane] - SHARED_START);
        }
        char *to = lane_pointer(w, i, lane, SPACE_SHARED, op->to[lane], i->sub, true);
        if (!to || (op->bytes[lane] &&
                    !lane_pointer(w, i, lane, SPACE_GLOBAL, op->from[lane], op->bytes[lane], false))) {
            async_release(w->gang, op);
            return NULL;
        }
        fill_piece(to, ASYNC_POISON, i->sub);
    }
    if (w->checks) {
        check_global(w, i, reads, op->from, i->sub, ACCESS_READ);
        check_async_issue(w, i, m, op->to, i->sub);
    }
    async_append(&w->copies, &w->copies_tail, op);
    return i + 1;
}

/* Carry out the copies of these lanes. */
static void copy_lanes(async_op *op, uint32_t lanes)
{
    warp *w = op->warp;
    for (uint32_t lane = 0; lane < 32; lane++) {
        if (!(lanes >> lane & 1))
            continue;
        char *to = shared_pointer(w, op->to[lane], op->size);
        if (op->bytes[lane] < op->size)
            fill_piece(to, 0, op->size);
        if (op->bytes[lane]) {
            const char *from =
                lane_pointer(w, op->at, lane, SPACE_GLOBAL, op->from[lane], op->bytes[lane], false);
            if (from)
                copy_piece(to, from, op->bytes[lane]);
        }
    }
    if (w->checks)
        check_async_done(w, op->at, lanes, op->to, op->size);
}

/* Complete what these lanes issued, up to the groups that may stay in flight; `all`: also what is not committed. */
void cp_async_complete(warp *w, uint32_t lanes, uint32_t keep, bool all)
{
    async_op *before = NULL;
    for (async_op *op = w->copies, *next; op; op = next) {
        next = op->next;
        uint32_t now = 0;
        for (uint32_t lane = 0; lane < 32; lane++)
            now |= (uint32_t)(all | (op->group[lane] + keep < w->copy_groups[lane])) << lane;
        now &= op->mask & lanes;
        if (op->kind == ASYNC_COPY) {
            copy_lanes(op, now);
        } else if (now) {
            for (uint32_t lane = 0; lane < 32; lane++)
                if (now >> lane & 1)
                    mbarrier_arrive(w, op->at, lane, op->to[lane], 1);
        }
        op->mask &= ~now;
        if (op->mask) {
            before = op;
            continue;
        }
        async_unlink(&w->copies, &w->copies_tail, before, op);
        async_release(w->gang, op);
    }
}

static const insn *run_cp_commit(warp *w, const insn *i, uint32_t m)
{
    for (uint32_t lane = 0; lane < 32; lane++)
        w->copy_groups[lane] += m >> lane & 1;
    return i + 1;
}

static const insn *run_cp_wait(warp *w, const insn *i, uint32_t m)
{
    if (w->copies)
        cp_async_complete(w, m, i->sub, i->sub == 255);
    return atomic_load_explicit(&w->launch->stop, memory_order_relaxed) ? NULL : i + 1;
}

/* An arrival when all earlier copies of the thread are there. */
static const insn *run_cp_mbarrier(warp *w, const insn *i, uint32_t m)
{
    async_op *op = async_new(w, i, ASYNC_COPY_ARRIVE, m);
    for (uint32_t lane = 0; lane < 32; lane++) {
        if (!(m >> lane & 1))
            continue;
        op->to[lane] = async_address(w, i->a, i->imm, i->flags & FLAG_ADDRESS32, lane);
        op->group[lane] = w->copy_groups[lane];
        if (!i->sub &&
            !mbarrier_raise(w, i, lane, op->to[lane])) { /* without .noinc the arrival is one more */
            async_release(w->gang, op);
            return NULL;
        }
    }
    async_append(&w->copies, &w->copies_tail, op);
    return i + 1;
}

insn_run pick_async(insn *i)
{
    switch (i->op) {
    case OP_CP_ASYNC:
        return run_cp_async;
    case OP_CP_COMMIT:
        return run_cp_commit;
    case OP_CP_WAIT:
        return run_cp_wait;
    case OP_CP_MBARRIER:
        return run_cp_mbarrier;
    default:
        return NULL;
    }
}
