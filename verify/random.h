/* Counter-based random numbers that are bit-equal on every machine.
 *
 * Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", SC 2011): element i of a
 * stream is a pure function of (seed, stream, i), so any part can be made anywhere, in any order. Normals come from
 * the Box-Muller transform with the logarithm, sine and cosine written out as short series in binary32: only
 * + - * / and sqrt are used, which IEEE 754 rounds the same way everywhere (this file is compiled without contraction
 * into fused operations). No libm function may be called here: those differ between hosts.
 *
 * Layout: a chunk of 1024 elements is made of 256 Philox blocks of four words; word w of block b belongs to element
 * 256 w + b of the chunk, so that plain loops over b vectorise. */
#ifndef ASSAY_VERIFY_RANDOM_H
#define ASSAY_VERIFY_RANDOM_H

#include <stdint.h>

enum { RANDOM_BLOCKS = 256, RANDOM_CHUNK = 4 * RANDOM_BLOCKS };

/* One Philox4x32-10 block: counter and key in, four words out. */
void philox4x32_10(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

/* The 1024 words of chunk number `chunk` of a stream. */
void random_words(uint64_t seed, uint64_t stream, uint64_t chunk, uint32_t words[RANDOM_CHUNK]);

/* The same, turned into standard normal deviates (|value| < 5.8), or uniform ones in [-1, 1) on a grid of 2^-23. */
void random_normal(uint64_t seed, uint64_t stream, uint64_t chunk, float values[RANDOM_CHUNK]);
void random_uniform(uint64_t seed, uint64_t stream, uint64_t chunk, float values[RANDOM_CHUNK]);

/* One word of a stream by its own index, for sparse decisions: costs a whole block. */
uint32_t random_word_at(uint64_t seed, uint64_t stream, uint64_t index);

#endif
