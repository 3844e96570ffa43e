/* Gangs, the blocks that run together on one host thread: their memory, and a new start for each of the grid's. */
#include "device/ptx/races.h"
#include "device/ptx/register_bits.h"
#include "device/ptx/scheduler.h"
#include <stdlib.h>
#include <string.h>

static void start_warp(gang *g, block *b, uint32_t number, char *registers)
{
    launch_state *l = g->launch;
    warp *w = &b->warps[number];
    meeting *meetings = w->meetings;
    const uint32_t count = w->meeting_count;
    struct warp_race *race = w->race;
    uint64_t *in_flight = w->in_flight, *undefined = w->undefined;
    memset(w, 0, sizeof *w);
    w->in_flight = in_flight;
    if (in_flight)
        memset(in_flight, 0, register_bit_words(l->register_bytes) * sizeof *in_flight);
    w->undefined = undefined;
    if (undefined)
        memset(undefined, 0, register_bit_words(l->register_bytes) * sizeof *undefined);
    w->meetings = meetings;
    w->meeting_count = count;
    for (uint32_t k = 0; k < count; k++)
        meetings[k].used = false;
    w->race = race;
    w->base[0] = registers;
    w->block = b;
    w->gang = g;
    w->launch = l;
    w->number = number;
    w->checks = l->checks;
    const uint32_t threads = l->threads - number * 32;
    w->live = threads >= 32 ? ~0u : (1u << threads) - 1;
    w->fragments[0] = (fragment){.pc = l->function->code,
                                 .function = l->function,
                                 .mask = w->live,
                                 .meeting = -1,
                                 .state = FRAGMENT_READY};
    w->fragment_high = 1;
}

void gang_block(const launch_state *l, uint64_t gang_number, uint32_t rank, uint32_t index[3])
{
    const uint32_t *c = l->cluster;
    const uint32_t clusters[3] = {l->grid[0] / c[0], l->grid[1] / c[1], l->grid[2] / c[2]};
    const uint64_t at[3] = {gang_number % clusters[0], gang_number / clusters[0] % clusters[1],
                            gang_number / clusters[0] / clusters[1]};
    index[0] = (uint32_t)at[0] * c[0] + rank % c[0];
    index[1] = (uint32_t)at[1] * c[1] + rank / c[0] % c[1];
    index[2] = (uint32_t)at[2] * c[2] + rank / c[0] / c[1];
}

static void place_block(const launch_state *l, block *b, uint64_t gang_number, uint32_t rank)
{
    gang_block(l, gang_number, rank, b->index);
    b->linear = b->index[0] + (uint64_t)l->grid[0] * (b->index[1] + (uint64_t)l->grid[1] * b->index[2]);
}

/* Multiplies by what has no common divisor with n, and adds. */
uint64_t drawn_order(uint64_t k, uint64_t n, uint64_t seed)
{
    if (seed == 0 || n < 2)
        return k;
    uint64_t step = seed * 0x9E3779B97F4A7C15ull % n;
    for (;; step = (step + 1) % n) {
        uint64_t a = step, b = n;
        while (b) {
            const uint64_t r = a % b;
            a = b;
            b = r;
        }
        if (a == 1)
            break;
    }
    return (uint64_t)(((unsigned __int128)k * step + seed % n) % n);
}

static void drop_arrivals(gang *g)
{
    while (g->arrivals) {
        async_op *next = g->arrivals->next;
        async_release(g, g->arrivals);
        g->arrivals = next;
    }
}

void start_gang(gang *g, uint64_t number)
{
    drop_arrivals(g);
    launch_state *l = g->launch;
    number = drawn_order(number, l->gangs, l->launch->order_seed);
    g->cluster_arrived = g->cluster_phase = 0;
    g->events = 0;
    g->idle_rounds = g->spin_rounds = 0;
    g->finished = false;
    g->live_warps = g->block_count * l->warps;
    g->order = (uint32_t)number;
    char *registers = g->memory;
    for (uint32_t r = 0; r < g->block_count; r++) {
        block *b = &g->blocks[r];
        place_block(l, b, number, r);
        b->rank = r;
        b->live_threads = l->threads;
        memset(b->barriers, 0, sizeof b->barriers);
        if (b->shared) /* shared memory holds NaNs until somebody writes it */
            memset(b->shared, 0xFF, l->shared_end);
        if (b->shared)
            memset(b->shared + SHARED_SCRATCH, 0, SHARED_SCRATCH_BYTES);
        if (b->written)
            memset(b->written, 0, l->shared_end);
        if (b->written)
            memset(b->written + SHARED_SCRATCH, 1, SHARED_SCRATCH_BYTES);
        for (uint32_t k = 0; k < l->warps; k++) {
            start_warp(g, b, k, registers);
            registers += l->register_bytes;
        }
        if (l->checks & PTX_CHECK_RACES)
            races_start_block(b);
    }
}

gang *gang_new(launch_state *l, struct line_counter *counters)
{
    gang *g = calloc(1, sizeof *g);
    if (!g)
        abort();
    g->launch = l;
    g->counters = counters;
    g->block_count = l->cluster_blocks;
    g->blocks = calloc(g->block_count, sizeof *g->blocks);
    const size_t registers = (size_t)l->register_bytes * l->warps, shared = (l->shared_end + 63u) / 64 * 64;
    const size_t local = ((size_t)l->local_bytes * 32 * l->warps + 63) / 64 * 64;
    g->memory =
        aligned_alloc(4096, (g->block_count * (registers + shared + local) + 4096 + 4095) / 4096 * 4096);
    if (!g->blocks || !g->memory)
        abort();
    memset(g->memory, 0, g->block_count * registers);
    char *at = g->memory + g->block_count * registers;
    for (uint32_t r = 0; r < g->block_count; r++) {
        block *b = &g->blocks[r];
        b->gang = g;
        b->warp_count = l->warps;
        b->warps = calloc(l->warps, sizeof *b->warps);
        b->shared = at;
        b->shared_end = l->shared_end;
        b->local = at + shared;
        at += shared + local;
        if (l->checks & (PTX_CHECK_UNINIT | PTX_CHECK_ASYNC))
            b->written = calloc(1, l->shared_end);
        for (uint32_t k = 0; b->warps && b->written && k < l->warps; k++)
            b->warps[k].undefined = calloc(register_bit_words(l->register_bytes), sizeof(uint64_t));
        if (!b->warps)
            abort();
    }
    if (l->checks & PTX_CHECK_RACES)
        races_new_gang(g);
    return g;
}

/* After a finding copies may be left over. */
static void leave_async(warp *w)
{
    async_op **lists[] = {&w->copies, &w->bulk, &w->wgmmas};
    for (int k = 0; k < 3; k++)
        while (*lists[k]) {
            async_op *op = *lists[k];
            *lists[k] = op->next;
            free(op->data);
            free(op);
        }
}

void gang_free(gang *g)
{
    drop_arrivals(g);
    races_free_gang(g);
    for (uint32_t r = 0; r < g->block_count; r++) {
        block *b = &g->blocks[r];
        for (uint32_t k = 0; k < b->warp_count; k++) {
            leave_async(&b->warps[k]);
            free(b->warps[k].meetings);
            free(b->warps[k].in_flight);
            free(b->warps[k].undefined);
        }
        free(b->warps);
        free(b->written);
    }
    while (g->spare) {
        async_op *next = g->spare->next;
        free(g->spare);
        g->spare = next;
    }
    free(g->blocks);
    free(g->memory);
    free(g);
}
