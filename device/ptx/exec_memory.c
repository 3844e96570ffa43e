/* Handlers of loads and stores. */
#include "device/ptx/exec_address.h"
#include "device/ptx/exec_runs.h"
#include "device/ptx/special.h"

static const insn *load_slowly(warp *w, const insn *i, u32 m);
static const insn *store_slowly(warp *w, const insn *i, u32 m);

/* T: in memory; R: in the register. Runs of lanes are moved as vectors, because compilers make single moves of loops over 8 lanes. */
#define LOAD(name, T, R)                                                                                     \
    static void EXEC(load_##name)(warp * w, const insn *i, u32 m, const u64 *pointers)                       \
    {                                                                                                        \
        for (u32 k = 0; k < i->defs; k++) {                                                                  \
            R *d = REG(R, LIST(k));                                                                          \
            if (m == ~0u)                                                                                    \
                EACH(l) d[l] = (R)((const T *)pointers[l])[k];                                               \
            else                                                                                             \
                EACH_ON(l, m) d[l] = (R)((const T *)pointers[l])[k];                                         \
        }                                                                                                    \
    }                                                                                                        \
    static const insn *EXEC(run_ld_##name)(warp * w, const insn *i, u32 m)                                   \
    {                                                                                                        \
        typedef T Tx8 __attribute__((vector_size(RUN * sizeof(T)), may_alias));                              \
        typedef R Rx8 __attribute__((vector_size(RUN * sizeof(R)), may_alias));                              \
        const u32 n = i->defs;                                                                               \
        lane_runs runs;                                                                                      \
        if (!find_runs(w, i, m, n * (u32)sizeof(T), false, &runs))                                           \
            return load_slowly(w, i, m);                                                                     \
        if (runs.step == sizeof(T)) {                                                                        \
            R *d = REG(R, LIST(0));                                                                          \
            for (int r = 0; r < RUNS; r++, d += RUN) {                                                       \
                Tx8 v;                                                                                       \
                memcpy(&v, runs.at[r], sizeof v);                                                            \
                *(Rx8 *)d = __builtin_convertvector(v, Rx8);                                                 \
            }                                                                                                \
            return i + 1;                                                                                    \
        }                                                                                                    \
        if (n == 4 && runs.step == 16 && sizeof(R) == 4) {                                                   \
            u32 *const to[4] = {REG(u32, LIST(0)), REG(u32, LIST(1)), REG(u32, LIST(2)), REG(u32, LIST(3))}; \
            for (int r = 0; r < RUNS; r++)                                                                   \
                deal_quads(runs.at[r], to, RUN *r);                                                          \
            return i + 1;                                                                                    \
        }                                                                                                    \
        for (u32 k = 0; k < n; k++) {                                                                        \
            R *d = REG(R, LIST(k));                                                                          \
            for (int r = 0; r < RUNS; r++, d += RUN) {                                                       \
                const char *from = runs.at[r] + k * sizeof(T);                                               \
                if (runs.step == 0)                                                                          \
                    *(Rx8 *)d = (Rx8){0} + (R) * (const T *)from;                                            \
                else                                                                                         \
                    for (u32 l = 0; l < RUN; l++)                                                            \
                        d[l] = (R) * (const T *)(from + l * runs.step);                                      \
            }                                                                                                \
        }                                                                                                    \
        return i + 1;                                                                                        \
    }
LOAD(u8_16, u8, u16)
LOAD(s8_16, s8, s16)
LOAD(u8_32, u8, u32)
LOAD(s8_32, s8, s32)
LOAD(u8_64, u8, u64)
LOAD(s8_64, s8, s64)
LOAD(u16_16, u16, u16)
LOAD(u16_32, u16, u32)
LOAD(s16_32, s16, s32)
LOAD(u16_64, u16, u64)
LOAD(s16_64, s16, s64)
LOAD(u32_32, u32, u32)
LOAD(u32_64, u32, u64)
LOAD(s32_64, s32, s64)
LOAD(u64_64, u64, u64)

/* Where lanes write the same place, the last one must win: the long way. */
#define STORE(name, T, R)                                                               \
    static void EXEC(store_##name)(warp * w, const insn *i, u32 m, const u64 *pointers) \
    {                                                                                   \
        for (u32 k = 0; k < i->uses; k++) {                                             \
            const R *a = REG(R, LIST(k));                                               \
            EACH_ON(l, m)((T *)pointers[l])[k] = (T)a[l];                               \
        }                                                                               \
    }                                                                                   \
    static const insn *EXEC(run_st_##name)(warp * w, const insn *i, u32 m)              \
    {                                                                                   \
        typedef T Tx8 __attribute__((vector_size(RUN * sizeof(T)), may_alias));         \
        typedef R Rx8 __attribute__((vector_size(RUN * sizeof(R)), may_alias));         \
        const u32 n = i->uses;                                                          \
        lane_runs runs;                                                                 \
        if (!find_runs(w, i, m, n * (u32)sizeof(T), true, &runs) || runs.step == 0)     \
            return store_slowly(w, i, m);                                               \
        for (u32 k = 0; k < n; k++) {                                                   \
            const R *a = REG(R, LIST(k));                                               \
            for (int r = 0; r < RUNS; r++, a += RUN) {                                  \
                char *to = (char *)(u64)runs.at[r] + k * sizeof(T);                     \
                if (runs.step == sizeof(T)) {                                           \
                    const Tx8 v = __builtin_convertvector(*(const Rx8 *)a, Tx8);        \
                    memcpy(to, &v, sizeof v);                                           \
                } else                                                                  \
                    for (u32 l = 0; l < RUN; l++)                                       \
                        *(T *)(to + l * runs.step) = (T)a[l];                           \
            }                                                                           \
        }                                                                               \
        return i + 1;                                                                   \
    }
STORE(8_16, u8, u16)
STORE(8_32, u8, u32)
STORE(8_64, u8, u64)
STORE(16_16, u16, u16)
STORE(16_32, u16, u32)
STORE(16_64, u16, u64)
STORE(32_32, u32, u32)
STORE(32_64, u32, u64)
STORE(64_64, u64, u64)

static void move_128(warp *w, const insn *i, u32 m, const u64 *pointers)
{
    EACH_ON(l, m)
    {
        if (i->defs)
            memcpy(REG(char, LIST(0)) + 16 * l, (const void *)pointers[l], 16);
        else
            memcpy((void *)pointers[l], REG(char, LIST(0)) + 16 * l, 16);
    }
}

/* The long way is by lanes: with checks, and of addresses in any order. */
static __attribute__((noinline)) const insn *load_slowly(warp *w, const insn *i, u32 m)
{
    u64 addresses[LANES], pointers[LANES];
    const u32 bytes = i->width * (u32)i->defs;
    if (!resolve(w, i, m, bytes, false, addresses, pointers))
        return NULL;
    u32 stale = 0, before[LANES];
    if (w->checks) {
        stale = check_stale_reads(w, i, m, addresses, before);
        check_access(w, i, m, addresses, bytes, ACCESS_READ);
    }
    i->move(w, i, m, pointers);
    EACH_ON(l, stale) REG(u32, LIST(0))[l] = before[l];
    if (i->flags & FLAG_VOLATILE) {
        if (w->checks)
            check_acquired(w, i, m, addresses);
        w->budget -= 64;
        w->polled = true;
    }
    return i + 1;
}

static __attribute__((noinline)) const insn *store_slowly(warp *w, const insn *i, u32 m)
{
    u64 addresses[LANES], pointers[LANES];
    const u32 bytes = i->width * (u32)i->uses;
    if (!resolve(w, i, m, bytes, true, addresses, pointers))
        return NULL;
    if (w->checks) {
        check_stale_writes(w, i, m, addresses, pointers, REG(u32, LIST(0)));
        check_access(w, i, m, addresses, bytes, ACCESS_WRITE);
    }
    i->move(w, i, m, pointers);
    if (i->flags & FLAG_VOLATILE)
        w->gang->events++;
    return i + 1;
}

typedef struct access {
    insn_run run;
    void (*move)(warp *, const insn *, u32, const u64 *);
} access;
#define L(name)                                \
    {                                          \
        EXEC(run_ld_##name), EXEC(load_##name) \
    }
#define S(name)                                 \
    {                                           \
        EXEC(run_st_##name), EXEC(store_##name) \
    }

/* By log2 of bytes in memory and of register bytes / 2. */
static const access EXEC(loads)[2][4][3] = {{{L(u8_16), L(u8_32), L(u8_64)},
                                             {L(u16_16), L(u16_32), L(u16_64)},
                                             {{0}, L(u32_32), L(u32_64)},
                                             {{0}, {0}, L(u64_64)}},
                                            {{L(s8_16), L(s8_32), L(s8_64)},
                                             {L(u16_16), L(s16_32), L(s16_64)},
                                             {{0}, L(u32_32), L(s32_64)},
                                             {{0}, {0}, L(u64_64)}}};
static const access EXEC(stores)[4][3] = {{S(8_16), S(8_32), S(8_64)},
                                          {S(16_16), S(16_32), S(16_64)},
                                          {{0}, S(32_32), S(32_64)},
                                          {{0}, {0}, S(64_64)}};
#undef L
#undef S

static insn_run pick_access(insn *i, bool load)
{
    const u32 memory = (u32)__builtin_ctz(i->width), reg = (u32)__builtin_ctz(i->narrow) - 1;
    access a = {load ? load_slowly : store_slowly, move_128};
    if (memory < 4 && reg > 2)
        return NULL;
    if (memory < 4)
        a = load ? EXEC(loads)[type_signed(i->type)][memory][reg] : EXEC(stores)[memory][reg];
    i->move = a.move;
    return a.run;
}

/* A parameter is the same for all lanes. */
#define SPREAD(T, o, m, v)                \
    do {                                  \
        T *d_ = REG(T, o);                \
        if ((m) == ~0u)                   \
            EACH(l) d_[l] = (T)(v);       \
        else                              \
            EACH_ON(l, m) d_[l] = (T)(v); \
    } while (0)

static const insn *EXEC(run_ld_param)(warp *w, const insn *i, u32 m)
{
    const u32 bytes = i->width > 8 ? 8 : i->width;
    for (u32 k = 0; k < i->defs; k++) {
        u64 v; /* the parameters end with bytes to spare */
        memcpy(&v, w->launch->params + i->imm + k * i->width, sizeof v);
        if (bytes < 8)
            v = type_signed(i->type) ? (u64)((s64)(v << (64 - 8 * bytes)) >> (64 - 8 * bytes))
                                     : v & ((1ull << 8 * bytes) - 1);
        if (i->narrow == 2)
            SPREAD(u16, LIST(k), m, v);
        else if (i->narrow == 4)
            SPREAD(u32, LIST(k), m, v);
        else
            SPREAD(u64, LIST(k), m, v);
    }
    return i + 1;
}

/* ---- addresses ---- */

static const insn *EXEC(run_cvta)(warp *w, const insn *i, u32 m)
{
    const u64 window = i->op == OP_CVTA ? w->launch->window_shared : 0 - w->launch->window_shared;
    const u64 *pa = REG(u64, i->a);
    u64 *pd = REG(u64, i->d);
    EACH(l) pd[l] = ON(m, l) ? pa[l] + window : pd[l];
    return i + 1;
}

/* Addresses of these spaces are generic ones already; pointers of 32 bits, which Triton uses, get their upper half back. */
static const insn *EXEC(run_cvta_short)(warp *w, const insn *i, u32 m)
{
    const launch_state *s = w->launch;
    const u64 base = i->space == SPACE_PARAM   ? s->window_param
                     : i->space == SPACE_LOCAL ? s->window_local
                                               : s->device->arena;
    const u64 *pa = REG(u64, i->a);
    u64 *pd = REG(u64, i->d);
    EACH(l) pd[l] = !ON(m, l) ? pd[l] : pa[l] >> 32 ? pa[l] : base + (u32)(pa[l] - base);
    return i + 1;
}

static const insn *EXEC(run_isspacep)(warp *w, const insn *i, u32 m)
{
    const launch_state *s = w->launch;
    u32 value = 0;
    EACH_ON(l, m)
    {
        const u64 a = REG(u64, i->a)[l];
        const bool shared = a - s->window_shared < WINDOW_BYTES, local = a - s->window_local < WINDOW_BYTES;
        const bool own = shared && shared_block(w, a - s->window_shared) == w->block;
        const bool is = i->space == SPACE_SHARED    ? own
                        : i->space == SPACE_CLUSTER ? shared
                        : i->space == SPACE_LOCAL   ? local
                        : i->space == SPACE_PARAM   ? a - s->window_param < WINDOW_BYTES
                        : i->space == SPACE_CONST   ? false
                                                    : !shared && !local;
        value |= (u32)is << l;
    }
    SET_PRED(i->d, m, value);
    return i + 1;
}

static const insn *EXEC(run_mapa)(warp *w, const insn *i, u32 m)
{
    const u64 window = w->launch->window_shared;
    EACH_ON(l, m)
    {
        u64 a = i->width == 8 ? REG(u64, i->a)[l] : REG(u32, i->a)[l];
        const bool generic = i->width == 8 && a - window < WINDOW_BYTES;
        const u64 offset = generic ? a - window : a;
        if (i->op == OP_GETCTARANK) {
            const u64 rank = offset >> SHARED_RANK_SHIFT;
            REG(u32, i->d)[l] = rank ? (u32)rank - 1 : w->block->rank;
            continue;
        }
        a = (offset & ((1u << SHARED_RANK_SHIFT) - 1)) | (u64)(REG(u32, i->b)[l] + 1) << SHARED_RANK_SHIFT;
        if (i->width == 8)
            REG(u64, i->d)[l] = generic ? a + window : a;
        else
            REG(u32, i->d)[l] = (u32)a;
    }
    return i + 1;
}

insn_run EXEC(pick_memory)(insn *i)
{
    switch (i->op) {
    case OP_LD:
    case OP_ST:
        return pick_access(i, i->op == OP_LD);
    case OP_LD_PARAM:
        return EXEC(run_ld_param);
    case OP_CVTA:
    case OP_CVTA_TO:
        return i->space == SPACE_SHARED || i->space == SPACE_CLUSTER ? EXEC(run_cvta) : EXEC(run_cvta_short);
    case OP_ISSPACEP:
        return EXEC(run_isspacep);
    case OP_MAPA:
    case OP_GETCTARANK:
        return EXEC(run_mapa);
    default:
        return NULL;
    }
}
