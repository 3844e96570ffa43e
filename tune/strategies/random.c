/* Random search without replacement. In a counted space it walks a pseudo-random permutation of the valid configurations (a
 * Feistel network on their numbers, cycle-walked into range: Black and Rogaway, CT-RSA 2002), so that the last of a
 * million is found as fast as the first. */
#include "tune/strategies/strategy_internal.h"
#include "statistics/random.h"

typedef struct random_state {
    uint64_t next; /* place in the permutation; only saves time */
} random_state;

enum { ROUNDS = 4 };

/* A permutation of 0 ... 2^(2 half_bits) - 1. */
static uint64_t permute(uint64_t seed, int half_bits, uint64_t number)
{
    const uint64_t mask = (UINT64_C(1) << half_bits) - 1;
    uint64_t left = number >> half_bits, right = number & mask;
    for (int round = 0; round < ROUNDS; round++) {
        const uint64_t mixed = left ^ (stats_random(seed + (uint64_t)round, right) & mask);
        left = right;
        right = mixed;
    }
    return (left << half_bits) | right;
}

static int propose_counted(strategy *st, uint64_t count, configuration *out)
{
    random_state *r = st->state;
    int half_bits = 1;
    while (half_bits < 31 && (UINT64_C(1) << (2 * half_bits)) < count)
        half_bits++;
    while (r->next < UINT64_C(1) << (2 * half_bits)) {
        const uint64_t rank = permute(st->seed, half_bits, r->next++);
        if (rank < count && space_at(st->space, rank, out) && !strategy_knows(st, out))
            return 1;
    }
    return 0;
}

static int propose(strategy *st, uint64_t stream, configuration *out)
{
    const uint64_t count = space_count(st->space);
    if (count < UINT64_C(1) << 40)
        return propose_counted(st, count, out);
    return space_draw(st->space, stream, 0, out);
}

const strategy_kind strategy_random = {
    .name = "random",
    .about = "valid configurations at random, none twice",
    .state_bytes = sizeof(random_state),
    .propose = propose,
};
