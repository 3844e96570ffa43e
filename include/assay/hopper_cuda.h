/* The CUDA side of <assay/hopper.h>: mbarrier, the bulk tensor copy engine (TMA), clusters and the rest; wgmma is in
 * <assay/hopper_wgmma.h>. Keep the list equal to the CPU device's. */
#ifndef ASSAY_HOPPER_CUDA_H
#define ASSAY_HOPPER_CUDA_H

#include <assay/kernel.h>
#include <cuda.h> /* for CUtensorMap and its enumerations; no function of the driver library is linked */

/* 1 where the instructions below may be compiled: the host pass and the device pass for sm_90a. */
#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define ASSAY_HOPPER_CODE 1
#else
#define ASSAY_HOPPER_CODE 0
#endif

namespace assay
{

/* ---- host: what the current device can do ---- */

namespace detail
{
/* Never launched: the size of its static shared memory says from which pass the loaded code comes. The sizes are far apart
 * because compilers round up and add a reserve. */
template <int Unused>
__global__ void hopper_code_probe(int *out)
{
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    __shared__ int marker[4096];
    const int *last = &marker[4095];
#else
    __shared__ int marker[1];
    const int *last = &marker[0];
#endif
    int *volatile all = marker; /* keeps the compiler from dropping what is not used */
    all[*out] = 1;
    __syncthreads();
    *out = *last;
}

struct device_facts {
    int known, hopper, multiprocessors;
};

/* Facts of the current device, asked for once. Threads may race here: both write the same values, `known` last. */
inline device_facts current_device()
{
    enum { DEVICES = 64 };
    static device_facts all[DEVICES];
    int device = 0, major = 0;
    device_facts facts = {1, 0, 1};
    if (cudaGetDevice(&device) != cudaSuccess || device >= DEVICES)
        return facts;
    if (__atomic_load_n(&all[device].known, __ATOMIC_ACQUIRE))
        return all[device];
    cudaFuncAttributes attributes = {};
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    cudaDeviceGetAttribute(&facts.multiprocessors, cudaDevAttrMultiProcessorCount, device);
    if (cudaFuncGetAttributes(&attributes, hopper_code_probe<0>) != cudaSuccess)
        (void)cudaGetLastError();
    facts.hopper = major == 9 && attributes.sharedSizeBytes >= 4096 * sizeof(int);
    all[device].hopper = facts.hopper;
    all[device].multiprocessors = facts.multiprocessors;
    __atomic_store_n(&all[device].known, 1, __ATOMIC_RELEASE);
    return facts;
}
} // namespace detail

/* Whether the current device runs Hopper's instructions and this module holds code for them. */
inline bool hopper_available()
{
    return detail::current_device().hopper != 0;
}

/* Multiprocessors of the current device, for grids that stay. */
inline int multiprocessor_count()
{
    return detail::current_device().multiprocessors;
}

/* Blocks that a cluster may have. */
inline int cluster_limit()
{
    return 8;
}

namespace detail
{
template <class... Params, class... Args>
inline assay_status launch_with(const cudaLaunchAttribute *attributes, int count, void (*kernel)(Params...),
                                dim3 grid, dim3 block, size_t shared_bytes, assay_stream stream,
                                Args &&...args)
{
    static_assert(sizeof...(Params) == sizeof...(Args), "one argument for each parameter of the kernel");
    if (shared_bytes > 48 * 1024 && cudaFuncSetAttribute(reinterpret_cast<const void *>(kernel),
                                                         cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                         static_cast<int>(shared_bytes)) != cudaSuccess) {
        (void)cudaGetLastError(); /* reported here: do not let it stick */
        return ASSAY_ERR_DEVICE;
    }
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = shared_bytes;
    config.stream = stream;
    config.attrs = const_cast<cudaLaunchAttribute *>(attributes);
    config.numAttrs = static_cast<unsigned>(count);
    if (cudaLaunchKernelEx(&config, kernel, static_cast<Params>(args)...) != cudaSuccess) {
        (void)cudaGetLastError();
        return ASSAY_ERR_DEVICE;
    }
    return ASSAY_OK;
}
inline cudaLaunchAttribute cluster_attribute(int cluster)
{
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = static_cast<unsigned>(cluster);
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    return attribute;
}
inline cudaLaunchAttribute early_attribute()
{
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    return attribute;
}
} // namespace detail

/* assay::launch with clusters of `cluster` blocks along x; gridDim.x must be a multiple of it. */
template <class... Params, class... Args>
inline assay_status launch_cluster(void (*kernel)(Params...), int cluster, dim3 grid, dim3 block,
                                   size_t shared_bytes, assay_stream stream, Args &&...args)
{
    const cudaLaunchAttribute attribute = detail::cluster_attribute(cluster);
    return detail::launch_with(&attribute, cluster > 1 ? 1 : 0, kernel, grid, block, shared_bytes, stream,
                               args...);
}

/* assay::launch of a kernel that may begin while the kernel launched before it on `stream` still runs. It reads what that one
 * writes, and writes what that one reads, only behind wait_for_previous(). For kernels of one call: the first of a call is launched as
 * usual, so that calls do not overlap. */
template <class... Params, class... Args>
inline assay_status launch_early(void (*kernel)(Params...), dim3 grid, dim3 block, size_t shared_bytes,
                                 assay_stream stream, Args &&...args)
{
    const cudaLaunchAttribute attribute = detail::early_attribute();
    return detail::launch_with(&attribute, 1, kernel, grid, block, shared_bytes, stream, args...);
}

/* ---- host: tensor maps ---- */

/* How the copy engine sees a matrix. Pass it to the kernel by value as `const __grid_constant__ assay::tensor_map`. */
using tensor_map = CUtensorMap;

namespace detail
{
using encode_tiled_fn = CUresult (*)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *,
                                     const cuuint64_t *, const cuuint64_t *, const cuuint32_t *,
                                     const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                                     CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

inline encode_tiled_fn encode_tiled()
{
    static const encode_tiled_fn found = [] {
        void *function = nullptr;
        cudaDriverEntryPointQueryResult result;
        if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault,
                                             &result) != cudaSuccess)
            (void)cudaGetLastError();
        return reinterpret_cast<encode_tiled_fn>(function);
    }();
    return found;
}

