/* Races in shared memory by happens-before, and what asynchronous operations own.
 *
 * Every warp has a vector clock over the warps of its gang (a block or a cluster); barriers, named barriers, mbarriers and atomics pass
 * clocks on. Within a warp, lanes are ordered by warp operations: an epoch that each operation of all lanes begins, and within it a matrix of clocks for those of some. Cells of four bytes remember the last
 * write and the last reads, of two warps (C. Flanagan, S. Freund, "FastTrack", PLDI 2009). An access that neither comes after the last
 * write nor, for writes, after the last reads is a race. Bytes that a copy in flight will write belong to the copy: whoever touches them
 * before the wait is reported. */
#include "device/ptx/races.h"
#include "device/ptx/counters.h"
#include "device/ptx/opcodes.h"
#include "device/ptx/tensor_map.h"
#include <stdlib.h>
#include <string.h>

enum { CELL_BYTES = 4, KEYS = 1024, BARRIERS = 16 };

typedef struct stamp {
    const insn *at; /* NULL: never */
    uint32_t clock, epoch, sequence;
    uint16_t warp; /* in the gang */
    uint16_t lane_clock;
    uint8_t lane, bytes; /* bytes: a bit for each of the cell */
    bool atomic, async;
} stamp;

typedef struct cell {
    stamp write, read, other; /* other: a read by another warp than `read` */
    const insn *owner_at;
    uint32_t run; /* the block that the cell belongs to; another one's is empty */
    bool owned;
} cell;

typedef struct sync_object {
    uint64_t key;
    uint32_t *clocks; /* NULL: unused */
} sync_object;

struct race_state { /* of a block */
    cell *cells;
    uint32_t run;
    uint32_t *barriers[BARRIERS]; /* clocks brought by those who arrived */
};

struct warp_race {
    uint32_t *clocks;       /* of all warps of the gang, as this one knows them */
    uint32_t epoch;         /* operations of all lanes so far */
    uint16_t lanes[32][32]; /* of the lanes, as each lane knows them, since the epoch began */
    bool parted;            /* `lanes` holds something: operations of some lanes came */
    uint32_t sequence;      /* of checked instructions */
    uint32_t fenced;        /* own clock behind the last proxy fence */
    uint32_t *fence_clocks; /* what this warp knew at its last proxy fence */
    uint32_t number, count; /* in the gang; warps of the gang */
    sync_object *objects;   /* the gang's, KEYS of them */
    uint32_t *cluster;      /* the gang's: clocks brought to the cluster barrier */
};

static uint32_t gang_warps(const gang *g)
{
    return g->block_count * g->launch->warps;
}

static warp *gang_warp(const gang *g, uint32_t n)
{
    return &g->blocks[n / g->launch->warps].warps[n % g->launch->warps];
}

static void join(uint32_t *to, const uint32_t *from, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        to[k] = from[k] > to[k] ? from[k] : to[k];
}

/* ---- life ---- */

static void *zeroed(size_t bytes)
{
    void *p = calloc(1, bytes);
    if (!p)
        abort();
    return p;
}

void races_new_gang(gang *g)
{
    const uint32_t n = gang_warps(g);
    sync_object *objects = zeroed(KEYS * sizeof *objects);
    uint32_t *cluster = zeroed(n * sizeof *cluster);
    for (uint32_t r = 0; r < g->block_count; r++) {
        block *b = &g->blocks[r];
        b->race = zeroed(sizeof *b->race);
        b->race->cells = zeroed((b->shared_end / CELL_BYTES + 1) * sizeof(cell));
        for (uint32_t k = 0; k < BARRIERS; k++)
            b->race->barriers[k] = zeroed(n * sizeof(uint32_t));
        for (uint32_t k = 0; k < b->warp_count; k++) {
            struct warp_race *q = b->warps[k].race = zeroed(sizeof *q);
            q->clocks = zeroed(2 * n * sizeof(uint32_t));
            q->fence_clocks = q->clocks + n;
            q->number = r * b->warp_count + k;
            q->count = n;
            q->objects = objects;
            q->cluster = cluster;
        }
    }
}

