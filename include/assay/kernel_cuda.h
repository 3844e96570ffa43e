/* The CUDA side of <assay/kernel.h>: a checked launch and thin wrappers around the PTX instructions CUDA C++ has no name for.
 *
 * Needs compute capability 8.0. Each wrapper is one instruction; what it computes is defined by the PTX ISA section named
 * beside it. The CPU device gives the same functions in device/cpu/include/assay_simt/. Keep the two lists equal. */
#ifndef ASSAY_KERNEL_CUDA_H
#define ASSAY_KERNEL_CUDA_H

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <assay/kernel_dtype.h>

namespace assay
{

/* Launch `kernel` on `stream`. More than 48 KB of dynamic shared memory is opted into here, as CUDA demands.
 * Returns ASSAY_ERR_DEVICE if CUDA refuses the launch; errors during execution appear at the next synchronisation. */
template <class... Params, class... Args>
inline assay_status launch(void (*kernel)(Params...), dim3 grid, dim3 block, size_t shared_bytes,
                           assay_stream stream, Args &&...args)
{
    static_assert(sizeof...(Params) == sizeof...(Args), "one argument for each parameter of the kernel");
    if (shared_bytes > 48 * 1024) {
        const cudaError_t opted =
            cudaFuncSetAttribute(reinterpret_cast<const void *>(kernel),
                                 cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes));
        if (opted != cudaSuccess) {
            (void)cudaGetLastError(); /* reported here: do not let it stick */
            return ASSAY_ERR_DEVICE;
        }
    }
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = shared_bytes;
    config.stream = stream;
    if (cudaLaunchKernelEx(&config, kernel, static_cast<Params>(args)...) != cudaSuccess) {
        (void)cudaGetLastError();
        return ASSAY_ERR_DEVICE;
    }
    return ASSAY_OK;
}

#define ASSAY_DYNAMIC_SHARED(T, name)                                        \
    extern __shared__ __align__(1024) unsigned char assay_dynamic_shared_[]; \
    T *name = reinterpret_cast<T *>(assay_dynamic_shared_)

/* ---- conversions, round to nearest even ---- */

__host__ __device__ __forceinline__ float to_float(float x)
{
    return x;
}
__host__ __device__ __forceinline__ float to_float(__half x)
{
    return __half2float(x);
}
__host__ __device__ __forceinline__ float to_float(__nv_bfloat16 x)
{
    return __bfloat162float(x);
}

template <class T>
__host__ __device__ T from_float(float x);
template <>
__host__ __device__ __forceinline__ float from_float<float>(float x)
{
    return x;
}
template <>
__host__ __device__ __forceinline__ __half from_float<__half>(float x)
{
    return __float2half_rn(x);
}
template <>
__host__ __device__ __forceinline__ __nv_bfloat16 from_float<__nv_bfloat16>(float x)
{
    return __float2bfloat16_rn(x);
}

/* The bits of x rounded to tf32 (10 bits of fraction), round to nearest with ties away from zero: cvt.rna.tf32.f32. */
__device__ __forceinline__ uint32_t to_tf32(float x)
{
    uint32_t bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
    return bits;
}

/* The same as an operand of the tensor cores, which ignore the last 13 bits: those are left as they come. One instruction less an element.
 * A NaN that differs from infinity in these bits only is infinity to the tensor cores, as it is in an operand that is passed as it lies. */
__device__ __forceinline__ uint32_t to_tf32_operand(float x)
{
    const uint32_t bits = __float_as_uint(x);
    return fabsf(x) < INFINITY ? bits + 0x1000u : bits;
}

/* ---- aligned vector accesses: one load or store instruction ---- */

namespace detail
{
template <int Bytes>
struct raw_bits;
template <>
struct raw_bits<2> {
    using type = unsigned short;
};
template <>
struct raw_bits<4> {
    using type = unsigned int;
};
template <>
struct raw_bits<8> {
    using type = uint2;
};
template <>
struct raw_bits<16> {
    using type = uint4;
};
__device__ __forceinline__ uint32_t shared_address(const void *p)
{
    return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}
} // namespace detail

/* N elements from p, which must be aligned to N * sizeof(T). */
template <int N, class T>
__device__ __forceinline__ vec<T, N> load_vec(const T *p)
{
    using raw = typename detail::raw_bits<N * sizeof(T)>::type;
    const raw bits = *reinterpret_cast<const raw *>(p);
    vec<T, N> v;
    memcpy(&v, &bits, sizeof bits);
    return v;
}