template <class T>
struct tensor_element;
template <>
struct tensor_element<float> {
    static constexpr CUtensorMapDataType TYPE = CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
};
template <>
struct tensor_element<double> {
    static constexpr CUtensorMapDataType TYPE = CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
};
template <>
struct tensor_element<__half> {
    static constexpr CUtensorMapDataType TYPE = CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
};
template <>
struct tensor_element<__nv_bfloat16> {
    static constexpr CUtensorMapDataType TYPE = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
};
} // namespace detail

/* tensor_map_nd, below, of which a box takes only every `every[i]`-th element along dimension i, 1 to 8, from its first on; `box` counts what
 * it spans, those in between included. every[0] must be 1. */
template <class T, int Rank>
inline assay_status tensor_map_strided(tensor_map *map, const T *base, const int64_t (&extents)[Rank],
                                       const int64_t (&strides)[Rank - 1], const int (&box)[Rank],
                                       const int (&every)[Rank], bool swizzled)
{
    cuuint64_t sizes[Rank], steps[Rank - 1];
    cuuint32_t copied[Rank], taken[Rank];
    for (int i = 0; i < Rank; i++) {
        sizes[i] = static_cast<cuuint64_t>(extents[i]);
        copied[i] = static_cast<cuuint32_t>(box[i]);
        taken[i] = static_cast<cuuint32_t>(every[i]);
        if (i > 0)
            steps[i - 1] = static_cast<cuuint64_t>(strides[i - 1]) * sizeof(T);
    }
    const size_t width = static_cast<size_t>(box[0]) * sizeof(T);
    const CUtensorMapSwizzle swizzle = !swizzled      ? CU_TENSOR_MAP_SWIZZLE_NONE
                                       : width == 128 ? CU_TENSOR_MAP_SWIZZLE_128B
                                       : width == 64  ? CU_TENSOR_MAP_SWIZZLE_64B
                                                      : CU_TENSOR_MAP_SWIZZLE_32B;
    if (detail::encode_tiled() == nullptr)
        return ASSAY_ERR_DEVICE;
    return detail::encode_tiled()(map, detail::tensor_element<T>::TYPE, Rank, const_cast<T *>(base), sizes,
                                  steps, copied, taken, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                                  CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS
               ? ASSAY_OK
               : ASSAY_ERR_INVALID;
}

/* Describe a tensor of Rank (2 to 5) dimensions, the innermost first and contiguous: `extents` in elements, `strides` those of the
 * outer dimensions in elements, `box` what one copy moves, up to 256 elements a dimension. It lies in shared memory as such a
 * tensor too, without gaps. `swizzled`: the box's innermost rows have 32, 64 or 128 bytes and are swizzled over that width (16-byte
 * chunk c of row r at chunk c ^ r % 8 for 128 bytes); otherwise any multiple of 16. Loads fill what lies outside the extents with
 * zeros, stores leave it out. ASSAY_ERR_INVALID: `base` or a stride is not aligned to 16 bytes, or an extent is out of range. */
template <class T, int Rank>
inline assay_status tensor_map_nd(tensor_map *map, const T *base, const int64_t (&extents)[Rank],
                                  const int64_t (&strides)[Rank - 1], const int (&box)[Rank], bool swizzled)
{
    int every[Rank];
    for (int &step : every)
        step = 1;
    return tensor_map_strided<T, Rank>(map, base, extents, strides, box, every, swizzled);
}

/* A row-major matrix of `rows` x `columns` elements whose rows are `row_stride` elements apart, in boxes of box_rows x box_columns,
 * swizzled where a box row has 32, 64 or 128 bytes. */
template <class T>
inline assay_status tensor_map_2d(tensor_map *map, const T *base, int64_t rows, int64_t columns,
                                  int64_t row_stride, int box_rows, int box_columns)
{
    return tensor_map_nd<T, 2>(map, base, {columns, rows}, {row_stride}, {box_columns, box_rows},
                               box_columns * sizeof(T) > 16 && 128 % (box_columns * sizeof(T)) == 0);
}

/* ---- mbarrier (PTX ISA: mbarrier): counts arrivals and, for copies, bytes; a completed count flips its phase ---- */

__device__ __forceinline__ void mbarrier_init(uint64_t *barrier, int arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(detail::shared_address(barrier)),
                 "r"(arrivals)
                 : "memory");
}
/* Make this thread's initialised barriers visible to the copy engine and to the cluster; before the barrier that follows. */
__device__ __forceinline__ void mbarrier_fence_init()
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ __forceinline__ void mbarrier_arrive(uint64_t *barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(detail::shared_address(barrier))
                 : "memory");
}
/* Arrive, and expect that many bytes of copies in this phase. */
__device__ __forceinline__ void mbarrier_arrive_expect(uint64_t *barrier, int bytes)
{
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(detail::shared_address(barrier)),
        "r"(bytes)
        : "memory");
}
/* Arrive on the same barrier in block `rank` of the cluster. It orders accesses within the own block only: enough to say that the
 * tensor cores or the copy engine are done with a buffer. (A release at the scope of the cluster costs a fence of all memory
 * accesses, about a microsecond.) */