void races_free_gang(gang *g)
{
    if (!g->blocks || !g->blocks[0].race)
        return;
    struct warp_race *first = g->blocks[0].warps[0].race;
    for (uint32_t k = 0; k < KEYS; k++)
        free(first->objects[k].clocks);
    free(first->objects);
    free(first->cluster);
    for (uint32_t r = 0; r < g->block_count; r++) {
        block *b = &g->blocks[r];
        for (uint32_t k = 0; k < BARRIERS; k++)
            free(b->race->barriers[k]);
        for (uint32_t k = 0; k < b->warp_count; k++) {
            free(b->warps[k].race->clocks);
            free(b->warps[k].race);
        }
        free(b->race->cells);
        free(b->race);
    }
}

void races_start_block(block *b)
{
    static atomic_uint runs;
    struct race_state *s = b->race;
    s->run = atomic_fetch_add(&runs, 1) + 1;
    for (uint32_t k = 0; k < BARRIERS; k++)
        memset(s->barriers[k], 0, gang_warps(b->gang) * sizeof(uint32_t));
    for (uint32_t k = 0; k < b->warp_count; k++) {
        struct warp_race *q = b->warps[k].race;
        memset(q->clocks, 0, 2 * q->count * sizeof(uint32_t));
        q->epoch = 0;
        q->parted = false;
        q->clocks[q->number] = 1;
        q->fenced = 0;
    }
    if (b->rank == 0) {
        struct warp_race *q = b->warps[0].race;
        memset(q->cluster, 0, q->count * sizeof(uint32_t));
        for (uint32_t k = 0; k < KEYS; k++)
            if (q->objects[k].clocks)
                memset(q->objects[k].clocks, 0, q->count * sizeof(uint32_t));
    }
}

/* ---- synchronisation ---- */

void check_warp_sync(warp *w, uint32_t mask)
{
    struct warp_race *q = w->race;
    if (!q)
        return;
    if ((w->live & ~mask) == 0) {
        q->epoch++;
        q->parted = false;
        return;
    }
    if (!q->parted) {
        memset(q->lanes, 0, sizeof q->lanes);
        for (uint32_t l = 0; l < 32; l++)
            q->lanes[l][l] = 1;
        q->parted = true;
    }
    uint16_t all[32] = {0};
    for (uint32_t l = 0; l < 32; l++)
        for (uint32_t k = 0; mask >> l & 1 && k < 32; k++)
            all[k] = q->lanes[l][k] > all[k] ? q->lanes[l][k] : all[k];
    for (uint32_t l = 0; l < 32; l++)
        if (mask >> l & 1) {
            memcpy(q->lanes[l], all, sizeof all);
            q->lanes[l][l]++;
        }
}

void check_barrier_arrive(warp *w, uint32_t id, uint32_t mask)
{
    struct warp_race *q = w->race;
    if (!q)
        return;
    join(w->block->race->barriers[id], q->clocks, q->count);
    q->clocks[q->number]++;
    check_warp_sync(w, mask);
}

void check_barrier_leave(warp *w, uint32_t id, uint32_t mask)
{
    struct warp_race *q = w->race;
    if (!q)
        return;
    join(q->clocks, w->block->race->barriers[id], q->count);
    check_warp_sync(w, mask);
}

void check_barrier_reset(block *b, uint32_t id)
{
    if (b->race)
        memset(b->race->barriers[id], 0, gang_warps(b->gang) * sizeof(uint32_t));
}

void check_cluster_arrive(warp *w)
{
    struct warp_race *q = w->race;
    if (!q)
        return;
    join(q->cluster, q->clocks, q->count);
    q->clocks[q->number]++;
}

void check_cluster_leave(warp *w)
{
    if (w->race) {
        join(w->race->clocks, w->race->cluster, w->race->count);
        check_warp_sync(w, w->active);
    }
}

