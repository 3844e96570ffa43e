/* The CUDA side of <assay/hopper.h>, continued: wgmma, products by a warpgroup straight from shared memory (PTX ISA: wgmma).
 * A warpgroup is 128 threads that start at a multiple of 128; all of them call these together. */
#ifndef ASSAY_HOPPER_WGMMA_H
#define ASSAY_HOPPER_WGMMA_H

namespace assay
{

/* Before the first product, and whenever registers that one uses were written otherwise since the last wait. */
__device__ __forceinline__ void wgmma_fence()
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ __forceinline__ void wgmma_commit()
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
/* Wait until at most `Pending` of the newest committed groups are under way. Sums may be read after it, operands overwritten. */
template <int Pending>
__device__ __forceinline__ void wgmma_wait()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Pending) : "memory");
}
/* Keep the compiler from moving uses of the sums to before the wait. No instruction. */
template <int N>
__device__ __forceinline__ void wgmma_fence_operands(float (&d)[N])
{
#pragma unroll
    for (int i = 0; i < N; i++)
        asm volatile("" : "+f"(d[i])::"memory");
}

/* Descriptor of an operand in shared memory that was laid out with 128-byte rows and their swizzle; offsets in bytes.
 * K along rows (a, and b stored as n x k): 8 rows make a block of 1024 bytes; `stride_bytes` is from one block to the next along
 * m or n, `leading_bytes` is not used. 16 of k further on: 32 bytes on. An operand may begin at any row of a block: the swizzle goes by addresses.
 * K across rows (b stored as k x n): a block is 8 of k by 64 of n; `stride_bytes` is to the next 8 of k, `leading_bytes` to the
 * next 64 of n. */
__device__ __forceinline__ uint64_t wgmma_descriptor(const void *shared, int leading_bytes, int stride_bytes)
{
    return static_cast<uint64_t>((detail::shared_address(shared) & 0x3ffff) >> 4) |
           static_cast<uint64_t>(leading_bytes >> 4) << 16 | static_cast<uint64_t>(stride_bytes >> 4) << 32 |
           static_cast<uint64_t>(1) << 62;
}

/* The same for an operand that lies without a swizzle, as cores of 8 rows of 16 bytes in 128 bytes of their own, at any multiple of 16
 * bytes. K along rows: `leading_bytes` is from one core to the next 8 of k, `stride_bytes` to the next 8 rows of m or n. 16 of k further
 * on: two cores. K across rows (b stored as k x n): a core is 8 of k by 8 of n, and the two mean the same. */
__device__ __forceinline__ uint64_t wgmma_descriptor_cores(const void *shared, int leading_bytes,
                                                           int stride_bytes)
{
    return wgmma_descriptor(shared, leading_bytes, stride_bytes) & ~(static_cast<uint64_t>(1) << 62);
}

/* The same for b stored as k x n in rows of `width` bytes, 32, 64 or 128, with their swizzle: a block is 8 of k by `width` / 2 of n;
 * `stride_bytes` is to the next 8 of k, `leading_bytes` to the next `width` / 2 of n. */
__device__ __forceinline__ uint64_t wgmma_descriptor_rows(const void *shared, int width, int leading_bytes,
                                                          int stride_bytes)
{
    return wgmma_descriptor_cores(shared, leading_bytes, stride_bytes) |
           static_cast<uint64_t>(width == 128  ? 1
                                 : width == 64 ? 2
                                               : 3)
               << 62;
}

/* d (64 x N, binary32) = a (64 x 16) * b (16 x N) + (accumulate ? d : 0).
 * run: a from shared memory, k along rows; run_registers: a in 4 registers a thread. TransposeB: b is stored as k x n.
 * Thread t of the warpgroup holds rows 16 * (t / 32) + t % 32 / 4 and 8 below it; d[4 * j + 2 * h + i] is row + 8 * h, column
 * 8 * j + 2 * (t % 4) + i. a's registers are mma.sync m16n8k16's for 16 rows a warp. */
template <class T, int N, bool TransposeB = true>
struct wgmma_m64k16;

/* d (64 x N, binary32) = a (64 x 8) * b (8 x N) + (accumulate ? d : 0) in tf32: operands are binary32, of whose fractions 10 bits are
 * read. b is stored as n x k: PTX has no other form of it. 8 of k are 32 bytes, as 16 of 2-byte elements are. Sums lie as above; a's
 * registers are mma.sync m16n8k8's for 16 rows a warp. */
template <int N>
struct wgmma_m64k8_tf32;

