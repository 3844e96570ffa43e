/* libassay_simt_check.so: the functions that code compiled with -fsanitize=thread,alignment calls, answered by the CPU SIMT device instead
 * of the sanitizers' runtimes. Checked modules link this library and neither libtsan nor libubsan. No judgement here: see runtime/check.c.
 *
 * The interface is the compilers' (gcc/tsan.def; compiler-rt/lib/tsan/rtl/tsan_interface*.h). */
#include <assay_simt/runtime.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HERE __builtin_return_address(0)
#define API  ASSAY_EXPORT

#define PLAIN(bytes)                                                                      \
    API void __tsan_read##bytes(void *p);                                                 \
    API void __tsan_write##bytes(void *p);                                                \
    API void __tsan_unaligned_read##bytes(void *p);                                       \
    API void __tsan_unaligned_write##bytes(void *p);                                      \
    API void __tsan_volatile_read##bytes(void *p);                                        \
    API void __tsan_volatile_write##bytes(void *p);                                       \
    API void __tsan_read_write##bytes(void *p);                                           \
    API void __tsan_unaligned_read_write##bytes(void *p);                                 \
    void __tsan_read##bytes(void *p)                                                      \
    {                                                                                     \
        assay_simt_check_aligned(p, bytes, ASSAY_SIMT_READ, HERE);                        \
    }                                                                                     \
    void __tsan_write##bytes(void *p)                                                     \
    {                                                                                     \
        assay_simt_check_aligned(p, bytes, ASSAY_SIMT_WRITE, HERE);                       \
    }                                                                                     \
    void __tsan_unaligned_read##bytes(void *p)                                            \
    {                                                                                     \
        assay_simt_check_access(p, bytes, ASSAY_SIMT_READ, HERE);                         \
    }                                                                                     \
    void __tsan_unaligned_write##bytes(void *p)                                           \
    {                                                                                     \
        assay_simt_check_access(p, bytes, ASSAY_SIMT_WRITE, HERE);                        \
    }                                                                                     \
    void __tsan_volatile_read##bytes(void *p)                                             \
    {                                                                                     \
        assay_simt_check_aligned(p, bytes, ASSAY_SIMT_READ | ASSAY_SIMT_VOLATILE, HERE);  \
    }                                                                                     \
    void __tsan_volatile_write##bytes(void *p)                                            \
    {                                                                                     \
        assay_simt_check_aligned(p, bytes, ASSAY_SIMT_WRITE | ASSAY_SIMT_VOLATILE, HERE); \
    }                                                                                     \
    void __tsan_read_write##bytes(void *p)                                                \
    {                                                                                     \
        assay_simt_check_aligned(p, bytes, ASSAY_SIMT_READ, HERE);                        \
        assay_simt_check_access(p, bytes, ASSAY_SIMT_WRITE, HERE);                        \
    }                                                                                     \
    void __tsan_unaligned_read_write##bytes(void *p)                                      \
    {                                                                                     \
        assay_simt_check_access(p, bytes, ASSAY_SIMT_READ, HERE);                         \
        assay_simt_check_access(p, bytes, ASSAY_SIMT_WRITE, HERE);                        \
    }
PLAIN(1)
PLAIN(2)
PLAIN(4)
PLAIN(8)
PLAIN(16)

API void __tsan_read_range(void *p, size_t bytes);
API void __tsan_write_range(void *p, size_t bytes);
void __tsan_read_range(void *p, size_t bytes)
{
    assay_simt_check_access(p, bytes, ASSAY_SIMT_READ, HERE);
}
void __tsan_write_range(void *p, size_t bytes)
{
    assay_simt_check_access(p, bytes, ASSAY_SIMT_WRITE, HERE);
}

/* Nothing to do at these: the device knows its threads by other means, and kernels have no virtual functions worth a check. */
__attribute__((constructor)) static void begin(void)
{
    assay_simt_check_process(); /* no kernel can launch itself unchecked where this library is */
}
API void __tsan_init(void);
API void __tsan_func_entry(void *pc);
API void __tsan_func_exit(void);
API void __tsan_vptr_update(void **slot, void *value);
API void __tsan_vptr_read(void **slot);
API void __tsan_ignore_thread_begin(void);
API void __tsan_ignore_thread_end(void);
void __tsan_init(void) {}
void __tsan_func_entry(void *pc)
{
    (void)pc;
}
void __tsan_func_exit(void) {}
void __tsan_vptr_update(void **slot, void *value)
{
    (void)slot, (void)value;
}
void __tsan_vptr_read(void **slot)
{
    (void)slot;
}
void __tsan_ignore_thread_begin(void) {}
void __tsan_ignore_thread_end(void) {}

/* ---- alignment: -fsanitize=alignment asks before each access whose type wants more than the address has, before the compiler splits
 * it into smaller ones. The interface is compiler-rt/lib/ubsan/ubsan_handlers.h. ---- */

typedef struct ubsan_place {
    const char *file;
    uint32_t line, column;
} ubsan_place;
typedef struct ubsan_type {
    uint16_t kind, info;
    char name[];
} ubsan_type;
typedef struct type_mismatch {
    ubsan_place place;
    const ubsan_type *type;
    unsigned char log_alignment, access;
} type_mismatch;
API void __ubsan_handle_type_mismatch_v1(type_mismatch *mismatch, void *p);
API void __ubsan_handle_type_mismatch_v1_abort(type_mismatch *mismatch, void *p);
void __ubsan_handle_type_mismatch_v1(type_mismatch *mismatch, void *p)
{
    assay_simt_check_misaligned(p, (size_t)1 << mismatch->log_alignment, mismatch->type->name,
                                mismatch->place.file, (int)mismatch->place.line);
}
void __ubsan_handle_type_mismatch_v1_abort(type_mismatch *mismatch, void *p)
{
    __ubsan_handle_type_mismatch_v1(mismatch, p);
}

