// Kernels that multiply by wgmma rightly and check what they get; run by hopper_test.c.
#include "hopper_box.cuh"

// Small whole numbers: every product and sum is exact, so each way of adding gives the same.
static __device__ float value_a(int row, int k)
{
    return static_cast<float>((row * 7 + k * 3) % 11 - 5);
}
static __device__ float value_b(int k, int n)
{
    return static_cast<float>((n * 5 + k * 13) % 9 - 4);
}

// c = a * b + 1 for 64 x 64 times 64 x N, two groups of products under way at a time. Variant 1: a from registers.
template <class T, int N, bool TransposeB>
static __global__ void products(probe_args args)
{
    ASSAY_DYNAMIC_SHARED(T, a);
    T *b = a + 64 * 64;
    const int t = static_cast<int>(threadIdx.x), warp = t / 32, lane = t % 32;
    for (int i = t; i < 64 * 64; i += 128)
        a[in_box(i / 64, i % 64)] = assay::from_float<T>(value_a(i / 64, i % 64));
    for (int i = t; i < 64 * N;
         i += 128) { // boxes of 64 columns if b's rows lie along n, one tall box if along k
        const int k = TransposeB ? i / 64 % 64 : i % 64, n = TransposeB ? i / 4096 * 64 + i % 64 : i / 64;
        const int at = TransposeB ? n / 64 * 4096 + in_box(k, n % 64) : in_box(n, k);
        b[at] = assay::from_float<T>(value_b(k, n));
    }
    assay::fence_async_shared();
    __syncthreads();
    float sums[N / 2];
    for (int i = 0; i < N / 2; i++)
        sums[i] = 1.0f;
    assay::wgmma_fence();
    for (int k = 0; k < 64; k += 16) {
        const uint64_t da = assay::wgmma_descriptor(a + k, 16, 1024);
        const uint64_t db = TransposeB ? assay::wgmma_descriptor(b + k * 64, 8192, 1024)
                                       : assay::wgmma_descriptor(b + k, 16, 1024);
        uint32_t r[4];
        for (int i = 0; i < 4; i++) {
            const int row = warp * 16 + lane / 4 + 8 * (i & 1), column = k + 2 * (lane % 4) + 8 * (i >> 1);
            memcpy(&r[i], &a[in_box(row, column)], 4);
        }
        if (args.variant == 1)
            assay::wgmma_m64k16<T, N, TransposeB>::run_registers(sums, r, db, 1);
        else
            assay::wgmma_m64k16<T, N, TransposeB>::run(sums, da, db, 1);
        if (k % 32 == 16)
            assay::wgmma_commit();
    }
    assay::wgmma_wait<1>();
    assay::wgmma_wait<0>();
    assay::wgmma_fence_operands(sums);
    for (int i = 0; i < N / 2; i++) {
        const int row = warp * 16 + lane / 4 + 8 * (i / 2 % 2), column = i / 4 * 8 + 2 * (lane % 4) + i % 2;
        float want = 1.0f;
        for (int k = 0; k < 64; k++)
            want += value_a(row, k) * value_b(k, column);
        EXPECT(sums[i] == want);
    }
}
#define PRODUCTS(name, T, N, TransposeB)                                                                \
    extern "C" ASSAY_EXPORT assay_status name##_run(const probe_args *args, assay_stream stream)        \
    {                                                                                                   \
        return assay::launch(products<T, N, TransposeB>, dim3(1), dim3(128), 64 * (64 + N) * 2, stream, \
                             *args);                                                                    \
    }
PRODUCTS(products_bf16_64, __nv_bfloat16, 64, true)
PRODUCTS(products_bf16_128, __nv_bfloat16, 128, false)
PRODUCTS(products_bf16_96, __nv_bfloat16, 96, false)
PRODUCTS(products_bf16_120, __nv_bfloat16, 120, false)
PRODUCTS(products_bf16_136, __nv_bfloat16, 136, false)
PRODUCTS(products_bf16_160, __nv_bfloat16, 160, false)
PRODUCTS(products_bf16_232, __nv_bfloat16, 232, false)
PRODUCTS(products_bf16_256, __nv_bfloat16, 256, true)
PRODUCTS(products_f16_64, __half, 64, false)
PRODUCTS(products_f16_128, __half, 128, true)
PRODUCTS(products_f16_256, __half, 256, false)

