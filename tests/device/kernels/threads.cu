// Coordinates, barriers, shared memory, warp operations and cooperative groups, each checked by the kernel itself.
#include <assay/kernel.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#define PROBE_KERNEL_SIDE
#include "probe.h"

namespace cg = cooperative_groups;

static __device__ unsigned linear_thread()
{
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
static __device__ unsigned linear_block()
{
    return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
}

// Every thread of every block is there exactly once.
static __global__ void coordinates(probe_args args)
{
    const unsigned per_block = blockDim.x * blockDim.y * blockDim.z;
    EXPECT(threadIdx.x < blockDim.x && threadIdx.y < blockDim.y && threadIdx.z < blockDim.z);
    EXPECT(blockIdx.x < gridDim.x && blockIdx.y < gridDim.y && blockIdx.z < gridDim.z);
    const dim3 block = blockDim, grid = gridDim;
    EXPECT(block.x == args.block[0] && block.y == args.block[1] && block.z == args.block[2]);
    EXPECT(grid.x == args.grid[0] && grid.y == args.grid[1] && grid.z == args.grid[2]);
    EXPECT(atomicAdd(static_cast<int *>(args.data) + (linear_block() * per_block + linear_thread()), 1) == 0);
    EXPECT(warpSize == 32);
}
PROBE_KERNEL(coordinates)

// A barrier separates writes from reads; state of local variables survives it.
static __global__ void barriers(probe_args args)
{
    __shared__ int next[1024];
    __shared__ int previous[2][1024];
    const int me = static_cast<int>(linear_thread()),
              count = static_cast<int>(blockDim.x * blockDim.y * blockDim.z);
    int value = me;
    for (int round = 0; round < 5; round++) {
        next[me] = value;
        previous[round & 1][me] = value;
        __syncthreads();
        value = next[(me + 1) % count];
        __syncthreads();
    }
    EXPECT(value == (me + 5) % count);
    EXPECT(previous[0][me] == (me + 4) % count);
}
PROBE_KERNEL(barriers)

static __global__ void counting_barriers(probe_args args)
{
    const int me = static_cast<int>(linear_thread()),
              count = static_cast<int>(blockDim.x * blockDim.y * blockDim.z);
    for (int round = 0; round < 3; round++) {
        EXPECT(__syncthreads_count(me % 3 == round) == (count + 2 - round) / 3);
        EXPECT(__syncthreads_or(me == round) == 1);
        EXPECT(__syncthreads_or(me < 0) == 0);
        EXPECT(__syncthreads_and(me != round) == 0);
        EXPECT(__syncthreads_and(me >= 0) == 1);
    }
}
PROBE_KERNEL(counting_barriers)

// Dynamic and static shared memory are each block's own, aligned, and as large as asked for.
static __global__ void dynamic_shared(probe_args args)
{
    ASSAY_DYNAMIC_SHARED(int, tile);
    __shared__ __align__(128) int fixed[64];
    EXPECT((reinterpret_cast<uintptr_t>(tile) & 1023u) == 0);
    EXPECT((reinterpret_cast<uintptr_t>(fixed) & 127u) == 0);
    const int me = static_cast<int>(linear_thread()),
              count = static_cast<int>(blockDim.x * blockDim.y * blockDim.z);
    const int words = static_cast<int>(args.shared_bytes / sizeof(int)),
              block = static_cast<int>(linear_block());
    for (int i = me; i < words; i += count)
        tile[i] = block + i;
    if (me < 64)
        fixed[me] = block - me;
    __syncthreads();
    bool good = true;
    for (int i = count - 1 - me; i < words; i += count)
        good = good && tile[i] == block + i;
    EXPECT(good);
    EXPECT(fixed[me % 64] == block - me % 64);
}
PROBE_KERNEL(dynamic_shared)

template <class T>
static __device__ void check_shuffles(const probe_args &args, int lane)
{
    const unsigned all = 0xffffffffu;
    const T mine = T(static_cast<float>(lane));
    auto number = [](T value) { return static_cast<int>(static_cast<float>(value)); };
    EXPECT(number(__shfl_sync(all, mine, 5)) == 5);
    EXPECT(number(__shfl_sync(all, mine, lane + 33)) == (lane + 1) % 32);
    EXPECT(number(__shfl_sync(all, mine, 3, 8)) == (lane & ~7) + 3);
    EXPECT(number(__shfl_up_sync(all, mine, 1)) == (lane ? lane - 1 : 0));
    EXPECT(number(__shfl_up_sync(all, mine, 3, 8)) == (lane % 8 < 3 ? lane : lane - 3));
    EXPECT(number(__shfl_down_sync(all, mine, 16)) == (lane < 16 ? lane + 16 : lane));
    EXPECT(number(__shfl_down_sync(all, mine, 2, 4)) == (lane % 4 < 2 ? lane + 2 : lane));
    EXPECT(number(__shfl_xor_sync(all, mine, 1)) == (lane ^ 1));
    EXPECT(number(__shfl_xor_sync(all, mine, 31)) == 31 - lane);
    EXPECT(number(__shfl_xor_sync(all, mine, 8, 8)) ==
           (lane % 16 < 8 ? lane : lane - 8)); // only earlier segments are readable
}

static __global__ void shuffles(probe_args args)
{
    const int lane = static_cast<int>(linear_thread() % 32);
    check_shuffles<int>(args, lane);
    check_shuffles<unsigned>(args, lane);
    check_shuffles<long long>(args, lane);
    check_shuffles<unsigned long long>(args, lane);
    check_shuffles<float>(args, lane);
    check_shuffles<double>(args, lane);
    check_shuffles<__half>(args, lane);
    check_shuffles<__nv_bfloat16>(args, lane);
    const __half2 pair = __floats2half2_rn(static_cast<float>(lane), 1.0f);
    EXPECT(__low2float(__shfl_xor_sync(0xffffffffu, pair, 2)) == static_cast<float>(lane ^ 2));
    // Halves of a warp in different branches: their masks are disjoint.
    const unsigned half = lane < 16 ? 0xffffu : 0xffff0000u;
    int value = lane;
    if (lane < 16)
        value = __shfl_xor_sync(half, value, 15);
    else
        value = __shfl_xor_sync(half, value, 1);
    EXPECT(value == (lane < 16 ? lane ^ 15 : lane ^ 1));
}
PROBE_KERNEL(shuffles)

static __global__ void votes(probe_args args)
{
    const int lane = static_cast<int>(linear_thread() % 32);
    const unsigned all = 0xffffffffu;
    EXPECT(__ballot_sync(all, lane % 2) == 0xaaaaaaaau);
    EXPECT(__any_sync(all, lane == 31) == 1);
    EXPECT(__any_sync(all, lane == 32) == 0);
    EXPECT(__all_sync(all, lane < 32) == 1);
    EXPECT(__all_sync(all, lane < 31) == 0);
    EXPECT((__activemask() >> lane) & 1u);
    EXPECT(__match_any_sync(all, lane / 4) == 0xfu << (lane & ~3));
    int same = -1;
    EXPECT(__match_all_sync(all, 7.0f, &same) == all && same == 1);
    EXPECT(__match_all_sync(all, lane, &same) == 0 && same == 0);
    EXPECT(__reduce_add_sync(all, lane) == 496);
    EXPECT(__reduce_add_sync(all, static_cast<unsigned>(lane)) == 496u);
    EXPECT(__reduce_min_sync(all, lane - 16) == -16);
    EXPECT(__reduce_max_sync(all, static_cast<unsigned>(lane)) == 31u);
    EXPECT(__reduce_and_sync(all, 0xf0u | static_cast<unsigned>(lane)) == 0xf0u);
    EXPECT(__reduce_or_sync(all, 1u << lane) == all);
    EXPECT(__reduce_xor_sync(all, 1u << (lane / 2)) == 0u);
    __syncwarp();
    if (lane < 8)
        EXPECT(__reduce_add_sync(0xffu, 1) == 8);
    __syncwarp(all);
    // A lane may wait for the whole warp while others, named in its mask, first meet among themselves.
    if (lane % 4 != 1)
        EXPECT(__reduce_add_sync(lane % 4 == 3 ? 0x88888888u : 0x55555555u, lane % 4) ==
               (lane % 4 == 3 ? 24 : 16));
    EXPECT(__ballot_sync(all, lane < 3) == 7u);
}
PROBE_KERNEL(votes)

// Lanes that have ended are left out of votes; lanes beyond the block are in no mask.
static __global__ void ended_lanes(probe_args args)
{
    const unsigned me = linear_thread(), count = blockDim.x;
    const unsigned first = me & ~31u, lanes = count - first < 32 ? count - first : 32;
    const unsigned exist = lanes == 32 ? 0xffffffffu : (1u << lanes) - 1u;
    EXPECT(__ballot_sync(0xffffffffu, 1) == exist);
    EXPECT(__shfl_sync(0xffffffffu, static_cast<int>(me), 0) == static_cast<int>(first));
    if (me % 2)
        return;
    __syncwarp();
    EXPECT(__ballot_sync(0xffffffffu, 1) == (exist & 0x55555555u));
    EXPECT(__all_sync(0xffffffffu, me % 2 == 0));
    // A mask may name lanes that have ended; what is read from them is no value.
    EXPECT(__shfl_sync(0xffffffffu, static_cast<int>(me), 0) == static_cast<int>(first));
    const float next = __shfl_xor_sync(0xffffffffu, 1.0f, 1);
    EXPECT(next != next);
    EXPECT(__match_any_sync(0xffffffffu, 5) == (exist & 0x55555555u));
}
PROBE_KERNEL(ended_lanes)

// Barriers wait for the threads that have not ended, whether they came before the last end or after.
static __global__ void ended_threads(probe_args args)
{
    __shared__ int count;
    const unsigned me = linear_thread(), threads = blockDim.x;
    if (me == 0)
        count = 0;
    __syncthreads();
    if (me % 3 == 1)
        return;
    atomicAdd(&count, 1);
    __syncthreads();
    EXPECT(count == static_cast<int>(threads - (threads + 1) / 3));
    if (me % 3 == 2)
        return;
    EXPECT(__syncthreads_count(1) == static_cast<int>((threads + 2) / 3));
}
PROBE_KERNEL(ended_threads)

// The lanes that are together: all of a warp in code that all run, those of a branch in it, none that has ended.
static __global__ void active_lanes(probe_args args)
{
    const unsigned me = linear_thread(), lane = me % 32, count = blockDim.x;
    const unsigned first = me & ~31u, lanes = count - first < 32 ? count - first : 32;
    const unsigned exist = lanes == 32 ? 0xffffffffu : (1u << lanes) - 1u;
    EXPECT(__activemask() == exist);
    if (lane < 8)
        EXPECT(__activemask() == (exist & 0xffu));
    else
        EXPECT(__activemask() == (exist & ~0xffu));
    for (unsigned round = 0; round < lane % 4; round++) // lanes leave the loop one round after the other
        EXPECT(__activemask() == (exist & (round == 0   ? 0xeeeeeeeeu
                                           : round == 1 ? 0xccccccccu
                                                        : 0x88888888u)));
    __syncthreads();
    EXPECT(__activemask() == exist);
    if (lane % 2)
        return;
    const cg::coalesced_group group = cg::coalesced_threads();
    const unsigned rank = lane / 2, size = (lanes + 1) / 2;
    EXPECT(group.size() == size && group.thread_rank() == rank);
    EXPECT(group.shfl(lane, 0) == 0 && group.shfl(lane, size - 1) == 2 * (size - 1));
    EXPECT(group.shfl_down(lane, 1) == (rank + 1 < size ? lane + 2 : lane));
    EXPECT(group.shfl_up(lane, 1) == (rank > 0 ? lane - 2 : lane));
    EXPECT(group.ballot(rank == 1) == (size > 1 ? 2u : 0u));
    EXPECT(cg::reduce(group, 1, cg::plus<int>()) == static_cast<int>(size));
    const cg::coalesced_group half = cg::binary_partition(group, rank < size / 2);
    EXPECT(half.size() == (rank < size / 2 ? size / 2 : size - size / 2));
}
PROBE_KERNEL(active_lanes)

// A lane waits to learn who is with it while another one spins for it.
static __global__ void active_beside_spin(probe_args args)
{
    int *flag = static_cast<int *>(args.data);
    if (threadIdx.x == 0) {
        EXPECT(__activemask() == 1u);
        atomicExch(flag, 1);
    } else {
        while (atomicCAS(flag, 2, 2) == 0)
            ;
        EXPECT(*flag == 1);
    }
}
PROBE_KERNEL(active_beside_spin)

template <unsigned Size>
static __device__ void check_tile(const probe_args &args)
{
    const auto block = cg::this_thread_block();
    const auto tile = cg::tiled_partition<Size>(block);
    const int rank = static_cast<int>(tile.thread_rank());
    EXPECT(tile.size() == Size && tile.num_threads() == Size);
    EXPECT(static_cast<unsigned>(rank) == block.thread_rank() % Size);
    EXPECT(tile.meta_group_rank() == block.thread_rank() / Size);
    EXPECT(tile.shfl(rank, 0) == 0);
    EXPECT(tile.shfl_xor(rank, Size / 2) == (rank ^ static_cast<int>(Size / 2)));
    EXPECT(tile.shfl_down(rank, 1) == (rank + 1 < static_cast<int>(Size) ? rank + 1 : rank));
    EXPECT(tile.shfl_up(rank, 1) == (rank > 0 ? rank - 1 : rank));
    EXPECT(cg::reduce(tile, rank, cg::plus<int>()) == static_cast<int>(Size * (Size - 1) / 2));
    EXPECT(cg::reduce(tile, rank, cg::less<int>()) == 0);
    EXPECT(cg::reduce(tile, static_cast<float>(rank), cg::greater<float>()) == static_cast<float>(Size - 1));
    EXPECT(tile.ballot(rank == 0) == 1u);
    EXPECT(tile.any(rank == 0) == 1 && tile.all(rank == 0) == (Size == 1));
    tile.sync();
}

static __global__ void groups(probe_args args)
{
    const auto block = cg::this_thread_block();
    EXPECT(block.thread_rank() == linear_thread());
    EXPECT(block.size() == blockDim.x * blockDim.y * blockDim.z);
    EXPECT(block.group_index().x == blockIdx.x && block.thread_index().y == threadIdx.y);
    check_tile<32>(args);
    check_tile<16>(args);
    check_tile<4>(args);
    check_tile<1>(args);
    block.sync();
    cg::sync(block);
    EXPECT(cg::coalesced_threads().size() == 32);
}
PROBE_KERNEL(groups)

// A deterministic mix of barriers and warp operations whose result must not depend on the order of threads or on the workers.
static __global__ void mixed(probe_args args)
{
    __shared__ float partial[32];
    const unsigned me = linear_thread(), count = blockDim.x * blockDim.y * blockDim.z;
    float value = static_cast<float>((me * 2654435761u + linear_block()) >> 8) * 1e-3f;
    for (int round = 0; round < 3; round++) {
        for (int offset = 16; offset > 0; offset /= 2)
            value += 0.5f * __shfl_xor_sync(0xffffffffu, value, offset);
        if (me % 32 == 0)
            partial[me / 32] = value;
        __syncthreads();
        for (unsigned i = 0; i < count / 32; i++)
            value = value * 0.75f + partial[i];
        __syncthreads();
    }
    static_cast<float *>(args.data)[linear_block() * count + me] = value;
    EXPECT(value == value);
}
PROBE_KERNEL(mixed)

// A lock by atomicCAS within a block: the waiting threads must let the holder go on.
static __global__ void spin_lock(probe_args args)
{
    int *lock = static_cast<int *>(args.data), *shared_count = lock + 1;
    while (atomicCAS(lock, 0, 1) != 0)
        __nanosleep(20);
    const int seen = *shared_count;
    __syncwarp(1u << (linear_thread() % 32)); // gives others a chance to break in
    *shared_count = seen + 1;
    __threadfence();
    atomicExch(lock, 0);
    EXPECT(seen >= 0);
}
PROBE_KERNEL(spin_lock)

extern "C" ASSAY_EXPORT assay_status by_value_run(const probe_args *args, assay_stream stream);
struct by_value_parameter {
    double numbers[40];
};
static __global__ void by_value(const __grid_constant__ by_value_parameter parameter, probe *result,
                                int64_t number)
{
    probe_args args = {};
    args.result = result;
    EXPECT(number == (int64_t(1) << 40) + 1);
    EXPECT(parameter.numbers[39] == 39.0);
}
// Arguments convert to the parameters' types (here int to int64_t would lose bits if it happened too late).
extern "C" assay_status by_value_run(const probe_args *args, assay_stream stream)
{
    by_value_parameter parameter;
    for (int i = 0; i < 40; i++)
        parameter.numbers[i] = i;
    return assay::launch(by_value, dim3(args->grid[0]), dim3(args->block[0]), 0, stream, parameter,
                         args->result, (1ll << 40) + 1);
}
