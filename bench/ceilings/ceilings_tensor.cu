// Tensor-core ceilings of a CUDA device: dense f16, bf16 and tf32 products accumulating in f32.
//
// mma.sync works from registers and is there from sm_80 on; wgmma works from shared memory and is what reaches Hopper's
// full rate. Each is tried in several shapes and the best is sampled. Operands are random with a full mantissa: zeros
// would run faster than any real product. Samples are short and far apart, because a longer load meets the power cap,
// which lowers the clock: these are the rates a kernel can reach, not those it can hold.
#include "bench/ceilings/ceilings_cuda.cuh"
#include "bench/ceilings/ceilings_wgmma.cuh"
#include <cmath>

namespace
{

using namespace ceilings;

constexpr int PAUSE_MS = 20, MMA_LOOPS = 16384, WGMMA_LOOPS = 2048;
constexpr int MMA_ROWS = 2, MMA_COLUMNS = 4; // independent accumulators of a warp
constexpr int WGMMA_TILE_BYTES = 128;        // of K: one swizzled row, 4 instructions of 32 bytes
constexpr int WGMMA_A_BYTES = 64 * WGMMA_TILE_BYTES, WGMMA_B_BYTES = 256 * WGMMA_TILE_BYTES;

enum feature { HAS_MMA = 1, HAS_WGMMA = 2 };

// Which instructions the code that the driver picked for this card was compiled with.
__global__ void features_kernel(int *features)
{
#if ASSAY_CEILINGS_WGMMA
    *features = HAS_MMA | HAS_WGMMA;
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    *features = HAS_MMA;
#else
    *features = 0;
#endif
}

// Random operand bits: signs and mantissas are random, magnitudes lie in [0.5, 1).
template <operand TYPE>
__device__ __forceinline__ uint32_t random_operand(uint32_t counter)
{
    const uint32_t bits = mix(counter);
    if (TYPE == operand::f16)
        return (bits & 0x83ff83ffu) | 0x38003800u;
    if (TYPE == operand::bf16)
        return (bits & 0x807f807fu) | 0x3f003f00u;
    return (bits & 0x807fe000u) | 0x3f000000u;
}

template <operand TYPE>
__device__ __forceinline__ void mma_sync(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2])
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    // clang-format off
#define ASSAY_MMA(shape_and_types)                                                                              \
    asm volatile("mma.sync.aligned." shape_and_types " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                               \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))
    // clang-format on
    if constexpr (TYPE == operand::f16)
        ASSAY_MMA("m16n8k16.row.col.f32.f16.f16.f32");
    else if constexpr (TYPE == operand::bf16)
        ASSAY_MMA("m16n8k16.row.col.f32.bf16.bf16.f32");
    else
        ASSAY_MMA("m16n8k8.row.col.f32.tf32.tf32.f32");
#undef ASSAY_MMA
#endif
}

template <operand TYPE>
__global__ void mma_kernel(float *sums)
{
    uint32_t a[MMA_ROWS][4], b[MMA_COLUMNS][2];
    float d[MMA_ROWS][MMA_COLUMNS][4] = {};
    const uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < MMA_ROWS * 4; i++)
        a[i / 4][i % 4] = random_operand<TYPE>(thread * 16u + i);
    for (int i = 0; i < MMA_COLUMNS * 2; i++)
        b[i / 2][i % 2] = random_operand<TYPE>(~(thread * 16u + i));
    for (int loop = 0; loop < MMA_LOOPS; loop++)
#pragma unroll
        for (int row = 0; row < MMA_ROWS; row++)
#pragma unroll
            for (int column = 0; column < MMA_COLUMNS; column++)
                mma_sync<TYPE>(d[row][column], a[row], b[column]);
    float sum = 0.0f;
    for (int i = 0; i < MMA_ROWS * MMA_COLUMNS * 4; i++)
        sum += fabsf(d[i / 16][i / 4 % 4][i % 4]);
    sums[thread] = sum;
}

