// How long a division of a matmul of 2-byte elements into tiles takes on Hopper, in cycles of a multiprocessor:
// the model that choose.cuh decides by. Plain arithmetic, without a device.
//
// A tile of m x n takes, for a step of 64 of k, the larger of
//   m n / 32     its 64 m n multiply-adds at 2048 a cycle (tensor cores, dense), and
//   2 (m + n)    its 128 (m + n) bytes at 64 a cycle, L2 to a multiprocessor,
// which gives 1024, 512, 384 and 256 for 128 x 256, 128 x 128, 64 x 128 and 64 x 64; measured were 310 for 64 x 128,
// and the same rate for an area with 128 x 256 and 128 x 128 (docs/notes). mma.sync reaches 57% of the tensor cores.
// Rounding and storing it takes m n / 16 more, in which its tensor cores wait. Whole tiles go in rounds of one tile
// a multiprocessor, and the last round takes as long as a full one.
//
// A stream (hopper_stream.cuh) replaces the last, partly filled round by an even share of its steps for each
// block, and pays
//   - writing two parts of a tile, 4 m n bytes each, at 64 bytes a cycle;
//   - reading all parts again in the second stage, spread over the card;
//   - a second launch, 3000 cycles (1.7 us: what two dependent launches took more than one; hypothesis for
//     launch_early).
//
// No division is faster than memory: a multiprocessor gets MEMORY_BYTES a cycle (3.35 TB/s over 132 at 1.75 GHz is
// 14.5), and no more than the bytes it has under way in LATENCY cycles. Of these only the part counts that is not
// loaded by another tile too.
//
// Another division must be predicted to take 5% less than the one that the tables of choose.cuh give: so much the
// model is off between tiles. Where the rounds together are filled to 95%, as at the sizes of op.json on 132
// multiprocessors, nothing can gain that much.
#ifndef ASSAY_OPS_MATMUL_V4_TILE_MODEL_H
#define ASSAY_OPS_MATMUL_V4_TILE_MODEL_H

#include <stdbool.h>
#include <stdint.h>

enum { STEP_K = 64, LAUNCH_CYCLES = 3000, MEMORY_BYTES = 16, LATENCY_CYCLES = 1400 };

#define STREAM_GAIN 0.95

// A problem, and the multiprocessors of the card.
typedef struct {
    int64_t m, n, k;
    int multiprocessors;
} model_problem;

// A kernel's tile and what a block has under way from memory.
typedef struct {
    int m, n;
    int bytes_under_way;
    double tensor_rate; // of the tensor cores' full rate
} model_tile;

// Division of a stream: `whole` rounds of whole tiles for `blocks` blocks, and `rest` tiles of `steps` steps each
// that are divided evenly.
typedef struct {
    int blocks, whole, rest, steps;
} stream_plan;

static inline int64_t model_tiles(const model_problem *p, const model_tile *t)
{
    return (p->m + t->m - 1) / t->m * ((p->n + t->n - 1) / t->n);
}

static inline int64_t model_steps(const model_problem *p)
{
    return (p->k + STEP_K - 1) / STEP_K;
}

static inline double model_step_cycles(const model_tile *t)
{
    const double tensor = t->m * t->n / 32.0 / t->tensor_rate, loads = 2.0 * (t->m + t->n);
    return tensor > loads ? tensor : loads;
}

static inline double model_store_cycles(const model_tile *t)
{
    return t->m * t->n / 16.0;
}

// Cycles to bring a and b from memory with `blocks` blocks at work.
static inline double model_memory_cycles(const model_problem *p, const model_tile *t, int64_t blocks)
{
    const double once = 2.0 * ((double)p->m * (double)p->k + (double)p->k * (double)p->n);
    const double loaded = (double)model_tiles(p, t) * (double)model_steps(p) * 128.0 * (t->m + t->n);
    const double busy = (double)(blocks < p->multiprocessors ? blocks : p->multiprocessors);
    const double card = (double)MEMORY_BYTES * p->multiprocessors;
    const double under_way =
        busy * t->bytes_under_way * (once < loaded ? once / loaded : 1.0) / LATENCY_CYCLES;
    return once / (under_way < card ? under_way : card);
}

static inline double model_larger(double a, double b)
{
    return a > b ? a : b;
}

// Cycles of whole tiles in rounds.
static inline double model_rounds(const model_problem *p, const model_tile *t)
{
    const int64_t tiles = model_tiles(p, t), rounds = (tiles + p->multiprocessors - 1) / p->multiprocessors;
    const double cycles =
        (double)rounds * ((double)model_steps(p) * model_step_cycles(t) + model_store_cycles(t));
    return model_larger(cycles, model_memory_cycles(p, t, tiles));
}

// Slots of partial sums that a plan needs: a part ends with a tile or with a block.
static inline int64_t stream_slots(const stream_plan *plan)
{
    return plan->rest == 0 ? 0 : (int64_t)plan->blocks + plan->rest;
}

// Divide a problem as a stream. False where all rounds are full, or where indices would not have 32 bits.
static inline bool stream_divide(const model_problem *p, const model_tile *t, stream_plan *plan)
{
    const int64_t tiles = model_tiles(p, t), steps = model_steps(p), sms = p->multiprocessors;
    const int64_t whole = tiles / sms, rest = tiles % sms, total = rest * steps;
    if (rest == 0 || total * (sms + 1) > INT32_MAX || tiles > INT32_MAX / 2)
        return false;
    const int64_t blocks = whole == 0 && total < sms ? total : sms;
    *plan = (stream_plan){(int)blocks, (int)whole, (int)rest, (int)steps};
    return true;
}

static inline double model_stream(const model_problem *p, const model_tile *t, const stream_plan *plan)
{
    const double step = model_step_cycles(t), part = 4.0 * t->m * t->n / 64.0;
    const int64_t steps = ((int64_t)plan->rest * plan->steps + plan->blocks - 1) / plan->blocks;
    const double whole = plan->whole * (plan->steps * step + model_store_cycles(t));
    const double cycles = model_larger(whole + (double)steps * step, model_memory_cycles(p, t, plan->blocks));
    return cycles + 2.0 * part + (double)stream_slots(plan) * part / p->multiprocessors + LAUNCH_CYCLES;
}

// The stream that takes the fewest cycles among `count` tiles, where it is STREAM_GAIN ahead of `present` in rounds.
// Its number, and *plan; -1: none. `forced`: a number that is taken without a prediction; -1: none.
// `floats`: room for partial sums.
static inline int model_choose_stream(const model_problem *p, const model_tile *present,
                                      const model_tile *tiles, int count, int forced, int64_t floats,
                                      stream_plan *plan)
{
    double best = STREAM_GAIN * model_rounds(p, present);
    int choice = -1;
    for (int i = 0; i < count; i++) {
        stream_plan candidate;
        if ((forced >= 0 && i != forced) || !stream_divide(p, &tiles[i], &candidate) ||
            stream_slots(&candidate) * tiles[i].m * tiles[i].n > floats)
            continue;
        const double cycles = model_stream(p, &tiles[i], &candidate);
        if (forced >= 0 || cycles < best)
            best = cycles, choice = i, *plan = candidate;
    }
    return choice;
}

#endif
