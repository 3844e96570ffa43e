/* Races in global memory, between blocks and between the warps of one.
 *
 * Each word of four bytes remembers its last write and its last reads, of two blocks. Blocks are ordered by what passes from one to
 * another: a block publishes what its warps know at a release, or at a fence of the whole device that an atomic or volatile access follows
 * (PTX ISA, "Memory Consistency Model", release and acquire patterns); who then reads at the same address knows what was published.
 * Publications of a block are counted in ticks, so that one number a block says what another one knows of it. This takes a tick for all
 * that was published before, by any warp of the block, and lets a whole block know what one of its warps has acquired: both can only
 * hide a race. Inputs, which a kernel may not write, are not watched. */
#include "device/ptx/opcodes.h"
#include "device/ptx/race_global.h"
#include "device/ptx/scheduler.h"
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    PIECE_BYTES = 16,
    MOST_PAGES = 8192,  /* 128 MiB of global memory are watched, with 1.8 GB */
    MOST_GANGS = 16384, /* in launches of more, who acquires anything knows everything */
    MOST_RACES = 64     /* of a launch; the rest is more of the same */
};

typedef struct publication {
    uint32_t clock, tick;
} publication;

typedef struct past { /* of a gang */
    uint32_t ticks;
    struct {
        publication *list; /* both grow */
        uint32_t count, capacity;
    } warps[];
} past;

struct global_race {
    _Atomic(page *) *pages;
    uint64_t page_count;
    atomic_uint used, races;
    pthread_mutex_t lock;     /* of what follows */
    past **pasts;             /* by gang; NULL: nothing was published */
    uint32_t *objects[KEYS];  /* what was released there, a tick for each gang; NULL: nothing */
    atomic_bool any_released; /* with more than MOST_GANGS */
};

struct known_blocks {
    uint32_t *ticks; /* of each gang, what this one knows; NULL: nothing */
    bool everything;
};

/* ---- life ---- */

void races_new_launch(launch_state *l)
{
    struct global_race *g = l->global_race = race_memory(sizeof *g);
    g->page_count = ((l->device->arena_end - l->device->arena) >> PAGE_SHIFT) + 1;
    g->pages = race_memory(g->page_count * sizeof *g->pages);
    if (l->gangs <= MOST_GANGS)
        g->pasts = race_memory(l->gangs * sizeof *g->pasts);
    pthread_mutex_init(&g->lock, NULL);
}

static void free_past(past *p, uint32_t warps)
{
    for (uint32_t k = 0; p && k < warps; k++)
        free(p->warps[k].list);
    free(p);
}

void races_free_launch(launch_state *l)
{
    struct global_race *g = l->global_race;
    if (!g)
        return;
    for (uint64_t k = 0, left = atomic_load(&g->used); left && k < g->page_count; k++) {
        page *p = atomic_load_explicit(&g->pages[k], memory_order_relaxed);
        left -= p != NULL;
        free(p);
    }
    for (uint64_t k = 0; g->pasts && k < l->gangs; k++)
        free_past(g->pasts[k], l->cluster_blocks * l->warps);
    for (uint32_t k = 0; k < KEYS; k++)
        free(g->objects[k]);
    free(g->pasts);
    free((void *)g->pages);
    pthread_mutex_destroy(&g->lock);
    free(g);
}

struct known_blocks *global_new_gang(void)
{
    return race_memory(sizeof(struct known_blocks));
}

void global_free_gang(struct known_blocks *known)
{
    free(known->ticks);
    free(known);
}

void global_start_gang(struct known_blocks *known, const gang *g)
{
    known->everything = false;
    if (known->ticks)
        memset(known->ticks, 0, g->launch->gangs * sizeof(uint32_t));
}

/* ---- what passes between blocks ---- */

static uint32_t key_of(uint64_t address)
{
    return (uint32_t)(address * 0x9E3779B97F4A7C15ull >> 40) % KEYS;
}

/* Note the clocks that are public from now on; true if there are new ones. */
static bool publish(past *p, const uint32_t *clocks, uint32_t warps)
{
    bool any = false;
    for (uint32_t k = 0; k < warps; k++) {
        const uint32_t n = p->warps[k].count;
        if (clocks[k] == 0 || (n > 0 && p->warps[k].list[n - 1].clock >= clocks[k]))
            continue;
        if (n == p->warps[k].capacity) {
            p->warps[k].capacity = n ? 2 * n : 4;
            p->warps[k].list = realloc(p->warps[k].list, p->warps[k].capacity * sizeof(publication));
            if (!p->warps[k].list)
                abort();
        }
        p->warps[k].list[n] = (publication){clocks[k], p->ticks + 1};
        p->warps[k].count++;
        any = true;
    }
    p->ticks += any;
    return any;
}

