// Memory ceilings of a CUDA device: copy, read and write of device memory, and read of the second-level cache.
//
// Each kind is tried in several launch shapes, because none is the best on every card; the best one is then sampled.
// All kernels move 16 bytes a thread and access. Sizes are powers of two, so tiles always divide them.
#include "bench/ceilings/ceilings_cuda.cuh"
#include <cstdio>

namespace
{

using namespace ceilings;

enum kind { COPY, READ, WRITE, L2_READ };

// How a kernel is launched: vectors a thread and tile, threads a block, blocks an SM (0: one tile a block).
struct shape {
    int unroll, threads, blocks_per_sm;
};

struct job {
    kind what;
    shape form;
    const float4 *from;
    float4 *to;
    float *sink;
    int64_t vectors;
    int passes, sm_count;
};

template <int UNROLL>
__global__ void copy_kernel(const float4 *__restrict__ from, float4 *__restrict__ to, int64_t tiles)
{
    for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const int64_t base = tile * UNROLL * blockDim.x + threadIdx.x;
        float4 values[UNROLL];
#pragma unroll
        for (int i = 0; i < UNROLL; i++)
            values[i] = from[base + i * blockDim.x];
#pragma unroll
        for (int i = 0; i < UNROLL; i++)
            to[base + i * blockDim.x] = values[i];
    }
}

// __ldcg caches in L2 only: passes over a buffer that would fit the L1 caches must not come from there.
template <int UNROLL>
__global__ void read_kernel(const float4 *__restrict__ from, int64_t tiles, int passes, float never,
                            float *sink)
{
    float4 sum = {0, 0, 0, 0};
    int64_t shift = 0; // of the tiles from pass to pass, so that an SM does not meet its own lines again
    for (int pass = 0; pass < passes; pass++, shift = shift + 37 < tiles ? shift + 37 : 0)
        for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
            const int64_t wrapped = tile + shift < tiles ? tile + shift : tile + shift - tiles;
            const int64_t base = wrapped * UNROLL * blockDim.x + threadIdx.x;
            float4 values[UNROLL];
#pragma unroll
            for (int i = 0; i < UNROLL; i++)
                values[i] = __ldcg(&from[base + i * blockDim.x]);
#pragma unroll
            for (int i = 0; i < UNROLL; i++) {
                sum.x += values[i].x;
                sum.y += values[i].y;
                sum.z += values[i].z;
                sum.w += values[i].w;
            }
        }
    const float total = sum.x + sum.y + sum.z + sum.w;
    if (total == never) // not true for these data, which the compiler cannot know
        *sink = total;
}

template <int UNROLL>
__global__ void write_kernel(float4 *__restrict__ to, int64_t tiles)
{
    const float seed = static_cast<float>(threadIdx.x + 1);
    for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const int64_t base = tile * UNROLL * blockDim.x + threadIdx.x;
#pragma unroll
        for (int i = 0; i < UNROLL; i++)
            to[base + i * blockDim.x] = float4{seed, 0.25f * seed, -seed, 0.5f * seed};
    }
}

// Contents for the buffers that are read: random bits in [0.5, 1) with either sign.
__global__ void random_kernel(uint32_t *to, int64_t words)
{
    const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < words; i += step)
        to[i] = (mix(static_cast<uint32_t>(i)) & 0x807fffffu) | 0x3f000000u;
}

template <int UNROLL>
void launch_unrolled(const job &job, cudaStream_t stream)
{
    const int64_t tiles = job.vectors / (UNROLL * job.form.threads);
    const int64_t fixed = static_cast<int64_t>(job.form.blocks_per_sm) * job.sm_count;
    const unsigned blocks = static_cast<unsigned>(fixed == 0 || fixed > tiles ? tiles : fixed);
    const unsigned threads = static_cast<unsigned>(job.form.threads);
    if (job.what == COPY)
        copy_kernel<UNROLL><<<blocks, threads, 0, stream>>>(job.from, job.to, tiles);
    else if (job.what == WRITE)
        write_kernel<UNROLL><<<blocks, threads, 0, stream>>>(job.to, tiles);
    else
        read_kernel<UNROLL><<<blocks, threads, 0, stream>>>(job.from, tiles, job.passes, -1.0e30f, job.sink);
}

