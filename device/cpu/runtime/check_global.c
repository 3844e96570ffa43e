/* The checked build's judge of races between blocks in global memory: two blocks of one launch touch the same bytes, at least one writes, not
 * both by atomics, and nothing orders them.
 *
 * What orders blocks: a block publishes what it did before its last __threadfence() when it changes a place by an atomic (or writes a volatile
 * flag), and a block that later changes or reads that place so knows of it; also through blocks in between. An atomic without a fence before
 * it publishes nothing, as on the card.
 *
 * Cells, one for four bytes, remember who wrote and who read last. They lie in pages that are made when they are touched. "When" is a clock
 * of the block that its fences advance; launches have clocks of their own, so cells never need clearing. A cluster counts as one block. */
#include "device/cpu/runtime/simt.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    CELL_BYTES = 4,
    PAGE_BYTES = 4096,
    PAGE_CELLS = PAGE_BYTES / CELL_BYTES,
    PAGE_SLOTS = 1 << 18,
    MOST_PAGES = 10000, /* half a gigabyte of cells for 40 MB of memory; what lies beyond is not watched */
    LAUNCH_CLOCKS = 4096,
    SYNC_SLOTS = 1 << 12,
    MOST_STEPS = 4096 /* of a search through other blocks; then the two count as ordered */
};

typedef struct stamp {
    uint32_t clock; /* 0: never */
    uint32_t block;
    int32_t pc;   /* from the kernel's address */
    uint8_t mask; /* bytes of the cell */
    bool atomic, is_volatile;
} stamp;

typedef struct cell {
    stamp write, read, other_read; /* other_read: of another block than `read` */
} cell;

typedef struct page {
    uintptr_t number; /* address / PAGE_BYTES */
    atomic_flag busy;
    cell cells[PAGE_CELLS];
} page;

/* A place that atomics change, and what blocks published there, in this order. */
typedef struct publication {
    uint32_t block, clock;
} publication;
typedef struct sync_place {
    struct sync_place *next;
    uintptr_t address;
    publication *items;
    uint32_t count, capacity, hint; /* hint: where the last search ended */
} sync_place;

/* What a block knows: publications of places up to a number. */
typedef struct knowledge {
    sync_place *place;
    uint32_t count;
} knowledge;
struct block_sync {
    struct block_sync *next;
    uint32_t block, count, capacity;
    knowledge *items;
};
typedef struct block_sync block_sync;

static _Atomic(page *) pages[PAGE_SLOTS];
static _Atomic uint32_t page_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all below */
static sync_place *places[SYNC_SLOTS];
static block_sync *blocks[SYNC_SLOTS];
static uint32_t launch_clock;

static uint32_t slot_of(uint64_t x)
{
    return (uint32_t)(simt_mix(x) % SYNC_SLOTS);
}

uint32_t simt_race_start_launch(void)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < SYNC_SLOTS; i++) {
        for (sync_place *p; (p = places[i]);) {
            places[i] = p->next;
            free(p->items);
            free(p);
        }
        for (block_sync *b; (b = blocks[i]);) {
            blocks[i] = b->next;
            free(b->items);
            free(b);
        }
    }
    launch_clock += LAUNCH_CLOCKS;
    if (launch_clock > UINT32_MAX - 2 * LAUNCH_CLOCKS) { /* begin again: old stamps must not look new */
        launch_clock = LAUNCH_CLOCKS;
        for (int i = 0; i < PAGE_SLOTS; i++)
            if (pages[i])
                memset(pages[i]->cells, 0, sizeof pages[i]->cells);
    }
    const uint32_t clock = launch_clock;
    pthread_mutex_unlock(&lock);
    return clock;
}

/* ---- what blocks know of each other ---- */

static sync_place *find_place(uintptr_t address, bool make)
{
    sync_place **link = &places[slot_of(address)];
    while (*link && (*link)->address != address)
        link = &(*link)->next;
    if (!*link && make && (*link = calloc(1, sizeof **link)))
        (*link)->address = address;
    return *link;
}

static block_sync *find_block(uint32_t block, bool make)
{
    block_sync **link = &blocks[slot_of(block)];
    while (*link && (*link)->block != block)
        link = &(*link)->next;
    if (!*link && make && (*link = calloc(1, sizeof **link)))
        (*link)->block = block;
    return *link;
}

static void learn(block_sync *b, sync_place *p)
{
    for (uint32_t i = 0; i < b->count; i++)
        if (b->items[i].place == p) {
            b->items[i].count = p->count;
            return;
        }
    if (b->count == b->capacity) {
        const uint32_t capacity = b->capacity ? 2 * b->capacity : 4;
        knowledge *items = realloc(b->items, capacity * sizeof *items);
        if (!items)
            return;
        b->items = items;
        b->capacity = capacity;
    }
    b->items[b->count++] = (knowledge){p, p->count};
}

