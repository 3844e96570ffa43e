/* What is remembered of words of global memory. Private to race_global.c and race_stale.c. */
#ifndef ASSAY_DEVICE_PTX_RACE_GLOBAL_H
#define ASSAY_DEVICE_PTX_RACE_GLOBAL_H

#include "device/ptx/race_state.h"

enum { PAGE_SHIFT = 14, WORD_BYTES = 4, PAGE_WORDS = (1 << PAGE_SHIFT) / WORD_BYTES };

typedef struct trace {
    uint32_t gang; /* its number + 1; 0: never */
    uint32_t clock, function, at;
    uint16_t warp;
    uint8_t lane, bytes; /* bytes: a bit for each of the word */
    bool strong;
} trace;

typedef struct word {
    trace write, read, other; /* other: a read by another gang than `read` */
    uint32_t before;          /* the value before the last write, with `unread` */
    bool unread; /* the last write was a volatile store of the whole word, and nobody has read it since */
    uint16_t stale_warp; /* whose last read came before the last write, with stale_gang; as in a trace */
    uint32_t stale_gang;
} word;

typedef struct page {
    atomic_flag busy;
    word words[PAGE_WORDS];
} page;

/* The page of an offset in the device's memory, made where there was none; NULL for what is not watched. */
page *global_page(struct global_race *g, uint64_t offset);
void global_hold(page *p);
static inline void global_release_page(page *p)
{
    atomic_flag_clear_explicit(&p->busy, memory_order_release);
}
/* Whether the warp knows of an access. */
bool global_ordered(warp *w, const trace *before);
/* One more race of the launch; false: they are more than are kept. */
bool global_may_report(launch_state *l);
/* "block (x,y,z), thread (x,y,z) at file:line". */
void global_who(const warp *w, const trace *t, char *out, size_t bytes);

#endif
