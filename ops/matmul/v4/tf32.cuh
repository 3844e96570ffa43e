// f32 matmul in the math mode tf32 on tensor cores by mma.sync m16n8k8 with fp32 sums, from compute
// capability 8.0 on.
//
// Organised like tensor.cuh, with these differences:
//   - elements have 4 bytes: a 16-byte chunk is 4 of them, and an mma takes 8 of k;
//   - ldmatrix moves 8 x 8 matrices of 2-byte elements, which for a equal 8 x 4 of 4-byte ones. It cannot
//     transpose those, so b is read element by element; rows of b are padded by 8 elements, so that the four
//     rows a warp reads fall into different banks;
//   - both factors are rounded to nearest on their way to the tensor cores, which would truncate them;
//   - rows that are not 16-byte aligned are copied element by element;
//   - a transposed b lies like a and is read by ldmatrix, too.
// Elements past an edge are zero: past the end of k in both tiles, so a zero never meets an infinity in a sum
// that is stored; rows and columns past the edge are not stored.
#ifndef ASSAY_OPS_MATMUL_V4_TF32_CUH
#define ASSAY_OPS_MATMUL_V4_TF32_CUH

#include "epilogue.cuh"
#include "order.cuh"

template <int M, int N, int ROWS_OF_WARPS, int COLUMNS_OF_WARPS, int STAGE_COUNT>
struct tf32_config {
    static constexpr int TILE_M = M, TILE_N = N, TILE_K = 32, WARPS_M = ROWS_OF_WARPS,
                         WARPS_N = COLUMNS_OF_WARPS, STAGES = STAGE_COUNT;
    static constexpr bool TRANSPOSE_B = false; // see with_transposed_b
    static constexpr int THREADS = 32 * WARPS_M * WARPS_N;
    static constexpr int WARP_M = TILE_M / WARPS_M, WARP_N = TILE_N / WARPS_N;
    static constexpr int MMA_M = WARP_M / 16, MMA_N = WARP_N / 8; // mma instructions of a warp along m and n
    static constexpr int LDB = TILE_N + 8, A_FLOATS = TILE_M * TILE_K, STAGE_FLOATS = A_FLOATS + TILE_K * LDB;
    static constexpr int SHARED_BYTES = STAGES * STAGE_FLOATS * 4;
    static_assert(TILE_M * TILE_K % (4 * THREADS) == 0 && TILE_N * TILE_K % (4 * THREADS) == 0,
                  "copies divide evenly");
    static_assert(MMA_M >= 1 && MMA_N % 2 == 0 && STAGES >= 2, "see the loops below");
};

// Element offset in a's tile: chunk c of row r lies at c ^ r % 8.
__device__ __forceinline__ int tf32_swizzled(int row, int k)
{
    return row * 32 + ((k / 4) ^ (row % 8)) * 4 + k % 4;
}

// Copy V elements, or fill them with zeros. The address of a copy that reads nothing must be valid: the
// matrix's own.
template <int V>
__device__ __forceinline__ void tf32_copy(float *to, const float *from, const float *matrix, bool inside)
{
    if (V == 4)
        assay::cp_async_16(to, inside ? from : matrix, inside ? 16 : 0);
    else
        assay::cp_async_4(to, inside ? from : matrix, inside ? 4 : 0);
}

// Start the copies of a stage, from k0 on.
template <class C, int V>
__device__ __forceinline__ void tf32_copy_tiles(float *stage, const float *a, const float *b,
                                                const matmul_shape &s, matmul_tile tile, int k0)
{
    const int t = static_cast<int>(threadIdx.x);
#pragma unroll
    for (int e = 0; e < C::TILE_M * C::TILE_K / V; e += C::THREADS) {
        const int row = (e + t) / (C::TILE_K / V), k = (e + t) % (C::TILE_K / V) * V;
        tf32_copy<V>(stage + tf32_swizzled(row, k), a + (tile.m + row) * s.lda + k0 + k, a,
                     tile.m + row < s.m && k0 + k < s.k);
    }
    if constexpr (C::TRANSPOSE_B) {
#pragma unroll 4 // of single elements no more at a time: they need the registers
        for (int e = 0; e < C::TILE_N * C::TILE_K / V; e += C::THREADS) {
            const int column = (e + t) / (C::TILE_K / V), k = (e + t) % (C::TILE_K / V) * V;
            tf32_copy<V>(stage + C::A_FLOATS + tf32_swizzled(column, k),
                         b + (tile.n + column) * s.ldb + k0 + k, b, tile.n + column < s.n && k0 + k < s.k);
        }
        return;
    }
#pragma unroll
    for (int e = 0; e < C::TILE_K * C::TILE_N / V; e += C::THREADS) {
        const int k = (e + t) / (C::TILE_N / V), column = (e + t) % (C::TILE_N / V) * V;
        tf32_copy<V>(stage + C::A_FLOATS + k * C::LDB + column, b + (k0 + k) * s.ldb + tile.n + column, b,
                     k0 + k < s.k && tile.n + column < s.n);
    }
}

// A warp's operands for 8 of k, rounded, in mma's register layout.
template <class C>
struct tf32_fragment {
    uint32_t a[C::MMA_M][4], b[C::MMA_N][2];
};

__device__ __forceinline__ uint32_t tf32_rounded(uint32_t bits)
{
    return assay::to_tf32(__uint_as_float(bits));
}