// The same in tf32 for 64 x 32 times 32 x N. The fractions of the operands are longer than the 10 bits that are read; what is cut off
// does not count.
static __device__ float with_tail(float x)
{
    return x + (x > 0.0f ? 0x1p-12f : x < 0.0f ? -0x1p-12f : 0.0f);
}
static __device__ int in_row_of_floats(int row, int k)
{
    return row * 32 + ((k / 4) ^ (row % 8)) * 4 + k % 4;
}

template <int N>
static __global__ void products_tf32(probe_args args)
{
    ASSAY_DYNAMIC_SHARED(float, a);
    float *b = a + 64 * 32;
    const int t = static_cast<int>(threadIdx.x), warp = t / 32, lane = t % 32;
    for (int i = t; i < 64 * 32; i += 128)
        a[in_row_of_floats(i / 32, i % 32)] = with_tail(value_a(i / 32, i % 32));
    for (int i = t; i < N * 32; i += 128)
        b[in_row_of_floats(i / 32, i % 32)] = with_tail(value_b(i % 32, i / 32));
    assay::fence_async_shared();
    __syncthreads();
    float sums[N / 2];
    for (int i = 0; i < N / 2; i++)
        sums[i] = 1.0f;
    assay::wgmma_fence();
    for (int k = 0; k < 32; k += 8) {
        const uint64_t da = assay::wgmma_descriptor(a + k, 16, 1024),
                       db = assay::wgmma_descriptor(b + k, 16, 1024);
        uint32_t r[4];
        for (int i = 0; i < 4; i++)
            r[i] = __float_as_uint(
                a[in_row_of_floats(warp * 16 + lane / 4 + 8 * (i & 1), k + lane % 4 + 4 * (i >> 1))]);
        if (args.variant == 1)
            assay::wgmma_m64k8_tf32<N>::run_registers(sums, r, db, 1);
        else
            assay::wgmma_m64k8_tf32<N>::run(sums, da, db, 1);
    }
    assay::wgmma_commit();
    assay::wgmma_wait<0>();
    assay::wgmma_fence_operands(sums);
    for (int i = 0; i < N / 2; i++) {
        const int row = warp * 16 + lane / 4 + 8 * (i / 2 % 2), column = i / 4 * 8 + 2 * (lane % 4) + i % 2;
        float want = 1.0f;
        for (int k = 0; k < 32; k++)
            want += value_a(row, k) * value_b(k, column);
        EXPECT(sums[i] == want);
    }
}
#define PRODUCTS_TF32(N)                                                                           \
    extern "C" ASSAY_EXPORT assay_status products_tf32_##N##_run(const probe_args *args,           \
                                                                 assay_stream stream)              \
    {                                                                                              \
        return assay::launch(products_tf32<N>, dim3(1), dim3(128), (64 + N) * 128, stream, *args); \
    }
PRODUCTS_TF32(64)
PRODUCTS_TF32(128)
PRODUCTS_TF32(256)

// A box of four dimensions, beyond the tensor's edges in three of them, laid out as cores without a swizzle. A window of 8 x 14
// places in it is an operand at any shift: its rows are 16 bytes each, 8 side by side, and the next 8 a row of the box further.
enum { IMAGE_W = 9, IMAGE_H = 12, CHUNKS = 7, BOX_W = 10, BOX_H = 16, BOX_ELEMENTS = BOX_W * BOX_H * 64 };

static __device__ float pixel_value(int image, int c, int h, int w)
{
    return static_cast<float>((image * 3 + c * 5 + h * 7 + w * 2) % 9 - 4);
}

