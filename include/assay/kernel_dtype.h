/* The module's element type as macros, and the aligned vector type; the same text for both devices.
 *
 * The build passes exactly one of -DASSAY_DTYPE_F32=1, -DASSAY_DTYPE_F16=1, -DASSAY_DTYPE_BF16=1, -DASSAY_DTYPE_TF32=1; the others
 * become 0 here, so that a kernel may write `#if ASSAY_DTYPE_F16`. tf32 is a math mode of f32, so with it ASSAY_DTYPE_F32 is 1 too:
 * elements are float, and the kernel may round factors by assay::to_tf32. None given means f32, which lets an editor parse a kernel file.
 * Included by kernel_cuda.h and kernel_cpu.h after the device's own types; a kernel file includes <assay/kernel.h> only. */
#ifndef ASSAY_KERNEL_DTYPE_H
#define ASSAY_KERNEL_DTYPE_H

#ifndef ASSAY_DTYPE_F16
#define ASSAY_DTYPE_F16 0
#endif
#ifndef ASSAY_DTYPE_BF16
#define ASSAY_DTYPE_BF16 0
#endif
#ifndef ASSAY_DTYPE_TF32
#define ASSAY_DTYPE_TF32 0
#endif
#ifndef ASSAY_DTYPE_F32
#define ASSAY_DTYPE_F32 (!ASSAY_DTYPE_F16 && !ASSAY_DTYPE_BF16)
#endif
#if ASSAY_DTYPE_F32 + ASSAY_DTYPE_F16 + ASSAY_DTYPE_BF16 != 1
#error "define exactly one of ASSAY_DTYPE_F32, ASSAY_DTYPE_F16, ASSAY_DTYPE_BF16 to 1"
#endif

#if ASSAY_DTYPE_F16
typedef __half scalar_t;
#elif ASSAY_DTYPE_BF16
typedef __nv_bfloat16 scalar_t;
#else
typedef float scalar_t;
#endif

namespace assay
{

/* N elements moved by one instruction: N * sizeof(T) is 2, 4, 8 or 16 bytes, and so is the alignment. */
template <class T, int N>
struct alignas(N * sizeof(T)) vec {
    static_assert(N * sizeof(T) == 2 || N * sizeof(T) == 4 || N * sizeof(T) == 8 || N * sizeof(T) == 16,
                  "a vector access moves 2, 4, 8 or 16 bytes");
    static constexpr int size = N;
    T data[N];
    __host__ __device__ T &operator[](int i) { return data[i]; }
    __host__ __device__ const T &operator[](int i) const { return data[i]; }
};

/* The widest vector of T: 16 bytes. */
template <class T>
using vec16 = vec<T, 16 / sizeof(T)>;

} // namespace assay

#endif
