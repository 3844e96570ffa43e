/* Hopper's widest matrix instructions, wgmma m64n256 with both operands in shared memory, for the tensor ceilings.
 *
 * Usable only in code compiled for sm_90a (ASSAY_CEILINGS_WGMMA is 1 there). Semantics, descriptor and swizzle: PTX ISA,
 * "Asynchronous warpgroup level matrix instructions". Operands are K-major in 128-byte swizzled rows. */
#ifndef ASSAY_BENCH_CEILINGS_WGMMA_CUH
#define ASSAY_BENCH_CEILINGS_WGMMA_CUH

#include <cstdint>

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define ASSAY_CEILINGS_WGMMA 1
#else
#define ASSAY_CEILINGS_WGMMA 0
#endif

namespace ceilings
{

enum class operand { f16, bf16, tf32 };

#if ASSAY_CEILINGS_WGMMA

/* Descriptor of a K-major operand in rows of 128 bytes, swizzled by 128 bytes: groups of 8 rows lie 1024 bytes apart. */
__device__ __forceinline__ uint64_t wgmma_descriptor(const void *shared)
{
    const uint64_t address = static_cast<uint64_t>(__cvta_generic_to_shared(shared));
    const uint64_t leading = 1, stride = 1024 >> 4, swizzle_128 = 1;
    return ((address & 0x3ffff) >> 4) | (leading << 16) | (stride << 32) | (swizzle_128 << 62);
}

__device__ __forceinline__ void wgmma_fence()
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ __forceinline__ void wgmma_commit()
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int PENDING>
__device__ __forceinline__ void wgmma_wait()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(PENDING) : "memory");
}

// clang-format off
#define ASSAY_WGMMA_REGISTERS \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
    "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
    "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
    "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, " \
    "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, " \
    "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, " \
    "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, " \
    "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"

#define ASSAY_WGMMA_8(d, i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])
#define ASSAY_WGMMA_32(d, i) ASSAY_WGMMA_8(d, i), ASSAY_WGMMA_8(d, i + 8), ASSAY_WGMMA_8(d, i + 16), ASSAY_WGMMA_8(d, i + 24)

/* `tail` holds the immediates after scale-d: scale-a, scale-b and, for 16-bit types alone, the two transpositions. */
#define ASSAY_WGMMA(shape_and_types, tail, d, a, b)                                                    \
    asm volatile("wgmma.mma_async.sync.aligned." shape_and_types " {" ASSAY_WGMMA_REGISTERS "}, "      \
                 "%128, %129, 1, " tail ";"                                                            \
                 : ASSAY_WGMMA_32(d, 0), ASSAY_WGMMA_32(d, 32), ASSAY_WGMMA_32(d, 64), ASSAY_WGMMA_32(d, 96) \
                 : "l"(a), "l"(b))
// clang-format on

/* d (64 x 256 over a warpgroup) += a (64 x 32 bytes) * b (256 x 32 bytes): 16 values of K, or 8 of tf32. */
template <operand TYPE>
__device__ __forceinline__ void wgmma_n256(float (&d)[128], uint64_t a, uint64_t b)
{
    if constexpr (TYPE == operand::f16)
        ASSAY_WGMMA("m64n256k16.f32.f16.f16", "1, 1, 0, 0", d, a, b);
    else if constexpr (TYPE == operand::bf16)
        ASSAY_WGMMA("m64n256k16.f32.bf16.bf16", "1, 1, 0, 0", d, a, b);
    else
        ASSAY_WGMMA("m64n256k8.f32.tf32.tf32", "1, 1", d, a, b);
}

#endif

} // namespace ceilings

#endif
