/* Races in shared memory, and reads of what nobody wrote. Cells of four bytes remember the last write and the last reads, of two warps.
 * An access that neither comes after the last write nor, for writes, after the last reads is a race. Bytes that a copy in flight will
 * write belong to the copy: whoever touches them before the wait is reported. */
#include "device/ptx/counters.h"
#include "device/ptx/opcodes.h"
#include "device/ptx/race_state.h"

/* The clock of the wait that the operation was over by; UINT32_MAX: there was none yet, 0: too long ago to be remembered. */
static uint32_t wait_of(const late_waits *l, uint32_t sequence)
{
    const uint32_t first = l->count > LATE_WAITS ? l->count - LATE_WAITS : 0;
    for (uint32_t k = first; k < l->count; k++)
        if (l->sequence[k % LATE_WAITS] >= sequence)
            return k == first && first > 0 ? 0 : l->clock[k % LATE_WAITS];
    return UINT32_MAX;
}

/* A late read is over when the warp that waited for it is known to have done so; for wgmma, any warp of the warpgroup. */
static bool late_over(const warp *w, const stamp *before)
{
    const struct warp_race *q = w->race;
    const uint32_t group = before->warp / 4 * 4, first = before->late == LATE_WGMMA ? group : before->warp;
    const uint32_t last = before->late == LATE_WGMMA ? group + 4 : first + 1;
    for (uint32_t v = first; v < last && v < q->count; v++) {
        const struct warp_race *other = gang_warp(w->gang, v)->race;
        const uint32_t clock = wait_of(
            before->late == LATE_WGMMA ? &other->wgmma : &other->bulk[before->lanes[0]], before->sequence);
        if (clock != UINT32_MAX && (v == q->number || q->clocks[v] >= clock))
            return true;
    }
    return false;
}

bool race_ordered(const warp *w, const stamp *before, uint32_t lane, uint32_t bytes)
{
    const struct warp_race *q = w->race;
    if (!before->at)
        return true;
    if (before->late)
        return late_over(w, before);
    if (before->warp == q->number) {
        const uint32_t other = stamp_lane(before, bytes, lane);
        return other == lane || before->async || before->sequence == q->sequence ||
               before->epoch < q->epoch || (q->parted && q->lanes[lane][other] >= before->lane_clock);
    }
    return q->clocks[before->warp] >= before->clock;
}

/* The function of the module that an instruction belongs to. */
void race_place(const warp *w, const insn *at, char *out, size_t bytes)
{
    const ptx_module *m = w->launch->function->module;
    for (size_t k = 0; k < m->function_count; k++)
        if (at >= m->functions[k]->code && at < m->functions[k]->code + m->functions[k]->count)
            program_place(m->functions[k], at, out, bytes);
}

static const char *word(const stamp *s, bool write)
{
    return s->late == LATE_WGMMA   ? "a wgmma that may still read it"
           : s->late == LATE_BULK  ? "a copy that may still read it"
           : s->async              ? "an asynchronous copy"
           : s->strength == ATOMIC ? "an atomic"
           : write                 ? "a write"
                                   : "a read";
}

static void report(warp *w, const insn *i, uint32_t lane, uint32_t bytes, uint64_t offset,
                   const stamp *before, bool before_writes, const char *what)
{
    char place[300] = "?";
    race_place(w, before->at, place, sizeof place);
    const warp *other = gang_warp(w->gang, before->warp);
    const uint32_t *b = w->launch->block, t = other->number * 32 + stamp_lane(before, bytes, lane);
    found(
        w, i, 1u << lane, PTX_FOUND_SHARED_RACE, offset,
        "%s of byte %lld of shared memory, and %s by thread (%u,%u,%u) at %s, with nothing that orders them",
        what, (long long)offset - SHARED_START, word(before, before_writes), t % b[0], t / b[0] % b[1],
        t / b[0] / b[1], place);
}

static void report_owned(warp *w, const insn *i, uint32_t lane, uint64_t offset, const cell *c,
                         access_kind kind)
{
    char place[300] = "?";
    race_place(w, c->owner_at, place, sizeof place);
    found(w, i, 1u << lane, PTX_FOUND_MISSING_WAIT, offset,
          "%s of byte %lld of shared memory, which the copy issued at %s still writes",
          kind == ACCESS_READ ? "a read" : "a write", (long long)offset - SHARED_START, place);
}

/* What race_ordered() says of most accesses, without a call. */
static inline bool quickly_ordered(const struct warp_race *q, const stamp *before, uint32_t lane,
                                   uint32_t bytes)
{
    if (before->late || !before->at)
        return !before->at;
    if (before->warp != q->number)
        return q->clocks[before->warp] >= before->clock;
    return before->epoch < q->epoch || stamp_lane(before, bytes, lane) == lane;
}

/* Volatile and relaxed accesses of two warps may meet, as they do at a flag; lanes of one warp need an atomic for it. */
static inline bool may_meet(const stamp *before, const stamp *now)
{
    return before->strength && now->strength &&
           (before->strength == ATOMIC || now->strength == ATOMIC || before->warp != now->warp);
}

