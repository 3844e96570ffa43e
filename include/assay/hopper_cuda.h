/* The CUDA side of <assay/hopper.h>: mbarrier, TMA copies, clusters and the rest. Launches are in <assay/hopper_host_cuda.h>, tensor
 * maps in <assay/hopper_tensor_map_cuda.h>, wgmma in <assay/hopper_wgmma.h>. Keep the list equal to the CPU device's. */
#ifndef ASSAY_HOPPER_CUDA_H
#define ASSAY_HOPPER_CUDA_H

#include <assay/hopper_host_cuda.h>
#include <assay/hopper_tensor_map_cuda.h>

/* 1 where the instructions below may be compiled: the host pass and the device pass for sm_90a. */
#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define ASSAY_HOPPER_CODE 1
#else
#define ASSAY_HOPPER_CODE 0
#endif

namespace assay
{

/* ---- mbarrier (PTX ISA: mbarrier): counts arrivals and, for copies, bytes; a completed count flips its phase ---- */

__device__ __forceinline__ void mbarrier_init(uint64_t *barrier, int arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(detail::shared_address(barrier)),
                 "r"(arrivals)
                 : "memory");
}
/* Make this thread's initialised barriers visible to TMA and to the cluster; before the barrier that follows. */
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
 * tensor cores or TMA are done with a buffer. (A release at the scope of the cluster costs a fence of all memory
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

/* ---- TMA (PTX ISA: cp.async.bulk.tensor) ----
 * x counts columns, y rows. A box begins at a multiple of 16 bytes of a row. Shared addresses are aligned to 128 bytes, and to 1024
 * where boxes of 128-byte rows are to be read by wgmma. One thread calls these. */

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
/* Make this thread's ordinary stores to shared memory visible to TMA and to wgmma; before the barrier that precedes
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
