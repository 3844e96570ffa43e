/* Philox4x32-10 and the Box-Muller transform in plain, vectorisable loops; see random.h for the rules. */
#include "verify/random.h"
#include <assay/dtype.h>
#include <math.h>

enum { ROUNDS = 10 };
/* Multipliers and Weyl increments of Philox4x32 as published. */
#define MULTIPLIER_0 UINT32_C(0xD2511F53)
#define MULTIPLIER_1 UINT32_C(0xCD9E8D57)
#define WEYL_0       UINT32_C(0x9E3779B9)
#define WEYL_1       UINT32_C(0xBB67AE85)

void philox4x32_10(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
    uint32_t a = counter[0], b = counter[1], c = counter[2], d = counter[3];
    uint32_t k0 = key[0], k1 = key[1];
    for (int round = 0; round < ROUNDS; round++) {
        const uint64_t p0 = (uint64_t)MULTIPLIER_0 * a, p1 = (uint64_t)MULTIPLIER_1 * c;
        a = (uint32_t)(p1 >> 32) ^ b ^ k0;
        c = (uint32_t)(p0 >> 32) ^ d ^ k1;
        b = (uint32_t)p1;
        d = (uint32_t)p0;
        k0 += WEYL_0;
        k1 += WEYL_1;
    }
    out[0] = a, out[1] = b, out[2] = c, out[3] = d;
}

/* The same rounds over 256 blocks at once, round by round, so that the loop over blocks vectorises. */
void random_words(uint64_t seed, uint64_t stream, uint64_t chunk, uint32_t words[RANDOM_CHUNK])
{
    uint32_t *restrict a = words, *restrict b = words + RANDOM_BLOCKS;
    uint32_t *restrict c = words + 2 * RANDOM_BLOCKS, *restrict d = words + 3 * RANDOM_BLOCKS;
    const uint64_t first =
        chunk * RANDOM_BLOCKS; /* a multiple of 256: adding a block number never carries over */
    for (uint32_t i = 0; i < RANDOM_BLOCKS; i++) {
        a[i] = (uint32_t)first + i;
        b[i] = (uint32_t)(first >> 32);
        c[i] = (uint32_t)stream;
        d[i] = (uint32_t)(stream >> 32);
    }
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
    for (int round = 0; round < ROUNDS; round++, k0 += WEYL_0, k1 += WEYL_1) {
        for (uint32_t i = 0; i < RANDOM_BLOCKS; i++) {
            const uint64_t p0 = (uint64_t)MULTIPLIER_0 * a[i], p1 = (uint64_t)MULTIPLIER_1 * c[i];
            a[i] = (uint32_t)(p1 >> 32) ^ b[i] ^ k0;
            c[i] = (uint32_t)(p0 >> 32) ^ d[i] ^ k1;
            b[i] = (uint32_t)p1;
            d[i] = (uint32_t)p0;
        }
    }
}

uint32_t random_word_at(uint64_t seed, uint64_t stream, uint64_t index)
{
    const uint32_t counter[4] = {(uint32_t)index, (uint32_t)(index >> 32), (uint32_t)stream,
                                 (uint32_t)(stream >> 32)};
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    uint32_t out[4];
    philox4x32_10(counter, key, out);
    return out[0];
}

/* sqrt(-2 ln u) for u = (k + 1) / 2^24 with a 24-bit k: u is never 0. The argument is scaled into [sqrt(1/2), sqrt(2)),
 * where ln(1 + f) = 2 artanh(f / (2 + f)) converges fast (|f / (2 + f)| < 0.172: the first term left out is below
 * 1e-9). u = 1 gives exactly 0. */
static inline float radius(uint32_t word)
{
    const float u = (float)(int32_t)((word >> 8) + 1) * 0x1p-24f;
    const int32_t bits = (int32_t)assay_float_bits(u);
    const int32_t exponent = (bits - 0x3f3504f3) >> 23; /* 0x3f3504f3 is sqrt(1/2) */
    const float f = assay_bits_float((uint32_t)(bits - exponent * (1 << 23))) - 1.0f;
    const float s = f / (2.0f + f), s2 = s * s;
    const float series = 1.0f + s2 * (1.0f / 3 + s2 * (1.0f / 5 + s2 * (1.0f / 7 + s2 * (1.0f / 9))));
    const float log_u = (float)exponent * 0.693147182f + 2.0f * s * series;
    const float square = -2.0f * log_u;
    return sqrtf(square > 0.0f ? square : 0.0f);
}

/* Sine and cosine of 2 pi k / 2^24: the nearest quarter turn is split off, the Taylor series of the rest (at most pi / 4)
 * ends below half a unit in the last place. */
static inline void circle(uint32_t word, float *sine, float *cosine)
{
    const int32_t k = (int32_t)(word >> 8);
    const int32_t quarter = (k + (1 << 21)) >> 22;
    const float t = (float)(k - quarter * (1 << 22)) * (0x1p-22f * 1.57079633f), t2 = t * t;
    const float s =
        t * (1.0f + t2 * (-1.0f / 6 + t2 * (1.0f / 120 + t2 * (-1.0f / 5040 + t2 * (1.0f / 362880)))));
    const float c = 1.0f + t2 * (-0.5f + t2 * (1.0f / 24 + t2 * (-1.0f / 720 + t2 * (1.0f / 40320))));
    /* Selecting bits instead of branching keeps the loop vectorisable. */
    const uint32_t swap = (uint32_t) - (quarter & 1);
    const uint32_t bits_s = assay_float_bits(s), bits_c = assay_float_bits(c);
    const uint32_t sin_sign = (uint32_t)(quarter & 2) << 30, cos_sign = (uint32_t)((quarter + 1) & 2) << 30;
    *sine = assay_bits_float(((bits_c & swap) | (bits_s & ~swap)) ^ sin_sign);
    *cosine = assay_bits_float(((bits_s & swap) | (bits_c & ~swap)) ^ cos_sign);
}

void random_normal(uint64_t seed, uint64_t stream, uint64_t chunk, float values[RANDOM_CHUNK])
{
    uint32_t words[RANDOM_CHUNK];
    random_words(seed, stream, chunk, words);
    for (int half = 0; half < 2; half++) {
        const uint32_t *u = words + 2 * half * RANDOM_BLOCKS, *v = u + RANDOM_BLOCKS;
        float *restrict first = values + 2 * half * RANDOM_BLOCKS, *restrict second = first + RANDOM_BLOCKS;
        for (int i = 0; i < RANDOM_BLOCKS; i++) {
            const float r = radius(u[i]);
            float sine, cosine;
            circle(v[i], &sine, &cosine);
            first[i] = r * cosine;
            second[i] = r * sine;
        }
    }
}

void random_uniform(uint64_t seed, uint64_t stream, uint64_t chunk, float values[RANDOM_CHUNK])
{
    uint32_t words[RANDOM_CHUNK];
    random_words(seed, stream, chunk, words);
    for (int i = 0; i < RANDOM_CHUNK; i++)
        values[i] = (float)((int32_t)(words[i] >> 8) - (1 << 23)) * 0x1p-23f;
}
