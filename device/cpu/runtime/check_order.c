/* Vector clocks over the threads of a block; see check_order.h. Within a warp they are a table. What reaches beyond it, which few kernels
 * need, is in rows of a clock a thread: of each thread what it knows and what it noted at its last fence, and of each flag what was
 * published there. A row counts in the epoch in which it was begun; in another one it knows nothing. */
#include "device/cpu/runtime/check_order.h"
#include <string.h>
#include <sys/mman.h>

enum {
    FLAGS = 256
}; /* flags whose addresses share a slot count as one: that may hide a race, never make one */

typedef enum row_kind { KNOWN, NOTED, PUBLISHED } row_kind; /* of a thread, of a thread, of a flag's slot */

static uint32_t row_number(const order_state *s, row_kind kind, uint32_t of)
{
    return (uint32_t)kind * s->threads + of;
}

static size_t row_count(const order_state *s)
{
    return 2 * (size_t)s->threads + FLAGS;
}

/* The epochs of all rows come first, then the rows. */
static uint32_t *clocks_of(const order_state *s, uint32_t row)
{
    return s->rows + row_count(s) + (size_t)row * s->threads;
}

static uint32_t *find_row(const order_state *s, row_kind kind, uint32_t of)
{
    const uint32_t row = row_number(s, kind, of);
    return s->rows && s->rows[row] == s->epoch ? clocks_of(s, row) : NULL;
}

/* NULL only where there is no memory for rows: then flags order nothing. */
static uint32_t *begin_row(order_state *s, row_kind kind, uint32_t of)
{
    const size_t bytes = row_count(s) * (1 + (size_t)s->threads) * sizeof *s->rows;
    if (!s->rows) {
        void *made = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (made == MAP_FAILED)
            return NULL;
        s->rows = made;
        s->bytes = bytes;
    }
    uint32_t *clocks = find_row(s, kind, of);
    if (clocks)
        return clocks;
    s->rows[row_number(s, kind, of)] = s->epoch;
    clocks = clocks_of(s, row_number(s, kind, of));
    memset(clocks, 0, s->threads * sizeof *clocks);
    return clocks;
}

static void join(uint32_t *to, const uint32_t *from, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        to[i] = from[i] > to[i] ? from[i] : to[i];
}

void simt_order_start_block(order_state *s, uint32_t threads)
{
    const uint32_t warps = (threads + 31) / 32;
    s->block_epoch = ++s->epoch;
    if (s->rows && s->threads != 32 * warps) {
        munmap(s->rows, s->bytes);
        s->rows = NULL;
    }
    s->threads = 32 * warps;
    memset(s->clocks, 0, warps * sizeof s->clocks[0]);
    for (uint32_t i = 0; i < s->threads; i++)
        s->clocks[i / 32][i % 32][i % 32] = 1;
}

/* What any of the lanes has in its row of that kind, all of them have. Notes too: who fenced and then met others has published through
 * them, as where every thread fences and one of them sets the flag. */
static void join_rows(order_state *s, row_kind kind, uint32_t warp, uint32_t lanes)
{
    uint32_t *first = NULL;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        const uint32_t *row = find_row(s, kind, 32 * warp + (uint32_t)__builtin_ctz(rest));
        if (row && first)
            join(first, row, s->threads);
        else if (row)
            first = (uint32_t *)(uintptr_t)row;
    }
    for (uint32_t rest = first ? lanes : 0; rest; rest &= rest - 1) {
        uint32_t *row = begin_row(s, kind, 32 * warp + (uint32_t)__builtin_ctz(rest));
        if (row != first)
            memcpy(row, first, s->threads * sizeof *row);
    }
}

void simt_order_warp(order_state *s, uint32_t warp, uint32_t lanes)
{
    uint32_t(*clocks)[32] = s->clocks[warp];
    uint32_t joined[32] = {0};
    for (uint32_t rest = lanes; rest; rest &= rest - 1)
        join(joined, clocks[__builtin_ctz(rest)], 32);
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        const int lane = __builtin_ctz(rest);
        memcpy(clocks[lane], joined, sizeof joined);
        clocks[lane][lane]++;
    }
    join_rows(s, KNOWN, warp, lanes);
    join_rows(s, NOTED, warp, lanes);
}

void simt_order_fence(order_state *s, uint32_t thread)
{
    uint32_t *noted = begin_row(s, NOTED, thread), *own = s->clocks[thread / 32][thread % 32];
    if (!noted)
        return;
    const uint32_t *known = find_row(s, KNOWN, thread);
    if (known)
        join(noted, known, s->threads);
    join(noted + thread / 32 * 32, own, 32);
    own[thread % 32]++;
}

void simt_order_flag(order_state *s, uint32_t thread, const char *address, int kind)
{
    const uint32_t slot = (uint32_t)(simt_mix((uintptr_t)address) % FLAGS);
    const uint32_t *published = find_row(s, PUBLISHED, slot), *noted = find_row(s, NOTED, thread);
    if ((kind & ASSAY_SIMT_READ) && published) {
        uint32_t *known = begin_row(s, KNOWN, thread);
        join(known, published, s->threads);
        join(s->clocks[thread / 32][thread % 32], published + thread / 32 * 32, 32);
    }
    if ((kind & ASSAY_SIMT_WRITE) && noted)
        join(begin_row(s, PUBLISHED, slot), noted, s->threads);
}

bool simt_order_knows(const order_state *s, uint32_t thread, uint32_t other, uint32_t clock)
{
    const uint32_t *known = find_row(s, KNOWN, thread);
    if (thread / 32 == other / 32 && s->clocks[thread / 32][thread % 32][other % 32] >= clock)
        return true;
    return known && known[other] >= clock;
}

bool simt_order_fenced(const order_state *s, uint32_t thread)
{
    return s->rows && s->rows[row_number(s, NOTED, thread)] >= s->block_epoch;
}

uint32_t simt_order_fence_clock(const order_state *s, uint32_t thread)
{
    const uint32_t *noted = find_row(s, NOTED, thread);
    return noted ? noted[thread] : simt_order_clock(s, thread);
}
