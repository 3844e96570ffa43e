// f32 product in the math mode tf32 on tensor cores with fp32 sums: mma.sync m16n8k8, from compute capability 8.0 on.
//
// Organised like tensor.cuh, with these differences:
//   - elements have 4 bytes, so a 16-byte chunk is 4 of them, and a step of mma takes 8 of k;
//   - ldmatrix moves 8x8 matrices of 2-byte elements, which for a is the same as 8x4 of 4-byte ones. It cannot transpose those, so b is
//     read element by element; rows of b are padded by 8 elements, so that the four rows that a warp reads fall into different banks;
//   - both factors are rounded to nearest on their way to the tensor cores, which would cut their fractions off;
//   - rows that are not 16-byte aligned are copied element by element.
// Elements past an edge are zero: past the end of k in both tiles, so that a zero never meets an infinity in a sum that is
// stored; rows and columns past the edge are not stored.
#ifndef ASSAY_OPS_MATMUL_V4_TF32_CUH
#define ASSAY_OPS_MATMUL_V4_TF32_CUH

#include "epilogue.cuh"
#include "order.cuh"

template <int BM_, int BN_, int WARPS_M_, int WARPS_N_, int STAGES_>
struct tf32_config {
    static constexpr int BM = BM_, BN = BN_, BK = 32, WARPS_M = WARPS_M_, WARPS_N = WARPS_N_,
                         STAGES = STAGES_;
    static constexpr int THREADS = 32 * WARPS_M * WARPS_N;
    static constexpr int WM = BM / WARPS_M, WN = BN / WARPS_N;
    static constexpr int MI = WM / 16, NI = WN / 8; // mma pieces of a warp along m and n
    static constexpr int LDB = BN + 8, A_FLOATS = BM * BK, STAGE_FLOATS = A_FLOATS + BK * LDB;
    static constexpr int SHARED_BYTES = STAGES * STAGE_FLOATS * 4;
    static_assert(BM * BK % (4 * THREADS) == 0 && BN * BK % (4 * THREADS) == 0, "copies divide evenly");
    static_assert(MI >= 1 && NI >= 1 && STAGES >= 2, "see the loops below");
};

// Element offset in a's tile: 16-byte chunks of a row of 8 are permuted by exclusive-or with the row number.
__device__ __forceinline__ int tf32_swizzled(int row, int k)
{
    return row * 32 + ((k / 4) ^ (row % 8)) * 4 + k % 4;
}

// Copy V elements, or fill them with zeros. The address of a copy that reads nothing must still be valid: the matrix's own.
template <int V>
__device__ __forceinline__ void tf32_copy(float *to, const float *from, const float *matrix, bool inside)
{
    if (V == 4)
        assay::cp_async_16(to, inside ? from : matrix, inside ? 16 : 0);
    else
        assay::cp_async_4(to, inside ? from : matrix, inside ? 4 : 0);
}

// Start copying the tiles of a and b that begin at `k0`.
template <class C, int V>
__device__ __forceinline__ void tf32_copy_tiles(float *stage, const float *a, const float *b,
                                                const matmul_shape &s, matmul_tile tile, int k0)
{
    const int t = static_cast<int>(threadIdx.x);
#pragma unroll
    for (int e = 0; e < C::BM * C::BK / V; e += C::THREADS) {
        const int row = (e + t) / (C::BK / V), k = (e + t) % (C::BK / V) * V;
        tf32_copy<V>(stage + tf32_swizzled(row, k), a + (tile.m + row) * s.lda + k0 + k, a,
                     tile.m + row < s.m && k0 + k < s.k);
    }
#pragma unroll
    for (int e = 0; e < C::BK * C::BN / V; e += C::THREADS) {
        const int k = (e + t) / (C::BN / V), column = (e + t) % (C::BN / V) * V;
        tf32_copy<V>(stage + C::A_FLOATS + k * C::LDB + column, b + (k0 + k) * s.ldb + tile.n + column, b,
                     k0 + k < s.k && tile.n + column < s.n);
    }
}

// The operands of one warp for 8 steps of k, in mma's register layout and rounded.
template <class C>
struct tf32_fragment {
    uint32_t a[C::MI][4], b[C::NI][2];
};

__device__ __forceinline__ uint32_t tf32_rounded(uint32_t bits)
{
    return assay::to_tf32(__uint_as_float(bits));
}

