/* Counter-based random numbers: see random.h. */
#include "statistics/random.h"
#include <math.h>

uint64_t stats_random(uint64_t seed, uint64_t counter)
{
    uint64_t z = seed * 0xd1342543de82ef95u + (counter + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

int stats_random_below(uint64_t seed, uint64_t counter, int count)
{
    return (int)(((stats_random(seed, counter) >> 32) * (uint64_t)count) >> 32);
}

double stats_random_uniform(uint64_t seed, uint64_t counter)
{
    return (double)(stats_random(seed, counter) >> 11) * 0x1p-53;
}

double stats_random_normal(uint64_t seed, uint64_t counter)
{
    const double u = stats_random_uniform(seed, counter) + 0x1p-53; /* above 0, for the logarithm */
    return sqrt(-2.0 * log(u)) * cos(6.283185307179586 * stats_random_uniform(seed, counter + 1));
}

void stats_shuffle(uint64_t seed, int *order, int count)
{
    for (int i = 0; i < count; i++)
        order[i] = i;
    for (int i = count - 1; i > 0; i--) {
        const int j = stats_random_below(seed, (uint64_t)i, i + 1);
        const int kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
}
