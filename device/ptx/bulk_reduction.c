/* Reductions of bulk copies: what they make of each element, atomically. */
#include "device/ptx/exec.h"
#include "device/ptx/half.h"
#include "device/ptx/instructions.h"
#include <string.h>

static double real_of(uint64_t bits, ptx_type type)
{
    return type == TYPE_f64   ? bits_double(bits)
           : type == TYPE_f32 ? bits_float((uint32_t)bits)
           : type == TYPE_f16 ? half_to_f32((uint16_t)bits)
                              : bf16_to_f32((uint16_t)bits);
}

static uint64_t bits_of(double value, ptx_type type)
{
    return type == TYPE_f64   ? double_bits(value)
           : type == TYPE_f32 ? float_bits((float)value)
           : type == TYPE_f16 ? f32_to_half(double_to_f32_odd(value))
                              : f32_to_bf16(double_to_f32_odd(value));
}

static uint64_t reduce_value(uint64_t a, uint64_t b, int op, ptx_type type)
{
    if (type_float(type)) {
        const double x = real_of(a, type), y = real_of(b, type);
        return bits_of(op == ATOMIC_ADD ? x + y : op == ATOMIC_MIN ? min_f64(x, y) : max_f64(x, y), type);
    }
    const bool less = !type_signed(type)      ? a < b
                      : type_bytes(type) == 4 ? (int32_t)a < (int32_t)b
                                              : (int64_t)a < (int64_t)b;
    switch (op) {
    case ATOMIC_ADD:
        return a + b;
    case ATOMIC_AND:
        return a & b;
    case ATOMIC_OR:
        return a | b;
    case ATOMIC_XOR:
        return a ^ b;
    case ATOMIC_MIN:
        return less ? a : b;
    case ATOMIC_MAX:
        return less ? b : a;
    case ATOMIC_INC:
        return a >= b ? 0 : a + 1;
    default:
        return a == 0 || a > b ? b : a - 1;
    }
}

static uint64_t flushed(uint64_t f32)
{
    return f32 & 0x7F800000 ? f32 : f32 & 0x80000000;
}

/* Subnormal numbers are flushed before and behind the sum. */
static uint64_t reduce_flushed(uint64_t a, uint64_t b, int op, ptx_type type)
{
    return flushed(reduce_value(flushed(a), flushed(b), op, type));
}

#define REDUCE(T)                                                                                        \
    {                                                                                                    \
        T *at = (T *)(to + k), v, old, next;                                                             \
        memcpy(&v, from + k, sizeof v);                                                                  \
        old = __atomic_load_n(at, __ATOMIC_RELAXED);                                                     \
        do                                                                                               \
            next = (T)(flushes ? reduce_flushed : reduce_value)(old, v, op, type);                       \
        while (!__atomic_compare_exchange_n(at, &old, next, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)); \
    }

void reduce_bytes(char *to, const char *from, uint32_t bytes, int op, ptx_type type, bool flushes)
{
    const uint32_t step = type_bytes(type);
    for (uint32_t k = 0; k + step <= bytes; k += step) {
        if (step == 2)
            REDUCE(uint16_t)
        else if (step == 4)
            REDUCE(uint32_t)
        else
            REDUCE(uint64_t)
    }
}
