/* Atomic read-modify-write functions on global and shared memory: the types that CUDA has each for. All return the old value.
 *
 * Blocks run on several host threads, so these are real atomics; relaxed, as CUDA's are. The _block and _system forms are the
 * same here. */
#ifndef ASSAY_SIMT_ATOMICS_H
#define ASSAY_SIMT_ATOMICS_H

#include <assay_simt/half.h>

namespace assay_simt
{
template <int Bytes>
struct atomic_word;
template <>
struct atomic_word<2> {
    using type = unsigned short;
};
template <>
struct atomic_word<4> {
    using type = unsigned int;
};
template <>
struct atomic_word<8> {
    using type = unsigned long long;
};

/* The result of the kernel may depend on the order of its threads and be right: floats were added, or a thread saw how many came before.
 * The judge then compares it by tolerance in every order, and not by its bits. */
inline void order_may_show()
{
    assay_simt_current.order_shown = 1;
}

/* Replace *p by next(*p); T has 2, 4 or 8 bytes. */
template <class T, class Next>
inline T atomic_update(T *p, Next &&next, const char *op, const char *file, int line)
{
    using word = typename atomic_word<sizeof(T)>::type;
    if (reinterpret_cast<uintptr_t>(p) & (sizeof(T) - 1))
        assay_simt_misaligned(p, sizeof(T), op, file, line);
    word *target = reinterpret_cast<word *>(p);
    word seen = __atomic_load_n(target, __ATOMIC_RELAXED);
    for (;;) {
        const T old = bit_cast<T>(seen);
        const T value = next(old);
        if (__atomic_compare_exchange_n(target, &seen, bit_cast<word>(value), true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
            return old;
    }
}

/* Min, Max, And, Or and Xor give the same whatever the order. */
constexpr bool shows_order(const char *name)
{
    return name[6] == 'A' ? name[7] == 'd'
                          : name[6] == 'S' || name[6] == 'E' || name[6] == 'I' || name[6] == 'D';
}
} // namespace assay_simt

#define ASSAY_SIMT_ATOMIC(name, suffix, T, expression)                           \
    inline T name##suffix(T *p, T value, ASSAY_SIMT_PLACE)                       \
    {                                                                            \
        if (assay_simt::shows_order(#name))                                      \
            assay_simt::order_may_show();                                        \
        return assay_simt::atomic_update(                                        \
            p, [value](T old) -> T { return expression; }, #name, file_, line_); \
    }
#define ASSAY_SIMT_ATOMICS(name, T, expression)    \
    ASSAY_SIMT_ATOMIC(name, , T, expression)       \
    ASSAY_SIMT_ATOMIC(name, _block, T, expression) \
    ASSAY_SIMT_ATOMIC(name, _system, T, expression)

/* Integer sums wrap around. */
ASSAY_SIMT_ATOMICS(atomicAdd, int,
                   static_cast<int>(static_cast<unsigned>(old) + static_cast<unsigned>(value)))
ASSAY_SIMT_ATOMICS(atomicAdd, unsigned, old + value)
ASSAY_SIMT_ATOMICS(atomicAdd, unsigned long long, old + value)
ASSAY_SIMT_ATOMICS(atomicAdd, float, old + value)
ASSAY_SIMT_ATOMICS(atomicAdd, double, old + value)
ASSAY_SIMT_ATOMICS(atomicAdd, __half, __hadd(old, value))
ASSAY_SIMT_ATOMICS(atomicAdd, __nv_bfloat16, __hadd(old, value))
ASSAY_SIMT_ATOMICS(atomicSub, int,
                   static_cast<int>(static_cast<unsigned>(old) - static_cast<unsigned>(value)))
ASSAY_SIMT_ATOMICS(atomicSub, unsigned, old - value)
ASSAY_SIMT_ATOMICS(atomicMin, int, value < old ? value : old)
ASSAY_SIMT_ATOMICS(atomicMin, unsigned, value < old ? value : old)
ASSAY_SIMT_ATOMICS(atomicMin, long long, value < old ? value : old)
ASSAY_SIMT_ATOMICS(atomicMin, unsigned long long, value < old ? value : old)
ASSAY_SIMT_ATOMICS(atomicMax, int, value > old ? value : old)
ASSAY_SIMT_ATOMICS(atomicMax, unsigned, value > old ? value : old)
ASSAY_SIMT_ATOMICS(atomicMax, long long, value > old ? value : old)
ASSAY_SIMT_ATOMICS(atomicMax, unsigned long long, value > old ? value : old)
ASSAY_SIMT_ATOMICS(atomicExch, int, (static_cast<void>(old), value))
ASSAY_SIMT_ATOMICS(atomicExch, unsigned, (static_cast<void>(old), value))
ASSAY_SIMT_ATOMICS(atomicExch, unsigned long long, (static_cast<void>(old), value))
ASSAY_SIMT_ATOMICS(atomicExch, float, (static_cast<void>(old), value))
ASSAY_SIMT_ATOMICS(atomicInc, unsigned, old >= value ? 0u : old + 1u)
ASSAY_SIMT_ATOMICS(atomicDec, unsigned, old == 0u || old > value ? value : old - 1u)
ASSAY_SIMT_ATOMICS(atomicAnd, int, old &value)
ASSAY_SIMT_ATOMICS(atomicAnd, unsigned, old &value)
ASSAY_SIMT_ATOMICS(atomicAnd, unsigned long long, old &value)
ASSAY_SIMT_ATOMICS(atomicOr, int, old | value)
ASSAY_SIMT_ATOMICS(atomicOr, unsigned, old | value)
ASSAY_SIMT_ATOMICS(atomicOr, unsigned long long, old | value)
ASSAY_SIMT_ATOMICS(atomicXor, int, old ^ value)
ASSAY_SIMT_ATOMICS(atomicXor, unsigned, old ^ value)
ASSAY_SIMT_ATOMICS(atomicXor, unsigned long long, old ^ value)
#undef ASSAY_SIMT_ATOMICS
#undef ASSAY_SIMT_ATOMIC

/* Pairs: each element is added atomically, the pair as a whole is not promised to be; here it is. */
inline __half2 atomicAdd(__half2 *p, __half2 value, ASSAY_SIMT_PLACE)
{
    assay_simt::order_may_show();
    return assay_simt::atomic_update(
        p, [value](__half2 old) { return __hadd2(old, value); }, "atomicAdd", file_, line_);
}
inline __nv_bfloat162 atomicAdd(__nv_bfloat162 *p, __nv_bfloat162 value, ASSAY_SIMT_PLACE)
{
    assay_simt::order_may_show();
    return assay_simt::atomic_update(
        p, [value](__nv_bfloat162 old) { return __hadd2(old, value); }, "atomicAdd", file_, line_);
}
inline float2 atomicAdd(float2 *p, float2 value)
{
    return {atomicAdd(&p->x, value.x), atomicAdd(&p->y, value.y)};
}
inline float4 atomicAdd(float4 *p, float4 value)
{
    return {atomicAdd(&p->x, value.x), atomicAdd(&p->y, value.y), atomicAdd(&p->z, value.z),
            atomicAdd(&p->w, value.w)};
}

namespace assay_simt
{
/* A failed exchange is the mark of a spin lock: let the thread that holds it go on. */
template <class T>
inline T atomic_cas(T *p, T compare, T value, const char *file, int line)
{
    order_may_show();
    const T old = atomic_update(
        p, [=](T seen) { return memcmp(&seen, &compare, sizeof seen) == 0 ? value : seen; }, "atomicCAS",
        file, line);
    if (memcmp(&old, &compare, sizeof old) != 0)
        assay_simt_yield();
    return old;
}
} // namespace assay_simt
inline int atomicCAS(int *p, int compare, int value, ASSAY_SIMT_PLACE)
{
    return assay_simt::atomic_cas(p, compare, value, file_, line_);
}
inline unsigned atomicCAS(unsigned *p, unsigned compare, unsigned value, ASSAY_SIMT_PLACE)
{
    return assay_simt::atomic_cas(p, compare, value, file_, line_);
}
inline unsigned long long atomicCAS(unsigned long long *p, unsigned long long compare,
                                    unsigned long long value, ASSAY_SIMT_PLACE)
{
    return assay_simt::atomic_cas(p, compare, value, file_, line_);
}
inline unsigned short atomicCAS(unsigned short *p, unsigned short compare, unsigned short value,
                                ASSAY_SIMT_PLACE)
{
    return assay_simt::atomic_cas(p, compare, value, file_, line_);
}

#endif