static __global__ void shifted_cores(const __grid_constant__ assay::tensor_map map, probe_args args)
{
    ASSAY_DYNAMIC_SHARED(element, box);
    element *a = box + BOX_ELEMENTS, *images = static_cast<element *>(args.data);
    uint64_t *full = reinterpret_cast<uint64_t *>(a + 64 * 64);
    const int t = static_cast<int>(threadIdx.x), warp = t / 32, lane = t % 32;
    for (int i = t; i < 2 * CHUNKS * IMAGE_H * IMAGE_W * 8; i += 128) {
        const int w = i / 8 % IMAGE_W, h = i / 8 / IMAGE_W % IMAGE_H, chunk = i / 8 / IMAGE_W / IMAGE_H;
        images[i] = assay::from_float<element>(pixel_value(chunk / CHUNKS, chunk % CHUNKS * 8 + i % 8, h, w));
    }
    for (int i = t; i < 64 * 64; i += 128)
        a[in_box(i / 64, i % 64)] = assay::from_float<element>(value_a(i / 64, i % 64));
    if (t == 0) {
        assay::mbarrier_init(full, 1);
        assay::mbarrier_fence_init();
    }
    assay::fence_async_shared();
    __syncthreads();
    if (t == 0) {
        assay::mbarrier_arrive_expect(full, BOX_ELEMENTS * 2);
        assay::tma_load_4d(box, &map, full, -8, -1, 0, 1);
    }
    assay::mbarrier_wait(full, 0);
    for (int shift = 0; shift < 9; shift++) {
        const int down = shift / 3, right = shift % 3;
        float sums[56];
        assay::wgmma_fence();
        for (int k = 0; k < 64; k += 16)
            assay::wgmma_m64k16<element, 112, false>::run(
                sums, assay::wgmma_descriptor(a + k, 16, 1024),
                assay::wgmma_descriptor_cores(box + (k / 8 * BOX_H * BOX_W + down * BOX_W + right) * 8,
                                              BOX_H * BOX_W * 16, BOX_W * 16),
                k > 0);
        assay::wgmma_commit();
        assay::wgmma_wait<0>();
        assay::wgmma_fence_operands(sums);
        for (int i = 0; i < 56; i++) {
            const int row = warp * 16 + lane / 4 + 8 * (i / 2 % 2);
            const int h = i / 4 + down - 1, w = 2 * (lane % 4) + i % 2 + right - 1;
            const bool inside = h >= 0 && h < IMAGE_H && w >= 0 && w < IMAGE_W;
            float want = 0.0f;
            for (int k = 0; k < CHUNKS * 8 && inside; k++)
                want += value_a(row, k) * pixel_value(1, k, h, w);
            EXPECT(sums[i] == want);
        }
    }
}
extern "C" ASSAY_EXPORT assay_status shifted_cores_run(const probe_args *args, assay_stream stream)
{
    assay::tensor_map map = {};
    const assay_status status = assay::tensor_map_nd<element, 4>(
        &map, static_cast<const element *>(args->data), {IMAGE_W * 8, IMAGE_H, CHUNKS, 2},
        {IMAGE_W * 8, IMAGE_H * IMAGE_W * 8, CHUNKS * IMAGE_H * IMAGE_W * 8}, {BOX_W * 8, BOX_H, 8, 1},
        false);
    return status ? status
                  : assay::launch(shifted_cores, dim3(1), dim3(128), args->shared_bytes, stream, map, *args);
}

// b with n along rows and without a swizzle: 8 of k have 8 of n each in 128 bytes, the next 8 of n follow behind 64 of k and 16 bytes that
// belong to nobody, and any multiple of 8 of n is an operand of its own.
static __global__ void places_in_rows(probe_args args)
{
    enum { N = 112, GROUP = 64 * 8 + 8 };
    ASSAY_DYNAMIC_SHARED(element, a);
    element *b = a + 64 * 64;
    const int t = static_cast<int>(threadIdx.x), warp = t / 32, lane = t % 32;
    for (int i = t; i < 64 * 64; i += 128)
        a[in_box(i / 64, i % 64)] = assay::from_float<element>(value_a(i / 64, i % 64));
    for (int i = t; i < 64 * (N + 16); i += 128)
        b[i / 64 / 8 * GROUP + i % 64 * 8 + i / 64 % 8] = assay::from_float<element>(value_b(i % 64, i / 64));
    assay::fence_async_shared();
    __syncthreads();
    for (int first = 0; first <= 16; first += 8) {
        float sums[N / 2];
        assay::wgmma_fence();
        for (int k = 0; k < 64; k += 16)
            assay::wgmma_m64k16<element, N>::run(
                sums, assay::wgmma_descriptor(a + k, 16, 1024),
                assay::wgmma_descriptor_cores(b + first / 8 * GROUP + k * 8, 128, GROUP * 2), k > 0);
        assay::wgmma_commit();
        assay::wgmma_wait<0>();
        assay::wgmma_fence_operands(sums);
        for (int i = 0; i < N / 2; i++) {
            const int row = warp * 16 + lane / 4 + 8 * (i / 2 % 2),
                      column = i / 4 * 8 + 2 * (lane % 4) + i % 2;
            float want = 0.0f;
            for (int k = 0; k < 64; k++)
                want += value_a(row, k) * value_b(k, first + column);
            EXPECT(sums[i] == want);
        }
    }
}
extern "C" ASSAY_EXPORT assay_status places_in_rows_run(const probe_args *args, assay_stream stream)
{
    return assay::launch(places_in_rows, dim3(1), dim3(128), 64 * 64 * 2 + 16 * (64 * 8 + 8) * 2, stream,
                         *args);
}

