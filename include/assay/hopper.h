/* Hopper's own instructions (compute capability 9.x, code for sm_90a) for kernel files: include it after <assay/kernel.h>.
 *
 * Each wrapper is one instruction; what it computes is defined by the PTX ISA section named beside it. The CPU device gives the
 * same functions in device/cpu/include/assay_simt/hopper_cpu.h. A module may hold code for older devices too: put the body of a
 * kernel that uses these names inside `#if ASSAY_HOPPER_CODE`, and launch it only where assay::hopper_available().
 *
 *   host    hopper_available(), multiprocessor_count(), cluster_limit(), launch_cluster(kernel, cluster, ...), launch_early(...),
 *           tensor_map, tensor_map_2d<T>(...), tensor_map_nd<T, Rank>(...), tensor_map_strided<T, Rank>(...)
 *   device  mbarrier_init / fence_init / arrive / arrive_expect / arrive_cluster / wait
 *           tma_load_2d / _3d / _4d, tma_load_2d_multicast, tma_store_2d / _3d / _4d, bulk_store, tma_store_commit, tma_store_wait_read<N>,
 *           tma_store_wait<N>,
 *           tma_prefetch_map, prefetch_l2, fence_async_shared
 *           wait_for_previous, let_next_begin, cluster_rank, cluster_sync, cluster_meet, elect_one, registers_increase<N>, registers_decrease<N>,
 *           named_barrier_sync, named_barrier_arrive, stmatrix_x4, stmatrix_x4_trans
 *           wgmma_fence, wgmma_m64k16<T, N>::run / run_registers, wgmma_m64k8_tf32<N>::run / run_registers, wgmma_commit, wgmma_wait<N>, wgmma_fence_operands,
 *           wgmma_descriptor, wgmma_descriptor_cores, wgmma_descriptor_rows
 */
#ifndef ASSAY_HOPPER_H
#define ASSAY_HOPPER_H

#include <assay/kernel.h>

#if defined(__CUDACC__) && !defined(ASSAY_CPU_DEVICE)
#include <assay/hopper_cuda.h>
#else
#include <assay_simt/hopper_cpu.h>
#endif

#endif