// Each warpgroup has a tile of A of its own, all share one of B, as in a real product's block.
template <operand TYPE>
__global__ void __launch_bounds__(384) wgmma_kernel(float *sums)
{
#if ASSAY_CEILINGS_WGMMA
    extern __shared__ __align__(1024) unsigned char shared[];
    const uint32_t misalignment = static_cast<uint32_t>(__cvta_generic_to_shared(shared)) & 1023u;
    unsigned char *tiles = shared + (misalignment ? 1024u - misalignment : 0u);
    const int words = (blockDim.x / 128 * WGMMA_A_BYTES + WGMMA_B_BYTES) / 4;
    for (int i = threadIdx.x; i < words; i += blockDim.x)
        reinterpret_cast<uint32_t *>(tiles)[i] = random_operand<TYPE>(blockIdx.x * words + i);
    asm volatile("fence.proxy.async;" ::: "memory"); // wgmma reads through the asynchronous proxy
    __syncthreads();

    float d[128] = {};
    const uint64_t b = wgmma_descriptor(tiles);
    const uint64_t a = wgmma_descriptor(tiles + WGMMA_B_BYTES + threadIdx.x / 128 * WGMMA_A_BYTES);
    for (int loop = 0; loop < WGMMA_LOOPS; loop++) {
        wgmma_fence();
#pragma unroll
        for (int step = 0; step < WGMMA_TILE_BYTES / 32; step++)
            wgmma_n256<TYPE>(d, a + 2 * step, b + 2 * step); // addresses count in units of 16 bytes
        wgmma_commit();
        wgmma_wait<1>();
    }
    wgmma_wait<0>();
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < 128; i++)
        sum += fabsf(d[i]);
    sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
#endif
}

struct job {
    operand type;
    bool wgmma;
    int warps, blocks_per_sm, sm_count;
    float *sums;
};

// Tiles of the given warps and what it takes to align them.
constexpr int shared_bytes(int warps)
{
    return warps / 4 * WGMMA_A_BYTES + WGMMA_B_BYTES + 1024;
}

// Once for all launches: beyond 48 KiB, dynamic shared memory has to be asked for.
template <operand TYPE>
cudaError_t allow_shared_bytes(int warps)
{
    return cudaFuncSetAttribute(wgmma_kernel<TYPE>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                shared_bytes(warps));
}

template <operand TYPE>
cudaError_t launch_typed(const job &work, cudaStream_t stream)
{
    const unsigned blocks = static_cast<unsigned>(work.blocks_per_sm * work.sm_count);
    const unsigned threads = static_cast<unsigned>(work.warps * 32);
    if (!work.wgmma) {
        mma_kernel<TYPE><<<blocks, threads, 0, stream>>>(work.sums);
        return cudaGetLastError();
    }
    wgmma_kernel<TYPE><<<blocks, threads, shared_bytes(work.warps), stream>>>(work.sums);
    return cudaGetLastError();
}

assay_status launch(void *context, assay_device *device, assay_error *error)
{
    const job &work = *static_cast<const job *>(context);
    cudaStream_t stream = assay_device_stream(device);
    const cudaError_t code = work.type == operand::f16    ? launch_typed<operand::f16>(work, stream)
                             : work.type == operand::bf16 ? launch_typed<operand::bf16>(work, stream)
                                                          : launch_typed<operand::tf32>(work, stream);
    return check(code, "launch of a tensor-core kernel", error);
}

double launch_flops(const job &work)
{
    const double halving = work.type == operand::tf32 ? 0.5 : 1.0; // half the values of K in as many bytes
    const double blocks = static_cast<double>(work.blocks_per_sm) * work.sm_count;
    if (work.wgmma)
        return halving * 2.0 * 64 * 256 * 16 * (WGMMA_TILE_BYTES / 32) * WGMMA_LOOPS * (work.warps / 4) *
               blocks;
    return halving * 2.0 * 16 * 8 * 16 * MMA_ROWS * MMA_COLUMNS * MMA_LOOPS * work.warps * blocks;
}

struct shape {
    bool wgmma;
    int warps, blocks_per_sm;
};

// `sums` must hold one float a thread of the largest shape.
constexpr shape shapes[] = {{false, 4, 1}, {false, 8, 1}, {false, 16, 1}, {false, 8, 2},
                            {true, 4, 1},  {true, 8, 1},  {true, 12, 1},  {true, 4, 2}};
constexpr int MAX_THREADS_PER_SM = 512, MAX_WGMMA_WARPS = 12;

assay_status choose_shape(assay_device *device, job &work, int features, assay_error *error)
{
    double best_rate = 0.0;
    job best = work;
    for (const shape &form : shapes) {
        double us[CEILING_TRIAL_SAMPLES];
        if (form.wgmma && !(features & HAS_WGMMA))
            continue;
        work.wgmma = form.wgmma;
        work.warps = form.warps;
        work.blocks_per_sm = form.blocks_per_sm;
        const assay_status status =
            ceiling_time(device, launch, &work, CEILING_TRIAL_SAMPLES, PAUSE_MS, us, error);
        if (status != ASSAY_OK)
            return status;
        const double rate = launch_flops(work) / ceiling_median(us, CEILING_TRIAL_SAMPLES);
        if (rate > best_rate) {
            best_rate = rate;
            best = work;
        }
    }
    work = best;
    return ASSAY_OK;
}