uint64_t shared_key(warp *w, uint64_t address)
{
    const uint64_t rank = address >> SHARED_RANK_SHIFT ? address >> SHARED_RANK_SHIFT : w->block->rank + 1ull;
    return (address & ((1u << SHARED_RANK_SHIFT) - 1)) | rank << 40;
}

/* Two keys with the same place in the table share clocks, which can only hide a race. */
static uint32_t *object(struct warp_race *q, uint64_t key)
{
    sync_object *o = &q->objects[(key * 0x9E3779B97F4A7C15ull >> 40) % KEYS];
    if (!o->clocks)
        o->clocks = zeroed(q->count * sizeof(uint32_t));
    return o->clocks;
}

void races_release(warp *w, uint32_t lanes, uint64_t key)
{
    struct warp_race *q = w->race;
    (void)lanes;
    if (!q)
        return;
    join(object(q, key), q->clocks, q->count);
    q->clocks[q->number]++;
}

void races_acquire(warp *w, uint32_t lanes, uint64_t key)
{
    struct warp_race *q = w->race;
    (void)lanes;
    if (!q)
        return;
    join(q->clocks, object(q, key), q->count);
    /* The release may have been another lane's of this warp: all that came before counts as ordered. */
    q->epoch++;
    q->parted = false;
}

void check_proxy_fence(warp *w)
{
    struct warp_race *q = w->race;
    if (!q)
        return;
    q->clocks[q->number]++;
    q->fenced = q->clocks[q->number];
    memcpy(q->fence_clocks, q->clocks, q->count * sizeof(uint32_t));
}

/* ---- accesses ---- */

static bool ordered(const warp *w, const stamp *before, uint32_t lane)
{
    const struct warp_race *q = w->race;
    if (!before->at || (before->warp == q->number && before->lane == lane))
        return true;
    if (before->warp == q->number)
        return before->async || before->sequence == q->sequence || before->epoch < q->epoch ||
               (q->parted && q->lanes[lane][before->lane] >= before->lane_clock);
    return q->clocks[before->warp] >= before->clock;
}

static cell *cell_at(block *b, uint64_t offset)
{
    cell *c = &b->race->cells[offset / CELL_BYTES];
    if (c->run != b->race->run) {
        memset(c, 0, sizeof *c);
        c->run = b->race->run;
    }
    return c;
}

/* The function of the module that an instruction belongs to. */
static void place_of(const warp *w, const insn *at, char *out, size_t bytes)
{
    const ptx_module *m = w->launch->function->module;
    for (size_t k = 0; k < m->function_count; k++)
        if (at >= m->functions[k]->code && at < m->functions[k]->code + m->functions[k]->count)
            program_place(m->functions[k], at, out, bytes);
}

static const char *word(const stamp *s, bool write)
{
    return s->async ? "an asynchronous copy" : s->atomic ? "an atomic" : write ? "a write" : "a read";
}

static void report_race(warp *w, const insn *i, uint32_t lane, uint64_t offset, const stamp *before,
                        bool before_writes, const char *what)
{
    char place[300] = "?";
    place_of(w, before->at, place, sizeof place);
    const warp *other = gang_warp(w->gang, before->warp);
    const uint32_t *b = w->launch->block, t = other->number * 32 + before->lane;
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
    place_of(w, c->owner_at, place, sizeof place);
    found(w, i, 1u << lane, PTX_FOUND_MISSING_WAIT, offset,
          "%s of byte %lld of shared memory, which the copy issued at %s still writes",
          kind == ACCESS_READ ? "a read" : "a write", (long long)offset - SHARED_START, place);
}

