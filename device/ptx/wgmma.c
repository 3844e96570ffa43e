/* Groups of wgmma instructions: issued, committed, waited for. The four warps of a warpgroup issue an instruction together; it is carried
 * out for all four when the first of them waits for it, once all have issued it. Until then its accumulators hold NaNs. */
#include "device/ptx/register_bits.h"
#include "device/ptx/opcodes.h"
#include <stdlib.h>
#include <string.h>

enum { FREE_GROUP = 0xFFFFFFFFu };

static void mark(warp *w, operand o, bool on)
{
    for (uint32_t k = 0; k < 2; k++) /* 32 lanes of 4 bytes are two places */
        register_bit_set(w->in_flight, o / PLACE_BYTES + k, on);
}

static const operand *accumulators(const async_op *op)
{
    return op->function->lists + op->at->list;
}

/* Whether two operations write the same accumulators, as those of a sum over k do. */
static bool same_accumulators(const async_op *a, const async_op *b)
{
    const operand *la = accumulators(a), *lb = accumulators(b);
    return a->at->defs == b->at->defs && (la == lb || memcmp(la, lb, a->at->defs * sizeof *la) == 0);
}

/* Called by the handler of the instruction: keeps the accumulators where nothing in flight owns them, and poisons them. */
void wgmma_note(warp *w, async_op *op)
{
    const operand *list = accumulators(op);
    const uint32_t n = op->at->defs;
    if (!w->in_flight && !(w->in_flight = calloc(register_bit_words(w->launch->register_bytes), 8)))
        abort();
    const bool chained = register_bit(w->in_flight, list[0]);
    char *kept = op->data; /* after 512 bytes for the registers of A */
    op->size = chained ? 0 : n;
    const bool marked = chained && same_accumulators(op, w->wgmmas_tail);
    for (uint32_t k = 0; k < n && !marked; k++) {
        char *r = w->base[0] + list[k];
        if (!chained) {
            memcpy(kept + 512 + k * 128, r, 128);
            memset(r, 0xFF, 128);
        }
        mark(w, list[k], true);
    }
    op->sequence = ++w->wgmma_issued;
    op->group[0] = FREE_GROUP;
    async_append(&w->wgmmas, &w->wgmmas_tail, op);
}

static void complete_first(warp *w, bool same_b)
{
    async_op *op = w->wgmmas;
    const operand *list = accumulators(op);
    for (uint32_t k = 0; k < op->size; k++)
        memcpy(w->base[0] + list[k], (char *)op->data + 512 + k * 128, 128);
    op->compute(op, same_b);
    w->wgmmas = op->next;
    if (!w->wgmmas)
        w->wgmmas_tail = NULL;
    const bool still = w->wgmmas && same_accumulators(op, w->wgmmas);
    for (uint32_t k = 0; k < op->at->defs && !still; k++)
        mark(w, list[k], false);
    free(op->data);
    async_release(w->gang, op);
    for (async_op *rest = w->wgmmas; rest && !still; rest = rest->next)
        for (uint32_t k = 0; k < rest->at->defs; k++)
            mark(w, accumulators(rest)[k], true);
}

/* Carry out everything up to this number for the whole warpgroup; false if a warp of it has not issued that much. */
static bool complete_until(warp *w, uint64_t sequence)
{
    block *b = w->block;
    const uint32_t first = w->number / 4 * 4, last = first + 4 < b->warp_count ? first + 4 : b->warp_count;
    for (uint32_t k = first; k < last; k++)
        if (b->warps[k].live && b->warps[k].wgmma_issued < sequence)
            return false;
    for (;;) {
        uint64_t next = UINT64_MAX;
        for (uint32_t k = first; k < last; k++)
            if (b->warps[k].wgmmas && b->warps[k].wgmmas->sequence < next)
                next = b->warps[k].wgmmas->sequence;
        if (next > sequence)
            return true;
        const insn *at_before = NULL;
        uint64_t b_before = 0;
        for (uint32_t k = first; k < last; k++) {
            const async_op *op = b->warps[k].wgmmas;
            if (!op || op->sequence != next)
                continue;
            const bool same_b = at_before == op->at && b_before == op->desc_b;
            at_before = op->at;
            b_before = op->desc_b;
            complete_first(&b->warps[k], same_b);
        }
    }
}

/* The last instruction that a wait for all but `keep` groups needs. */
static uint64_t needed(const warp *w, uint32_t keep)
{
    uint64_t sequence = 0;
    for (const async_op *op = w->wgmmas; op; op = op->next)
        if (op->group[0] != FREE_GROUP && op->group[0] + keep < w->wgmma_groups)
            sequence = op->sequence;
    return sequence;
}

static const insn *run_wait(warp *w, const insn *i, uint32_t m)
{
    (void)m;
    const uint64_t sequence = needed(w, i->sub);
    if (sequence && !complete_until(w, sequence)) {
        w->budget = -1; /* the other warps of the warpgroup first */
        return fragment_yield(w, i);
    }
    check_wgmma_wait(w, i->sub);
    return i + 1;
}

static const insn *run_commit(warp *w, const insn *i, uint32_t m)
{
    (void)m;
    for (async_op *op = w->wgmmas; op; op = op->next)
        if (op->group[0] == FREE_GROUP)
            op->group[0] = w->wgmma_groups;
    check_wgmma_commit(w);
    w->wgmma_groups++;
    return i + 1;
}

static const insn *run_fence(warp *w, const insn *i, uint32_t m)
{
    if (w->race)
        check_warp_sync(w, m);
    return i + 1;
}

bool wgmma_allows(warp *w, const insn *i, uint32_t mask)
{
    if (i->op == OP_WGMMA || i->op == OP_BRA || i->op == OP_JOIN || i->op == OP_CALL ||
        i->op == OP_CALL_BUILTIN)
        return true;
    const bool reads = registers_touched(w, w->in_flight, i, false);
    if (!reads && !registers_touched(w, w->in_flight, i, true))
        return true;
    if (i->op == OP_MOV_32 && reads &&
        complete_until(w, w->wgmma_issued)) /* a register gets another name: no machine instruction */
        return true;
    found(w, i, mask, PTX_FOUND_MISSING_WAIT, 0,
          "a register that a wgmma in flight %s is %s before wgmma.wait_group", "still writes",
          reads ? "read" : "written");
    return false;
}

insn_run pick_wgmma_groups(insn *i)
{
    switch (i->op) {
    case OP_WGMMA_FENCE:
        return run_fence;
    case OP_WGMMA_COMMIT:
        return run_commit;
    case OP_WGMMA_WAIT:
        return run_wait;
    default:
        return NULL;
    }
}