template <class C>
__device__ __forceinline__ void tf32_read(tf32_fragment<C> &f, const float *stage, int row, int column, int k)
{
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const float *b = stage + C::A_FLOATS + (k + lane % 4) * C::LDB + column + lane / 4;
#pragma unroll
    for (int i = 0; i < C::MI; i++) {
        assay::ldmatrix_x4(f.a[i], stage + tf32_swizzled(row + i * 16 + lane % 16, k + lane / 16 * 4));
#pragma unroll
        for (int r = 0; r < 4; r++)
            f.a[i][r] = tf32_rounded(f.a[i][r]);
    }
#pragma unroll
    for (int j = 0; j < C::NI; j++)
#pragma unroll
        for (int r = 0; r < 2; r++)
            f.b[j][r] = assay::to_tf32(b[r * 4 * C::LDB + j * 8]);
}

// Finish the sums and store them, two neighbours of a row at a time.
template <class C, class Epilogue>
__device__ __forceinline__ void tf32_store(float *c, const float (&sums)[C::MI][C::NI][4],
                                           const matmul_shape &s, int row, int column,
                                           const Epilogue &epilogue)
{
    const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
    for (int i = 0; i < C::MI; i++)
#pragma unroll
        for (int half = 0; half < 2; half++) {
            const int m = row + i * 16 + half * 8 + lane / 4;
#pragma unroll
            for (int j = 0; j < C::NI; j++) {
                const int n = column + j * 8 + lane % 4 * 2;
                float x = sums[i][j][half * 2], y = sums[i][j][half * 2 + 1];
                float *to = c + static_cast<int64_t>(m) * s.n + n;
                epilogue(x, y, epilogue.fetch(n));
                if (m >= s.m || n >= s.n)
                    continue;
                if (s.n % 2 == 0) {
                    assay::store_vec(to, assay::vec<float, 2>{{x, y}});
                } else {
                    to[0] = x;
                    if (n + 1 < s.n)
                        to[1] = y;
                }
            }
        }
}

template <class C, int V, class Epilogue>
static __global__ void __launch_bounds__(C::THREADS)
    matmul_tf32(const float *a, const float *b, float *c, matmul_shape s, const Epilogue epilogue)
{
    ASSAY_DYNAMIC_SHARED(float, ring);
    const matmul_tile tile = tile_of_block(blockIdx.x, s.m, s.n, C::BM, C::BN);
    const int warp = static_cast<int>(threadIdx.x) / 32;
    const int row = warp / C::WARPS_N * C::WM, column = warp % C::WARPS_N * C::WN;
    const int tiles_k = (s.k + C::BK - 1) / C::BK;
#pragma unroll
    for (int i = 0; i < C::STAGES - 1; i++) {
        if (i < tiles_k)
            tf32_copy_tiles<C, V>(ring + i * C::STAGE_FLOATS, a, b, s, tile, i * C::BK);
        assay::cp_async_commit();
    }
    float sums[C::MI][C::NI][4] = {};
    for (int kt = 0; kt < tiles_k; kt++) {
        assay::cp_async_wait<C::STAGES - 2>();
        __syncthreads(); // the tile has landed, and nobody reads the one that is copied over next
        const int next = kt + C::STAGES - 1;
        if (next < tiles_k)
            tf32_copy_tiles<C, V>(ring + next % C::STAGES * C::STAGE_FLOATS, a, b, s, tile, next * C::BK);
        assay::cp_async_commit();
        const float *stage = ring + kt % C::STAGES * C::STAGE_FLOATS;
        tf32_fragment<C> f[2];
        tf32_read<C>(f[0], stage, row, column, 0);
#pragma unroll
        for (int k = 0; k < C::BK; k += 8) {
            if (k + 8 < C::BK)
                tf32_read<C>(f[(k / 8 + 1) % 2], stage, row, column, k + 8);
#pragma unroll
            for (int i = 0; i < C::MI; i++)
#pragma unroll
                for (int j = 0; j < C::NI; j++)
                    assay::mma_m16n8k8_tf32(sums[i][j], f[k / 8 % 2].a[i], f[k / 8 % 2].b[j], sums[i][j]);
        }
    }
    assay::cp_async_wait<0>();
    tf32_store<C>(c, sums, s, tile.m + row, tile.n + column, epilogue);
}

template <class C, class Epilogue>
static assay_status tf32_launch(const matmul_args *args, const matmul_shape &s, const Epilogue &epilogue,
                                assay_stream stream)
{
    const float *a = static_cast<const float *>(args->a), *b = static_cast<const float *>(args->b);
    float *c = static_cast<float *>(args->c);
    const dim3 grid(static_cast<unsigned>(count_tiles(s.m, s.n, C::BM, C::BN)));
    return s.k % 4 == 0 && s.n % 4 == 0 ? assay::launch(matmul_tf32<C, 4, Epilogue>, grid, dim3(C::THREADS),
                                                        C::SHARED_BYTES, stream, a, b, c, s, epilogue)
                                        : assay::launch(matmul_tf32<C, 1, Epilogue>, grid, dim3(C::THREADS),
                                                        C::SHARED_BYTES, stream, a, b, c, s, epilogue);
}

#endif
