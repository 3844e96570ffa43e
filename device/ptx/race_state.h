/* What the race checks share: clocks of warps, and cells of shared memory. Private to races.c and race_*.c. */
#ifndef ASSAY_DEVICE_PTX_RACE_STATE_H
#define ASSAY_DEVICE_PTX_RACE_STATE_H

#include "device/ptx/races.h"
#include <string.h>

enum { CELL_BYTES = 4, KEYS = 1024, BARRIERS = 16, LATE_WAITS = 16, WGMMA_GROUPS = 64 };
#define SHARED_OFFSET_MASK ((1u << SHARED_RANK_SHIFT) - 1)

/* Whether an access takes effect at once, or its reads may come as late as a wait allows. */
enum { NOT_LATE, LATE_WGMMA, LATE_BULK };
/* How an access goes with others at the same time. */
enum { PLAIN, VOLATILE, ATOMIC };

typedef struct stamp {
    const insn *at; /* NULL: never */
    uint32_t clock, epoch;
    uint32_t sequence; /* of the instruction in its warp; late reads: of the operation, as its waits count */
    uint16_t warp;     /* in the gang */
    uint16_t lane_clock;
    uint8_t lanes[CELL_BYTES]; /* of each byte: lanes of one instruction may touch different ones */
    uint8_t bytes;             /* a bit for each of the cell */
    uint8_t late, strength;
    bool async;
} stamp;

typedef struct cell {
    stamp write, read, other; /* other: a read by another warp than `read` */
    const insn *owner_at;
    uint32_t run; /* the block that the cell belongs to; another one's is empty */
    bool owned;
} cell;

typedef struct sync_object {
    uint32_t *clocks; /* NULL: unused */
} sync_object;

struct race_state { /* of a block */
    cell *cells;
    uint32_t run;
    uint32_t *barriers[BARRIERS]; /* clocks brought by those who arrived */
};

/* The last waits for operations that read late: all up to `sequence` was over when the warp's clock was `clock`. */
typedef struct late_waits {
    uint32_t count, issued;
    uint32_t sequence[LATE_WAITS], clock[LATE_WAITS];
} late_waits;

struct warp_race {
    uint32_t *clocks;           /* of all warps of the gang, as this one knows them */
    uint32_t *published;        /* behind `clocks`: those of them that a fence of the whole device covers */
    uint32_t width;             /* of both together, which synchronisation passes on */
    uint32_t epoch;             /* operations of all lanes so far */
    uint16_t lanes[32][32];     /* of the lanes, as each lane knows them, since the epoch began */
    bool parted;                /* `lanes` holds something: operations of some lanes came */
    uint32_t sequence;          /* of checked instructions */
    uint32_t fenced;            /* own clock behind the last proxy fence */
    uint32_t *fence_clocks;     /* what this warp knew at its last proxy fence */
    uint32_t number, count;     /* in the gang; warps of the gang */
    sync_object *objects;       /* the gang's, KEYS of them */
    uint32_t *cluster;          /* the gang's: clocks brought to the cluster barrier */
    struct known_blocks *known; /* the gang's: race_global.c */
    uint32_t wgmma_groups[WGMMA_GROUPS]; /* the last instruction of each committed group */
    late_waits wgmma, bulk[32];
};

static inline warp *gang_warp(const gang *g, uint32_t n)
{
    return &g->blocks[n / g->launch->warps].warps[n % g->launch->warps];
}

static inline void clocks_join(uint32_t *to, const uint32_t *from, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        to[k] = from[k] > to[k] ? from[k] : to[k];
}

/* Zeroed memory; ends the process where there is none. */
void *race_memory(size_t bytes);
/* Clocks that a synchronisation object of the gang holds. */
uint32_t *race_object(struct warp_race *q, uint64_t key);
/* "file:line" of an instruction of any function of the module. */
void race_place(const warp *w, const insn *at, char *out, size_t bytes);

/* ---- shared memory (race_shared.c) ---- */

/* Who touched these bytes of the cell: of several lanes, one that is not `but`. */
static inline uint32_t stamp_lane(const stamp *s, uint32_t bytes, uint32_t but)
{
    uint32_t lane = but;
    for (uint32_t k = 0; k < CELL_BYTES; k++)
        if (s->bytes & bytes & 1u << k && s->lanes[k] != but)
            lane = s->lanes[k];
    return lane;
}

static inline cell *race_cell(block *b, uint64_t offset)
{
    cell *c = &b->race->cells[offset / CELL_BYTES];
    if (c->run != b->race->run) {
        memset(c, 0, sizeof *c);
        c->run = b->race->run;
    }
    return c;
}
/* Whether an access of `lane` to these bytes of the cell comes after `before`. */
bool race_ordered(const warp *w, const stamp *before, uint32_t lane, uint32_t bytes);
/* An access of one lane. False: a finding was recorded. */
bool race_access(warp *w, const insn *i, uint32_t lane, uint64_t address, uint32_t bytes, access_kind kind,
                 bool async);
/* A late read of one cell, by an operation that counts as `sequence`. False: a finding was recorded. */
bool race_late_read(warp *w, const insn *i, uint32_t lane, block *b, uint64_t offset, uint8_t late,
                    uint32_t sequence, bool keep);

/* ---- global memory (race_global.c) ---- */

struct known_blocks *global_new_gang(void);
void global_free_gang(struct known_blocks *known);
void global_start_gang(struct known_blocks *known, const gang *g);
/* An access to global memory by lanes; and what an atomic, volatile, release or acquire one passes on. */
void global_access(warp *w, const insn *i, uint32_t mask, const uint64_t *addresses, uint32_t bytes,
                   access_kind kind);
void global_release(warp *w, const insn *i, uint64_t address);
void global_acquire(warp *w, uint64_t address);

#endif
