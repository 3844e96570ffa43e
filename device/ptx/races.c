/* Races by happens-before: the clocks of warps, and what synchronisation passes on.
 *
 * Every warp has a vector clock over the warps of its gang (a block or a cluster); barriers, named barriers, mbarriers and atomics pass
 * clocks on (C. Flanagan, S. Freund, "FastTrack", PLDI 2009). Within a warp, lanes are ordered by warp operations: an epoch that each
 * operation of all lanes begins, and within it a matrix of clocks for those of some. What accesses are held to is in race_shared.c,
 * race_global.c and race_async.c. */
#include "device/ptx/race_state.h"
#include <stdlib.h>

static uint32_t gang_warps(const gang *g)
{
    return g->block_count * g->launch->warps;
}

/* ---- life ---- */

void *race_memory(size_t bytes)
{
    void *p = calloc(1, bytes);
    if (!p)
        abort();
    return p;
}

void races_new_gang(gang *g)
{
    const uint32_t n = gang_warps(g);
    sync_object *objects = race_memory(KEYS * sizeof *objects);
    uint32_t *cluster = race_memory(2 * n * sizeof *cluster);
    struct known_blocks *known = global_new_gang();
    for (uint32_t r = 0; r < g->block_count; r++) {
        block *b = &g->blocks[r];
        b->race = race_memory(sizeof *b->race);
        b->race->cells = race_memory((b->shared_end / CELL_BYTES + 1) * sizeof(cell));
        for (uint32_t k = 0; k < BARRIERS; k++)
            b->race->barriers[k] = race_memory(2 * n * sizeof(uint32_t));
        for (uint32_t k = 0; k < b->warp_count; k++) {
            struct warp_race *q = b->warps[k].race = race_memory(sizeof *q);
            q->clocks = race_memory(3 * n * sizeof(uint32_t));
            q->published = q->clocks + n;
            q->fence_clocks = q->clocks + 2 * n;
            q->width = 2 * n;
            q->known = known;
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
    global_free_gang(first->known);
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
        memset(s->barriers[k], 0, 2 * gang_warps(b->gang) * sizeof(uint32_t));
    for (uint32_t k = 0; k < b->warp_count; k++) {
        struct warp_race *q = b->warps[k].race;
        memset(q->clocks, 0, 3 * q->count * sizeof(uint32_t));
        q->epoch = 0;
        q->parted = false;
        q->clocks[q->number] = 1;
        q->fenced = 0;
        q->wgmma.count = q->wgmma.issued = 0;
        for (uint32_t l = 0; l < 32; l++)
            q->bulk[l].count = q->bulk[l].issued = 0;
    }
    if (b->rank == 0) {
        struct warp_race *q = b->warps[0].race;
        memset(q->cluster, 0, q->width * sizeof(uint32_t));
        global_start_gang(q->known, b->gang);
        for (uint32_t k = 0; k < KEYS; k++)
            if (q->objects[k].clocks)
                memset(q->objects[k].clocks, 0, q->width * sizeof(uint32_t));
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
    clocks_join(w->block->race->barriers[id], q->clocks, q->width);
    q->clocks[q->number]++;
    check_warp_sync(w, mask);
}

void check_barrier_leave(warp *w, uint32_t id, uint32_t mask)
{
    struct warp_race *q = w->race;
    if (!q)
        return;
    clocks_join(q->clocks, w->block->race->barriers[id], q->width);
    check_warp_sync(w, mask);
}

void check_barrier_reset(block *b, uint32_t id)
{
    if (b->race)
        memset(b->race->barriers[id], 0, 2 * gang_warps(b->gang) * sizeof(uint32_t));
}

void check_cluster_arrive(warp *w)
{
    struct warp_race *q = w->race;
    if (!q)
        return;
    clocks_join(q->cluster, q->clocks, q->width);
    q->clocks[q->number]++;
}

void check_cluster_leave(warp *w)
{
    if (w->race) {
        clocks_join(w->race->clocks, w->race->cluster, w->race->width);
        check_warp_sync(w, w->active);
    }
}

uint64_t shared_key(warp *w, uint64_t address)
{
    const uint64_t rank = address >> SHARED_RANK_SHIFT ? address >> SHARED_RANK_SHIFT : w->block->rank + 1ull;
    return (address & ((1u << SHARED_RANK_SHIFT) - 1)) | rank << 40;
}

/* Two keys with the same place in the table share clocks, which can only hide a race. */
uint32_t *race_object(struct warp_race *q, uint64_t key)
{
    sync_object *o = &q->objects[(key * 0x9E3779B97F4A7C15ull >> 40) % KEYS];
    if (!o->clocks)
        o->clocks = race_memory(q->width * sizeof(uint32_t));
    return o->clocks;
}

void races_release(warp *w, uint32_t lanes, uint64_t key)
{
    struct warp_race *q = w->race;
    (void)lanes;
    if (!q)
        return;
    clocks_join(race_object(q, key), q->clocks, q->width);
    q->clocks[q->number]++;
}

void races_acquire(warp *w, uint32_t lanes, uint64_t key)
{
    struct warp_race *q = w->race;
    (void)lanes;
    if (!q)
        return;
    clocks_join(q->clocks, race_object(q, key), q->width);
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

/* What the warp knows so far may now be passed on to other blocks, also by accesses that order nothing themselves. */
void check_device_fence(warp *w)
{
    struct warp_race *q = w->race;
    if (!q)
        return;
    clocks_join(q->published, q->clocks, q->count);
    q->clocks[q->number]++;
}
