// Kernels that are wrong, one mistake each; what is reported for them is held by detect_test.c.
#include <assay/kernel.h>
#define PROBE_KERNEL_SIDE
#include "probe.h"

static __global__ void barrier_in_branches(probe_args args)
{
    if (threadIdx.x < 16) {
        __syncthreads();
        static_cast<int *>(args.data)[0] = 1;
    } else {
        static_cast<int *>(args.data)[1] = 2;
        __syncthreads();
    }
}
PROBE_KERNEL(barrier_in_branches)

// clang-format off
static __global__ void barriers_on_one_line(probe_args args)
{
    if (threadIdx.x < 16) { __syncthreads(); } else { static_cast<int *>(args.data)[0] = 1; __syncthreads(); }
}
// clang-format on
PROBE_KERNEL(barriers_on_one_line)

static __global__ void matrix_after_exit(probe_args args)
{
    __shared__ __align__(16) __half tile[32][8];
    if (threadIdx.x == 31)
        return;
    uint32_t r[4];
    assay::ldmatrix_x4(r, tile[threadIdx.x]);
    static_cast<uint32_t *>(args.data)[threadIdx.x] = r[0];
}
PROBE_KERNEL(matrix_after_exit)

static __global__ void exit_before_matrix(probe_args args)
{
    __shared__ __align__(16) __half tile[32][8];
    if (threadIdx.x < 31) {
        uint32_t r[4];
        assay::ldmatrix_x4(r, tile[threadIdx.x]);
        static_cast<uint32_t *>(args.data)[threadIdx.x] = r[0];
    }
}
PROBE_KERNEL(exit_before_matrix)

static __global__ void mask_without_self(probe_args args)
{
    static_cast<int *>(args.data)[threadIdx.x] = __shfl_sync(0xffff0000u, 1, 16);
}
PROBE_KERNEL(mask_without_self)

static __global__ void different_operations(probe_args args)
{
    int value = 0;
    if (threadIdx.x % 2)
        value = __shfl_sync(0xffffffffu, 1, 0);
    else
        value = __any_sync(0xffffffffu, 1);
    static_cast<int *>(args.data)[threadIdx.x] = value;
}
PROBE_KERNEL(different_operations)

static __global__ void different_masks(probe_args args)
{
    const unsigned mask = threadIdx.x < 8 ? 0xffffffffu : 0xfffffff0u;
    static_cast<int *>(args.data)[threadIdx.x] = __shfl_xor_sync(mask, 1, 1);
}
PROBE_KERNEL(different_masks)

static __global__ void barrier_against_warp(probe_args args)
{
    if (threadIdx.x < 16)
        __syncthreads();
    else
        __syncwarp();
    static_cast<int *>(args.data)[threadIdx.x] = 1;
}
PROBE_KERNEL(barrier_against_warp)

static __global__ void read_past_end(probe_args args)
{
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const volatile int *data = static_cast<const int *>(args.data);
    if (i <= args.bytes / 4) // one too many
        args.result->checks =
            data[i < args.bytes / 4 ? i : i + 2 * args.variant]; // past the rounding to 16 bytes
}
PROBE_KERNEL(read_past_end)

static __global__ void write_before_start(probe_args args)
{
    if (threadIdx.x == 3)
        static_cast<volatile int *>(args.data)[-1024 * args.variant - static_cast<int>(args.bytes / 4)] = 1;
}
PROBE_KERNEL(write_before_start)

static __global__ void null_pointer(probe_args args)
{
    if (threadIdx.x == 7)
        *static_cast<volatile int *>(nullptr) = args.variant;
}
PROBE_KERNEL(null_pointer)

static __global__ void shared_overrun(probe_args args)
{
    ASSAY_DYNAMIC_SHARED(volatile int, tile);
    tile[threadIdx.x + args.shared_bytes / 4 - 31] = 1; // the last two threads are past the end
}
PROBE_KERNEL(shared_overrun)