static void publish(sync_place *p, uint32_t block, uint32_t clock)
{
    if (p->count && p->items[p->count - 1].block == block) {
        p->items[p->count - 1].clock = clock;
        return;
    }
    if (p->count == p->capacity) {
        const uint32_t capacity = p->capacity ? 2 * p->capacity : 8;
        publication *items = realloc(p->items, capacity * sizeof *items);
        if (!items)
            return;
        p->items = items;
        p->capacity = capacity;
    }
    p->items[p->count++] = (publication){block, clock};
}

/* Did the block of `before` publish it at a place in what `k` knows of it? */
static bool published(const knowledge *k, const stamp *before)
{
    sync_place *p = k->place;
    for (uint32_t i = 0; i < k->count; i++) {
        const uint32_t at = (p->hint + i) % k->count;
        if (p->items[at].block == before->block && p->items[at].clock >= before->clock) {
            p->hint = at;
            return true;
        }
    }
    return false;
}

static bool knows(uint32_t block, const stamp *before, int depth, uint32_t *steps)
{
    const block_sync *b = find_block(block, false);
    for (uint32_t i = 0; b && i < b->count; i++)
        if (published(&b->items[i], before))
            return true;
    for (uint32_t i = 0; b && depth > 0 && i < b->count; i++)
        for (uint32_t j = b->items[i].count; j-- > 0;) {
            if (++*steps > MOST_STEPS)
                return true;
            const uint32_t between = b->items[i].place->items[j].block;
            if (between != block && knows(between, before, depth - 1, steps))
                return true;
        }
    return false;
}

static bool ordered(const race_state *s, const stamp *before)
{
    if (before->clock < s->launch_clock || before->block == s->block)
        return true;
    uint32_t steps = 0;
    pthread_mutex_lock(&lock);
    const bool known = knows(s->block, before, 3, &steps);
    pthread_mutex_unlock(&lock);
    return known;
}

/* ---- cells ---- */