__device__ __forceinline__ void mbarrier_arrive_cluster(uint64_t *barrier, int rank)
{
    asm volatile("{\n.reg .b32 remote;\n"
                 "mapa.shared::cluster.u32 remote, %0, %1;\n"
                 "mbarrier.arrive.shared::cluster.b64 _, [remote];\n}" ::"r"(detail::shared_address(barrier)),
                 "r"(rank)
                 : "memory");
}
/* Wait until the phase of the given parity has completed: the first has parity 0, and the one before it counts as done. */
__device__ __forceinline__ void mbarrier_wait(uint64_t *barrier, int parity)
{
    uint32_t done;
#ifdef ASSAY_WAIT_LIMIT /* a hang must not eat a rented device's time */
    for (int tries = 0;; tries++) {
        if (tries > ASSAY_WAIT_LIMIT)
            __trap();
#else
    for (;;) {
#endif
        asm volatile("{\n.reg .pred p;\n"
                     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                     "selp.u32 %0, 1, 0, p;\n}"
                     : "=r"(done)
                     : "r"(detail::shared_address(barrier)), "r"(parity)
                     : "memory");
        if (done)
            return;
    }
}

/* ---- the copy engine (PTX ISA: cp.async.bulk.tensor) ----
 * x counts columns, y rows. A box begins at a multiple of 16 bytes of a row. Shared addresses are aligned to 128 bytes, and to 1024 where boxes of 128-byte rows are to be read by
 * wgmma. One thread calls these. */

__device__ __forceinline__ void tma_prefetch_map(const tensor_map *map)
{
    asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}
/* Ask for the line of the second-level cache that holds this address. */
__device__ __forceinline__ void prefetch_l2(const void *global)
{
    asm volatile("prefetch.global.L2 [%0];" ::"l"(global));
}
__device__ __forceinline__ void tma_load_2d(void *shared, const tensor_map *map, uint64_t *barrier, int x,
                                            int y)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%3, %4}], [%2];" ::"r"(detail::shared_address(shared)),
                 "l"(map), "r"(detail::shared_address(barrier)), "r"(x), "r"(y)
                 : "memory");
}
/* Three and four dimensions: x counts along the innermost one. */
__device__ __forceinline__ void tma_load_3d(void *shared, const tensor_map *map, uint64_t *barrier, int x,
                                            int y, int z)
{
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%3, %4, %5}], [%2];" ::"r"(detail::shared_address(shared)),
                 "l"(map), "r"(detail::shared_address(barrier)), "r"(x), "r"(y), "r"(z)
                 : "memory");
}
__device__ __forceinline__ void tma_load_4d(void *shared, const tensor_map *map, uint64_t *barrier, int x,
                                            int y, int z, int w)
{
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%3, %4, %5, %6}], [%2];" ::"r"(detail::shared_address(shared)),
                 "l"(map), "r"(detail::shared_address(barrier)), "r"(x), "r"(y), "r"(z), "r"(w)
                 : "memory");
}
/* The same box to the same place in every block of the cluster named in `mask`, counted on the same barrier of each. */
__device__ __forceinline__ void tma_load_2d_multicast(void *shared, const tensor_map *map, uint64_t *barrier,
                                                      int x, int y, unsigned mask)
{
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
        "[%0], [%1, {%3, %4}], [%2], %5;" ::"r"(detail::shared_address(shared)),
        "l"(map), "r"(detail::shared_address(barrier)), "r"(x), "r"(y), "h"(static_cast<uint16_t>(mask))
        : "memory");
}
__device__ __forceinline__ void tma_store_2d(const tensor_map *map, const void *shared, int x, int y)
{
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];" ::"l"(map),
                 "r"(detail::shared_address(shared)), "r"(x), "r"(y)
                 : "memory");
}
__device__ __forceinline__ void tma_store_3d(const tensor_map *map, const void *shared, int x, int y, int z)
{
    asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%0, {%2, %3, %4}], [%1];" ::"l"(map),
                 "r"(detail::shared_address(shared)), "r"(x), "r"(y), "r"(z)
                 : "memory");
}
__device__ __forceinline__ void tma_store_4d(const tensor_map *map, const void *shared, int x, int y, int z,
                                             int w)
{
    asm volatile(
        "cp.async.bulk.tensor.4d.global.shared::cta.bulk_group [%0, {%2, %3, %4, %5}], [%1];" ::"l"(map),
        "r"(detail::shared_address(shared)), "r"(x), "r"(y), "r"(z), "r"(w)
        : "memory");
}
/* `bytes` in a row (PTX ISA: cp.async.bulk): both addresses and the number, which is not 0, are multiples of 16. It belongs to the groups
 * of tma_store_commit. */
