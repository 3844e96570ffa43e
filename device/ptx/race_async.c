/* Asynchronous operations and races: what a copy in flight owns, what it and wgmma read late, and the proxy fences that they need. */
#include "device/ptx/race_state.h"
#include "device/ptx/tensor_map.h"

static void own(warp *w, const insn *i, uint64_t address, uint32_t bytes, bool owned)
{
    block *b = shared_block(w, address);
    const uint64_t offset = address & SHARED_OFFSET_MASK;
    for (uint32_t k = 0; k < bytes; k += CELL_BYTES) {
        cell *c = race_cell(b, offset + k);
        c->owned = owned;
        c->owner_at = i;
    }
}

static void mark_written(warp *w, uint64_t address, uint32_t bytes)
{
    block *b = shared_block(w, address);
    if (b && b->written)
        memset(b->written + (address & SHARED_OFFSET_MASK), 1, bytes);
}

void check_async_issue(warp *w, const insn *i, uint32_t mask, const uint64_t *addresses, uint32_t bytes)
{
    if (!w->race)
        return;
    w->race->sequence++;
    for (uint32_t lane = 0; lane < 32; lane++)
        if (mask >> lane & 1) {
            if (!race_access(w, i, lane, addresses[lane], bytes, ACCESS_WRITE, true))
                return;
            own(w, i, addresses[lane], bytes, true);
        }
}

void check_async_done(warp *w, const insn *i, uint32_t mask, const uint64_t *addresses, uint32_t bytes)
{
    if (w->race)
        w->race->sequence++;
    for (uint32_t lane = 0; lane < 32; lane++)
        if (mask >> lane & 1) {
            mark_written(w, addresses[lane], bytes);
            if (!w->race)
                continue;
            own(w, i, addresses[lane], bytes, false);
            race_access(w, i, lane, addresses[lane], bytes, ACCESS_WRITE, false);
        }
}

static uint64_t target_in(const async_op *op, uint32_t rank)
{
    return (op->to[0] & SHARED_OFFSET_MASK) | (uint64_t)(rank + 1) << SHARED_RANK_SHIFT;
}

/* ---- late reads ---- */

/* A copy out of shared memory reads what threads wrote: they must come before it, and fence between their proxies. */
static void check_source(async_op *op, uint32_t bytes)
{
    warp *w = op->warp;
    late_waits *waits = &w->race->bulk[op->lane];
    block *b = shared_block(w, op->to[0]);
    const uint64_t offset = op->to[0] & SHARED_OFFSET_MASK;
    op->sequence = ++waits->issued;
    for (uint32_t k = 0; k < bytes; k += CELL_BYTES)
        if (!race_late_read(w, op->at, op->lane, b, offset + k, LATE_BULK, waits->issued, true))
            return;
}

static void note_wait(struct warp_race *q, late_waits *waits, uint32_t sequence)
{
    waits->sequence[waits->count % LATE_WAITS] = sequence;
    waits->clock[waits->count++ % LATE_WAITS] = q->clocks[q->number];
}

void check_wgmma_commit(warp *w)
{
    if (w->race)
        w->race->wgmma_groups[w->wgmma_groups % WGMMA_GROUPS] = (uint32_t)w->wgmma_issued;
}

/* By the groups of the warp itself: what it waits for may have been carried out when another warp waited. */
void check_wgmma_wait(warp *w, uint32_t keep)
{
    if (w->race && w->wgmma_groups > keep)
        note_wait(w->race, &w->race->wgmma,
                  w->race->wgmma_groups[(w->wgmma_groups - keep - 1) % WGMMA_GROUPS]);
}

/* Matrices are the warpgroup's: its first warp keeps the reads of B, each warp those of its rows of A. */
bool check_wgmma_read(async_op *op, uint64_t address, bool is_b)
{
    enum { PIECE_BYTES = 16 };
    warp *w = op->warp;
    if (!shared_pointer(w, address, PIECE_BYTES))
        return true; /* reported when it is carried out */
    for (uint32_t k = 0; k < PIECE_BYTES; k += CELL_BYTES)
        if (!race_late_read(w, op->at, 0, w->block, address + k, LATE_WGMMA, (uint32_t)w->wgmma_issued + 1,
                            !is_b || w->number % 4 == 0))
            return false;
    return true;
}

/* ---- bulk copies ---- */

void check_bulk_issue(async_op *op)
{
    warp *w = op->warp;
    const uint32_t bytes = tensor_bytes(op);
    if (!w->race)
        return;
    w->race->sequence++;
    if (!op->load) {
        check_source(op, bytes);
        return;
    }
    for (uint32_t r = 0; r < w->gang->block_count; r++) {
        if (op->targets && !(op->targets >> r & 1))
            continue;
        const uint64_t to = op->targets ? target_in(op, r) : op->to[0];
        if (!race_access(w, op->at, op->lane, to, bytes, ACCESS_WRITE, true))
            return;
        own(w, op->at, to, bytes, true);
        if (!op->targets)
            break;
    }
}

/* The bytes are there, and whoever waits for the mbarrier comes after them. */
void check_bulk_done(async_op *op)
{
    warp *w = op->warp;
    const uint32_t bytes = tensor_bytes(op);
    if (!op->load) {
        if (w->race)
            note_wait(w->race, &w->race->bulk[op->lane], (uint32_t)op->sequence);
        return;
    }
    for (uint32_t r = 0; r < w->gang->block_count; r++) {
        if (op->targets && !(op->targets >> r & 1))
            continue;
        const uint64_t to = op->targets ? target_in(op, r) : op->to[0];
        mark_written(w, to, bytes);
        if (w->race) {
            own(w, op->at, to, bytes, false);
            const uint64_t m = op->targets ? (op->mbarrier & SHARED_OFFSET_MASK) | (uint64_t)(r + 1)
                                                                                       << SHARED_RANK_SHIFT
                                           : op->mbarrier;
            uint32_t *clocks = race_object(w->race, shared_key(w, m));
            const uint32_t own_clock = w->race->clocks[w->race->number];
            if (clocks[w->race->number] < own_clock)
                clocks[w->race->number] = own_clock;
        }
        if (!op->targets)
            break;
    }
}
