/* Bulk and tensor copies, st.async and red.async: their issue, and the groups of those that go to global memory. */
#include "device/ptx/exec.h"
#include "device/ptx/instructions.h"
#include "device/ptx/opcodes.h"
#include <stdlib.h>
#include <string.h>

static const insn *run_bulk(warp *w, const insn *i, uint32_t m)
{
    for (uint32_t lane = 0; lane < 32; lane++) {
        if (!(m >> lane & 1))
            continue;
        async_op *op = async_new(w, i, i->op == OP_TMA ? ASYNC_TENSOR : ASYNC_BULK, 1u << lane);
        op->lane = lane;
        if (!tensor_issue(w, i, op)) {
            async_release(w->gang, op);
            return NULL;
        }
        w->gang->events++;
        if (op->mbarrier != UINT64_MAX) {
            async_append(&w->gang->arrivals, &w->gang->arrivals_tail, op);
        } else {
            op->group[0] = w->bulk_groups[lane];
            async_append(&w->bulk, &w->bulk_tail, op);
        }
    }
    return i + 1;
}

static const insn *run_st_async(warp *w, const insn *i, uint32_t m)
{
    for (uint32_t lane = 0; lane < 32; lane++) {
        if (!(m >> lane & 1))
            continue;
        async_op *op = async_new(w, i, ASYNC_STORE, 1u << lane);
        op->size = i->width * (uint32_t)i->uses;
        op->to[0] = async_address(w, i->a, i->imm, i->flags & FLAG_ADDRESS32, lane);
        op->mbarrier = async_address(w, i->b, (int32_t)i->target, i->flags & FLAG_ADDRESS32_B, lane);
        char *to = lane_pointer(w, i, lane, SPACE_CLUSTER, op->to[0], op->size, true);
        if (!to) {
            async_release(w->gang, op);
            return NULL;
        }
        for (uint32_t k = 0; k < i->uses; k++) {
            const operand o = w->lists[i->list + k];
            memcpy(op->map + k * i->width, w->base[o & 1] + (o & ~1u) + lane * i->narrow, i->width);
        }
        op->reduction = i->sub;
        op->type = i->type;
        if (!op->reduction) {
            memset(to, ASYNC_POISON, op->size);
            if (w->block->written)
                check_written(w, i, lane, op->to[0], op->size, true);
        }
        async_append(&w->gang->arrivals, &w->gang->arrivals_tail, op);
    }
    w->gang->events++;
    return i + 1;
}

void bulk_complete(warp *w, uint32_t lanes, uint32_t keep, bool all)
{
    async_op *before = NULL;
    for (async_op *op = w->bulk, *next; op; op = next) {
        next = op->next;
        if (!(lanes >> op->lane & 1) || (!all && op->group[0] + keep >= w->bulk_groups[op->lane])) {
            before = op;
            continue;
        }
        async_unlink(&w->bulk, &w->bulk_tail, before, op);
        tensor_run(op);
        async_release(w->gang, op);
    }
}

static const insn *run_bulk_commit(warp *w, const insn *i, uint32_t m)
{
    for (uint32_t lane = 0; lane < 32; lane++)
        w->bulk_groups[lane] += m >> lane & 1;
    return i + 1;
}

static const insn *run_bulk_wait(warp *w, const insn *i, uint32_t m)
{
    if (w->bulk)
        bulk_complete(w, m, i->sub, false);
    return atomic_load_explicit(&w->launch->stop, memory_order_relaxed) ? NULL : i + 1;
}

insn_run pick_bulk(insn *i)
{
    switch (i->op) {
    case OP_TMA:
    case OP_BULK:
        return run_bulk;
    case OP_ST_ASYNC:
        return run_st_async;
    case OP_BULK_COMMIT:
        return run_bulk_commit;
    case OP_BULK_WAIT:
        return run_bulk_wait;
    default:
        return NULL;
    }
}
