/* Random numbers for resampling and for orders: functions of a seed and a counter, equal on every machine.
 * Never used for inputs. */
#ifndef ASSAY_STATISTICS_RANDOM_H
#define ASSAY_STATISTICS_RANDOM_H

#include <stdint.h>

/* Word `counter` of the stream `seed`: the output function of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014)
 * over both. */
uint64_t stats_random(uint64_t seed, uint64_t counter);
/* Uniform in 0 ... count - 1; the bias of the multiplication is under 2^-32 for the counts used here. */
int stats_random_below(uint64_t seed, uint64_t counter, int count);
/* Uniform in [0, 1). */
double stats_random_uniform(uint64_t seed, uint64_t counter);
/* Standard normal (Box and Muller, 1958). Takes the words `counter` and `counter` + 1. */
double stats_random_normal(uint64_t seed, uint64_t counter);

/* A uniform permutation of 0 ... count - 1 (Fisher and Yates), a function of the seed alone. */
void stats_shuffle(uint64_t seed, int *order, int count);

#endif