/* clang-format off */
#define ASSAY_D4(o) "+f"(d[o]), "+f"(d[o + 1]), "+f"(d[o + 2]), "+f"(d[o + 3])
#define ASSAY_D8(o) ASSAY_D4(o), ASSAY_D4(o + 4)
#define ASSAY_D16(o) ASSAY_D8(o), ASSAY_D8(o + 8)
#define ASSAY_D32 ASSAY_D16(0), ASSAY_D16(16)
#define ASSAY_D36 ASSAY_D32, ASSAY_D4(32)
#define ASSAY_D48 ASSAY_D36, ASSAY_D8(36), ASSAY_D4(44)
#define ASSAY_D56 ASSAY_D48, ASSAY_D8(48)
#define ASSAY_D60 ASSAY_D56, ASSAY_D4(56)
#define ASSAY_D64 ASSAY_D60, ASSAY_D4(60)
#define ASSAY_D68 ASSAY_D64, ASSAY_D4(64)
#define ASSAY_D80 ASSAY_D68, ASSAY_D8(68), ASSAY_D4(76)
#define ASSAY_D96 ASSAY_D80, ASSAY_D16(80)
#define ASSAY_D104 ASSAY_D96, ASSAY_D8(96)
#define ASSAY_D112 ASSAY_D104, ASSAY_D8(104)
#define ASSAY_D116 ASSAY_D112, ASSAY_D4(112)
#define ASSAY_D120 ASSAY_D116, ASSAY_D4(116)
#define ASSAY_D128 ASSAY_D120, ASSAY_D8(120)
#define ASSAY_R32 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15" \
    ", %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define ASSAY_R36 ASSAY_R32 ", %32, %33, %34, %35"
#define ASSAY_R48 ASSAY_R36 ", %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47"
#define ASSAY_R56 ASSAY_R48 ", %48, %49, %50, %51, %52, %53, %54, %55"
#define ASSAY_R60 ASSAY_R56 ", %56, %57, %58, %59"
#define ASSAY_R64 ASSAY_R60 ", %60, %61, %62, %63"
#define ASSAY_R68 ASSAY_R64 ", %64, %65, %66, %67"
#define ASSAY_R80 ASSAY_R68 ", %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79"
#define ASSAY_R96 ASSAY_R80 ", %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define ASSAY_R104 ASSAY_R96 ", %96, %97, %98, %99, %100, %101, %102, %103"
#define ASSAY_R112 ASSAY_R104 ", %104, %105, %106, %107, %108, %109, %110, %111"
#define ASSAY_R116 ASSAY_R112 ", %112, %113, %114, %115"
#define ASSAY_R120 ASSAY_R116 ", %116, %117, %118, %119"
#define ASSAY_R128 ASSAY_R120 ", %120, %121, %122, %123, %124, %125, %126, %127"

/* SUMS is N / 2, P0 the number of the first operand behind the sums, and P1.. those that follow it. */
#define ASSAY_WGMMA(T, TYPES, N, SUMS, P0, P1, P2, P3, P4, P5, P6)                                                       \
    template <bool TransposeB>                                                                                           \
    struct wgmma_m64k16<T, N, TransposeB> {                                                                              \
        __device__ __forceinline__ static void run(float (&d)[SUMS], uint64_t a, uint64_t b, int accumulate)             \
        {                                                                                                                \
            asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" #P2 ", 0;\n"                                               \
                         "wgmma.mma_async.sync.aligned.m64n" #N "k16.f32." TYPES " {" ASSAY_R##SUMS "}, "                \
                         "%" #P0 ", %" #P1 ", p, 1, 1, 0, %" #P3 ";\n}"                                                  \
                         : ASSAY_D##SUMS                                                                                 \
                         : "l"(a), "l"(b), "r"(accumulate), "n"(TransposeB ? 1 : 0));                                    \
        }                                                                                                                \
        __device__ __forceinline__ static void run_registers(float (&d)[SUMS], const uint32_t (&a)[4], uint64_t b,       \
                                                             int accumulate)                                             \
        {                                                                                                                \
            asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" #P5 ", 0;\n"                                               \
                         "wgmma.mma_async.sync.aligned.m64n" #N "k16.f32." TYPES " {" ASSAY_R##SUMS "}, "                \
                         "{%" #P0 ", %" #P1 ", %" #P2 ", %" #P3 "}, %" #P4 ", p, 1, 1, %" #P6 ";\n}"                     \
                         : ASSAY_D##SUMS                                                                                 \
                         : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(accumulate),                          \
                           "n"(TransposeB ? 1 : 0));                                                                     \
        }                                                                                                                \
    };
