// Vector accesses, asynchronous copies, ldmatrix and mma against plain loops.
#include <assay/kernel.h>
#define PROBE_KERNEL_SIDE
#include "probe.h"

template <class T, int N>
static __device__ void check_vector(const probe_args &args)
{
    T *data = static_cast<T *>(args.data) + threadIdx.x * N;
    assay::vec<T, N> v;
    for (int i = 0; i < N; i++)
        v[i] = T(static_cast<float>(i + 1));
    assay::store_vec(data, v);
    const auto back = assay::load_vec<N>(data);
    bool good = sizeof back == N * sizeof(T) && alignof(assay::vec<T, N>) == N * sizeof(T);
    for (int i = 0; i < N; i++)
        good = good && assay::to_float(back[i]) == static_cast<float>(i + 1) &&
               assay::to_float(data[i]) == static_cast<float>(i + 1);
    EXPECT(good);
    __syncthreads();
}
static __global__ void vectors(probe_args args)
{
    check_vector<float, 1>(args);
    check_vector<float, 2>(args);
    check_vector<float, 4>(args);
    check_vector<__half, 1>(args);
    check_vector<__half, 8>(args);
    check_vector<__nv_bfloat16, 2>(args);
    check_vector<__nv_bfloat16, 8>(args);
    EXPECT(sizeof(assay::vec16<float>) == 16 && assay::vec16<__half>::size == 8);
}
PROBE_KERNEL(vectors)

// Copies land at the wait for their group, not before, and not those of newer groups; what is not read is zero.
static __global__ void async_copies(probe_args args)
{
    __shared__ __align__(16) float tile[2][64][4];
    float *source = static_cast<float *>(args.data) + 4 * threadIdx.x;
    const unsigned me = threadIdx.x;
    for (int i = 0; i < 4; i++)
        source[i] = static_cast<float>(me + 1), tile[0][me][i] = tile[1][me][i] = -1.0f;
    assay::cp_async_16(tile[0][me], source);
    assay::cp_async_commit();
    assay::cp_async_16(tile[1][me], source, 4);
    assay::cp_async_commit();
    assay::cp_async_wait<2>();
    EXPECT(args.variant == 0 || tile[0][me][0] == -1.0f); // late landing is the CPU device's own promise
    assay::cp_async_wait<1>();
    EXPECT(tile[0][me][0] == source[0] && tile[0][me][3] == source[3]);
    EXPECT(args.variant == 0 || tile[1][me][0] == -1.0f);
    assay::cp_async_wait<0>();
    EXPECT(tile[1][me][0] == source[0] && tile[1][me][1] == 0.0f && tile[1][me][3] == 0.0f);
    __syncthreads();
    EXPECT(tile[0][(me + 1) % blockDim.x][0] == static_cast<float>((me + 1) % blockDim.x + 1));
    __syncthreads();
    for (int round = 0; round < 40; round++) { // more than the first queue holds
        assay::cp_async_4(&tile[0][me][round % 4], source + round % 4, round % 2 ? 4 : 0);
        assay::cp_async_8(&tile[1][me][2 * (round % 2)], source);
        assay::cp_async_commit();
        assay::cp_async_wait<3>();
    }
    assay::cp_async_wait<0>();
    EXPECT(tile[0][me][0] == 0.0f && tile[0][me][1] == source[1] && tile[1][me][2] == source[0]);
}
PROBE_KERNEL(async_copies)

