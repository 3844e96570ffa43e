/* Asynchronous work: cp.async (cp_async.c), bulk and tensor copies (bulk.c). Each piece is queued when it is issued, its target is poisoned,
 * and it is carried out as late as a wait allows: a kernel that does not wait computes with NaNs. */
#include "device/ptx/exec.h"
#include <stdlib.h>
#include <string.h>

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
void async_unlink(async_op **head, async_op **tail, async_op *before, async_op *op)
{
    if (before)
        before->next = op->next;
    else
        *head = op->next;
    if (*tail == op)
        *tail = before;
}

uint64_t async_address(warp *w, operand o, int64_t offset, bool narrow, uint32_t lane)
{
    const char *a = w->base[o & 1] + (o & ~1u);
    return narrow ? ((const uint32_t *)a)[lane] + (uint32_t)offset
                  : ((const uint64_t *)a)[lane] + (uint64_t)offset;
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
        async_unlink(&g->arrivals, &g->arrivals_tail, before, op);
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
                cp_async_complete(w, lanes, 0, true);
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
        if (to && op->reduction)
            reduce_bytes(to, (const char *)op->map, op->size, op->reduction - 1, op->type, false);
        else if (to)
            memcpy(to, op->map, op->size);
        mbarrier_transfer(w, op->at, op->lane, op->mbarrier, -(int64_t)op->size);
    }
}

/* What a warp leaves behind. Copies into shared memory that an mbarrier announces are waited for by others; what nobody can wait for is of
 * no use to anybody. Stores reach global memory if the block's shared memory lives long enough, and here it does. */
void async_end_of_warp(warp *w)
{
    uint32_t announced = 0;
    for (const async_op *op = w->copies; op; op = op->next)
        if (op->kind == ASYNC_COPY_ARRIVE)
            announced |= op->mask;
    if (announced)
        cp_async_complete(w, announced, 0, true);
    while (w->copies) {
        async_op *next = w->copies->next;
        async_release(w->gang, w->copies);
        w->copies = next;
    }
    if (w->bulk)
        bulk_complete(w, ~0u, 0, true);
    while (w->wgmmas) {
        async_op *next = w->wgmmas->next;
        free(w->wgmmas->data);
        async_release(w->gang, w->wgmmas);
        w->wgmmas = next;
    }
}