assay_status launch_job(void *context, assay_device *device, assay_error *error)
{
    const job &work = *static_cast<const job *>(context);
    cudaStream_t stream = assay_device_stream(device);
    switch (work.form.unroll) {
    case 1:
        launch_unrolled<1>(work, stream);
        break;
    case 2:
        launch_unrolled<2>(work, stream);
        break;
    case 4:
        launch_unrolled<4>(work, stream);
        break;
    default:
        launch_unrolled<8>(work, stream);
    }
    return check(cudaGetLastError(), "launch of a memory kernel", error);
}

assay_status launch_copy_engine(void *context, assay_device *device, assay_error *error)
{
    const job &work = *static_cast<const job *>(context);
    return assay_device_copy(device, work.to, work.from, work.vectors * 16, error);
}

// Try every shape with a few samples; leave the one with the least median in `work` and return that median.
assay_status choose_shape(assay_device *device, job &work, double &best_us, assay_error *error)
{
    shape best = {4, 256, 0};
    best_us = 0.0;
    for (int unroll = 1; unroll <= 8; unroll *= 2)
        for (int threads = 256; threads <= 1024; threads *= 2)
            for (int blocks_per_sm : {0, 2048 / threads, 4096 / threads}) {
                double us[CEILING_TRIAL_SAMPLES];
                work.form = {unroll, threads, blocks_per_sm};
                const assay_status status =
                    ceiling_time(device, launch_job, &work, CEILING_TRIAL_SAMPLES, 0, us, error);
                if (status != ASSAY_OK)
                    return status;
                const double median = ceiling_median(us, CEILING_TRIAL_SAMPLES);
                if (best_us == 0.0 || median < best_us) {
                    best_us = median;
                    best = work.form;
                }
            }
    work.form = best;
    return ASSAY_OK;
}

struct rate_case {
    const char *name, *what;
    double bytes, theoretical;
};

assay_status sample(assay_device *device, ceiling_launch launch, job &work, const rate_case &rate_case,
                    ceiling_list *list, assay_error *error)
{
    double rates[CEILING_SAMPLES];
    const assay_status status = ceiling_time(device, launch, &work, CEILING_SAMPLES, 0, rates, error);
    if (status != ASSAY_OK)
        return status;
    for (double &rate : rates)
        rate = rate_case.bytes / rate * 1e-3; // bytes a microsecond are 1e-3 GB/s
    if (launch == launch_copy_engine)
        return ceiling_add(list, rate_case.name, "GB/s", rates, CEILING_SAMPLES, rate_case.theoretical, error,
                           "%s, cudaMemcpyAsync, %.0f MiB a buffer, events, %d samples", rate_case.what,
                           static_cast<double>(work.vectors) * 16 / 1048576, CEILING_SAMPLES);
    char grid[32] = "one tile a block";
    if (work.form.blocks_per_sm > 0)
        snprintf(grid, sizeof grid, "%d blocks an SM", work.form.blocks_per_sm);
    return ceiling_add(
        list, rate_case.name, "GB/s", rates, CEILING_SAMPLES, rate_case.theoretical, error,
        "%s, kernel, %d x 16 bytes a thread, %d threads, %s, %.0f MiB a buffer, events, %d samples",
        rate_case.what, work.form.unroll, work.form.threads, grid,
        static_cast<double>(work.vectors) * 16 / 1048576, CEILING_SAMPLES);
}

// The better of a kernel in its best shape and the driver's own copy, which both are a copy of the same bytes.
assay_status measure_copy(assay_device *device, job &work, ceiling_list *list, assay_error *error)
{
    const rate_case copy = {"copy", "bytes read and written", work.vectors * 32.0, theoretical_gbs()};
    double kernel_us = 0.0, driver_us[CEILING_TRIAL_SAMPLES];
    work.what = COPY;
    assay_status status = choose_shape(device, work, kernel_us, error);
    if (status == ASSAY_OK)
        status = ceiling_time(device, launch_copy_engine, &work, CEILING_TRIAL_SAMPLES, 0, driver_us, error);
    if (status != ASSAY_OK)
        return status;
    const bool kernel_wins = kernel_us <= ceiling_median(driver_us, CEILING_TRIAL_SAMPLES);
    return sample(device, kernel_wins ? launch_job : launch_copy_engine, work, copy, list, error);
}