static page *find_page(uintptr_t number)
{
    for (uint32_t i = (uint32_t)(simt_mix(number) % PAGE_SLOTS);; i = (i + 1) % PAGE_SLOTS) {
        page *p = atomic_load_explicit(&pages[i], memory_order_acquire);
        if (p && p->number == number)
            return p;
        if (p)
            continue;
        if (atomic_fetch_add(&page_count, 1) >= MOST_PAGES) {
            atomic_fetch_sub(&page_count, 1);
            return NULL;
        }
        /* Pages of their own: what host code allocates is counted (host.c), and this is not the kernel's. */
        page *made = mmap(NULL, sizeof *made, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (made == MAP_FAILED)
            return NULL;
        made->number = number;
        if (atomic_compare_exchange_strong(&pages[i], &p, made))
            return made;
        munmap(made, sizeof *made);
        atomic_fetch_sub(&page_count, 1);
        if (p->number == number)
            return p;
    }
}

__attribute__((cold, noreturn)) static void report_race(simt_worker *w, const char *at, const stamp *before,
                                                        const char *before_kind, const stamp *now,
                                                        const char *kind)
{
    char here[512], there[512];
    const char *kernel = w->job->config.kernel;
    memory_bounds bounds = {0};
    const assay_simt_uint3 g = w->context->grid;
    const uint64_t first = (uint64_t)before->block * (w->context->count / w->context->block_threads);
    simt_source_place(kernel + now->pc, here, sizeof here);
    simt_source_place(kernel + before->pc, there, sizeof there);
    simt_memory_find(at, &bounds);
    simt_report(
        w, "global-memory race",
        "%s at %s of byte %td of a buffer of %td bytes, and %s by block (%u,%u,%u) at %s, with nothing "
        "that orders the two blocks (atomics behind __threadfence())",
        kind, here, at - bounds.data, bounds.data_end - bounds.data, before_kind, (uint32_t)(first % g.x),
        (uint32_t)(first / g.x % g.y), (uint32_t)(first / g.x / g.y), there);
}

/* Both by atomics; or a volatile flag that one block writes, behind a fence, and others read. */
static bool meant_to_meet(const stamp *before, const stamp *now, bool two_writes)
{
    return (before->atomic || (before->is_volatile && !two_writes)) &&
           (now->atomic || (now->is_volatile && !two_writes));
}

static const char *check_cell(const race_state *s, cell *c, const stamp *now, int kind, stamp *before)
{
    const char *wrong = NULL;
    if ((c->write.mask & now->mask) && !meant_to_meet(&c->write, now, kind & ASSAY_SIMT_WRITE) &&
        !ordered(s, &c->write)) {
        *before = c->write;
        return "a write";
    }
    if (kind & ASSAY_SIMT_WRITE) {
        const stamp *reads[] = {&c->read, &c->other_read};
        for (int i = 0; i < 2 && !wrong; i++)
            if ((reads[i]->mask & now->mask) && !meant_to_meet(reads[i], now, false) &&
                !ordered(s, reads[i])) {
                *before = *reads[i];
                wrong = "a read";
            }
        c->write = *now;
    }
    if (kind & ASSAY_SIMT_READ) {
        if (c->read.clock >= s->launch_clock && c->read.block != now->block)
            c->other_read = c->read;
        c->read = *now;
    }
    return wrong;
}

/* ---- events ---- */

void simt_race_start_block(simt_worker *w, race_state *s)
{
    s->block = (uint32_t)w->block;
    s->launch_clock = w->job->race_clock;
    s->clock = s->launch_clock + 1;
    s->published = s->launch_clock;
}

void simt_race_fence(race_state *s)
{
    s->published = s->clock;
    if (s->clock + 1 < s->launch_clock + LAUNCH_CLOCKS)
        s->clock++;
}

static void meet(const race_state *s, const char *at, int kind)
{
    pthread_mutex_lock(&lock);
    /* A volatile read only learns where something was published: it makes no place of what it reads. */
    sync_place *p = find_place((uintptr_t)at, kind & ASSAY_SIMT_WRITE);
    block_sync *b = p ? find_block(s->block, true) : NULL;
    if (b)
        learn(b, p);
    if (b && (kind & ASSAY_SIMT_WRITE) && s->published > s->launch_clock)
        publish(p, s->block, s->published);
    pthread_mutex_unlock(&lock);
}

void simt_race_access(simt_worker *w, race_state *s, const char *at, size_t bytes, int kind, const void *pc)
{
    const bool atomic = kind & 4;
    /* Of a block that never fences a volatile access is like any other. */
    const bool is_volatile =
        (kind & ASSAY_SIMT_VOLATILE) && (!(kind & ASSAY_SIMT_WRITE) || s->published > s->launch_clock);
    if (atomic || is_volatile)
        meet(s, at, kind);
    const char *end = at + bytes;
    while (at < end) {
        page *p = find_page((uintptr_t)at / PAGE_BYTES);
        const uintptr_t page_end = ((uintptr_t)at / PAGE_BYTES + 1) * PAGE_BYTES;
        const char *stop = (uintptr_t)end < page_end ? end : (const char *)page_end;
        if (!p) {
            at = stop;
            continue;
        }
        const char *wrong = NULL, *where = at;
        stamp before,
            now = {s->clock, s->block, (int32_t)((const char *)pc - (const char *)w->job->config.kernel),
                   0,        atomic,   is_volatile};
        while (atomic_flag_test_and_set_explicit(&p->busy, memory_order_acquire))
            ;
        while (at < stop && !wrong) {
            const uintptr_t odd = (uintptr_t)at % CELL_BYTES;
            const size_t left = (size_t)(stop - at), part = left < CELL_BYTES - odd ? left : CELL_BYTES - odd;
            now.mask = (uint8_t)(((1u << part) - 1u) << odd);
            where = at;
            wrong = check_cell(s, &p->cells[(uintptr_t)at % PAGE_BYTES / CELL_BYTES], &now, kind, &before);
            at += part;
        }
        atomic_flag_clear_explicit(&p->busy, memory_order_release);
        if (wrong)
            report_race(w, where, &before, wrong, &now,
                        !(kind & ASSAY_SIMT_WRITE) ? "read"
                        : atomic                   ? "atomic write"
                                                   : "write");
    }
}

void simt_race_forget(const char *at, size_t bytes)
{
    const char *end = at + bytes;
    while (at < end) {
        page *p = find_page((uintptr_t)at / PAGE_BYTES);
        const size_t from = (uintptr_t)at % PAGE_BYTES, room = PAGE_BYTES - from, left = (size_t)(end - at),
                     part = left < room ? left : room;
        at += part;
        if (!p)
            continue;
        const size_t first = from / CELL_BYTES, past = (from + part + CELL_BYTES - 1) / CELL_BYTES;
        while (atomic_flag_test_and_set_explicit(&p->busy, memory_order_acquire))
            ;
        memset(&p->cells[first], 0, (past - first) * sizeof p->cells[0]);
        atomic_flag_clear_explicit(&p->busy, memory_order_release);
    }
}
