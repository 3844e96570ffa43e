// Wrong uses of Hopper's instructions, one mistake each; what is reported for them is held by hopper_detect_test.c.
#include <assay/kernel.h>
#include <assay/hopper.h>
#define PROBE_KERNEL_SIDE
#include "probe.h"

using element = __nv_bfloat16;
using map = assay::tensor_map;
static constexpr int BOX_BYTES = 8 * 128;

// Every kernel below gets a map of 7 rows of 64 elements, to be copied in boxes of 8 rows, and these two places.
#define PLACES                          \
    ASSAY_DYNAMIC_SHARED(element, box); \
    uint64_t *full = reinterpret_cast<uint64_t *>(reinterpret_cast<char *>(box) + BOX_BYTES)
#define MAPPED_KERNEL(name, cluster)                                                              \
    extern "C" ASSAY_EXPORT assay_status name##_run(const probe_args *args, assay_stream stream)  \
    {                                                                                             \
        map m = {};                                                                               \
        if (assay::tensor_map_2d(&m, static_cast<const element *>(args->data), 7, 64, 64, 8, 64)) \
            return ASSAY_ERR_INVALID;                                                             \
        return assay::launch_cluster(name, cluster, dim3(args->grid[0]), dim3(args->block[0]),    \
                                     args->shared_bytes, stream, m, *args);                       \
    }

static __device__ void make_barrier(uint64_t *barrier, int arrivals)
{
    if (threadIdx.x == 0) {
        assay::mbarrier_init(barrier, arrivals);
        assay::mbarrier_fence_init();
    }
    __syncthreads();
}

// ---- mbarrier ----

static __global__ void barrier_not_initialised(const __grid_constant__ map, probe_args)
{
    PLACES;
    assay::mbarrier_arrive(full);
    (void)box;
}
MAPPED_KERNEL(barrier_not_initialised, 1)

static __global__ void barrier_overwritten(const __grid_constant__ map, probe_args)
{
    PLACES;
    make_barrier(full, 1);
    for (int i = 0; i < BOX_BYTES / 2 + 4; i++) // four elements too many
        box[i] = assay::from_float<element>(0.0f);
    assay::mbarrier_arrive(full);
}
MAPPED_KERNEL(barrier_overwritten, 1)

static __global__ void barrier_not_fenced(const __grid_constant__ map m, probe_args)
{
    PLACES;
    assay::mbarrier_init(full, 1);
    assay::mbarrier_arrive_expect(full, BOX_BYTES);
    assay::tma_load_2d(box, &m, full, 0, 0);
    assay::mbarrier_wait(full, 0);
}
MAPPED_KERNEL(barrier_not_fenced, 1)

static __global__ void one_arrival_too_many(const __grid_constant__ map m, probe_args)
{
    PLACES;
    make_barrier(full, 1);
    if (threadIdx.x < 2)
        assay::mbarrier_arrive_expect(full, BOX_BYTES);
    if (threadIdx.x == 0)
        assay::tma_load_2d(box, &m, full, 0, 0);
    assay::mbarrier_wait(full, 0);
}
MAPPED_KERNEL(one_arrival_too_many, 1)

static __global__ void bytes_never_come(const __grid_constant__ map m, probe_args)
{
    PLACES;
    make_barrier(full, 1);
    if (threadIdx.x == 0) {
        assay::mbarrier_arrive_expect(full, 2 * BOX_BYTES); // but one box
        assay::tma_load_2d(box, &m, full, 0, 0);
    }
    assay::mbarrier_wait(full, 0);
}
MAPPED_KERNEL(bytes_never_come, 1)

static __global__ void wrong_parity(const __grid_constant__ map m, probe_args)
{
    PLACES;
    make_barrier(full, 1);
    if (threadIdx.x == 0) {
        assay::mbarrier_arrive_expect(full, BOX_BYTES);
        assay::tma_load_2d(box, &m, full, 0, 0);
    }
    assay::mbarrier_wait(full, 0);
    assay::mbarrier_wait(full, 1);
}
MAPPED_KERNEL(wrong_parity, 1)