/* False: a finding was recorded. */
static bool access_cell(warp *w, const insn *i, uint32_t lane, block *b, uint64_t offset, uint8_t bytes,
                        access_kind kind, bool async)
{
    struct warp_race *q = w->race;
    cell *c = cell_at(b, offset);
    if (c->owned && !async) {
        report_owned(w, i, lane, offset, c, kind);
        return false;
    }
    const stamp now = {.at = i,
                       .clock = q->clocks[q->number],
                       .epoch = q->epoch,
                       .lane_clock = q->parted ? q->lanes[lane][lane] : 1,
                       .sequence = q->sequence,
                       .warp = (uint16_t)q->number,
                       .lane = (uint8_t)lane,
                       .bytes = bytes,
                       .atomic = kind == ACCESS_ATOMIC,
                       .async = async};
    const char *what = word(&now, kind != ACCESS_READ);
    if (c->write.bytes & bytes && !(c->write.atomic && now.atomic) && !ordered(w, &c->write, lane)) {
        report_race(w, i, lane, offset, &c->write, true, what);
        return false;
    }
    if (kind == ACCESS_READ) {
        if (c->read.at && c->read.warp != now.warp)
            c->other = c->read;
        c->read = now;
        return true;
    }
    const stamp *reads[2] = {&c->read, &c->other};
    for (int k = 0; k < 2; k++)
        if (reads[k]->bytes & bytes && !ordered(w, reads[k], lane)) {
            report_race(w, i, lane, offset, reads[k], false, what);
            return false;
        }
    c->write = now;
    return true;
}

static bool access_range(warp *w, const insn *i, uint32_t lane, uint64_t address, uint32_t bytes,
                         access_kind kind, bool async)
{
    block *b = shared_block(w, address);
    uint64_t offset = address & ((1u << SHARED_RANK_SHIFT) - 1);
    if (bytes < CELL_BYTES)
        return access_cell(w, i, lane, b, offset, (uint8_t)(((1u << bytes) - 1) << offset % CELL_BYTES), kind,
                           async);
    for (uint32_t k = 0; k < bytes; k += CELL_BYTES)
        if (!access_cell(w, i, lane, b, offset + k, 15, kind, async))
            return false;
    return true;
}

static void check_written(warp *w, const insn *i, uint32_t lane, uint64_t address, uint32_t bytes, bool write)
{
    block *b = shared_block(w, address);
    const uint64_t offset = address & ((1u << SHARED_RANK_SHIFT) - 1);
    if (write) {
        memset(b->written + offset, 1, bytes);
        return;
    }
    for (uint32_t k = 0; k < bytes; k++)
        if (!b->written[offset + k]) {
            found(w, i, 1u << lane, PTX_FOUND_UNINITIALISED, address,
                  "byte %lld of shared memory, which no thread of the block has written",
                  (long long)(offset + k) - SHARED_START);
            return;
        }
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
        }
        /* Lanes that read the same place one after the other count as one. */
        const bool again = kind == ACCESS_READ && lane > 0 && mask >> (lane - 1) & 1 &&
                           addresses[lane - 1] == addresses[lane];
        if (again)
            continue;
        if (w->race && !access_range(w, i, lane, addresses[lane], bytes, kind, false))
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
    const bool acquires =
        kind == ACCESS_ATOMIC || (kind == ACCESS_READ && i->flags & FLAG_VOLATILE && i->op == OP_LD);
    const bool releases =
        kind == ACCESS_ATOMIC || (kind == ACCESS_WRITE && i->flags & FLAG_VOLATILE && i->op == OP_ST);
    if (!w->race || (!acquires && !releases))
        return;
    for (uint32_t lane = 0; lane < 32; lane++)
        if (mask >> lane & 1) {
            if (acquires)
                races_acquire(w, 1u << lane, addresses[lane]);
            if (releases)
                races_release(w, 1u << lane, addresses[lane]);
        }
}

void check_access(warp *w, const insn *i, uint32_t mask, const uint64_t *addresses, uint32_t bytes,
                  access_kind kind)
{
    const launch_state *l = w->launch;
    if (i->space == SPACE_SHARED || i->space == SPACE_CLUSTER) {
        check_shared(w, i, mask, addresses, bytes, kind);
        return;
    }
    if (i->space == SPACE_LOCAL)
        return;
    uint64_t offsets[32];
    uint32_t shared = 0, global = 0;
    for (uint32_t lane = 0; lane < 32; lane++)
        if (mask >> lane & 1) {
            const uint64_t a = addresses[lane];
            offsets[lane] = a - l->window_shared;
            if (offsets[lane] < WINDOW_BYTES)
                shared |= 1u << lane;
            else if (a - l->window_local >= 2 * WINDOW_BYTES)
                global |= 1u << lane;
        }
    if (shared)
        check_shared(w, i, shared, offsets, bytes, kind);
    if (global)
        check_global(w, i, global, addresses, bytes, kind);
}