/* Lanes of one instruction share a stamp, each with its bytes. */
static inline void put_stamp(stamp *s, const stamp *now)
{
    if (s->at != now->at || s->warp != now->warp || s->sequence != now->sequence ||
        s->lane_clock != now->lane_clock) {
        *s = *now;
        return;
    }
    for (uint32_t k = 0; k < CELL_BYTES; k++)
        if (now->bytes & ~s->bytes & 1u << k)
            s->lanes[k] = now->lanes[k];
    s->bytes |= now->bytes;
}

/* False: a finding was recorded. */
static inline bool access_cell(warp *w, const insn *i, uint32_t lane, block *b, uint64_t offset,
                               const stamp *now, access_kind kind)
{
    const struct warp_race *q = w->race;
    cell *c = race_cell(b, offset);
    if (c->owned && !now->async) {
        report_owned(w, i, lane, offset, c, kind);
        return false;
    }
    if (c->write.bytes & now->bytes && !may_meet(&c->write, now) &&
        !quickly_ordered(q, &c->write, lane, now->bytes) && !race_ordered(w, &c->write, lane, now->bytes)) {
        report(w, i, lane, now->bytes, offset, &c->write, true, word(now, kind != ACCESS_READ));
        return false;
    }
    if (kind == ACCESS_READ) {
        if (c->read.at && c->read.warp != now->warp)
            c->other = c->read;
        put_stamp(&c->read, now);
        return true;
    }
    const stamp *reads[2] = {&c->read, &c->other};
    for (int k = 0; k < 2; k++)
        if (reads[k]->bytes & now->bytes && !may_meet(reads[k], now) &&
            !quickly_ordered(q, reads[k], lane, now->bytes) && !race_ordered(w, reads[k], lane, now->bytes)) {
            report(w, i, lane, now->bytes, offset, reads[k], false, word(now, true));
            return false;
        }
    put_stamp(&c->write, now);
    return true;
}

bool race_late_read(warp *w, const insn *i, uint32_t lane, block *b, uint64_t offset, uint8_t late,
                    uint32_t sequence, bool keep)
{
    const struct warp_race *q = w->race;
    cell *c = race_cell(b, offset);
    const stamp *s = &c->write;
    if (c->owned) {
        report_owned(w, i, lane, offset, c, ACCESS_READ);
        return false;
    }
    if (s->at && !race_ordered(w, s, lane, 15)) {
        report(w, i, lane, 15, offset, s, true, late == LATE_WGMMA ? "a read by wgmma" : "a copy");
        return false;
    }
    if (s->at && !s->async && s->clock >= gang_warp(w->gang, s->warp)->race->fenced &&
        q->fence_clocks[s->warp] < s->clock) {
        char place[300] = "?";
        race_place(w, s->at, place, sizeof place);
        found(w, i, 1u << lane, PTX_FOUND_MISSING_FENCE, offset,
              "%s byte %lld of shared memory, written at %s, with no fence.proxy.async between",
              late == LATE_WGMMA ? "a wgmma reads" : "a copy of", (long long)offset - SHARED_START, place);
        return false;
    }
    if (!keep)
        return true;
    if (c->read.at && c->read.warp != q->number)
        c->other = c->read;
    c->read = (stamp){.at = i,
                      .clock = q->clocks[q->number],
                      .sequence = sequence,
                      .warp = (uint16_t)q->number,
                      .lanes = {(uint8_t)lane, (uint8_t)lane, (uint8_t)lane, (uint8_t)lane},
                      .bytes = 15,
                      .late = late,
                      .async = true};
    return true;
}

static bool is_volatile(const insn *i)
{
    return i->flags & FLAG_VOLATILE && (i->op == OP_LD || i->op == OP_ST);
}

bool race_access(warp *w, const insn *i, uint32_t lane, uint64_t address, uint32_t bytes, access_kind kind,
                 bool async)
{
    const struct warp_race *q = w->race;
    block *b = shared_block(w, address);
    const uint64_t offset = address & SHARED_OFFSET_MASK;
    stamp now = {.at = i,
                 .clock = q->clocks[q->number],
                 .epoch = q->epoch,
                 .lane_clock = q->parted ? q->lanes[lane][lane] : 1,
                 .sequence = q->sequence,
                 .warp = (uint16_t)q->number,
                 .lanes = {(uint8_t)lane, (uint8_t)lane, (uint8_t)lane, (uint8_t)lane},
                 .bytes = 15,
                 .strength = kind == ACCESS_ATOMIC      ? ATOMIC
                             : !async && is_volatile(i) ? VOLATILE
                                                        : PLAIN,
                 .async = async};
    if (bytes < CELL_BYTES) {
        now.bytes = (uint8_t)(((1u << bytes) - 1) << offset % CELL_BYTES);
        return access_cell(w, i, lane, b, offset, &now, kind);
    }
    for (uint32_t k = 0; k < bytes; k += CELL_BYTES)
        if (!access_cell(w, i, lane, b, offset + k, &now, kind))
            return false;
    return true;
}

