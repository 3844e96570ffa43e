// The kernels of assay-simt-bench: ordinary CUDA, the kind of code the CPU device is there to run.
#include <assay/kernel.h>
#include "device/cpu/bench/kernels.h"

static __global__ void barriers(int rounds, int *out)
{
    int sum = 0;
    for (int i = 0; i < rounds; i++) {
        __syncthreads();
        sum += i;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

static __global__ void shuffles(int rounds, int *out)
{
    int value = static_cast<int>(threadIdx.x);
    for (int i = 0; i < rounds; i++)
        value = __shfl_xor_sync(0xffffffffu, value, 1) + 1;
    out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

static __global__ void add(const float4 *x, const float4 *y, float4 *out, int count)
{
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < count) {
        const float4 a = x[i], b = y[i];
        out[i] = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
    }
}

// One block of 256 threads a row.
static __global__ void softmax(const float *x, float *out, int columns)
{
    __shared__ float partial[8];
    const float4 *in = reinterpret_cast<const float4 *>(x + static_cast<int64_t>(blockIdx.x) * columns);
    float4 *to = reinterpret_cast<float4 *>(out + static_cast<int64_t>(blockIdx.x) * columns);
    const int me = static_cast<int>(threadIdx.x), warp = me / 32;
    float largest = -INFINITY, sum = 0.0f;
    for (int i = me; i < columns / 4; i += 256) {
        const float4 v = in[i];
        largest = fmaxf(fmaxf(largest, fmaxf(v.x, v.y)), fmaxf(v.z, v.w));
    }
    for (int offset = 16; offset > 0; offset /= 2)
        largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, offset));
    if (me % 32 == 0)
        partial[warp] = largest;
    __syncthreads();
    for (float p : partial)
        largest = fmaxf(largest, p);
    for (int i = me; i < columns / 4; i += 256) {
        const float4 v = in[i];
        sum += __expf(v.x - largest) + __expf(v.y - largest) + __expf(v.z - largest) + __expf(v.w - largest);
    }
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, offset);
    __syncthreads();
    if (me % 32 == 0)
        partial[warp] = sum;
    __syncthreads();
    sum = 0.0f;
    for (float p : partial)
        sum += p;
    const float scale = 1.0f / sum;
    for (int i = me; i < columns / 4; i += 256) {
        const float4 v = in[i];
        to[i] = make_float4(__expf(v.x - largest) * scale, __expf(v.y - largest) * scale,
                            __expf(v.z - largest) * scale, __expf(v.w - largest) * scale);
    }
}