assay_status measure_kernel(assay_device *device, job &work, const rate_case &rate_case, ceiling_list *list,
                            assay_error *error)
{
    double ignored_us = 0.0;
    const assay_status status = choose_shape(device, work, ignored_us, error);
    return status == ASSAY_OK ? sample(device, launch_job, work, rate_case, list, error) : status;
}

int64_t power_of_two_below(int64_t value)
{
    int64_t power = 1;
    while (power * 2 <= value)
        power *= 2;
    return power;
}

// Half of the cache in whole tiles of every shape (8 vectors x 1024 threads x 16 bytes), read several times over.
void shrink_to_cache(job &work, const assay_device_info *info)
{
    const int64_t tile_bytes = 8 * 1024 * 16;
    const int64_t tiles = info->l2_bytes / 2 / tile_bytes > 0 ? info->l2_bytes / 2 / tile_bytes : 1;
    work.vectors = tiles * tile_bytes / 16;
    work.passes = static_cast<int>(power_of_two_below(((int64_t)1 << 30) / (tiles * tile_bytes) + 1));
    work.what = L2_READ;
}

assay_status measure_all(assay_device *device, job &work, int64_t bytes, ceiling_list *list,
                         assay_error *error)
{
    const assay_device_info *info = assay_device_get_info(device);
    const double once = static_cast<double>(bytes);
    assay_status status = measure_copy(device, work, list, error);
    if (status == ASSAY_OK) {
        work.what = READ;
        status = measure_kernel(device, work, {"read", "bytes read", once, theoretical_gbs()}, list, error);
    }
    if (status == ASSAY_OK) {
        work.what = WRITE;
        status =
            measure_kernel(device, work, {"write", "bytes written", once, theoretical_gbs()}, list, error);
    }
    if (status == ASSAY_OK) {
        shrink_to_cache(work, info);
        const double moved = work.vectors * 16.0 * work.passes;
        status = measure_kernel(device, work, {"l2", "bytes read from L2", moved, 0.0}, list, error);
    }
    return status;
}

} // namespace

extern "C" assay_status ceilings_measure_cuda_memory(assay_device *device, ceiling_list *list,
                                                     assay_error *error)
{
    const int64_t least = (int64_t)64 << 20, most = (int64_t)512 << 20;
    int64_t free_bytes = 0;
    assay_status status = assay_device_free_bytes(device, &free_bytes, error);
    if (status != ASSAY_OK)
        return status;
    if (free_bytes / 8 < least)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY,
                               "ceilings: %lld MiB of device memory are free, 512 are needed",
                               static_cast<long long>(free_bytes >> 20));
    const int64_t bytes = free_bytes / 8 < most ? power_of_two_below(free_bytes / 8) : most;
    void *from = nullptr, *to = nullptr, *sink = nullptr;
    status = assay_device_alloc(device, bytes, &from, error);
    if (status == ASSAY_OK)
        status = assay_device_alloc(device, bytes, &to, error);
    if (status == ASSAY_OK)
        status = assay_device_alloc(device, sizeof(float), &sink, error);
    if (status == ASSAY_OK) {
        random_kernel<<<1024, 256, 0, assay_device_stream(device)>>>(static_cast<uint32_t *>(from),
                                                                     bytes / 4);
        status = check(cudaGetLastError(), "launch of a memory kernel", error);
    }
    if (status == ASSAY_OK) {
        job work = {COPY,
                    {4, 256, 0},
                    static_cast<const float4 *>(from),
                    static_cast<float4 *>(to),
                    static_cast<float *>(sink),
                    bytes / 16,
                    1,
                    assay_device_get_info(device)->sm_count};
        status = measure_all(device, work, bytes, list, error);
    }
    assay_device_free(device, from);
    assay_device_free(device, to);
    assay_device_free(device, sink);
    return status;
}
