/* Handlers of atomics: real ones of the host, since blocks run on several threads. */
#include "device/ptx/exec_address.h"
#include "device/ptx/instructions.h"

#define INTEGER_OP(T)                                 \
    static T EXEC(apply_##T)(u32 op, T old, T v, T c) \
    {                                                 \
        switch (op) {                                 \
        case ATOMIC_ADD:                              \
            return (T)((u64)old + (u64)v);            \
        case ATOMIC_AND:                              \
            return old & v;                           \
        case ATOMIC_OR:                               \
            return old | v;                           \
        case ATOMIC_XOR:                              \
            return old ^ v;                           \
        case ATOMIC_EXCH:                             \
            return v;                                 \
        case ATOMIC_CAS:                              \
            return old == v ? c : old;                \
        case ATOMIC_MIN:                              \
            return old < v ? old : v;                 \
        case ATOMIC_MAX:                              \
            return old > v ? old : v;                 \
        case ATOMIC_INC:                              \
            return old >= v ? 0 : old + 1;            \
        default:                                      \
            return old == 0 || old > v ? v : old - 1; \
        }                                             \
    }
INTEGER_OP(u16)
INTEGER_OP(u32)
INTEGER_OP(s32)
INTEGER_OP(u64)
INTEGER_OP(s64)

static u16 apply_half(u32 op, u16 old, u16 v, bool bf)
{
    switch (op) {
    case ATOMIC_ADD:
        return bf ? b_add(old, v) : h_add(old, v);
    case ATOMIC_MIN:
        return bf ? b_min(old, v) : h_min(old, v);
    case ATOMIC_MAX:
        return bf ? b_max(old, v) : h_max(old, v);
    default:
        return v;
    }
}

INLINE f32 flushed(f32 a)
{
    return fabsf(a) < 0x1p-126f ? copysignf(0, a) : a;
}

/* The new value of `bits` by type. */
static u64 apply(u32 op, u32 type, u64 old, u64 v, u64 c, bool ftz)
{
    switch (type) {
    case TYPE_f32: {
        const f32 a = bits_float((u32)old), b = bits_float((u32)v);
        return float_bits(op == ATOMIC_ADD   ? (ftz ? flushed(flushed(a) + flushed(b)) : a + b)
                          : op == ATOMIC_MIN ? min_f32(a, b)
                          : op == ATOMIC_MAX ? max_f32(a, b)
                                             : b);
    }
    case TYPE_f64:
        return double_bits(op == ATOMIC_ADD ? bits_double(old) + bits_double(v) : bits_double(v));
    case TYPE_f16:
    case TYPE_bf16:
        return apply_half(op, (u16)old, (u16)v, type == TYPE_bf16);
    case TYPE_f16x2:
    case TYPE_bf16x2:
        return apply_half(op, (u16)old, (u16)v, type == TYPE_bf16x2) |
               (u32)apply_half(op, (u16)(old >> 16), (u16)(v >> 16), type == TYPE_bf16x2) << 16;
    case TYPE_s32:
        return (u32)EXEC(apply_s32)(op, (s32)old, (s32)v, (s32)c);
    case TYPE_s64:
        return (u64)EXEC(apply_s64)(op, (s64)old, (s64)v, (s64)c);
    case TYPE_u64:
    case TYPE_b64:
        return EXEC(apply_u64)(op, old, v, c);
    case TYPE_u16:
    case TYPE_b16:
        return EXEC(apply_u16)(op, (u16)old, (u16)v, (u16)c);
    default:
        return EXEC(apply_u32)(op, (u32)old, (u32)v, (u32)c);
    }
}

#define EXCHANGE_LOOP(T)                                                                                 \
    {                                                                                                    \
        T *at = to, old = __atomic_load_n(at, __ATOMIC_RELAXED), next;                                   \
        do                                                                                               \
            next = (T)apply(op, type, old, v, c, ftz);                                                   \
        while (!__atomic_compare_exchange_n(at, &old, next, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)); \
        return old;                                                                                      \
    }

static u64 atomic_step(void *to, u32 bytes, u32 op, u32 type, u64 v, u64 c, bool ftz)
{
    if (bytes == 2)
        EXCHANGE_LOOP(u16)
    if (bytes == 4)
        EXCHANGE_LOOP(u32)
    EXCHANGE_LOOP(u64)
}

static const insn *EXEC(run_atom)(warp *w, const insn *i, u32 m)
{
    u64 addresses[LANES], pointers[LANES];
    const u32 bytes = i->width * (u32)i->narrow;
    if (!resolve(w, i, m, bytes, true, addresses, pointers))
        return NULL;
    if (w->checks)
        check_access(w, i, m, addresses, bytes, ACCESS_ATOMIC);
    EACH_ON(l, m)
    {
        for (u32 k = 0; k < i->narrow; k++) {
            u64 v = 0, c = 0;
            memcpy(&v, REG(char, LIST(i->defs + k)) + l * i->width, i->width);
            if (i->c != NO_OPERAND)
                memcpy(&c, REG(char, i->c) + l * i->width, i->width);
            /* Sums of f32 in global memory are flushed, those in shared memory are not. */
            const bool shared = i->space == SPACE_SHARED || i->space == SPACE_CLUSTER ||
                                addresses[l] - w->launch->window_shared < WINDOW_BYTES;
            const u64 old =
                atomic_step((char *)pointers[l] + k * i->width, i->width, i->sub, i->type, v, c, !shared);
            if (i->defs)
                memcpy(REG(char, LIST(k)) + l * i->width, &old, i->width);
        }
    }
    if (w->checks)
        check_acquired(w, i, m, addresses);
    /* Reads that may be polling. */
    if (i->sub == ATOMIC_CAS || (i->sub != ATOMIC_ADD && i->defs)) {
        w->budget -= 64;
        w->polled = true;
    }
    w->gang->events++;
    return i + 1;
}

insn_run EXEC(pick_atomic)(insn *i)
{
    return i->op == OP_ATOM ? EXEC(run_atom) : NULL;
}