__device__ __forceinline__ void bulk_store(void *global, const void *shared, int bytes)
{
    asm volatile(
        "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(global)),
        "r"(detail::shared_address(shared)), "r"(bytes)
        : "memory");
}
__device__ __forceinline__ void tma_store_commit()
{
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
/* Wait until all but the `Pending` newest groups of this thread's stores have read their shared memory. */
template <int Pending>
__device__ __forceinline__ void tma_store_wait_read()
{
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Pending) : "memory");
}
/* The same until they are done. */
template <int Pending>
__device__ __forceinline__ void tma_store_wait()
{
    asm volatile("cp.async.bulk.wait_group %0;" ::"n"(Pending) : "memory");
}
/* Make this thread's ordinary stores to shared memory visible to the copy engine and to wgmma; before the barrier that precedes
 * their use. */
__device__ __forceinline__ void fence_async_shared()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/* ---- clusters, roles and registers ---- */

/* See launch_early: wait until the kernel launched before this one is done and its writes are visible. */
__device__ __forceinline__ void wait_for_previous()
{
    asm volatile("griddepcontrol.wait;" ::: "memory");
}
/* Let a kernel behind this one that was launched by launch_early begin as soon as all blocks have called this or ended. */
__device__ __forceinline__ void let_next_begin()
{
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

__device__ __forceinline__ int cluster_rank()
{
    uint32_t rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return static_cast<int>(rank);
}
/* All threads of the cluster meet, and see each other's stores. */
__device__ __forceinline__ void cluster_sync()
{
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
}
/* The same without a fence, which costs about a microsecond: they meet, and barriers that were initialised and fenced before are
 * visible. Enough at a kernel's start, and before its end to keep shared memory alive. */
__device__ __forceinline__ void cluster_meet()
{
    asm volatile("barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
/* True in one lane of the converged warp. */
__device__ __forceinline__ bool elect_one()
{
    uint32_t elected;
    asm volatile("{\n.reg .pred p;\nelect.sync _|p, 0xffffffff;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(elected));
    return elected != 0;
}
/* Registers that each thread of this warpgroup may use from here on: a multiple of 8 from 24 to 256. */
template <int Registers>
__device__ __forceinline__ void registers_increase()
{
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Registers));
}
template <int Registers>
__device__ __forceinline__ void registers_decrease()
{
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Registers));
}
/* Barrier `id` (1 to 15; __syncthreads is 0) of `threads` threads, a multiple of 32. `arrive` does not wait. */
__device__ __forceinline__ void named_barrier_sync(int id, int threads)
{
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
__device__ __forceinline__ void named_barrier_arrive(int id, int threads)
{
    asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

/* The inverse of ldmatrix_x4: lane i gives the 16-byte aligned address of row i % 8 of matrix i / 8. */
__device__ __forceinline__ void stmatrix_x4(void *row, const uint32_t *r)
{
    asm volatile(
        "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(detail::shared_address(row)),
        "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3])
        : "memory");
}
/* The same for transposed matrices: the inverse of ldmatrix_x4_trans. */
__device__ __forceinline__ void stmatrix_x4_trans(void *row, const uint32_t *r)
{
    asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(
                     detail::shared_address(row)),
                 "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3])
                 : "memory");
}

} // namespace assay

#include <assay/hopper_wgmma.h>

#endif