static __global__ void named_barrier_counts(const __grid_constant__ map, probe_args)
{
    assay::named_barrier_sync(1, threadIdx.x < 32 ? 32 + 32 : 96);
}
MAPPED_KERNEL(named_barrier_counts, 1)

// ---- copies ----

static __global__ void load_not_waited_for(const __grid_constant__ map m, probe_args)
{
    PLACES;
    make_barrier(full, 1);
    if (threadIdx.x == 0) {
        assay::mbarrier_arrive_expect(full, BOX_BYTES);
        assay::tma_load_2d(box, &m, full, 0, 0);
    }
}
MAPPED_KERNEL(load_not_waited_for, 1)

static __global__ void load_misaligned(const __grid_constant__ map m, probe_args)
{
    PLACES;
    make_barrier(full, 1);
    assay::tma_load_2d(box + 8, &m, full, 0, 0);
}
MAPPED_KERNEL(load_misaligned, 1)

static __global__ void box_within_16_bytes(const __grid_constant__ map m, probe_args)
{
    PLACES;
    make_barrier(full, 1);
    assay::tma_load_2d(box, &m, full, 1, 0);
}
MAPPED_KERNEL(box_within_16_bytes, 1)

static __global__ void row_within_16_bytes(const __grid_constant__ map, probe_args args)
{
    PLACES;
    (void)full;
    assay::bulk_store(static_cast<element *>(args.data) + 1, box, 32);
}
MAPPED_KERNEL(row_within_16_bytes, 1)

static __global__ void row_from_within_16_bytes(const __grid_constant__ map, probe_args args)
{
    PLACES;
    (void)full;
    assay::bulk_store(args.data, box + 1, 32);
}
MAPPED_KERNEL(row_from_within_16_bytes, 1)

static __global__ void row_not_waited_for(const __grid_constant__ map, probe_args args)
{
    PLACES;
    (void)full;
    assay::bulk_store(args.data, box, 32);
    assay::tma_store_commit();
}
MAPPED_KERNEL(row_not_waited_for, 1)

static __global__ void row_of_24_bytes(const __grid_constant__ map, probe_args args)
{
    PLACES;
    (void)full;
    assay::bulk_store(args.data, box, 24);
}
MAPPED_KERNEL(row_of_24_bytes, 1)

static __global__ void row_outside(const __grid_constant__ map, probe_args args)
{
    PLACES;
    (void)full;
    assay::bulk_store(args.data, box + 512, 32);
}
MAPPED_KERNEL(row_outside, 1)

static __global__ void load_outside(const __grid_constant__ map m, probe_args)
{
    PLACES;
    make_barrier(full, 1);
    assay::tma_load_2d(box + 512, &m, full, 0, 0);
}
MAPPED_KERNEL(load_outside, 1)

static __global__ void map_not_made(const __grid_constant__ map, probe_args)
{
    PLACES;
    make_barrier(full, 1);
    const map other = {};
    assay::tma_load_2d(box, &other, full, 0, 0);
}
MAPPED_KERNEL(map_not_made, 1)

static __device__ void fill_by_matrices(element *box)
{
    const uint32_t zeros[4] = {};
    assay::stmatrix_x4(box + threadIdx.x * 8, zeros);
    assay::stmatrix_x4(box + 256 + threadIdx.x * 8, zeros);
}

static __global__ void store_without_fence(const __grid_constant__ map m, probe_args)
{
    PLACES;
    fill_by_matrices(box);
    __syncthreads();
    if (threadIdx.x == 0) {
        assay::tma_store_2d(&m, box, 0, 0);
        assay::tma_store_commit();
        assay::tma_store_wait_read<0>();
    }
    (void)full;
}
MAPPED_KERNEL(store_without_fence, 1)