ASSAY_WGMMA(__half, "f16.f16", 64, 32, 32, 33, 34, 35, 36, 37, 38)
ASSAY_WGMMA(__half, "f16.f16", 72, 36, 36, 37, 38, 39, 40, 41, 42)
ASSAY_WGMMA(__half, "f16.f16", 96, 48, 48, 49, 50, 51, 52, 53, 54)
ASSAY_WGMMA(__half, "f16.f16", 112, 56, 56, 57, 58, 59, 60, 61, 62)
ASSAY_WGMMA(__half, "f16.f16", 120, 60, 60, 61, 62, 63, 64, 65, 66)
ASSAY_WGMMA(__half, "f16.f16", 128, 64, 64, 65, 66, 67, 68, 69, 70)
ASSAY_WGMMA(__half, "f16.f16", 136, 68, 68, 69, 70, 71, 72, 73, 74)
ASSAY_WGMMA(__half, "f16.f16", 160, 80, 80, 81, 82, 83, 84, 85, 86)
ASSAY_WGMMA(__half, "f16.f16", 192, 96, 96, 97, 98, 99, 100, 101, 102)
ASSAY_WGMMA(__half, "f16.f16", 224, 112, 112, 113, 114, 115, 116, 117, 118)
ASSAY_WGMMA(__half, "f16.f16", 232, 116, 116, 117, 118, 119, 120, 121, 122)
ASSAY_WGMMA(__half, "f16.f16", 256, 128, 128, 129, 130, 131, 132, 133, 134)
ASSAY_WGMMA(__nv_bfloat16, "bf16.bf16", 64, 32, 32, 33, 34, 35, 36, 37, 38)
ASSAY_WGMMA(__nv_bfloat16, "bf16.bf16", 72, 36, 36, 37, 38, 39, 40, 41, 42)
ASSAY_WGMMA(__nv_bfloat16, "bf16.bf16", 96, 48, 48, 49, 50, 51, 52, 53, 54)
ASSAY_WGMMA(__nv_bfloat16, "bf16.bf16", 112, 56, 56, 57, 58, 59, 60, 61, 62)
ASSAY_WGMMA(__nv_bfloat16, "bf16.bf16", 120, 60, 60, 61, 62, 63, 64, 65, 66)
ASSAY_WGMMA(__nv_bfloat16, "bf16.bf16", 128, 64, 64, 65, 66, 67, 68, 69, 70)
ASSAY_WGMMA(__nv_bfloat16, "bf16.bf16", 136, 68, 68, 69, 70, 71, 72, 73, 74)
ASSAY_WGMMA(__nv_bfloat16, "bf16.bf16", 160, 80, 80, 81, 82, 83, 84, 85, 86)
ASSAY_WGMMA(__nv_bfloat16, "bf16.bf16", 192, 96, 96, 97, 98, 99, 100, 101, 102)
ASSAY_WGMMA(__nv_bfloat16, "bf16.bf16", 224, 112, 112, 113, 114, 115, 116, 117, 118)
ASSAY_WGMMA(__nv_bfloat16, "bf16.bf16", 232, 116, 116, 117, 118, 119, 120, 121, 122)
ASSAY_WGMMA(__nv_bfloat16, "bf16.bf16", 256, 128, 128, 129, 130, 131, 132, 133, 134)
#undef ASSAY_WGMMA
#define ASSAY_WGMMA_TF32(N, SUMS, P0, P1, P2, P3, P4, P5)                                                                \
    template <>                                                                                                          \
    struct wgmma_m64k8_tf32<N> {                                                                                         \
        __device__ __forceinline__ static void run(float (&d)[SUMS], uint64_t a, uint64_t b, int accumulate)             \
        {                                                                                                                \
            asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" #P2 ", 0;\n"                                               \
                         "wgmma.mma_async.sync.aligned.m64n" #N "k8.f32.tf32.tf32 {" ASSAY_R##SUMS "}, "                 \
                         "%" #P0 ", %" #P1 ", p, 1, 1;\n}"                                                               \
                         : ASSAY_D##SUMS                                                                                 \
                         : "l"(a), "l"(b), "r"(accumulate));                                                             \
        }                                                                                                                \
        __device__ __forceinline__ static void run_registers(float (&d)[SUMS], const uint32_t (&a)[4], uint64_t b,       \
                                                             int accumulate)                                             \
        {                                                                                                                \
            asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" #P5 ", 0;\n"                                               \
                         "wgmma.mma_async.sync.aligned.m64n" #N "k8.f32.tf32.tf32 {" ASSAY_R##SUMS "}, "                 \
                         "{%" #P0 ", %" #P1 ", %" #P2 ", %" #P3 "}, %" #P4 ", p, 1, 1;\n}"                               \
                         : ASSAY_D##SUMS                                                                                 \
                         : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(accumulate));                         \
        }                                                                                                                \
    };
ASSAY_WGMMA_TF32(64, 32, 32, 33, 34, 35, 36, 37)
ASSAY_WGMMA_TF32(128, 64, 64, 65, 66, 67, 68, 69)
ASSAY_WGMMA_TF32(256, 128, 128, 129, 130, 131, 132, 133)
#undef ASSAY_WGMMA_TF32
/* clang-format on */
#undef ASSAY_D4
#undef ASSAY_D8
#undef ASSAY_D16
#undef ASSAY_D32
#undef ASSAY_D36
#undef ASSAY_D48
#undef ASSAY_D56
#undef ASSAY_D60
#undef ASSAY_D64
#undef ASSAY_D68
#undef ASSAY_D80
#undef ASSAY_D96
#undef ASSAY_D104
#undef ASSAY_D112
#undef ASSAY_D116
#undef ASSAY_D120
#undef ASSAY_D128
#undef ASSAY_R32
#undef ASSAY_R36
#undef ASSAY_R48
#undef ASSAY_R56
#undef ASSAY_R60
#undef ASSAY_R64
#undef ASSAY_R68
#undef ASSAY_R80
#undef ASSAY_R96
#undef ASSAY_R104
#undef ASSAY_R112
#undef ASSAY_R116
#undef ASSAY_R120
#undef ASSAY_R128

} // namespace assay

#endif
