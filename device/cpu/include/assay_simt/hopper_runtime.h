/* The C interface of the CPU device's Hopper part: what hopper_cpu.h's functions call in libassay_simt.so.
 *
 * Asynchronous work lands late: a load when no thread of the block can go on otherwise, a store when it is waited for, a product
 * at wgmma_wait. Hardware may finish at any time, and the latest moment shows a missing wait. The opposite moment shows a buffer that
 * is reused too early; so with threads in reversed order copies land at once, and in random order at either. */
#ifndef ASSAY_SIMT_HOPPER_RUNTIME_H
#define ASSAY_SIMT_HOPPER_RUNTIME_H

#include <assay_simt/runtime.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- mbarrier ---- */
ASSAY_EXPORT void assay_simt_mbarrier_init(uint64_t *barrier, int arrivals, const char *file, int line);
ASSAY_EXPORT void assay_simt_mbarrier_fence_init(void);
/* Arrive on the same barrier in block `rank` of the cluster, -1: the own one, and expect `bytes` bytes in this phase. */
ASSAY_EXPORT void assay_simt_mbarrier_arrive(uint64_t *barrier, int rank, int bytes, const char *op,
                                             const char *file, int line);
ASSAY_EXPORT void assay_simt_mbarrier_wait(uint64_t *barrier, int parity, const char *file, int line);

/* ---- named barriers ---- */
ASSAY_EXPORT void assay_simt_named_barrier(int id, int threads, int wait, const char *op, const char *file,
                                           int line);

/* ---- the copy engine ---- */
enum { ASSAY_SIMT_MAX_RANK = 4 };
typedef struct assay_simt_tensor_map {
    const char *base;
    int64_t extents[ASSAY_SIMT_MAX_RANK];          /* of elements, innermost first; 1 beyond the rank */
    int64_t stride_bytes[ASSAY_SIMT_MAX_RANK - 1]; /* of the outer dimensions */
    int box[ASSAY_SIMT_MAX_RANK];                  /* elements that a copy moves */
    int every[ASSAY_SIMT_MAX_RANK];                /* that many apart */
    uint32_t element_bytes, swizzle_bytes;         /* swizzle 0: none */
    uint32_t rank, magic;                          /* ASSAY_SIMT_TENSOR_MAP */
} assay_simt_tensor_map;
#define ASSAY_SIMT_TENSOR_MAP 0x736e6f72u

/* `rank` dimensions, innermost first, `stride_bytes` of the outer ones; of what `box` spans every `every`-th element.
 * ASSAY_ERR_INVALID for what cuTensorMapEncodeTiled refuses. */
ASSAY_EXPORT assay_status assay_simt_tensor_map_nd(assay_simt_tensor_map *map, const void *base, int rank,
                                                   const int64_t *extents, const int64_t *stride_bytes,
                                                   const int *box, const int *every, int element_bytes,
                                                   int swizzled);
/* A box's first element, innermost coordinate first; 0 beyond the map's rank. */
typedef struct assay_simt_box_at {
    int at[ASSAY_SIMT_MAX_RANK];
} assay_simt_box_at;
/* `rank`: coordinates given; `mask`: the blocks of the cluster that get the box, 0: the own one only. */
ASSAY_EXPORT void assay_simt_tma_load(void *shared, const assay_simt_tensor_map *map, uint64_t *barrier,
                                      assay_simt_box_at at, uint32_t rank, unsigned mask, const char *op,
                                      const char *file, int line);
ASSAY_EXPORT void assay_simt_tma_store(const assay_simt_tensor_map *map, const void *shared,
                                       assay_simt_box_at at, uint32_t rank, const char *op, const char *file,
                                       int line);
ASSAY_EXPORT void assay_simt_bulk_store(void *global, const void *shared, int bytes, const char *file,
                                        int line);
ASSAY_EXPORT void assay_simt_tma_commit(void);
ASSAY_EXPORT void assay_simt_tma_wait(uint32_t pending);

/* Ordinary stores by this thread that the copy engine and wgmma may not see before assay_simt_fence_async(). */
ASSAY_EXPORT void assay_simt_wrote_shared(const void *start, size_t bytes);
ASSAY_EXPORT void assay_simt_fence_async(void);

/* ---- wgmma ---- */
enum { ASSAY_SIMT_WGMMA_F16 = 0, ASSAY_SIMT_WGMMA_BF16 = 1, ASSAY_SIMT_WGMMA_TF32 = 2 };

typedef struct assay_simt_wgmma {
    float *d;              /* this thread's n / 2 sums */
    uint64_t a, b;         /* descriptors */
    uint32_t registers[4]; /* a's, if `a_in_registers` */
    int kind, n, a_in_registers, transpose_b, accumulate;
} assay_simt_wgmma;

ASSAY_EXPORT void assay_simt_wgmma_fence(void);
ASSAY_EXPORT void assay_simt_wgmma_start(const assay_simt_wgmma *product, const char *file, int line);
ASSAY_EXPORT void assay_simt_wgmma_commit(void);
ASSAY_EXPORT void assay_simt_wgmma_wait(uint32_t pending, const char *file, int line);
/* Offset of dynamic shared memory, as descriptors hold it; reports an address that lies elsewhere. */
ASSAY_EXPORT uint32_t assay_simt_shared_offset(const void *shared, const char *file, int line);

/* ---- clusters ---- */
ASSAY_EXPORT void assay_simt_cluster_barrier(const char *op, const char *file, int line);
ASSAY_EXPORT int assay_simt_cluster_rank(void);

#ifdef __cplusplus
}
#endif
#endif
