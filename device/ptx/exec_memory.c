/* Handlers of loads and stores. */
#include "device/ptx/exec_address.h"
#include "device/ptx/special.h"

/* Four arrays of lanes from 32 consecutive quads of 32 bits. */
INLINE void deal_quads(const u32 *from, u32 *const to[4])
{
    u32 t[4][LANES];
    EACH(l)
    {
        t[0][l] = from[4 * l];
        t[1][l] = from[4 * l + 1];
        t[2][l] = from[4 * l + 2];
        t[3][l] = from[4 * l + 3];
    }
    for (int k = 0; k < 4; k++)
        memcpy(to[k], t[k], sizeof t[k]);
}

/* How the lanes' addresses lie: the cases that loops over memory can use. */
enum { SCATTERED, CONSECUTIVE, SAME };

/* True if every lane's value is the first one's plus its number times the step. */
#define FOLLOWS(T, a, step)                                          \
    ({                                                               \
        T differs_ = 0;                                              \
        EACH(l) differs_ |= (a)[l] ^ (T)((a)[0] + (T)l * (T)(step)); \
        differs_ == 0;                                               \
    })

/* The quick way of an access by all lanes: where addresses follow each other or are the same, the first one tells about all. Returns the
 * pattern and *pointer, or SCATTERED where the long way must be gone. */
INLINE int quick(warp *w, const insn *i, u32 bytes, bool write, u64 *pointer)
{
    u64 first, step;
    bool regular;
    if (i->flags & FLAG_ADDRESS32) {
        const u32 *a = REG(u32, i->a);
        step = a[1] - a[0];
        if (step != 0 && step != bytes)
            return SCATTERED;
        regular = FOLLOWS(u32, a, step);
        first = a[0] + (u32)i->imm;
    } else {
        const u64 *a = REG(u64, i->a);
        step = a[1] - a[0];
        if (step != 0 && step != bytes)
            return SCATTERED;
        regular = FOLLOWS(u64, a, step);
        first = a[0] + (u64)i->imm;
    }
    if (!regular || first & (bytes - 1))
        return SCATTERED;
    const int pattern = step ? CONSECUTIVE : SAME;
    const u64 span = step * (LANES - 1) + bytes;
    const block *b = w->block;
    if (i->space == SPACE_SHARED || i->space == SPACE_CLUSTER) {
        if (first < SHARED_START || first + span > b->shared_end)
            return SCATTERED;
        *pointer = first + (u64)b->shared;
        return pattern;
    }
    if (i->space == SPACE_LOCAL)
        return SCATTERED;
    for (int k = 0; k < 4; k++) {
        const memory_range *r = &b->ranges[k];
        if (first >= r->start && first + span <= r->end && !(write && r->read_only)) {
            *pointer = first + (u64)r->delta;
            return pattern;
        }
    }
    return SCATTERED;
}