static __global__ void row_without_fence(const __grid_constant__ map, probe_args args)
{
    PLACES;
    fill_by_matrices(box);
    __syncthreads();
    if (threadIdx.x == 0)
        assay::bulk_store(args.data, box, 32);
    (void)full;
}
MAPPED_KERNEL(row_without_fence, 1)

static __global__ void store_not_waited_for(const __grid_constant__ map m, probe_args)
{
    PLACES;
    fill_by_matrices(box);
    assay::fence_async_shared();
    __syncthreads();
    if (threadIdx.x == 0) {
        assay::tma_store_2d(&m, box, 0, 0);
        assay::tma_store_commit();
    }
    (void)full;
}
MAPPED_KERNEL(store_not_waited_for, 1)

// ---- wgmma ----

enum mistake { NOTHING, NO_FENCE, NO_WAIT, DIFFERENT, AMID_SWIZZLE, OUTSIDE, IN_GLOBAL };

template <mistake Mistake>
static __device__ void multiply(const element *a, const void *global)
{
    float sums[32] = {};
    if (Mistake != NO_FENCE)
        assay::wgmma_fence();
    const element *b = a + 64 * 64;
    if (Mistake == DIFFERENT && threadIdx.x == 77)
        b += 64;
    if (Mistake == AMID_SWIZZLE)
        b += 64 * 3;
    if (Mistake == OUTSIDE)
        b += 64 * 56;
    if (Mistake == IN_GLOBAL)
        b = static_cast<const element *>(global);
    assay::wgmma_m64k16<element, 64>::run(sums, assay::wgmma_descriptor(a, 16, 1024),
                                          assay::wgmma_descriptor(b, 8192, 1024), 0);
    assay::wgmma_commit();
    if (Mistake != NO_WAIT)
        assay::wgmma_wait<0>();
}
#define WRONG_PRODUCT(name, mistake)                                          \
    static __global__ void name(const __grid_constant__ map, probe_args args) \
    {                                                                         \
        ASSAY_DYNAMIC_SHARED(element, a);                                     \
        multiply<mistake>(a, args.data);                                      \
    }                                                                         \
    MAPPED_KERNEL(name, 1)
WRONG_PRODUCT(product_without_fence, NO_FENCE)
WRONG_PRODUCT(product_not_waited_for, NO_WAIT)
WRONG_PRODUCT(product_of_different_operands, DIFFERENT)
WRONG_PRODUCT(product_amid_a_swizzle, AMID_SWIZZLE)
WRONG_PRODUCT(product_outside, OUTSIDE)
WRONG_PRODUCT(product_from_global, IN_GLOBAL)

static __global__ void product_of_unfenced_stores(const __grid_constant__ map, probe_args args)
{
    ASSAY_DYNAMIC_SHARED(element, a);
    const uint32_t zeros[4] = {};
    assay::stmatrix_x4(a + threadIdx.x * 8, zeros);
    __syncthreads();
    multiply<NOTHING>(a, args.data);
}
MAPPED_KERNEL(product_of_unfenced_stores, 1)

// ---- clusters ----

static __global__ void block_ended_too_early(const __grid_constant__ map, probe_args)
{
    PLACES;
    if (threadIdx.x == 0) {
        assay::mbarrier_init(full, 1);
        assay::mbarrier_fence_init();
    }
    assay::cluster_meet();
    if (assay::cluster_rank() == 1 && threadIdx.x == 0) {
        for (int i = 0; i < 100; i++)
            __nanosleep(10);
        assay::mbarrier_arrive_cluster(full, 0);
    }
    (void)box;
}
MAPPED_KERNEL(block_ended_too_early, 2)

static __global__ void no_such_block(const __grid_constant__ map, probe_args)
{
    PLACES;
    make_barrier(full, 1);
    assay::mbarrier_arrive_cluster(full, 2);
    (void)box;
}
MAPPED_KERNEL(no_such_block, 2)