/* ---- asynchronous copies ---- */

static void own(warp *w, const insn *i, uint64_t address, uint32_t bytes, bool owned)
{
    block *b = shared_block(w, address);
    const uint64_t offset = address & ((1u << SHARED_RANK_SHIFT) - 1);
    for (uint32_t k = 0; k < bytes; k += CELL_BYTES) {
        cell *c = cell_at(b, offset + k);
        c->owned = owned;
        c->owner_at = i;
    }
}

static void mark_written(warp *w, uint64_t address, uint32_t bytes)
{
    block *b = shared_block(w, address);
    if (b && b->written)
        memset(b->written + (address & ((1u << SHARED_RANK_SHIFT) - 1)), 1, bytes);
}

void check_async_issue(warp *w, const insn *i, uint32_t mask, const uint64_t *addresses, uint32_t bytes)
{
    if (!w->race)
        return;
    w->race->sequence++;
    for (uint32_t lane = 0; lane < 32; lane++)
        if (mask >> lane & 1) {
            if (!access_range(w, i, lane, addresses[lane], bytes, ACCESS_WRITE, true))
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
            access_range(w, i, lane, addresses[lane], bytes, ACCESS_WRITE, false);
        }
}

static uint64_t target_in(const async_op *op, uint32_t rank)
{
    return (op->to[0] & ((1u << SHARED_RANK_SHIFT) - 1)) | (uint64_t)(rank + 1) << SHARED_RANK_SHIFT;
}

/* A copy out of shared memory reads what threads wrote: they must come before it, and fence between their proxies. */
static void check_source(async_op *op, uint32_t bytes)
{
    warp *w = op->warp;
    const struct warp_race *q = w->race;
    block *b = shared_block(w, op->to[0]);
    const uint64_t offset = op->to[0] & ((1u << SHARED_RANK_SHIFT) - 1);
    for (uint32_t k = 0; k < bytes; k += CELL_BYTES) {
        const cell *c = cell_at(b, offset + k);
        const stamp *s = &c->write;
        if (!s->at || s->async)
            continue;
        if (!ordered(w, s, op->lane)) {
            report_race(w, op->at, op->lane, offset + k, s, true, "a copy");
            return;
        }
        const struct warp_race *writer = gang_warp(w->gang, s->warp)->race;
        if (s->clock >= writer->fenced && q->fence_clocks[s->warp] < s->clock) {
            char place[300] = "?";
            place_of(w, s->at, place, sizeof place);
            found(w, op->at, 1u << op->lane, PTX_FOUND_MISSING_FENCE, offset + k,
                  "a copy of byte %lld of shared memory, written at %s, with no fence.proxy.async between",
                  (long long)(offset + k) - SHARED_START, place);
            return;
        }
    }
}

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
        if (!access_range(w, op->at, op->lane, to, bytes, ACCESS_WRITE, true))
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
    if (!op->load)
        return;
    for (uint32_t r = 0; r < w->gang->block_count; r++) {
        if (op->targets && !(op->targets >> r & 1))
            continue;
        const uint64_t to = op->targets ? target_in(op, r) : op->to[0];
        mark_written(w, to, bytes);
        if (w->race) {
            own(w, op->at, to, bytes, false);
            const uint64_t m = op->targets ? (op->mbarrier & ((1u << SHARED_RANK_SHIFT) - 1)) |
                                                 (uint64_t)(r + 1) << SHARED_RANK_SHIFT
                                           : op->mbarrier;
            uint32_t *clocks = object(w->race, shared_key(w, m));
            const uint32_t own_clock = w->race->clocks[w->race->number];
            if (clocks[w->race->number] < own_clock)
                clocks[w->race->number] = own_clock;
        }
        if (!op->targets)
            break;
    }
}
