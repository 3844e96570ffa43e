// Kernels whose mistakes only the checked build sees: races, uninitialised reads, bytes just outside of a buffer. Each has a right
// twin, chosen by args.variant = 0, that must pass.
#include <assay/kernel.h>
#define PROBE_KERNEL_SIDE
#include "probe.h"

#define WRONG (args.variant != 0)

static __global__ void race_without_barrier(probe_args args)
{
    __shared__ int tile[64];
    tile[threadIdx.x] = 0;
    __syncthreads();
    tile[threadIdx.x] = 1;
    if (!WRONG)
        __syncthreads();
    static_cast<int *>(args.data)[threadIdx.x] = tile[63 - threadIdx.x];
}
PROBE_KERNEL(race_without_barrier)

static __global__ void race_across_warps(probe_args args)
{
    ASSAY_DYNAMIC_SHARED(float, tile);
    tile[threadIdx.x] = 0.0f;
    __syncthreads();
    tile[threadIdx.x] = 1.0f;
    __syncwarp(); // enough within the warp only
    const unsigned other = WRONG ? (threadIdx.x + 32) % 64 : threadIdx.x ^ 1u;
    static_cast<float *>(args.data)[threadIdx.x] = tile[other];
}
PROBE_KERNEL(race_across_warps)

static __global__ void race_of_writes(probe_args args)
{
    __shared__ __half tile[64];
    tile[WRONG ? threadIdx.x % 32 : threadIdx.x] = __float2half(1.0f);
    __syncthreads();
    static_cast<float *>(args.data)[threadIdx.x] = __half2float(tile[threadIdx.x / 2]);
}
PROBE_KERNEL(race_of_writes)

// The second round overwrites what slower threads still read from the first.
static __global__ void race_between_rounds(probe_args args)
{
    __shared__ int total;
    for (int round = 0; round < 2; round++) {
        if (threadIdx.x == 0)
            total = round;
        __syncthreads();
        static_cast<int *>(args.data)[threadIdx.x] = total;
        if (!WRONG)
            __syncthreads();
    }
}
PROBE_KERNEL(race_between_rounds)

// Warp 0 hands a tile to warp 1 by a flag; there is no barrier. The wrong twin sets the flag without a fence.
static __global__ void race_without_fence(probe_args args)
{
    __shared__ int tile[32], ready;
    if (threadIdx.x == 0)
        ready = 0;
    __syncthreads();
    if (threadIdx.x < 32) {
        tile[threadIdx.x] = 1;
        __syncwarp();
        if (!WRONG)
            __threadfence_block();
        if (threadIdx.x == 0)
            atomicExch(&ready, 1);
    } else {
        while (atomicAdd(&ready, 0) == 0)
            __nanosleep(8);
        static_cast<int *>(args.data)[threadIdx.x] = tile[63 - threadIdx.x];
    }
}
PROBE_KERNEL(race_without_fence)

// The same, but one lane of warp 1 waits for all. In the wrong twin the others do not wait for that lane.
static __global__ void race_beside_flag(probe_args args)
{
    __shared__ int tile[32], ready;
    if (threadIdx.x == 0)
        ready = 0;
    if (threadIdx.x < 32)
        tile[threadIdx.x] = 0;
    __syncthreads();
    if (threadIdx.x < 32) {
        tile[threadIdx.x] = 1;
        __threadfence_block();
        __syncwarp();
        if (threadIdx.x == 0)
            atomicExch(&ready, 1);
    } else {
        while (threadIdx.x == 32 && atomicAdd(&ready, 0) == 0)
            __nanosleep(8);
        if (!WRONG)
            __syncwarp();
        static_cast<int *>(args.data)[threadIdx.x] = tile[63 - threadIdx.x];
    }
}
PROBE_KERNEL(race_beside_flag)

