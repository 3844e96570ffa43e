/* The quick way of a load or store by all lanes: where the addresses of every 8 lanes rise in equal steps, a few numbers say it all. */
#ifndef ASSAY_DEVICE_PTX_EXEC_RUNS_H
#define ASSAY_DEVICE_PTX_EXEC_RUNS_H

#include "device/ptx/lanes.h"
#include <string.h>
#ifdef __AVX__
#include <immintrin.h>
#endif

enum { RUN = 8, RUNS = LANES / RUN };

typedef u32 u32x8 __attribute__((vector_size(32), may_alias));
typedef u64 u64x4 __attribute__((vector_size(32), may_alias));

INLINE bool is_zero(u64x4 v)
{
#ifdef __AVX__
    return _mm256_testz_si256((__m256i)v, (__m256i)v);
#else
    return (v[0] | v[1] | v[2] | v[3]) == 0;
#endif
}

/* True if the addresses of each run are its first one's plus 0, 1, ... 7 steps. */
INLINE bool runs_32(const u32 *a, u32 step)
{
    const u32x8 steps = (u32x8){0, 1, 2, 3, 4, 5, 6, 7} * step;
    u32x8 differs = {0};
    for (int r = 0; r < RUNS; r++)
        differs |= *(const u32x8 *)(a + RUN * r) ^ (a[RUN * r] + steps);
    return is_zero((u64x4)differs);
}

INLINE bool runs_64(const u64 *a, u64 step)
{
    const u64x4 low = (u64x4){0, 1, 2, 3} * step, high = low + 4 * step;
    u64x4 d = {0};
    for (int r = 0; r < RUNS; r++) {
        d |= *(const u64x4 *)(a + RUN * r) ^ (a[RUN * r] + low);
        d |= *(const u64x4 *)(a + RUN * r + 4) ^ (a[RUN * r] + high);
    }
    return is_zero(d);
}

/* From addresses to the host's: false where [low, high] is not all in one range that may be accessed so. */
INLINE bool find_delta(const warp *w, const insn *i, u64 low, u64 high, bool write, u64 *delta)
{
    const block *b = w->block;
    if (i->space == SPACE_SHARED || i->space == SPACE_CLUSTER) {
        *delta = (u64)b->shared;
        return low >= SHARED_START && high <= b->shared_end;
    }
    for (int k = 0; k < 4 && i->space != SPACE_LOCAL; k++) {
        const memory_range *r = &b->ranges[k];
        *delta = (u64)r->delta;
        if (low >= r->start && high <= r->end && !(write && r->read_only))
            return true;
    }
    return false;
}

INLINE u64 least(u64 a, u64 b)
{
    return a < b ? a : b;
}
INLINE u64 most(u64 a, u64 b)
{
    return a > b ? a : b;
}

/* Where the lanes of each run begin in the host's memory, and the bytes between two lanes. */
typedef struct lane_runs {
    const char *at[RUNS];
    u64 step;
} lane_runs;

/* False where the long way must be gone: single lanes, another order of addresses, or something wrong with them. */
INLINE bool find_runs(const warp *w, const insn *i, u32 m, u32 bytes, bool write, lane_runs *runs)
{
    enum { LONGEST_STEP = 1 << 24 };
    u64 first[RUNS], step, delta;
    if (m != ~0u || w->checks || i->flags & FLAG_VOLATILE)
        return false;
    if (i->flags & FLAG_ADDRESS32) {
        const u32 *a = REG(u32, i->a);
        step = a[1] - a[0];
        if (step > LONGEST_STEP || !runs_32(a, (u32)step))
            return false;
        for (int r = 0; r < RUNS; r++)
            first[r] = a[RUN * r] + (u32)i->imm;
    } else {
        const u64 *a = REG(u64, i->a);
        step = a[1] - a[0];
        if (step > LONGEST_STEP || !runs_64(a, step))
            return false;
        for (int r = 0; r < RUNS; r++)
            first[r] = a[RUN * r] + (u64)i->imm;
    }
    const u64 bits = step | first[0] | first[1] | first[2] | first[3];
    const u64 low = least(least(first[0], first[1]), least(first[2], first[3])),
              high = most(most(first[0], first[1]), most(first[2], first[3]));
    if (bits & (bytes - 1) || !find_delta(w, i, low, high + step * (RUN - 1) + bytes, write, &delta))
        return false;
    for (int r = 0; r < RUNS; r++)
        runs->at[r] = (const char *)(first[r] + delta);
    runs->step = step;
    return true;
}

/* The 8 quads of 32 bits from `from` on, to the lanes from `lane` on of four arrays. */
INLINE void deal_quads(const void *memory, u32 *const to[4], int lane)
{
    u32x8 from[4];
    memcpy(from, memory, sizeof from);
    const u32x8 a = __builtin_shufflevector(from[0], from[1], 0, 4, 8, 12, 1, 5, 9, 13),
                b = __builtin_shufflevector(from[2], from[3], 0, 4, 8, 12, 1, 5, 9, 13),
                c = __builtin_shufflevector(from[0], from[1], 2, 6, 10, 14, 3, 7, 11, 15),
                d = __builtin_shufflevector(from[2], from[3], 2, 6, 10, 14, 3, 7, 11, 15);
    const u32x8 dealt[4] = {__builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11),
                            __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15),
                            __builtin_shufflevector(c, d, 0, 1, 2, 3, 8, 9, 10, 11),
                            __builtin_shufflevector(c, d, 4, 5, 6, 7, 12, 13, 14, 15)};
    for (int k = 0; k < 4; k++)
        *(u32x8 *)(to[k] + lane) = dealt[k];
}

#endif