/* ---- atomics: judged, then done. Always sequentially consistent, which is at least what was asked for. ---- */

#define ATOMIC_RMW(bits, T, name)                                                                 \
    API T __tsan_atomic##bits##_##name(volatile T *p, T value, int order);                        \
    T __tsan_atomic##bits##_##name(volatile T *p, T value, int order)                             \
    {                                                                                             \
        (void)order;                                                                              \
        assay_simt_check_aligned((const void *)(uintptr_t)p, sizeof(T), ASSAY_SIMT_ATOMIC, HERE); \
        return __atomic_##name(p, value, __ATOMIC_SEQ_CST);                                       \
    }
#define ATOMIC_CAS(bits, T, name, weak)                                                                   \
    API int __tsan_atomic##bits##_compare_exchange_##name(volatile T *p, T *expected, T value, int order, \
                                                          int failure);                                   \
    int __tsan_atomic##bits##_compare_exchange_##name(volatile T *p, T *expected, T value, int order,     \
                                                      int failure)                                        \
    {                                                                                                     \
        (void)order, (void)failure;                                                                       \
        assay_simt_check_aligned((const void *)(uintptr_t)p, sizeof(T), ASSAY_SIMT_ATOMIC, HERE);         \
        return __atomic_compare_exchange_n(p, expected, value, weak, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
    }
#define ATOMICS(bits, T)                                                                                     \
    API T __tsan_atomic##bits##_load(const volatile T *p, int order);                                        \
    API void __tsan_atomic##bits##_store(volatile T *p, T value, int order);                                 \
    API T __tsan_atomic##bits##_exchange(volatile T *p, T value, int order);                                 \
    API T __tsan_atomic##bits##_compare_exchange_val(volatile T *p, T expected, T value, int order,          \
                                                     int failure);                                           \
    T __tsan_atomic##bits##_load(const volatile T *p, int order)                                             \
    {                                                                                                        \
        (void)order;                                                                                         \
        assay_simt_check_aligned((const void *)(uintptr_t)p, sizeof(T), ASSAY_SIMT_ATOMIC_READ, HERE);       \
        return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                                         \
    }                                                                                                        \
    void __tsan_atomic##bits##_store(volatile T *p, T value, int order)                                      \
    {                                                                                                        \
        (void)order;                                                                                         \
        assay_simt_check_aligned((const void *)(uintptr_t)p, sizeof(T), ASSAY_SIMT_ATOMIC_WRITE, HERE);      \
        __atomic_store_n(p, value, __ATOMIC_SEQ_CST);                                                        \
    }                                                                                                        \
    T __tsan_atomic##bits##_exchange(volatile T *p, T value, int order)                                      \
    {                                                                                                        \
        (void)order;                                                                                         \
        assay_simt_check_aligned((const void *)(uintptr_t)p, sizeof(T), ASSAY_SIMT_ATOMIC_WRITE, HERE);      \
        return __atomic_exchange_n(p, value, __ATOMIC_SEQ_CST);                                              \
    }                                                                                                        \
    T __tsan_atomic##bits##_compare_exchange_val(volatile T *p, T expected, T value, int order, int failure) \
    {                                                                                                        \
        (void)order, (void)failure;                                                                          \
        assay_simt_check_aligned((const void *)(uintptr_t)p, sizeof(T), ASSAY_SIMT_ATOMIC, HERE);            \
        __atomic_compare_exchange_n(p, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);         \
        return expected;                                                                                     \
    }                                                                                                        \
    ATOMIC_CAS(bits, T, strong, false)                                                                       \
    ATOMIC_CAS(bits, T, weak, true)                                                                          \
    ATOMIC_RMW(bits, T, fetch_add)                                                                           \
    ATOMIC_RMW(bits, T, fetch_sub)                                                                           \
    ATOMIC_RMW(bits, T, fetch_and)                                                                           \
    ATOMIC_RMW(bits, T, fetch_or)                                                                            \
    ATOMIC_RMW(bits, T, fetch_xor)                                                                           \
    ATOMIC_RMW(bits, T, fetch_nand)
ATOMICS(8, uint8_t)
ATOMICS(16, uint16_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)

API void __tsan_atomic_thread_fence(int order);
API void __tsan_atomic_signal_fence(int order);
void __tsan_atomic_thread_fence(int order)
{
    (void)order;
    assay_simt_check_fence();
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
void __tsan_atomic_signal_fence(int order)
{
    (void)order;
    assay_simt_check_block_fence();
}

/* clang turns block copies into these. */
API void *__tsan_memcpy(void *to, const void *from, size_t bytes);
API void *__tsan_memset(void *to, int byte, size_t bytes);
API void *__tsan_memmove(void *to, const void *from, size_t bytes);
static void check_copy(const void *to, const void *from, size_t bytes, const void *pc)
{
    assay_simt_check_access(from, bytes, ASSAY_SIMT_READ, pc);
    assay_simt_check_access(to, bytes, ASSAY_SIMT_WRITE, pc);
}
void *__tsan_memcpy(void *to, const void *from, size_t bytes)
{
    check_copy(to, from, bytes, HERE);
    return __builtin_memcpy(to, from, bytes);
}
void *__tsan_memmove(void *to, const void *from, size_t bytes)
{
    check_copy(to, from, bytes, HERE);
    return __builtin_memmove(to, from, bytes);
}
void *__tsan_memset(void *to, int byte, size_t bytes)
{
    assay_simt_check_access(to, bytes, ASSAY_SIMT_WRITE, HERE);
    return __builtin_memset(to, byte, bytes);
}
