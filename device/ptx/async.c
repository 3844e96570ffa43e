/* Asynchronous copies: cp.async, bulk copies, tensor copies. Each is queued when it is issued, its target is poisoned, and it is carried
 * out as late as a wait allows: a kernel that does not wait computes with NaNs. */
#include "device/ptx/exec.h"
#include "device/ptx/instructions.h"
#include "device/ptx/opcodes.h"
#include <stdlib.h>
#include <string.h>

enum { POISON = 0xFF };

async_op *async_new(warp *w, const insn *i, async_kind kind, uint32_t mask)
{
    gang *g = w->gang;
    async_op *op = g->spare;
    if (op)
        g->spare = op->next;
    else if (!(op = malloc(sizeof *op)))
        abort();
    op->next = NULL;
    op->kind = kind;
    op->warp = w;
    op->at = i;
    op->function = w->fragments[w->current].function;
    op->mask = mask;
    op->mbarrier = UINT64_MAX;
    op->targets = 0;
    op->read_done = false;
    op->reduction = 0;
    op->data = NULL;
    op->lane = mask ? (uint32_t)__builtin_ctz(mask) : 0;
    return op;
}

void async_release(gang *g, async_op *op)
{
    op->next = g->spare;
    g->spare = op;
}

void async_append(async_op **head, async_op **tail, async_op *op)
{
    if (*head)
        (*tail)->next = op;
    else
        *head = op;
    *tail = op;
}

/* Take an operation out of its list; `before` is what precedes it or NULL. */
static void unlink_op(async_op **head, async_op **tail, async_op *before, async_op *op)
{
    if (before)
        before->next = op->next;
    else
        *head = op->next;
    if (*tail == op)
        *tail = before;
}

static uint64_t address_of_lane(warp *w, operand o, int64_t offset, bool narrow, uint32_t lane)
{
    const char *a = w->base[o & 1] + (o & ~1u);
    return narrow ? ((const uint32_t *)a)[lane] + (uint32_t)offset
                  : ((const uint64_t *)a)[lane] + (uint64_t)offset;
}

static uint32_t u32_of_lane(warp *w, operand o, uint32_t lane)
{
    return ((const uint32_t *)(w->base[o & 1] + (o & ~1u)))[lane];
}

/* ---- cp.async ---- */

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
        op->to[lane] = address_of_lane(w, i->a, i->imm, i->flags & FLAG_ADDRESS32, lane);
        op->from[lane] = address_of_lane(w, i->b, (int32_t)i->target, i->flags & FLAG_ADDRESS32_B, lane);
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
        fill_piece(to, POISON, i->sub);
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
static void complete_copies(warp *w, uint32_t lanes, uint32_t keep, bool all)
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
        unlink_op(&w->copies, &w->copies_tail, before, op);
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
        complete_copies(w, m, i->sub, i->sub == 255);
    return atomic_load_explicit(&w->launch->stop, memory_order_relaxed) ? NULL : i + 1;
}