// A chain of warps, each of which waits for the one before by a volatile flag. In the wrong twin a warp sets its flag before it writes.
static __global__ void race_behind_flag(probe_args args)
{
    __shared__ int tile[4];
    __shared__ volatile int turn;
    const int warp = threadIdx.x / 32;
    if (threadIdx.x == 0)
        turn = 0;
    __syncthreads();
    if (threadIdx.x % 32 != 0)
        return;
    while (turn != warp)
        __nanosleep(8);
    if (!WRONG)
        tile[warp] = warp;
    __threadfence();
    turn = warp + 1;
    if (WRONG)
        tile[warp] = warp;
    __nanosleep(8);
    for (int before = 0; before < warp; before++)
        static_cast<int *>(args.data)[warp] += tile[before];
}
PROBE_KERNEL(race_behind_flag)

static __global__ void race_with_atomic(probe_args args)
{
    __shared__ int sum;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    atomicAdd(&sum, 1); // atomics do not race with each other
    if (!WRONG)
        __syncthreads();
    static_cast<int *>(args.data)[threadIdx.x] = sum;
}
PROBE_KERNEL(race_with_atomic)

// Each thread waits for its own copies only; the others' need the barrier.
static __global__ void race_with_async_copy(probe_args args)
{
    __shared__ __align__(16) float tile[64][4];
    tile[threadIdx.x][0] = 0.0f;
    __syncthreads();
    assay::cp_async_16(tile[threadIdx.x], static_cast<float *>(args.data) + 4 * (threadIdx.x % 32));
    assay::cp_async_commit();
    assay::cp_async_wait<0>();
    if (!WRONG)
        __syncthreads();
    args.result->checks = static_cast<int>(tile[63 - threadIdx.x][0]) + 1;
}
PROBE_KERNEL(race_with_async_copy)

static __global__ void read_unwritten(probe_args args)
{
    ASSAY_DYNAMIC_SHARED(float, tile);
    if (!WRONG || threadIdx.x != 5)
        tile[threadIdx.x] = 1.0f;
    __syncthreads();
    static_cast<float *>(args.data)[threadIdx.x] = tile[threadIdx.x];
}
PROBE_KERNEL(read_unwritten)

// ldmatrix reads rows that nobody filled.
static __global__ void rows_unwritten(probe_args args)
{
    __shared__ __align__(16) __nv_bfloat16 tile[16][24];
    if (threadIdx.x < (WRONG ? 15u : 16u))
        for (int i = 0; i < 16; i++)
            tile[threadIdx.x][i] = __float2bfloat16(1.0f);
    __syncthreads();
    uint32_t r[4];
    assay::ldmatrix_x4(r, &tile[threadIdx.x % 16][threadIdx.x % 32 / 16 * 8]);
    static_cast<uint32_t *>(args.data)[threadIdx.x] = r[1];
}
PROBE_KERNEL(rows_unwritten)

static __global__ void two_bytes_outside(probe_args args)
{
    // 1000 bytes are 500 halves; the allocation is rounded up to 1008 bytes, which no guard page covers.
    const __half *data = static_cast<const __half *>(args.data);
    if (threadIdx.x == 3)
        args.result->checks = static_cast<int>(data[WRONG ? 500 : 499].bits);
}
PROBE_KERNEL(two_bytes_outside)

static __global__ void before_the_start(probe_args args)
{
    float *data = static_cast<float *>(args.data);
    if (threadIdx.x == 3)
        data[WRONG ? -1 : 0] = 1.0f;
}
PROBE_KERNEL(before_the_start)

static __global__ void one_past_shared(probe_args args)
{
    ASSAY_DYNAMIC_SHARED(float, tile);
    tile[threadIdx.x + (WRONG ? 1 : 0)] = 1.0f;
    __syncthreads();
    static_cast<float *>(args.data)[threadIdx.x] = tile[threadIdx.x + (WRONG ? 1 : 0)];
}
PROBE_KERNEL(one_past_shared)

static __global__ void misaligned_float4(probe_args args)
{
    float *data = static_cast<float *>(args.data);
    const float4 *from = reinterpret_cast<const float4 *>(data + (WRONG ? threadIdx.x % 2 : 0));
    reinterpret_cast<float4 *>(data)[2 + threadIdx.x] = *from;
}
PROBE_KERNEL(misaligned_float4)
