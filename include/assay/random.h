/* Random numbers of a seed and an index, for the checks of a reference that draw signs or rows (assay_op_impl.residual): any of
 * them is known without the others, so threads and repetitions see the same ones. */
#ifndef ASSAY_RANDOM_H
#define ASSAY_RANDOM_H

#include <stdint.h>

/* 64 bits that depend on all bits of `seed` and `i`: two rounds of multiplication and shift. */
static inline uint64_t assay_random_bits(uint64_t seed, int64_t i)
{
    uint64_t x = seed + (uint64_t)i * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
    return x ^ (x >> 32);
}

/* 1 or -1, each as often. */
static inline double assay_random_sign(uint64_t seed, int64_t i)
{
    return assay_random_bits(seed, i) >> 63 ? -1.0 : 1.0;
}

#endif
