// f16 and bf16 with K up to 7: an outer product of a few terms, bound by the stores of c.
//
// Tiles would fill an eighth of their first stage or less, and 2-byte rows of such a length are never aligned, so that
// they would be packed first. Here a warp has ROWS rows of 32 vectors of c: a lane keeps its columns of b, all K of
// them, in registers, and goes down the rows. The rows' elements of a lie in the warp's lanes and go to all by shuffles:
// every load is under way before the first is used, and one wait for memory is all there is. Rows that are not aligned to
// 16 bytes are written from shared memory (unaligned.cuh).
#ifndef ASSAY_OPS_MATMUL_V4_SHORT_K_CUH
#define ASSAY_OPS_MATMUL_V4_SHORT_K_CUH

#include "epilogue.cuh"
#include "order.cuh"
#include "unaligned.cuh"

struct short_k_config {
    static constexpr int K = 8, ROWS = 16, VECTOR = 16 / sizeof(scalar_t), COLUMNS = 32 * VECTOR;
    static constexpr int WARPS = 4, THREADS = 32 * WARPS; // one below the other, so that b comes from L1
    static constexpr int TILE_M = WARPS * ROWS, TILE_N = COLUMNS;
    static constexpr int STAGED_BYTES = WARPS * ROWS * COLUMNS * 2;
};

// b[k][n .. n + VECTOR - 1] for every k; zeros beyond the edges.
template <class C, bool TRANSPOSE_B>
__device__ __forceinline__ void short_k_load_b(float (&to)[C::K][C::VECTOR], const scalar_t *b,
                                               const matmul_shape &s, int n)
{
#pragma unroll
    for (int k = 0; k < C::K; k++) {
        assay::vec<scalar_t, C::VECTOR> row = {};
        const scalar_t *from = b + (k * s.ldb + n);
        const bool aligned = !TRANSPOSE_B && s.n % C::VECTOR == 0 && s.ldb % C::VECTOR == 0;
        if (aligned && k < s.k && n < s.n)
            row = assay::load_vec<C::VECTOR>(from);
        if (!aligned)
#pragma unroll
            for (int j = 0; j < C::VECTOR; j++)
                if (k < s.k && n + j < s.n)
                    row[j] = TRANSPOSE_B ? b[(n + j) * s.ldb + k] : from[j];
#pragma unroll
        for (int j = 0; j < C::VECTOR; j++)
            to[k][j] = assay::to_float(row[j]);
    }
}

// A lane's part of the warp's elements of a: half the k of row lane / 2, zeros beyond the edges.
template <class C>
__device__ __forceinline__ void short_k_load_a(float (&to)[C::K / 2], const scalar_t *a,
                                               const matmul_shape &s, int m)
{
    const int lane = static_cast<int>(threadIdx.x) % 32, row = m + lane / 2, first = lane % 2 * (C::K / 2);
    static_assert(C::ROWS == 16, "two lanes a row");
#pragma unroll
    for (int k = 0; k < C::K / 2; k++)
        to[k] = row < s.m && first + k < s.k ? assay::to_float(a[row * s.lda + first + k]) : 0.0f;
}

// VECTOR elements of row r of the warp's rows of c.
template <class C, class Epilogue>
__device__ __forceinline__ assay::vec<scalar_t, C::VECTOR>
short_k_row(const float (&of_b)[C::K][C::VECTOR], const float (&of_a)[C::K / 2], int r,
            const typename Epilogue::columns (&columns)[C::VECTOR / 2], const Epilogue &epilogue)
{
    float sums[C::VECTOR] = {};
#pragma unroll
    for (int k = 0; k < C::K; k++) {
        const float factor = __shfl_sync(0xffffffffu, of_a[k % (C::K / 2)], 2 * r + k / (C::K / 2));
#pragma unroll
        for (int j = 0; j < C::VECTOR; j++)
            sums[j] = fmaf(factor, of_b[k][j], sums[j]);
    }
    assay::vec<scalar_t, C::VECTOR> out;
#pragma unroll
    for (int j = 0; j < C::VECTOR; j += 2) {
        epilogue(sums[j], sums[j + 1], columns[j / 2]);
        out[j] = assay::from_float<scalar_t>(sums[j]);
        out[j + 1] = assay::from_float<scalar_t>(sums[j + 1]);
    }
    return out;
}

template <class C, bool TRANSPOSE_B, class Epilogue>
static __global__ void __launch_bounds__(C::THREADS)
    matmul_short_k(const scalar_t *a, const scalar_t *b, scalar_t *c, const matmul_shape s,
                   const Epilogue epilogue)
{
    ASSAY_DYNAMIC_SHARED(scalar_t, shared);
    take_product_of<TRANSPOSE_B>(a, b, s);
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    const int tiles_n = (s.n + C::TILE_N - 1) / C::TILE_N, tile = static_cast<int>(blockIdx.x);
    const int first = tile % tiles_n * C::TILE_N, n = first + lane * C::VECTOR;
    const int m = tile / tiles_n * C::TILE_M + warp * C::ROWS;
    float of_a[C::K / 2], of_b[C::K][C::VECTOR];
    typename Epilogue::columns columns[C::VECTOR / 2];
    short_k_load_a<C>(of_a, a, s, m);
    short_k_load_b<C, TRANSPOSE_B>(of_b, b, s, n);
#pragma unroll
    for (int j = 0; j < C::VECTOR; j += 2)
        columns[j / 2] = epilogue.fetch(n + j);
    scalar_t *const staged = shared + warp * (C::ROWS * C::COLUMNS);
    matmul_shape stack = s;
    matmul_tile at = {m, first};
    stack_rows(stack, at, static_cast<int>(blockIdx.z));
#pragma unroll 4
    for (int r = 0; r < C::ROWS; r++) {
        const assay::vec<scalar_t, C::VECTOR> out = short_k_row<C>(of_b, of_a, r, columns, epilogue);
        scalar_t *to = c + (static_cast<int64_t>(at.m + r) * s.n + n);
        if (s.n % C::VECTOR == 0) {
            if (m + r < s.m && n < s.n)
                assay::store_vec(to, out);
        } else {
            assay::store_vec(staged + r * C::COLUMNS + lane * C::VECTOR, out);
        }
    }
    if (s.n % C::VECTOR != 0) {
        __syncwarp();
        write_unaligned_rows<C::ROWS, C::COLUMNS>(c, stack, at.m, first, [=](unsigned row, unsigned i) {
            return staged + row * C::COLUMNS + i * C::VECTOR;
        });
    }
}

// K from 1 to 7.
template <class Epilogue>
static assay_status short_k_run(const matmul_args *args, const matmul_shape &s, const Epilogue &epilogue,
                                assay_stream stream)
{
    using C = short_k_config;
    const int64_t tiles = count_tiles(args->m, args->n, C::TILE_M, C::TILE_N);
    if (tiles == 0)
        return ASSAY_ERR_UNSUPPORTED;
    const auto kernel =
        args->transpose_b ? matmul_short_k<C, true, Epilogue> : matmul_short_k<C, false, Epilogue>;
    return assay::launch(kernel, dim3(static_cast<unsigned>(tiles), 1, static_cast<unsigned>(args->batch)),
                         dim3(C::THREADS), s.n % C::VECTOR == 0 ? 0 : C::STAGED_BYTES, stream,
                         static_cast<const scalar_t *>(args->a), static_cast<const scalar_t *>(args->b),
                         static_cast<scalar_t *>(args->c), s, epilogue);
}

#endif