/* What the access publishes: a release all that the warp knows, others what a fence has covered. */
void global_release(warp *w, const insn *i, uint64_t address)
{
    struct warp_race *q = w->race;
    struct global_race *g = w->launch->global_race;
    if (!g->pasts) {
        atomic_store(&g->any_released, true);
        return;
    }
    const uint32_t number = w->gang->order;
    pthread_mutex_lock(&g->lock);
    past *p = g->pasts[number];
    if (!p)
        p = g->pasts[number] = race_memory(sizeof *p + q->count * sizeof p->warps[0]);
    publish(p, i->flags & FLAG_RELEASE ? q->clocks : q->published, q->count);
    if (p->ticks || q->known->ticks) {
        uint32_t **o = &g->objects[key_of(address)];
        if (!*o)
            *o = race_memory(w->launch->gangs * sizeof **o);
        if (q->known->ticks)
            clocks_join(*o, q->known->ticks, (uint32_t)w->launch->gangs);
        (*o)[number] = p->ticks;
    }
    pthread_mutex_unlock(&g->lock);
}

void global_acquire(warp *w, uint64_t address)
{
    struct known_blocks *known = w->race->known;
    struct global_race *g = w->launch->global_race;
    if (!g->pasts) {
        known->everything = known->everything || atomic_load(&g->any_released);
        return;
    }
    pthread_mutex_lock(&g->lock);
    const uint32_t *o = g->objects[key_of(address)];
    if (o) {
        if (!known->ticks)
            known->ticks = race_memory(w->launch->gangs * sizeof(uint32_t));
        clocks_join(known->ticks, o, (uint32_t)w->launch->gangs);
    }
    pthread_mutex_unlock(&g->lock);
}

/* The tick that published a clock of a warp; UINT32_MAX: none has. Under the lock. */
static uint32_t tick_of(const past *p, uint32_t number, uint32_t clock)
{
    uint32_t low = 0, high = p ? p->warps[number].count : 0;
    const uint32_t count = high;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (p->warps[number].list[middle].clock >= clock)
            high = middle;
        else
            low = middle + 1;
    }
    return low < count ? p->warps[number].list[low].tick : UINT32_MAX;
}

bool global_ordered(warp *w, const trace *before)
{
    const struct warp_race *q = w->race;
    const struct known_blocks *known = q->known;
    if (before->gang == w->gang->order + 1)
        return before->warp == q->number || q->clocks[before->warp] >= before->clock;
    if (known->everything || !known->ticks)
        return known->everything;
    struct global_race *g = w->launch->global_race;
    pthread_mutex_lock(&g->lock);
    const uint32_t tick = tick_of(g->pasts[before->gang - 1], before->warp, before->clock);
    pthread_mutex_unlock(&g->lock);
    return tick <= known->ticks[before->gang - 1];
}

/* ---- accesses ---- */

void global_hold(page *p)
{
    for (int k = 0; atomic_flag_test_and_set_explicit(&p->busy, memory_order_acquire); k++)
        if (k % 64 == 63)
            sched_yield();
}

page *global_page(struct global_race *g, uint64_t offset)
{
    const uint64_t number = offset >> PAGE_SHIFT;
    page *p = number < g->page_count ? atomic_load_explicit(&g->pages[number], memory_order_acquire) : NULL;
    if (p || number >= g->page_count || atomic_load(&g->used) >= MOST_PAGES)
        return p;
    page *made = race_memory(sizeof *made);
    if (atomic_compare_exchange_strong(&g->pages[number], &p, made)) {
        atomic_fetch_add(&g->used, 1);
        return made;
    }
    free(made);
    return p;
}

static const char *word_for(bool strong, bool write)
{
    return strong  ? (write ? "an atomic or volatile write" : "a volatile read")
           : write ? "a write"
                   : "a read";
}

bool global_may_report(launch_state *l)
{
    return atomic_fetch_add(&l->global_race->races, 1) < MOST_RACES;
}

void global_who(const warp *w, const trace *t, char *out, size_t bytes)
{
    launch_state *l = w->launch;
    char place[300];
    const ptx_function *f = l->function->module->functions[t->function];
    program_place(f, f->code + t->at, place, sizeof place);
    uint32_t index[3];
    gang_block(l, t->gang - 1, t->warp / l->warps, index);
    const uint32_t *b = l->block, n = t->warp % l->warps * 32 + t->lane;
    snprintf(out, bytes, "block (%u,%u,%u), thread (%u,%u,%u) at %s", index[0], index[1], index[2], n % b[0],
             n / b[0] % b[1], n / b[0] / b[1], place);
}