// 64 x 64 tiles, 16 x 16 threads, 4 x 4 elements a thread; n is a multiple of 64.
static __global__ void sgemm(const float *a, const float *b, float *c, int n)
{
    ASSAY_DYNAMIC_SHARED(float, tile_a);
    float *tile_b = tile_a + 64 * 16;
    const int t = static_cast<int>(threadIdx.y * 16 + threadIdx.x), tx = static_cast<int>(threadIdx.x),
              ty = static_cast<int>(threadIdx.y);
    const float *rows = a + static_cast<int64_t>(blockIdx.y) * 64 * n, *columns = b + blockIdx.x * 64;
    float sum[4][4] = {};
    for (int k0 = 0; k0 < n; k0 += 16) {
        assay::store_vec(&tile_a[t / 4 * 16 + t % 4 * 4],
                         assay::load_vec<4>(&rows[static_cast<int64_t>(t / 4) * n + k0 + t % 4 * 4]));
        assay::store_vec(&tile_b[t / 16 * 64 + t % 16 * 4],
                         assay::load_vec<4>(&columns[static_cast<int64_t>(k0 + t / 16) * n + t % 16 * 4]));
        __syncthreads();
        for (int k = 0; k < 16; k++) {
            const auto right = assay::load_vec<4>(&tile_b[k * 64 + tx * 4]);
            for (int i = 0; i < 4; i++) {
                const float left = tile_a[(ty * 4 + i) * 16 + k];
                for (int j = 0; j < 4; j++)
                    sum[i][j] += left * right[j];
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++) {
        assay::vec<float, 4> v;
        for (int j = 0; j < 4; j++)
            v[j] = sum[i][j];
        assay::store_vec(
            &c[static_cast<int64_t>(blockIdx.y * 64 + ty * 4 + i) * n + blockIdx.x * 64 + tx * 4], v);
    }
}

// 64 x 32 tiles, 4 warps, ldmatrix and mma.sync; n is a multiple of 64.
static __global__ void tensor_gemm(const __nv_bfloat16 *a, const __nv_bfloat16 *b, float *c, int n)
{
    __shared__ __align__(16) __nv_bfloat16 tile_a[64][24], tile_b[16][40];
    const int t = static_cast<int>(threadIdx.x), lane = t % 32, warp = t / 32;
    float sum[4][4] = {};
    for (int k0 = 0; k0 < n; k0 += 16) {
        assay::store_vec(
            &tile_a[t / 2][t % 2 * 8],
            assay::load_vec<8>(&a[static_cast<int64_t>(blockIdx.y * 64 + t / 2) * n + k0 + t % 2 * 8]));
        if (t < 64)
            assay::store_vec(
                &tile_b[t / 4][t % 4 * 8],
                assay::load_vec<8>(&b[static_cast<int64_t>(k0 + t / 4) * n + blockIdx.x * 32 + t % 4 * 8]));
        __syncthreads();
        uint32_t left[4], right[2];
        assay::ldmatrix_x4(left, &tile_a[warp * 16 + lane % 16][lane / 16 * 8]);
        for (int j = 0; j < 4; j++) {
            assay::ldmatrix_x2_trans(right, &tile_b[lane % 16][j * 8]);
            assay::mma_m16n8k16<__nv_bfloat16>(sum[j], left, right, sum[j]);
        }
        __syncthreads();
    }
    for (int j = 0; j < 4; j++)
        for (int i = 0; i < 4; i++) {
            const int row = static_cast<int>(blockIdx.y) * 64 + warp * 16 + lane / 4 + 8 * (i / 2);
            c[static_cast<int64_t>(row) * n + blockIdx.x * 32 + j * 8 + lane % 4 * 2 + i % 2] = sum[j][i];
        }
}

extern "C" assay_status bench_barriers(assay_stream stream, int blocks, int rounds, int *out)
{
    return assay::launch(barriers, dim3(static_cast<unsigned>(blocks)), dim3(256), 0, stream, rounds, out);
}
extern "C" assay_status bench_shuffles(assay_stream stream, int blocks, int rounds, int *out)
{
    return assay::launch(shuffles, dim3(static_cast<unsigned>(blocks)), dim3(256), 0, stream, rounds, out);
}
extern "C" assay_status bench_add(assay_stream stream, const float *x, const float *y, float *out, int count)
{
    return assay::launch(add, dim3(static_cast<unsigned>(count / 4 + 255) / 256), dim3(256), 0, stream,
                         reinterpret_cast<const float4 *>(x), reinterpret_cast<const float4 *>(y),
                         reinterpret_cast<float4 *>(out), count / 4);
}
extern "C" assay_status bench_softmax(assay_stream stream, const float *x, float *out, int rows, int columns)
{
    return assay::launch(softmax, dim3(static_cast<unsigned>(rows)), dim3(256), 0, stream, x, out, columns);
}
extern "C" assay_status bench_sgemm(assay_stream stream, const float *a, const float *b, float *c, int n)
{
    return assay::launch(sgemm, dim3(static_cast<unsigned>(n) / 64, static_cast<unsigned>(n) / 64),
                         dim3(16, 16), 2 * 64 * 16 * sizeof(float), stream, a, b, c, n);
}
extern "C" assay_status bench_tensor_gemm(assay_stream stream, const void *a, const void *b, float *c, int n)
{
    return assay::launch(tensor_gemm, dim3(static_cast<unsigned>(n) / 32, static_cast<unsigned>(n) / 64),
                         dim3(128), 0, stream, static_cast<const __nv_bfloat16 *>(a),
                         static_cast<const __nv_bfloat16 *>(b), c, n);
}