/* An arrival when all earlier copies of the thread are there. */
static const insn *run_cp_mbarrier(warp *w, const insn *i, uint32_t m)
{
    async_op *op = async_new(w, i, ASYNC_COPY_ARRIVE, m);
    for (uint32_t lane = 0; lane < 32; lane++) {
        if (!(m >> lane & 1))
            continue;
        op->to[lane] = address_of_lane(w, i->a, i->imm, i->flags & FLAG_ADDRESS32, lane);
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

/* ---- completion on mbarriers ---- */

/* Shared addresses of the own block and with a rank name the same place. */
static uint64_t with_rank(uint32_t rank, uint64_t address)
{
    return address >> SHARED_RANK_SHIFT ? address : address | (uint64_t)(rank + 1) << SHARED_RANK_SHIFT;
}

bool async_complete_for(gang *g, uint32_t rank, uint64_t mbarrier)
{
    const uint64_t place = with_rank(rank, mbarrier);
    bool any = false;
    async_op *before = NULL;
    for (async_op *op = g->arrivals, *next; op; op = next) {
        next = op->next;
        const uint64_t offset = op->mbarrier & ((1u << SHARED_RANK_SHIFT) - 1);
        const bool multicast = op->targets && offset == (place & ((1u << SHARED_RANK_SHIFT) - 1)) &&
                               op->targets >> ((place >> SHARED_RANK_SHIFT) - 1) & 1;
        if (!multicast && with_rank(op->warp->block->rank, op->mbarrier) != place) {
            before = op;
            continue;
        }
        unlink_op(&g->arrivals, &g->arrivals_tail, before, op);
        async_run(op);
        async_release(g, op);
        any = true;
    }
    /* cp.async arrivals, of any warp of the gang */
    for (uint32_t r = 0; r < g->block_count; r++)
        for (uint32_t k = 0; k < g->blocks[r].warp_count; k++) {
            warp *w = &g->blocks[r].warps[k];
            uint32_t lanes = 0;
            for (const async_op *op = w->copies; op; op = op->next)
                if (op->kind == ASYNC_COPY_ARRIVE)
                    for (uint32_t lane = 0; lane < 32; lane++)
                        if (op->mask >> lane & 1 && with_rank(r, op->to[lane]) == place)
                            lanes |= 1u << lane;
            if (lanes) {
                complete_copies(w, lanes, 0, true);
                any = true;
            }
        }
    return any;
}

void async_run(async_op *op)
{
    if (op->kind == ASYNC_TENSOR || op->kind == ASYNC_BULK)
        tensor_run(op);
    else if (op->kind == ASYNC_STORE) {
        warp *w = op->warp;
        char *to = shared_pointer(w, op->to[0], op->size);
        if (to)
            memcpy(to, op->map, op->size);
        mbarrier_transfer(w, op->at, op->lane, op->mbarrier, -(int64_t)op->size);
    }
}

/* ---- bulk and tensor copies ---- */

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
        op->to[0] = address_of_lane(w, i->a, i->imm, i->flags & FLAG_ADDRESS32, lane);
        op->mbarrier = address_of_lane(w, i->b, (int32_t)i->target, i->flags & FLAG_ADDRESS32_B, lane);
        char *to = lane_pointer(w, i, lane, SPACE_CLUSTER, op->to[0], op->size, true);
        if (!to) {
            async_release(w->gang, op);
            return NULL;
        }
        for (uint32_t k = 0; k < i->uses; k++) {
            const operand o = w->lists[i->list + k];
            memcpy(op->map + k * i->width, w->base[o & 1] + (o & ~1u) + lane * i->narrow, i->width);
        }
        memset(to, POISON, op->size);
        async_append(&w->gang->arrivals, &w->gang->arrivals_tail, op);
    }
    w->gang->events++;
    return i + 1;
}

static void complete_bulk(warp *w, uint32_t lanes, uint32_t keep, bool all)
{
    async_op *before = NULL;
    for (async_op *op = w->bulk, *next; op; op = next) {
        next = op->next;
        if (!(lanes >> op->lane & 1) || (!all && op->group[0] + keep >= w->bulk_groups[op->lane])) {
            before = op;
            continue;
        }
        unlink_op(&w->bulk, &w->bulk_tail, before, op);
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
        complete_bulk(w, m, i->sub, false);
    return atomic_load_explicit(&w->launch->stop, memory_order_relaxed) ? NULL : i + 1;
}

/* What a warp leaves behind. Copies into shared memory that nobody waited for are of no use to anybody; stores reach global memory if the
 * block's shared memory lives long enough, and here it does. */
void async_end_of_warp(warp *w)
{
    while (w->copies) {
        async_op *next = w->copies->next;
        async_release(w->gang, w->copies);
        w->copies = next;
    }
    if (w->bulk)
        complete_bulk(w, ~0u, 0, true);
    while (w->wgmmas) {
        async_op *next = w->wgmmas->next;
        free(w->wgmmas->data);
        async_release(w->gang, w->wgmmas);
        w->wgmmas = next;
    }
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