// Random operands give finite, non-zero sums in every thread; anything else means that the loop did not run.
assay_status check_sums(assay_device *device, const job &work, const char *name, assay_error *error)
{
    float first[128];
    const assay_status status = assay_device_download(device, first, work.sums, sizeof first, error);
    if (status != ASSAY_OK)
        return status;
    for (float sum : first)
        if (!std::isfinite(sum) || sum == 0.0f)
            return assay_error_set(error, ASSAY_ERR_DEVICE,
                                   "ceilings: %s: the kernel computed %g, so it did not run", name,
                                   static_cast<double>(sum));
    return ASSAY_OK;
}

assay_status measure(assay_device *device, job &work, const char *name, int stated, int features,
                     ceiling_list *list, assay_error *error)
{
    const assay_device_info *info = assay_device_get_info(device);
    double rates[CEILING_SAMPLES];
    assay_status status = choose_shape(device, work, features, error);
    if (status == ASSAY_OK)
        status = ceiling_time(device, launch, &work, CEILING_SAMPLES, PAUSE_MS, rates, error);
    if (status == ASSAY_OK)
        status = check_sums(device, work, name, error);
    if (status != ASSAY_OK)
        return status;
    for (double &rate : rates)
        rate = launch_flops(work) / rate * 1e-6; // operations a microsecond are 1e-6 TFLOP/s
    const char *instruction = work.type == operand::tf32 ? (work.wgmma ? "wgmma m64n256k8 from shared memory"
                                                                       : "mma.sync m16n8k8 from registers")
                              : work.wgmma               ? "wgmma m64n256k16 from shared memory"
                                                         : "mma.sync m16n8k16 from registers";
    return ceiling_add(
        list, name, "TFLOP/s", rates, CEILING_SAMPLES, theoretical_tflops(info, stated), error,
        "%s, %d warps a block, %d blocks an SM, random operands, burst with pauses of %d ms, %d samples; "
        "theoretical: %d multiply-adds a clock and SM at %d MHz",
        instruction, work.warps, work.blocks_per_sm, PAUSE_MS, CEILING_SAMPLES, stated,
        attribute(cudaDevAttrClockRate) / 1000);
}

assay_status read_features(assay_device *device, void *scratch, int *features, assay_error *error)
{
    *features = 0;
    features_kernel<<<1, 1, 0, assay_device_stream(device)>>>(static_cast<int *>(scratch));
    const assay_status status = check(cudaGetLastError(), "launch of a tensor-core kernel", error);
    return status == ASSAY_OK ? assay_device_download(device, features, scratch, sizeof *features, error)
                              : status;
}

assay_status allow_all_shared_bytes(assay_error *error)
{
    cudaError_t code = allow_shared_bytes<operand::f16>(MAX_WGMMA_WARPS);
    if (code == cudaSuccess)
        code = allow_shared_bytes<operand::bf16>(MAX_WGMMA_WARPS);
    if (code == cudaSuccess)
        code = allow_shared_bytes<operand::tf32>(MAX_WGMMA_WARPS);
    return check(code, "shared memory of a tensor-core kernel", error);
}

} // namespace

extern "C" assay_status ceilings_measure_cuda_tensor(assay_device *device, ceiling_list *list,
                                                     assay_error *error)
{
    const assay_device_info *info = assay_device_get_info(device);
    const sm_rates stated = stated_rates(info->compute_major, info->compute_minor);
    const int64_t bytes =
        static_cast<int64_t>(info->sm_count) * MAX_THREADS_PER_SM * static_cast<int64_t>(sizeof(float));
    int features = 0;
    void *sums = nullptr;
    assay_status status = assay_device_alloc(device, bytes, &sums, error);
    if (status == ASSAY_OK)
        status = read_features(device, sums, &features, error);
    if (status == ASSAY_OK && (features & HAS_WGMMA))
        status = allow_all_shared_bytes(error);
    job work = {operand::f16, false, 0, 0, info->sm_count, static_cast<float *>(sums)};
    if (features & HAS_MMA) { // without it there are no tensor ceilings to give, which is no error
        if (status == ASSAY_OK)
            status = measure(device, work, "tensor_f16", stated.tensor_f16, features, list, error);
        work.type = operand::bf16;
        if (status == ASSAY_OK)
            status = measure(device, work, "tensor_bf16", stated.tensor_f16, features, list, error);
        work.type = operand::tf32;
        if (status == ASSAY_OK)
            status = measure(device, work, "tensor_tf32", stated.tensor_tf32, features, list, error);
    }
    assay_device_free(device, sums);
    return status;
}
