/* Who comes after whom among the threads of a block, for the checked build: vector clocks.
 *
 * Every thread has a clock. Warp operations tell their lanes of each other's clocks. A fence notes what its thread knows; where the
 * thread then changes a flag, an atomic's place or a volatile variable, the note is published there, and who reads the flag after it
 * learns of it. A flag without a fence before it publishes nothing, as on the card. Block barriers order everything: they begin an
 * epoch, and what was learned in an earlier one is not needed any more. */
#ifndef ASSAY_SIMT_CHECK_ORDER_H
#define ASSAY_SIMT_CHECK_ORDER_H

#include "device/cpu/runtime/simt.h"

typedef struct order_state {
    uint32_t epoch, block_epoch;             /* block barriers so far, now and at the start of the block */
    uint32_t threads;                        /* of the block or cluster, in whole warps */
    uint32_t clocks[SIMT_MAX_WARPS][32][32]; /* of a warp: what each lane knows of each lane's clock */
    uint32_t *rows; /* what is known beyond the warp; mapped when it is first needed */
    size_t bytes;   /* of that mapping */
} order_state;

void simt_order_start_block(order_state *s, uint32_t threads);
void simt_order_warp(order_state *s, uint32_t warp, uint32_t lanes);
void simt_order_fence(order_state *s, uint32_t thread);
/* `thread` reads or changes (`kind`, ASSAY_SIMT_...) the flag at `address`. */
void simt_order_flag(order_state *s, uint32_t thread, const char *address, int kind);
/* Whether `thread` comes after what `other` did at its `clock`, both in this epoch. */
bool simt_order_knows(const order_state *s, uint32_t thread, uint32_t other, uint32_t clock);
/* Whether `thread` has fenced in this block, and its clock at the last fence, when a flag that it writes is said to be written. */
bool simt_order_fenced(const order_state *s, uint32_t thread);
uint32_t simt_order_fence_clock(const order_state *s, uint32_t thread);

static inline uint32_t simt_order_clock(const order_state *s, uint32_t thread)
{
    return s->clocks[thread / 32][thread % 32][thread % 32];
}

#endif