static __global__ void shared_far_overrun(probe_args args)
{
    ASSAY_DYNAMIC_SHARED(volatile int, tile);
    if (threadIdx.x == 1)
        tile[(args.shared_bytes + 4096) / 4] = 1;
}
PROBE_KERNEL(shared_far_overrun)

static __global__ void static_overrun(probe_args args)
{
    __shared__ int tile[32], other[32];
    volatile int *unbounded = tile; // hides the array's size from the compiler
    unbounded[threadIdx.x + args.variant] = 1;
    other[threadIdx.x] = 2;
    __syncthreads();
    static_cast<int *>(args.data)[threadIdx.x] = tile[threadIdx.x] + other[threadIdx.x];
}
PROBE_KERNEL(static_overrun)

static __device__ __attribute__((noinline)) int recurse(volatile int *depth)
{
    volatile int local[64];
    local[0] = *depth;
    *depth = *depth + 1;
    return *depth < 1000000 ? recurse(depth) + local[0] : local[0];
}
static __global__ void deep_recursion(probe_args args)
{
    args.result->checks = recurse(static_cast<int *>(args.data));
}
PROBE_KERNEL(deep_recursion)

static __global__ void misaligned_load(probe_args args)
{
    const auto v =
        assay::load_vec<4>(static_cast<float *>(args.data) + threadIdx.x); // thread 1 is 4 bytes off
    static_cast<volatile float *>(args.data)[0] = v[0];
}
PROBE_KERNEL(misaligned_load)

static __global__ void misaligned_copy(probe_args args)
{
    __shared__ __align__(16) float tile[64];
    assay::cp_async_16(tile + 1, args.data);
}
PROBE_KERNEL(misaligned_copy)

static __global__ void misaligned_rows(probe_args args)
{
    __shared__ __align__(16) __half tile[16][20]; // rows of 40 bytes
    uint32_t r[4];
    assay::ldmatrix_x4(r, &tile[threadIdx.x % 16][0]);
    static_cast<uint32_t *>(args.data)[threadIdx.x] = r[0];
}
PROBE_KERNEL(misaligned_rows)

static __global__ void trapped(probe_args args)
{
    if (threadIdx.x == 5 && blockIdx.x == 1)
        __trap();
    static_cast<int *>(args.data)[threadIdx.x] = 1;
}
PROBE_KERNEL(trapped)

// Reads shared memory that nobody wrote: the poison shows (not a crash).
static __global__ void uninitialised_shared(probe_args args)
{
    ASSAY_DYNAMIC_SHARED(float, tile);
    __shared__ float fixed[32];
    if (threadIdx.x != 5)
        tile[threadIdx.x] = fixed[threadIdx.x] = 1.0f;
    __syncthreads();
    static_cast<float *>(args.data)[threadIdx.x] = tile[threadIdx.x];
    static_cast<float *>(args.data)[32 + threadIdx.x] = fixed[threadIdx.x];
}
PROBE_KERNEL(uninitialised_shared)

// Reads what another thread writes without a barrier between: right in one order of threads only.
static __global__ void missing_barrier(probe_args args)
{
    ASSAY_DYNAMIC_SHARED(int, tile);
    tile[threadIdx.x] = static_cast<int>(threadIdx.x) + 1;
    static_cast<int *>(args.data)[threadIdx.x] = tile[threadIdx.x ? threadIdx.x - 1 : 63];
}
PROBE_KERNEL(missing_barrier)

static __global__ void mark(probe_args args)
{
    static_cast<int *>(args.data)[threadIdx.x] = args.variant;
}
PROBE_KERNEL(mark)
// Launches on another stream than it was given.
extern "C" ASSAY_EXPORT assay_status wrong_stream_run(const probe_args *args, assay_stream stream)
{
    (void)stream;
    return assay::launch(mark, dim3(1), dim3(32), 0, nullptr, *args);
}
