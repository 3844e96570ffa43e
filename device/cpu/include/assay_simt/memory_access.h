/* Aligned vector accesses and asynchronous copies to shared memory: the CPU side of load_vec, store_vec and cp_async_*. */
#ifndef ASSAY_SIMT_MEMORY_ACCESS_H
#define ASSAY_SIMT_MEMORY_ACCESS_H

#include <assay_simt/half.h>
#include <assay/kernel_dtype.h>

namespace assay_simt
{
inline void check_aligned(const void *p, size_t bytes, const char *op, const char *file, int line)
{
    if (__builtin_expect(reinterpret_cast<uintptr_t>(p) & (bytes - 1), 0))
        assay_simt_misaligned(p, bytes, op, file, line);
}

template <int Bytes>
inline void copy_async(void *shared, const void *global, int source_bytes, const char *op, const char *file,
                       int line)
{
    check_aligned(shared, Bytes, op, file, line);
    check_aligned(global, Bytes, op, file, line);
    assay_simt_copy_async(shared, global, Bytes, static_cast<uint32_t>(source_bytes));
}
} // namespace assay_simt

namespace assay
{

inline float to_float(float x)
{
    return x;
}
inline float to_float(__half x)
{
    return static_cast<float>(x);
}
inline float to_float(__nv_bfloat16 x)
{
    return static_cast<float>(x);
}

template <class T>
inline T from_float(float x)
{
    return T(x);
}

/* Ties away from zero at 10 bits of fraction, as cvt.rna.tf32.f32 does: add half of the last kept bit and cut. */
inline uint32_t to_tf32(float x)
{
    const uint32_t bits = __float_as_uint(x);
    if ((bits & 0x7f800000u) == 0x7f800000u)
        return (bits & 0x007fffffu) ? 0x7fffffffu : bits; /* the canonical NaN; infinity */
    return (bits + 0x1000u) & 0xffffe000u;
}

/* Only the upper 19 bits count, which is all that the tensor core reads; NaNs stay as they are, as on CUDA. */
inline uint32_t to_tf32_operand(float x)
{
    const uint32_t bits = __float_as_uint(x);
    return (bits & 0x7f800000u) == 0x7f800000u ? bits : bits + 0x1000u;
}

template <int N, class T>
inline vec<T, N> load_vec(const T *p, ASSAY_SIMT_PLACE)
{
    assay_simt::check_aligned(p, N * sizeof(T), "load_vec", file_, line_);
    if (ASSAY_SIMT_CHECK)
        assay_simt_check_here(p, N * sizeof(T), ASSAY_SIMT_READ);
    vec<T, N> v;
    memcpy(&v, __builtin_assume_aligned(p, N * sizeof(T)), sizeof v);
    return v;
}

template <class T, int N>
inline void store_vec(T *p, const vec<T, N> &v, ASSAY_SIMT_PLACE)
{
    assay_simt::check_aligned(p, N * sizeof(T), "store_vec", file_, line_);
    if (ASSAY_SIMT_CHECK)
        assay_simt_check_here(p, N * sizeof(T), ASSAY_SIMT_WRITE);
    memcpy(__builtin_assume_aligned(p, N * sizeof(T)), &v, sizeof v);
}

inline void cp_async_16(void *shared, const void *global, int source_bytes = 16, ASSAY_SIMT_PLACE)
{
    assay_simt::copy_async<16>(shared, global, source_bytes, "cp_async_16", file_, line_);
}
inline void cp_async_8(void *shared, const void *global, int source_bytes = 8, ASSAY_SIMT_PLACE)
{
    assay_simt::copy_async<8>(shared, global, source_bytes, "cp_async_8", file_, line_);
}
inline void cp_async_4(void *shared, const void *global, int source_bytes = 4, ASSAY_SIMT_PLACE)
{
    assay_simt::copy_async<4>(shared, global, source_bytes, "cp_async_4", file_, line_);
}
inline void cp_async_commit()
{
    assay_simt_copy_commit();
}
template <int Pending>
inline void cp_async_wait()
{
    assay_simt_copy_wait(Pending);
}

} // namespace assay

#define ASSAY_DYNAMIC_SHARED(T, name) T *name = reinterpret_cast<T *>(assay_simt_current.dynamic_shared)

#endif