template <class C>
__device__ __forceinline__ void tf32_read(tf32_fragment<C> &f, const float *stage, int row, int column, int k)
{
    const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
    for (int i = 0; i < C::MMA_M; i++) {
        assay::ldmatrix_x4(f.a[i], stage + tf32_swizzled(row + i * 16 + lane % 16, k + lane / 16 * 4));
#pragma unroll
        for (int r = 0; r < 4; r++)
            f.a[i][r] = tf32_rounded(f.a[i][r]);
    }
    if constexpr (C::TRANSPOSE_B) {
#pragma unroll
        for (int j = 0; j < C::MMA_N; j += 2) {
            uint32_t two[4]; // 8 columns by 4 + 4 of k, then the next 8 columns
            assay::ldmatrix_x4(
                two, stage + C::A_FLOATS +
                         tf32_swizzled(column + j * 8 + lane / 16 * 8 + lane % 8, k + lane / 8 % 2 * 4));
#pragma unroll
            for (int r = 0; r < 4; r++)
                f.b[j + r / 2][r % 2] = tf32_rounded(two[r]);
        }
    } else {
        const float *b = stage + C::A_FLOATS + (k + lane % 4) * C::LDB + column + lane / 4;
#pragma unroll
        for (int j = 0; j < C::MMA_N; j++)
#pragma unroll
            for (int r = 0; r < 2; r++)
                f.b[j][r] = assay::to_tf32(b[r * 4 * C::LDB + j * 8]);
    }
}

// Apply the epilogue and store, two neighbours of a row at a time.
template <class C, class Epilogue>
__device__ __forceinline__ void tf32_store(float *c, const float (&sums)[C::MMA_M][C::MMA_N][4],
                                           const matmul_shape &s, int row, int column,
                                           const Epilogue &epilogue)
{
    const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
    for (int i = 0; i < C::MMA_M; i++)
#pragma unroll
        for (int half = 0; half < 2; half++) {
            const int m = row + i * 16 + half * 8 + lane / 4;
#pragma unroll
            for (int j = 0; j < C::MMA_N; j++) {
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
    ASSAY_DYNAMIC_SHARED(float, stages);
    matmul_tile tile = tile_of_block(blockIdx.x, s.m, s.n, C::TILE_M, C::TILE_N);
    take_product_of<C::TRANSPOSE_B>(a, b, s);
    const int warp = static_cast<int>(threadIdx.x) / 32;
    const int row = warp / C::WARPS_N * C::WARP_M, column = warp % C::WARPS_N * C::WARP_N;
    const int tiles_k = (s.k + C::TILE_K - 1) / C::TILE_K;
#pragma unroll
    for (int i = 0; i < C::STAGES - 1; i++) {
        if (i < tiles_k)
            tf32_copy_tiles<C, V>(stages + i * C::STAGE_FLOATS, a, b, s, tile, i * C::TILE_K);
        assay::cp_async_commit();
    }
    float sums[C::MMA_M][C::MMA_N][4] = {};
    for (int kt = 0; kt < tiles_k; kt++) {
        assay::cp_async_wait<C::STAGES - 2>();
        __syncthreads(); // the stage has landed, and the one to be overwritten has been read
        const int next = kt + C::STAGES - 1;
        if (next < tiles_k)
            tf32_copy_tiles<C, V>(stages + next % C::STAGES * C::STAGE_FLOATS, a, b, s, tile,
                                  next * C::TILE_K);
        assay::cp_async_commit();
        const float *stage = stages + kt % C::STAGES * C::STAGE_FLOATS;
        tf32_fragment<C> f[2];
        tf32_read<C>(f[0], stage, row, column, 0);
#pragma unroll
        for (int k = 0; k < C::TILE_K; k += 8) {
            if (k + 8 < C::TILE_K)
                tf32_read<C>(f[(k / 8 + 1) % 2], stage, row, column, k + 8);
#pragma unroll
            for (int i = 0; i < C::MMA_M; i++)
#pragma unroll
                for (int j = 0; j < C::MMA_N; j++)
                    assay::mma_m16n8k8_tf32(sums[i][j], f[k / 8 % 2].a[i], f[k / 8 % 2].b[j], sums[i][j]);
        }
    }
    assay::cp_async_wait<0>();
    stack_rows(s, tile, static_cast<int>(blockIdx.z));
    tf32_store<C>(c, sums, s, tile.m + row, tile.n + column, epilogue);
}

template <class C, class Epilogue>
static assay_status tf32_launch(const matmul_args *args, const matmul_shape &s, tile_plan plan,
                                const Epilogue &epilogue, assay_stream stream)
{
    if constexpr (!C::TRANSPOSE_B)
        if (args->transpose_b)
            return tf32_launch<with_transposed_b<C>>(args, s, plan, epilogue, stream);
    const float *a = static_cast<const float *>(args->a), *b = static_cast<const float *>(args->b);
    float *c = static_cast<float *>(args->c);
    const dim3 grid(static_cast<unsigned>(count_tiles(s.m, s.n, C::TILE_M, C::TILE_N)), 1,
                    static_cast<unsigned>(args->batch));
    return s.k % 4 == 0 && s.lda % 4 == 0 && s.ldb % 4 == 0 && (C::TRANSPOSE_B || s.n % 4 == 0)
               ? assay::launch(matmul_tf32<C, 4, Epilogue>, grid, dim3(C::THREADS), C::SHARED_BYTES, stream,
                               a, b, c, s, epilogue)
               : assay::launch(matmul_tf32<C, 1, Epilogue>, grid, dim3(C::THREADS), C::SHARED_BYTES, stream,
                               a, b, c, s, epilogue);
}

#endif
