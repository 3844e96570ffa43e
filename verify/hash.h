/* A fast hash of bits, for telling whether two runs gave the same output. Not cryptographic. */
#ifndef ASSAY_VERIFY_HASH_H
#define ASSAY_VERIFY_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Go on from `hash` (0 to begin) over `bytes` of data. Chunks whose lengths are multiples of 32 need not be joined, but the
 * result depends on where they end: compare hashes only of data cut the same way. */
static inline uint64_t bits_hash(uint64_t hash, const void *data, size_t bytes)
{
    const unsigned char *at = data;
    uint64_t lanes[4] = {hash, hash ^ 1, hash ^ 2, hash ^ 3};
    for (; bytes >= 32; at += 32, bytes -= 32) {
        uint64_t words[4];
        memcpy(words, at, sizeof words);
        for (int i = 0; i < 4; i++) {
            lanes[i] = (lanes[i] ^ words[i]) * UINT64_C(0x9E3779B97F4A7C15);
            lanes[i] ^= lanes[i] >> 29;
        }
    }
    for (; bytes > 0; at++, bytes--)
        lanes[0] = (lanes[0] ^ *at) * UINT64_C(0x100000001B3);
    for (int i = 1; i < 4; i++)
        lanes[0] = (lanes[0] ^ lanes[i]) * UINT64_C(0x9E3779B97F4A7C15);
    return lanes[0] ^ lanes[0] >> 32;
}

#endif
