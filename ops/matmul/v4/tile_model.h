// How long a kernel takes for a matmul, predicted from its tile: the model that choose.cuh decides by. Plain
// arithmetic, without a device. Times are in microseconds.
//
// For each 64 of k a block takes the longer of `step`, what its multiplications take alone, and its loads at
// `rate`, plus a tenth of the shorter. `rate` is what a multiprocessor gets from L2 while all load; alone it gets up
// to 1.6 times as much. Rows that start at no multiple of 128 bytes touch one line more for each 128 bytes, so they
// come at half the rate: measured were 62 bytes a clock and 32. Tiles go in rounds of as many blocks as the card has
// room for, and the last round takes as long as a full one. Bringing a and b from memory takes its own time, no less
// than the bytes under way allow, and hides most but not all of the multiplications (OVERLAP).
// Where blocks share a k, their sums are written and read once more, and a second kernel adds them. The two blocks of
// a cluster load b once for both, meet before and after, and wait for each other a little at every stage.
//
// The constants are fitted to cold times of an H200 at drawn shapes, of every kernel here
// (docs/notes/2026-11-29-matmul-choice.md: how, the errors, and what the choice costs against the best one).
#ifndef ASSAY_OPS_MATMUL_V4_TILE_MODEL_H
#define ASSAY_OPS_MATMUL_V4_TILE_MODEL_H

#include "../matmul.h"
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

// What all kernels of a dtype have in common.
typedef struct {
    double memory;        // bytes a microsecond
    double parts;         // the same for sums of parts, mostly in L2
    double second_launch; // that adds them
    double packing;       // a launch that lays an operand out anew
    double overlap;       // of the shorter of two times, what is not hidden
    double store;         // an element of the tile at its end
    double meeting;       // of a cluster's blocks, before and after
    double waiting;       // for each other, of the time of a stage
    double single;        // storing single elements, over storing vectors
} model_costs;

// A problem, `batch` products, and the multiprocessors of the card.
typedef struct {
    int64_t batch, m, n, k;
    int multiprocessors;
    int element_bytes;
    bool odd_a, odd_b;       // rows that start at no multiple of 128 bytes
    bool packed_a, packed_b; // an operand that is laid out anew first
    bool single;             // rows of c that start at no multiple of 16 bytes
} model_problem;

// A kernel: its tile and what was measured of it.
typedef struct {
    int m, n;
    int under_way;     // bytes that a block loads at the same time
    int together;      // blocks on a multiprocessor
    double start;      // the time of a launch that does next to nothing
    double step;       // 64 of k of a tile, not waiting for loads
    double rate;       // bytes a microsecond that a multiprocessor loads
    double latency;    // from a load to its data
    int operand_bytes; // of an element where both operands are laid out anew first, else 0
} model_tile;

// The kernels of a dtype, larger tiles first.
typedef struct {
    const model_tile *tile;
    int count;
    int wgmma;      // the first ones, which need Hopper
    int clustering; // of those: the first ones whose blocks can share b
    model_costs costs;
} model_tiles;

// A tile by its number, how many blocks share its k, and how many (1 or 2) share what they load of b.
typedef struct {
    int tile, splits, cluster;
} model_choice;

static inline int64_t model_parts(int64_t whole, int64_t part)
{
    return (whole + part - 1) / part;
}

static inline double model_overlap(double a, double b, double share)
{
    return a > b ? a + share * b : b + share * a;
}

// One step of one block. `busy`: multiprocessors that load.
static inline double model_step(const model_problem *p, const model_tile *t, int64_t blocks, double bytes)
{
    const int64_t sms = p->multiprocessors, each = model_parts(blocks, sms);
    const double share = (double)(each < t->together ? each : t->together);
    const double alone = blocks < sms ? sqrt((double)sms / (double)blocks) : 1.0;
    return model_overlap(t->step * share, bytes * share / (t->rate * (alone < 1.6 ? alone : 1.6)), 0.1);
}

// The problem that a kernel sees which lays both operands out anew.
static inline model_problem model_laid_out(const model_problem *p, const model_tile *t)
{
    model_problem seen = *p;
    if (t->operand_bytes) {
        seen.element_bytes = t->operand_bytes;
        seen.odd_a = seen.odd_b = false;
        seen.packed_a = seen.packed_b = true;
    }
    return seen;
}

// What a block loads for 64 of k, in bytes; twice for rows that share lines with their neighbours.
static inline double model_loads(const model_problem *p, double rows, double columns, int cluster)
{
    return 64.0 * p->element_bytes * (rows * (p->odd_a ? 2 : 1) + columns * (p->odd_b ? 2 : 1) / cluster);
}

// Bringing a and b from memory, and c to it, without multiplying. `blocks`: that load at the same time.
static inline double model_memory(const model_problem *p, const model_costs *costs, const model_tile *t,
                                  double blocks, double loads)
{
    const double m = (double)p->m, n = (double)p->n, k = (double)p->k, bytes = p->element_bytes;
    const double once = bytes * (m * k + k * n) * (double)p->batch;
    const double under_way = blocks * t->under_way * (fmin(m, t->m) + fmin(n, t->n)) / (t->m + t->n) *
                             fmin(1, once / loads) / t->latency;
    return once / fmin(costs->memory, under_way) + bytes * m * n * (double)p->batch / costs->memory;
}