static void report(warp *w, const insn *i, uint64_t address, const trace *now, bool writes,
                   const trace *before, bool before_writes)
{
    if (!global_may_report(w->launch))
        return;
    char who[400], bytes[300];
    global_who(w, before, who, sizeof who);
    memory_place(w->launch->device, address, bytes, sizeof bytes);
    found(w, i, 1u << now->lane, PTX_FOUND_GLOBAL_RACE, address,
          "%s of %s, and %s by %s, with nothing that orders them", word_for(now->strong, writes), bytes,
          word_for(before->strong, before_writes), who);
}

static bool races_with(warp *w, const trace *now, const trace *before)
{
    return before->gang && before->bytes & now->bytes && !(before->strong && now->strong) &&
           !global_ordered(w, before);
}

static void touch(warp *w, const insn *i, word *c, uint64_t address, const trace *now, bool writes)
{
    if (races_with(w, now, &c->write))
        report(w, i, address, now, writes, &c->write, true);
    c->unread = writes && now->strong && i->op == OP_ST && now->bytes == 15;
    if (!writes) {
        if (c->read.gang && c->read.gang != now->gang)
            c->other = c->read;
        c->read = *now;
        return;
    }
    if (races_with(w, now, &c->read))
        report(w, i, address, now, writes, &c->read, false);
    else if (races_with(w, now, &c->other))
        report(w, i, address, now, writes, &c->other, false);
    c->write = *now;
}

/* Whether all of [first, last] lies in an input. */
static bool is_input(const block *b, uint64_t first, uint64_t last)
{
    for (int k = 0; k < 4; k++)
        if (b->ranges[k].read_only && first >= b->ranges[k].start && last < b->ranges[k].end)
            return true;
    return false;
}

/* The words of one lane's bytes, which lie in one page. */
static void touch_bytes(warp *w, const insn *i, page *p, uint64_t address, uint32_t bytes, trace *now,
                        bool writes)
{
    const uint64_t offset = address - w->launch->device->arena;
    for (uint32_t k = 0, n; k < bytes; k += n) {
        const uint32_t in_word = (uint32_t)(offset + k) % WORD_BYTES;
        n = bytes - k < WORD_BYTES - in_word ? bytes - k : WORD_BYTES - in_word;
        now->bytes = (uint8_t)(((1u << n) - 1) << in_word);
        touch(w, i, &p->words[(offset + k) % (1 << PAGE_SHIFT) / WORD_BYTES], address + k, now, writes);
    }
}

static void access_lanes(warp *w, const insn *i, const ptx_function *function, uint32_t mask,
                         const uint64_t *addresses, uint32_t bytes, access_kind kind)
{
    const ptx_device *d = w->launch->device;
    struct global_race *g = w->launch->global_race;
    uint64_t first = UINT64_MAX, last = 0;
    for (uint32_t lane = 0; lane < 32; lane++)
        if (mask >> lane & 1) {
            first = addresses[lane] < first ? addresses[lane] : first;
            last = addresses[lane] > last ? addresses[lane] : last;
        }
    if (!mask || first < d->arena || last >= d->arena_end || is_input(w->block, first, last + bytes - 1))
        return;
    const ptx_function *f = function;
    trace now = {.gang = w->gang->order + 1,
                 .clock = w->race->clocks[w->race->number],
                 .function = f->number,
                 .at = (uint32_t)(i - f->code),
                 .warp = (uint16_t)w->race->number,
                 .strong = kind == ACCESS_ATOMIC || i->flags & FLAG_VOLATILE};
    page *held = NULL;
    uint64_t number = UINT64_MAX;
    for (uint32_t lane = 0; lane < 32; lane++) {
        if (!(mask >> lane & 1))
            continue;
        const uint64_t offset = addresses[lane] - d->arena;
        if (offset >> PAGE_SHIFT != number) {
            if (held)
                global_release_page(held);
            number = offset >> PAGE_SHIFT;
            if ((held = global_page(g, offset)))
                global_hold(held);
        }
        if (!held)
            continue;
        now.lane = (uint8_t)lane;
        touch_bytes(w, i, held, addresses[lane], bytes, &now, kind != ACCESS_READ);
    }
    if (held)
        global_release_page(held);
}

void global_access(warp *w, const insn *i, uint32_t mask, const uint64_t *addresses, uint32_t bytes,
                   access_kind kind)
{
    access_lanes(w, i, w->fragments[w->current].function, mask, addresses, bytes, kind);
}

void check_async_global(const async_op *op, uint64_t address, uint32_t bytes, access_kind kind)
{
    warp *w = op->warp;
    uint64_t addresses[32];
    if (!w->race)
        return;
    for (uint32_t k = 0, n; k < bytes; k += n) {
        addresses[op->lane] = address + k;
        n = bytes - k < PIECE_BYTES ? bytes - k : PIECE_BYTES; /* starts lie on multiples of it */
        access_lanes(w, op->at, op->function, 1u << op->lane, addresses, n, kind);
    }
}