template <class T>
static __device__ void check_mma(const probe_args &args)
{
    __shared__ __align__(16) T a[16][16], b_rows[16][8], b_columns[8][16];
    const int lane = static_cast<int>(threadIdx.x);
    auto value = [](int i, int j) { return static_cast<float>((i * 7 + j * 3) % 11 - 5); };
    for (int i = lane; i < 256; i += 32)
        a[i / 16][i % 16] = T(value(i / 16, i % 16));
    for (int i = lane; i < 128; i += 32) {
        b_rows[i / 8][i % 8] = T(value(i / 8 + 3, i % 8));
        b_columns[i % 8][i / 8] = b_rows[i / 8][i % 8];
    }
    __syncwarp();
    uint32_t fa[4], fb[2], fb_other[2];
    assay::ldmatrix_x4(fa, &a[lane % 16][8 * (lane / 16)]);
    assay::ldmatrix_x2_trans(fb, &b_rows[lane % 16][0]);
    assay::ldmatrix_x2(fb_other, &b_columns[lane % 8][8 * ((lane / 8) % 2)]);
    EXPECT(fb[0] == fb_other[0] && fb[1] == fb_other[1]);
    uint32_t transposed[4];
    assay::ldmatrix_x4_trans(transposed, &a[lane % 16][8 * (lane / 16)]);
    EXPECT((transposed[0] & 0xffffu) == a[2 * (lane % 4)][lane / 4].bits &&
           (transposed[3] >> 16) == a[8 + 2 * (lane % 4) + 1][8 + lane / 4].bits);
    float d[4] = {1.0f, 2.0f, 3.0f, 4.0f};
    assay::mma_m16n8k16<T>(d, fa, fb, d);
    bool good = true;
    for (int i = 0; i < 4; i++) {
        const int row = lane / 4 + 8 * (i / 2), column = 2 * (lane % 4) + i % 2;
        float sum = static_cast<float>(i + 1);
        for (int k = 0; k < 16; k++)
            sum += value(row, k) * value(k + 3, column);
        good = good && d[i] == sum; // small integers: exact
    }
    EXPECT(good);
}
static __global__ void tensor_products(probe_args args)
{
    check_mma<__half>(args);
    __syncwarp();
    check_mma<__nv_bfloat16>(args);
    // Halves beyond the integers: subnormal, infinite and NaN operands reach the product unchanged.
    const int lane = static_cast<int>(threadIdx.x);
    const uint32_t ones = 0x3c003c00u, special[3] = {0x00010001u, 0x7c007c00u, 0x7e007e00u};
    for (int s = 0; s < 3; s++) {
        const uint32_t a[4] = {special[s], special[s], special[s], special[s]}, b[2] = {ones, ones};
        float d[4] = {};
        assay::mma_m16n8k16<__half>(d, a, b, d);
        EXPECT(s == 0 ? d[0] == 0x1p-20f : s == 1 ? isinf(d[1]) : isnan(d[2]));
    }
    // tf32
    auto value = [](int i, int j) { return static_cast<float>((i * 5 + j * 3) % 13 - 6) * 0.125f; };
    uint32_t a[4], b[2];
    const int g = lane / 4, t = lane % 4;
    for (int i = 0; i < 4; i++)
        a[i] = assay::to_tf32(value(g + 8 * (i % 2), t + 4 * (i / 2)));
    for (int i = 0; i < 2; i++)
        b[i] = assay::to_tf32(value(t + 4 * i, g));
    float d[4] = {};
    assay::mma_m16n8k8_tf32(d, a, b, d);
    bool good = true;
    for (int i = 0; i < 4; i++) {
        float sum = 0.0f;
        for (int k = 0; k < 8; k++)
            sum += value(g + 8 * (i / 2), k) * value(k, 2 * t + i % 2);
        good = good && d[i] == sum;
    }
    EXPECT(good);
    EXPECT(assay::to_tf32(1.0f + 0x1p-11f) == __float_as_uint(1.0f + 0x1p-10f)); // ties away from zero
    EXPECT(assay::to_tf32(1.0f + 0x1p-12f) == __float_as_uint(1.0f) &&
           assay::to_tf32(INFINITY) == 0x7f800000u);
    // What the tensor cores read of an operand is the rounded value; nothing finite turns into a NaN or loses its sign.
    const uint32_t read = 0xffffe000u,
                   seen[] = {0x3f801000u, 0x3f800fffu, 0xbf801fffu, 0x00001000u, 0x80000fffu, 0x7f7fe000u};
    for (const uint32_t bits : seen)
        EXPECT((assay::to_tf32_operand(__uint_as_float(bits)) & read) ==
               assay::to_tf32(__uint_as_float(bits)));
    EXPECT((assay::to_tf32_operand(-INFINITY) & read) == 0xff800000u);
    EXPECT((assay::to_tf32_operand(__uint_as_float(0x7fffffffu)) & read) ==
           0x7fffe000u); // not carried into the sign
}
PROBE_KERNEL(tensor_products)