/* T: in memory; R: in the register. */
#define LOAD(name, T, R)                                                                            \
    static void EXEC(load_##name)(warp * w, const insn *i, u32 m, const u64 *pointers, int pattern) \
    {                                                                                               \
        const u32 n = i->defs;                                                                      \
        if (pattern == CONSECUTIVE) {                                                               \
            const T *from = (const T *)pointers[0];                                                 \
            if (n == 4 && sizeof(T) == 4 && sizeof(R) == 4) {                                       \
                u32 *const to[4] = {REG(u32, LIST(0)), REG(u32, LIST(1)), REG(u32, LIST(2)),        \
                                    REG(u32, LIST(3))};                                             \
                deal_quads((const u32 *)from, to);                                                  \
                return;                                                                             \
            }                                                                                       \
            for (u32 k = 0; k < n; k++) {                                                           \
                R *d = REG(R, LIST(k));                                                             \
                if (n == 1)                                                                         \
                    EACH(l) d[l] = (R)from[l];                                                      \
                else                                                                                \
                    EACH(l) d[l] = (R)from[(u32)l * n + k];                                         \
            }                                                                                       \
            return;                                                                                 \
        }                                                                                           \
        if (pattern == SAME) {                                                                      \
            const T *from = (const T *)pointers[0];                                                 \
            for (u32 k = 0; k < n; k++) {                                                           \
                const R v = (R)from[k];                                                             \
                R *d = REG(R, LIST(k));                                                             \
                EACH(l) d[l] = v;                                                                   \
            }                                                                                       \
            return;                                                                                 \
        }                                                                                           \
        for (u32 k = 0; k < n; k++) {                                                               \
            R *d = REG(R, LIST(k));                                                                 \
            if (m == ~0u)                                                                           \
                EACH(l) d[l] = (R)((const T *)pointers[l])[k];                                      \
            else                                                                                    \
                EACH_ON(l, m) d[l] = (R)((const T *)pointers[l])[k];                                \
        }                                                                                           \
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

#define STORE(name, T, R)                                                                            \
    static void EXEC(store_##name)(warp * w, const insn *i, u32 m, const u64 *pointers, int pattern) \
    {                                                                                                \
        const u32 n = i->uses;                                                                       \
        if (pattern == CONSECUTIVE) {                                                                \
            T *to = (T *)pointers[0];                                                                \
            if (n == 4) {                                                                            \
                const R *a = REG(R, LIST(0)), *b = REG(R, LIST(1)), *c = REG(R, LIST(2)),            \
                        *d = REG(R, LIST(3));                                                        \
                EACH(l)                                                                              \
                {                                                                                    \
                    to[4 * l] = (T)a[l];                                                             \
                    to[4 * l + 1] = (T)b[l];                                                         \
                    to[4 * l + 2] = (T)c[l];                                                         \
                    to[4 * l + 3] = (T)d[l];                                                         \
                }                                                                                    \
                return;                                                                              \
            }                                                                                        \
            for (u32 k = 0; k < n; k++) {                                                            \
                const R *a = REG(R, LIST(k));                                                        \
                if (n == 1)                                                                          \
                    EACH(l) to[l] = (T)a[l];                                                         \
                else                                                                                 \
                    EACH(l) to[(u32)l * n + k] = (T)a[l];                                            \
            }                                                                                        \
            return;                                                                                  \
        }                                                                                            \
        for (u32 k = 0; k < n; k++) {                                                                \
            const R *a = REG(R, LIST(k));                                                            \
            EACH_ON(l, m)((T *)pointers[l])[k] = (T)a[l];                                            \
        }                                                                                            \
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

typedef void (*mover)(warp *, const insn *, u32, const u64 *, int);

/* By log2 of bytes in memory and of register bytes / 2. */
static const mover EXEC(loads)[2][4][3] = {{{EXEC(load_u8_16), EXEC(load_u8_32), EXEC(load_u8_64)},
                                            {EXEC(load_u16_16), EXEC(load_u16_32), EXEC(load_u16_64)},
                                            {NULL, EXEC(load_u32_32), EXEC(load_u32_64)},
                                            {NULL, NULL, EXEC(load_u64_64)}},
                                           {{EXEC(load_s8_16), EXEC(load_s8_32), EXEC(load_s8_64)},
                                            {EXEC(load_u16_16), EXEC(load_s16_32), EXEC(load_s16_64)},
                                            {NULL, EXEC(load_u32_32), EXEC(load_s32_64)},
                                            {NULL, NULL, EXEC(load_u64_64)}}};
static const mover EXEC(stores)[4][3] = {{EXEC(store_8_16), EXEC(store_8_32), EXEC(store_8_64)},
                                         {EXEC(store_16_16), EXEC(store_16_32), EXEC(store_16_64)},
                                         {NULL, EXEC(store_32_32), EXEC(store_32_64)},
                                         {NULL, NULL, EXEC(store_64_64)}};

static void move_128(warp *w, const insn *i, u32 m, const u64 *pointers, int pattern)
{
    if (pattern != SCATTERED) {
        u64 all[LANES];
        EACH(l) all[l] = pointers[0] + (pattern == SAME ? 0 : 16 * (u64)l);
        move_128(w, i, m, all, SCATTERED);
        return;
    }
    EACH_ON(l, m)
    {
        if (i->defs)
            memcpy(REG(char, LIST(0)) + 16 * l, (const void *)pointers[l], 16);
        else
            memcpy((void *)pointers[l], REG(char, LIST(0)) + 16 * l, 16);
    }
}

static mover find_mover(const insn *i, bool load)
{
    if (i->width == 16)
        return move_128;
    const u32 memory = (u32)__builtin_ctz(i->width), reg = (u32)__builtin_ctz(i->narrow) - 1;
    if (memory > 3 || reg > 2)
        return NULL;
    return load ? EXEC(loads)[type_signed(i->type)][memory][reg] : EXEC(stores)[memory][reg];
}

static const insn *EXEC(run_ld)(warp *w, const insn *i, u32 m)
{
    u64 addresses[LANES], pointers[LANES];
    const u32 bytes = i->width * (u32)i->defs;
    if (m == ~0u && !w->checks && !(i->flags & FLAG_VOLATILE)) {
        const int pattern = quick(w, i, bytes, false, pointers);
        if (pattern) {
            i->move(w, i, m, pointers, pattern);
            return i + 1;
        }
    }
    if (!resolve(w, i, m, bytes, false, addresses, pointers))
        return NULL;
    u32 stale = 0, before[LANES];
    if (w->checks) {
        stale = check_stale_reads(w, i, m, addresses, before);
        check_access(w, i, m, addresses, bytes, ACCESS_READ);
    }
    i->move(w, i, m, pointers, SCATTERED);
    EACH_ON(l, stale) REG(u32, LIST(0))[l] = before[l];
    if (i->flags & FLAG_VOLATILE) {
        if (w->checks)
            check_acquired(w, i, m, addresses);
        w->budget -= 64;
        w->polled = true;
    }
    return i + 1;
}

static const insn *EXEC(run_st)(warp *w, const insn *i, u32 m)
{
    u64 addresses[LANES], pointers[LANES];
    const u32 bytes = i->width * (u32)i->uses;
    if (m == ~0u && !w->checks && !(i->flags & FLAG_VOLATILE)) {
        const int pattern = quick(w, i, bytes, true, pointers);
        if (pattern == CONSECUTIVE) {
            i->move(w, i, m, pointers, pattern);
            return i + 1;
        }
    }
    if (!resolve(w, i, m, bytes, true, addresses, pointers))
        return NULL;
    if (w->checks) {
        check_stale_writes(w, i, m, addresses, pointers, REG(u32, LIST(0)));
        check_access(w, i, m, addresses, bytes, ACCESS_WRITE);
    }
    i->move(w, i, m, pointers, SCATTERED);
    if (i->flags & FLAG_VOLATILE)
        w->gang->events++;
    return i + 1;
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
    case OP_ST: {
        const mover move = i->move = find_mover(i, i->op == OP_LD);
        return !move ? NULL : i->op == OP_LD ? EXEC(run_ld) : EXEC(run_st);
    }
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