template <class T, int N>
__device__ __forceinline__ void store_vec(T *p, const vec<T, N> &v)
{
    using raw = typename detail::raw_bits<N * sizeof(T)>::type;
    raw bits;
    memcpy(&bits, &v, sizeof bits);
    *reinterpret_cast<raw *>(p) = bits;
}

/* ---- tensor cores (PTX ISA: ldmatrix; mma) ----
 * All 32 lanes of a warp call these together. Fragment layouts are those of the PTX ISA. */

/* Load 4 (or 2) 8x8 matrices of 16-bit elements from shared memory. Lane i gives the address of row i % 8 of matrix i / 8,
 * 16-byte aligned; r[m] gets this lane's two elements of matrix m. `_trans` transposes each matrix. */
__device__ __forceinline__ void ldmatrix_x4(uint32_t *r, const void *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(detail::shared_address(row))
                 : "memory");
}
__device__ __forceinline__ void ldmatrix_x2(uint32_t *r, const void *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
                 : "=r"(r[0]), "=r"(r[1])
                 : "r"(detail::shared_address(row))
                 : "memory");
}
__device__ __forceinline__ void ldmatrix_x4_trans(uint32_t *r, const void *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(detail::shared_address(row))
                 : "memory");
}
__device__ __forceinline__ void ldmatrix_x2_trans(uint32_t *r, const void *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
                 : "=r"(r[0]), "=r"(r[1])
                 : "r"(detail::shared_address(row))
                 : "memory");
}

/* d = a * b + c over one warp: a 16x16 (row), b 16x8 (column), T = __half or __nv_bfloat16 packed in pairs; c and d 16x8 in
 * binary32. d may be c. */
template <class T>
__device__ void mma_m16n8k16(float *d, const uint32_t *a, const uint32_t *b, const float *c);
template <>
__device__ __forceinline__ void mma_m16n8k16<__half>(float *d, const uint32_t *a, const uint32_t *b,
                                                     const float *c)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
                 "{%10,%11,%12,%13};"
                 : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "f"(c[0]), "f"(c[1]),
                   "f"(c[2]), "f"(c[3]));
}
template <>
__device__ __forceinline__ void mma_m16n8k16<__nv_bfloat16>(float *d, const uint32_t *a, const uint32_t *b,
                                                            const float *c)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
                 "{%10,%11,%12,%13};"
                 : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "f"(c[0]), "f"(c[1]),
                   "f"(c[2]), "f"(c[3]));
}

/* d = a * b + c: a 16x8 (row), b 8x8 (column) in tf32 as given by to_tf32; c and d 16x8 in binary32. */
__device__ __forceinline__ void mma_m16n8k8_tf32(float *d, const uint32_t *a, const uint32_t *b,
                                                 const float *c)
{
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
                 "{%10,%11,%12,%13};"
                 : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "f"(c[0]), "f"(c[1]),
                   "f"(c[2]), "f"(c[3]));
}

/* ---- asynchronous copies from global to shared memory (PTX ISA: cp.async) ----
 * Both addresses aligned to the size. Only the first `source_bytes` are read, the rest is filled with zeros; 0 reads nothing,
 * but the address must still be a valid one. Visible to this thread after cp_async_wait, to others after a barrier behind it. */

__device__ __forceinline__ void cp_async_16(void *shared, const void *global, int source_bytes = 16)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(detail::shared_address(shared)),
                 "l"(global), "r"(source_bytes)
                 : "memory");
}
__device__ __forceinline__ void cp_async_8(void *shared, const void *global, int source_bytes = 8)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(detail::shared_address(shared)),
                 "l"(global), "r"(source_bytes)
                 : "memory");
}
__device__ __forceinline__ void cp_async_4(void *shared, const void *global, int source_bytes = 4)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(detail::shared_address(shared)),
                 "l"(global), "r"(source_bytes)
                 : "memory");
}
__device__ __forceinline__ void cp_async_commit()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}
/* Wait until at most `Pending` of this thread's newest groups are under way. */
template <int Pending>
__device__ __forceinline__ void cp_async_wait()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
}

} // namespace assay

#endif