// Microseconds for a matmul by a kernel of `tiles`.
static inline double model_time(const model_problem *problem, const model_tiles *tiles, model_choice choice)
{
    const model_tile *t = &tiles->tile[choice.tile];
    const model_costs *costs = &tiles->costs;
    const model_problem p = model_laid_out(problem, t);
    const double m = (double)p.m, n = (double)p.n, k = (double)p.k, bytes = p.element_bytes;
    const double rows = fmin(m, t->m), columns = fmin(n, t->n); // of a tile that are loaded
    const int64_t blocks = p.batch * model_parts(p.m, (int64_t)t->m * choice.cluster) * choice.cluster *
                           model_parts(p.n, t->n) * choice.splits;
    const int64_t steps = model_parts(model_parts(p.k, 64), choice.splits);
    const int64_t room = (int64_t)t->together * p.multiprocessors, rounds = model_parts(blocks, room);
    const double area = (double)t->m * t->n;
    double step = model_step(&p, t, blocks, model_loads(&p, rows, columns, choice.cluster));
    double time = t->start;
    if (choice.cluster > 1)
        step *= 1 + costs->waiting, time += costs->meeting;
    const bool single = p.single && choice.splits == 1 && !t->operand_bytes;
    const double store = area * costs->store * (single ? costs->single : 1);
    const double multiplying = (double)rounds * ((double)steps * step + store);
    const double loading = model_memory(&p, costs, t, (double)(blocks < room ? blocks : room),
                                        (double)(blocks * steps) * 64 * bytes * (rows + columns));
    time += model_overlap(multiplying, loading, costs->overlap);
    if (choice.splits > 1)
        time += costs->second_launch + 8 * (double)blocks * area / costs->parts;
    if (p.packed_a)
        time += costs->packing + 2 * bytes * m * k * (double)p.batch / costs->memory;
    if (p.packed_b)
        time += costs->packing + 2 * bytes * k * n * (double)p.batch / costs->memory;
    return time;
}

// Whether rows of `length` elements, `row` apart, start at other than multiples of 128 bytes, after they were laid out anew
// if they have to be.
static inline bool model_odd_rows(int64_t length, int64_t row, int element_bytes)
{
    return (element_bytes == 2 && row % 8 != 0 ? matmul_padded_row(length) : row) * element_bytes % 128 != 0;
}

static inline model_problem model_problem_of(const matmul_args *args, int element_bytes, int multiprocessors)
{
    const matmul_stored b = matmul_stored_b(args);
    const int64_t row_a = matmul_row_a(args), row_b = matmul_row_b(args);
    const model_problem p = {args->batch,
                             args->m,
                             args->n,
                             args->k,
                             multiprocessors,
                             element_bytes,
                             model_odd_rows(args->k, row_a, element_bytes),
                             model_odd_rows(b.length, row_b, element_bytes),
                             element_bytes == 2 && row_a % 8 != 0,
                             element_bytes == 2 && row_b % 8 != 0,
                             args->n * element_bytes % 16 != 0};
    return p;
}

// A tile, more parts or a cluster is taken before a larger tile, fewer or none where it is predicted to be 3% faster:
// so much the model is off between them.
#define MODEL_GAIN 0.97

// Whether a choice can be launched: parts have at least 256 of k, and their sums fit into `floats`; clusters have two
// tiles of a single product one above the other.
static inline bool model_possible(const model_problem *p, const model_tiles *tiles, model_choice choice,
                                  int64_t floats)
{
    const model_tile *t = &tiles->tile[choice.tile];
    const int64_t sums = p->batch * model_parts(p->m, t->m) * model_parts(p->n, t->n) * t->m * t->n;
    const bool parts = choice.splits == 1 || (p->k / choice.splits >= 256 && sums <= floats / choice.splits);
    return parts &&
           (choice.cluster == 1 || (p->batch == 1 && choice.tile < tiles->clustering && p->m > t->m));
}

// The fastest choice. `asked`: a tile, or any below 0; parts of k and blocks of a cluster where they are possible, or
// any where 0.
static inline model_choice model_choose(const model_problem *p, const model_tiles *tiles, bool on_hopper,
                                        int64_t floats, model_choice asked)
{
    static const int parts[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128};
    const int first = on_hopper ? 0 : tiles->wgmma;
    const bool one = asked.tile >= first && asked.tile < tiles->count;
    model_choice best = {one ? asked.tile : tiles->count - 1, 1, 1};
    double least = INFINITY;
    for (int i = one ? asked.tile : first; i < (one ? asked.tile + 1 : tiles->count); i++)
        for (int j = 0; j < (int)(sizeof parts / sizeof *parts); j++)
            for (int cluster = 1; cluster <= 2; cluster++) {
                const model_choice choice = {i, parts[j], cluster};
                if ((choice.splits > 1 && asked.splits > 0 && choice.splits != asked.splits) ||
                    (cluster > 1 && asked.cluster == 1) || !model_possible(p, tiles, choice, floats))
                    continue;
                double time = model_time(p, tiles, choice);
                if (choice.splits == asked.splits)
                    time *= 1e-3;
                if (cluster == asked.cluster)
                    time *= 1e-6;
                if (time < least * MODEL_GAIN)
                    least = time, best = choice;
            }
    return best;
}

#endif