// The same in rows of `width` bytes with their swizzle: 8 of k have width / 2 of n each, the next 8 of k follow, then the next width / 2 of n.
static __device__ void swizzled_rows_of(int width, const probe_args &args, element *a)
{
    enum { N = 112 };
    element *b = a + 64 * 64;
    const int across = width / 2, t = static_cast<int>(threadIdx.x), warp = t / 32, lane = t % 32;
    __syncthreads();
    for (int i = t; i < 64 * 64; i += 128)
        a[in_box(i / 64, i % 64)] = assay::from_float<element>(value_a(i / 64, i % 64));
    for (int i = t; i < 64 * 128; i += 128) {
        const int k = i % 64, n = i / 64, at = (n / across * 64 + k) * width + n % across * 2;
        b[(at ^ (at >> 7 & (width / 16 - 1)) << 4) / 2] = assay::from_float<element>(value_b(k, n));
    }
    assay::fence_async_shared();
    __syncthreads();
    float sums[N / 2];
    assay::wgmma_fence();
    for (int k = 0; k < 64; k += 16)
        assay::wgmma_m64k16<element, N>::run(
            sums, assay::wgmma_descriptor(a + k, 16, 1024),
            assay::wgmma_descriptor_rows(b + k * across, width, 64 * width, 8 * width), k > 0);
    assay::wgmma_commit();
    assay::wgmma_wait<0>();
    assay::wgmma_fence_operands(sums);
    for (int i = 0; i < N / 2; i++) {
        const int row = warp * 16 + lane / 4 + 8 * (i / 2 % 2), column = i / 4 * 8 + 2 * (lane % 4) + i % 2;
        float want = 0.0f;
        for (int k = 0; k < 64; k++)
            want += value_a(row, k) * value_b(k, column);
        EXPECT(sums[i] == want);
    }
}
static __global__ void places_in_swizzled_rows(probe_args args)
{
    ASSAY_DYNAMIC_SHARED(element, a);
    for (int width = 32; width <= 128; width *= 2)
        swizzled_rows_of(width, args, a);
}
extern "C" ASSAY_EXPORT assay_status places_in_swizzled_rows_run(const probe_args *args, assay_stream stream)
{
    return assay::launch(places_in_swizzled_rows, dim3(1), dim3(128), 64 * (64 + 128) * 2, stream, *args);
}

// Sums stay what they were until they are waited for; a product that does not accumulate replaces them.
static __global__ void sums_land_at_the_wait(probe_args args)
{
    ASSAY_DYNAMIC_SHARED(element, a);
    for (int i = static_cast<int>(threadIdx.x); i < 2 * 64 * 64; i += 128)
        a[i] = assay::from_float<element>(1.0f);
    assay::fence_async_shared();
    __syncthreads();
    float sums[32];
    for (float &s : sums)
        s = -7.0f;
    assay::wgmma_fence();
    assay::wgmma_m64k16<element, 64>::run(sums, assay::wgmma_descriptor(a, 16, 1024),
                                          assay::wgmma_descriptor(a + 64 * 64, 8192, 1024), 0);
    assay::wgmma_commit();
    EXPECT(sums[5] == -7.0f);
    assay::wgmma_wait<0>();
    assay::wgmma_fence_operands(sums);
    for (const float s : sums)
        EXPECT(s == 16.0f);
}
PROBE_KERNEL(sums_land_at_the_wait)