/* A flag orders warps; lanes of the reader's warp stay as unordered as they were. */
static void volatile_passes(warp *w, uint64_t address, access_kind kind)
{
    struct warp_race *q = w->race;
    const uint64_t key = shared_key(w, address);
    if (kind == ACCESS_READ)
        clocks_join(q->clocks, race_object(q, key), q->width);
    else
        races_release(w, 0, key);
}

void check_shared(warp *w, const insn *i, uint32_t mask, const uint64_t *addresses, uint32_t bytes,
                  access_kind kind)
{
    if (w->checks & PTX_CHECK_COUNTERS && i->op != OP_CP_ASYNC)
        count_shared(w, i, mask, addresses, bytes);
    if (w->race)
        w->race->sequence++;
    for (uint32_t lane = 0; lane < 32; lane++) {
        if (!(mask >> lane & 1))
            continue;
        if (w->race && kind == ACCESS_ATOMIC) {
            races_acquire(w, 1u << lane, shared_key(w, addresses[lane]));
            races_release(w, 1u << lane, shared_key(w, addresses[lane]));
        } else if (w->race && is_volatile(i)) {
            volatile_passes(w, addresses[lane], kind);
        }
        /* Lanes that read the same place one after the other count as one. */
        const bool again = kind == ACCESS_READ && lane > 0 && mask >> (lane - 1) & 1 &&
                           addresses[lane - 1] == addresses[lane];
        if (again)
            continue;
        if (w->race && !race_access(w, i, lane, addresses[lane], bytes, kind, false))
            return;
        if (w->checks & PTX_CHECK_UNINIT)
            check_written(w, i, lane, addresses[lane], bytes, kind == ACCESS_WRITE);
    }
}

void check_global(warp *w, const insn *i, uint32_t mask, const uint64_t *addresses, uint32_t bytes,
                  access_kind kind)
{
    if (w->checks & PTX_CHECK_COUNTERS && mask)
        count_global(w, i, mask, addresses, bytes);
    /* What passes flags through global memory orders warps of the gang. */
    const bool releases =
        kind == ACCESS_ATOMIC || (kind == ACCESS_WRITE && i->flags & FLAG_VOLATILE && i->op == OP_ST);
    if (!w->race)
        return;
    for (uint32_t lane = 0, last = 32; lane < 32 && releases; lane++) {
        if (!(mask >> lane & 1) || (last < 32 && addresses[last] == addresses[lane]))
            continue;
        last = lane;
        global_release(w, i, addresses[lane]);
        races_release(w, 1u << lane, addresses[lane]);
    }
    global_access(w, i, mask, addresses, bytes, kind);
}

/* Of these lanes, those whose generic addresses are no window's. `offsets`: of the others in shared memory, who are *shared. */
static uint32_t global_lanes(const launch_state *l, uint32_t mask, const uint64_t *addresses,
                             uint64_t *offsets, uint32_t *shared)
{
    uint32_t global = 0;
    *shared = 0;
    for (uint32_t lane = 0; lane < 32; lane++)
        if (mask >> lane & 1) {
            const uint64_t a = addresses[lane];
            offsets[lane] = a - l->window_shared;
            if (offsets[lane] < WINDOW_BYTES)
                *shared |= 1u << lane;
            else if (a - l->window_local >= 2 * WINDOW_BYTES)
                global |= 1u << lane;
        }
    return global;
}

void check_access(warp *w, const insn *i, uint32_t mask, const uint64_t *addresses, uint32_t bytes,
                  access_kind kind)
{
    if (i->space == SPACE_SHARED || i->space == SPACE_CLUSTER) {
        check_shared(w, i, mask, addresses, bytes, kind);
        return;
    }
    if (i->space == SPACE_LOCAL)
        return;
    uint64_t offsets[32];
    uint32_t shared;
    const uint32_t global = global_lanes(w->launch, mask, addresses, offsets, &shared);
    if (shared)
        check_shared(w, i, shared, offsets, bytes, kind);
    if (global)
        check_global(w, i, global, addresses, bytes, kind);
}

void check_acquired(warp *w, const insn *i, uint32_t mask, const uint64_t *addresses)
{
    if (!w->race || i->space == SPACE_SHARED || i->space == SPACE_CLUSTER || i->space == SPACE_LOCAL)
        return;
    uint64_t offsets[32];
    uint32_t shared;
    const uint32_t global = global_lanes(w->launch, mask, addresses, offsets, &shared);
    for (uint32_t lane = 0, last = 32; lane < 32; lane++) {
        if (!(global >> lane & 1) || (last < 32 && addresses[last] == addresses[lane]))
            continue;
        last = lane;
        if (i->op != OP_ATOM || i->defs) /* who does not see the old value learns nothing */
            global_acquire(w, addresses[lane]);
        races_acquire(w, 1u << lane, addresses[lane]);
    }
}
