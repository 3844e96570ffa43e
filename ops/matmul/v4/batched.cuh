// Many products of small matrices in one launch: a plane of blocks for each product of the batch.
//
// A block has a 64 x 64 tile of one product's c. f16 and bf16 are multiplied by mma.sync, 32 of k at a time, f32 and
// tf32 by FFMA, 16 of k at a time. Elements go through registers to double-buffered shared memory as in step 3a, as
// they lie, so that only the first product has to begin at a multiple of 16 bytes; rows that are no multiple of 16
// bytes are loaded element by element.
// Products that fill the card one by one are launched one after the other, with the tiles of choose.cuh. Not timed.
// Views, whose rows have padding behind them, are multiplied in the same way, also a single one; choose.cuh gets a copy
// without the padding.
#ifndef ASSAY_OPS_MATMUL_V4_BATCHED_CUH
#define ASSAY_OPS_MATMUL_V4_BATCHED_CUH

#include <assay/kernel.h>
#include "../batch.cuh"
#include "../strided.cuh"
#include "choose.cuh"

constexpr bool BATCHED_TENSOR = sizeof(scalar_t) == 2;
constexpr int BATCHED_SIDE = 64, BATCHED_K = BATCHED_TENSOR ? 32 : 16, BATCHED_THREADS = 128;
constexpr int BATCHED_VECTOR = 16 / sizeof(scalar_t);

struct batched_gemm {
    const scalar_t *a, *b;
    scalar_t *c;
    int m, n, k, tiles_n;
    int row_a, row_b;           // elements from one row to the next, as they lie
    int64_t matrix_a, matrix_b; // elements from one product's to the next one's
};

// The tile of one operand: 64 rows of a or columns of b ("lines") by BATCHED_K, kept as it lies. ALONG_K: k runs along
// its rows. V elements are loaded at once; V divides the length of a row, or is 1.
template <bool ALONG_K, int V>
struct batched_operand {
    static constexpr int LENGTH = ALONG_K ? BATCHED_K : BATCHED_SIDE,
                         ROWS = ALONG_K ? BATCHED_SIDE : BATCHED_K;
    static constexpr int STEP = BATCHED_THREADS * V / LENGTH, COUNT = ROWS / STEP;
    static constexpr int PITCH = LENGTH + BATCHED_VECTOR; // spreads rows over the banks
    static constexpr int ELEMENTS = ROWS * PITCH;
    static_assert(STEP * COUNT == ROWS && LENGTH % V == 0, "whole rows");

    const scalar_t *from; // this thread's next element
    int64_t stride;       // of rows
    int rows, columns;    // from there to the edges
    assay::vec<scalar_t, V> held[COUNT];

    __device__ __forceinline__ batched_operand(const scalar_t *operand, int first, int lines, int k,
                                               int row_stride)
    {
        const int row = static_cast<int>(threadIdx.x) * V / LENGTH,
                  column = static_cast<int>(threadIdx.x) * V % LENGTH;
        const int first_row = ALONG_K ? first + row : row, first_column = ALONG_K ? column : first + column;
        stride = row_stride;
        from = operand + first_row * stride + first_column;
        rows = (ALONG_K ? lines : k) - first_row, columns = (ALONG_K ? k : lines) - first_column;
    }

    // Start loading, and move on by BATCHED_K. What lies outside of the operand is 0.
    __device__ __forceinline__ void load()
    {
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            held[i] = assay::vec<scalar_t, V>{};
            if (i * STEP < rows && columns > 0)
                held[i] = assay::load_vec<V>(from + i * STEP * stride);
        }
        from += ALONG_K ? BATCHED_K : BATCHED_K * stride;
        (ALONG_K ? columns : rows) -= BATCHED_K;
    }

    __device__ __forceinline__ void store(scalar_t *tile) const
    {
        tile +=
            static_cast<int>(threadIdx.x) * V / LENGTH * PITCH + static_cast<int>(threadIdx.x) * V % LENGTH;
#pragma unroll
        for (int i = 0; i < COUNT; i++)
            assay::store_vec(tile + i * STEP * PITCH, held[i]);
    }

    static __device__ __forceinline__ const scalar_t *at(const scalar_t *tile, int line, int k)
    {
        return tile + (ALONG_K ? line * PITCH + k : k * PITCH + line);
    }
};

#if ASSAY_DTYPE_F32 || ASSAY_DTYPE_TF32

// A thread's 8 x 4 sums: rows of a tile's eighth, columns of its sixteenth.
template <class A, class B>
struct batched_sums {
    float sums[8][4] = {};
    static __device__ __forceinline__ int row() { return static_cast<int>(threadIdx.x) / 16 * 8; }
    static __device__ __forceinline__ int column() { return static_cast<int>(threadIdx.x) % 16 * 4; }

    __device__ __forceinline__ void multiply(const scalar_t *a, const scalar_t *b)
    {
#pragma unroll 4 // all of them at once cost 200 registers
        for (int k = 0; k < BATCHED_K; k++) {
            float of_b[4];
#pragma unroll
            for (int j = 0; j < 4; j++)
                of_b[j] = as_factor(*B::at(b, column() + j, k));
#pragma unroll
            for (int i = 0; i < 8; i++) {
                const float of_a = as_factor(*A::at(a, row() + i, k));
#pragma unroll
                for (int j = 0; j < 4; j++)
                    sums[i][j] += of_a * of_b[j];
            }
        }
    }
    // put(row, column, two neighbouring sums)
    template <class Put>
    __device__ __forceinline__ void for_each_pair(const Put &put) const
    {
#pragma unroll
        for (int i = 0; i < 8; i++)
#pragma unroll
            for (int j = 0; j < 4; j += 2)
                put(row() + i, column() + j, sums[i][j], sums[i][j + 1]);
    }
};

#else

// A warp's 32 x 32 sums, in pieces of 16 x 8. ldmatrix turns what does not lie along k.
template <class A, class B>
struct batched_sums {
    float sums[2][4][4] = {};
    static __device__ __forceinline__ int row() { return static_cast<int>(threadIdx.x) / 64 * 32; }
    static __device__ __forceinline__ int column() { return static_cast<int>(threadIdx.x) / 32 % 2 * 32; }

    static __device__ __forceinline__ void read_a(uint32_t *r, const scalar_t *tile, int line, int k,
                                                  int lane)
    {
        if constexpr (A::LENGTH == BATCHED_K)
            assay::ldmatrix_x4(r, A::at(tile, line + lane % 16, k + lane / 16 * 8));
        else
            assay::ldmatrix_x4_trans(r, A::at(tile, line + lane / 8 % 2 * 8, k + lane / 16 * 8 + lane % 8));
    }
    // Of two pieces of 8 columns.
    static __device__ __forceinline__ void read_b(uint32_t *r, const scalar_t *tile, int line, int k,
                                                  int lane)
    {
        if constexpr (B::LENGTH == BATCHED_K)
            assay::ldmatrix_x4(r, B::at(tile, line + lane / 16 * 8 + lane % 8, k + lane / 8 % 2 * 8));
        else
            assay::ldmatrix_x4_trans(r, B::at(tile, line + lane / 16 * 8, k + lane % 16));
    }
    __device__ __forceinline__ void multiply(const scalar_t *a, const scalar_t *b)
    {
        const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
        for (int k = 0; k < BATCHED_K; k += 16) {
            uint32_t of_a[2][4], of_b[2][4];
#pragma unroll
            for (int i = 0; i < 2; i++) {
                read_a(of_a[i], a, row() + i * 16, k, lane);
                read_b(of_b[i], b, column() + i * 16, k, lane);
            }
#pragma unroll
            for (int i = 0; i < 2; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    assay::mma_m16n8k16<scalar_t>(sums[i][j], of_a[i], of_b[j / 2] + j % 2 * 2, sums[i][j]);
        }
    }
    template <class Put>
    __device__ __forceinline__ void for_each_pair(const Put &put) const
    {
        const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
        for (int i = 0; i < 2; i++)
#pragma unroll
            for (int j = 0; j < 4; j++)
#pragma unroll
                for (int h = 0; h < 2; h++)
                    put(row() + i * 16 + h * 8 + lane / 4, column() + j * 8 + lane % 4 * 2, sums[i][j][h * 2],
                        sums[i][j][h * 2 + 1]);
    }
};

#endif

template <int V, bool TRANSPOSE_A, bool TRANSPOSE_B>
static __global__ void __launch_bounds__(BATCHED_THREADS) matmul_batched(const batched_gemm p)
{
    using of_a = batched_operand<!TRANSPOSE_A, V>;
    using of_b = batched_operand<TRANSPOSE_B, V>;
    alignas(16) __shared__ scalar_t tiles_a[2][of_a::ELEMENTS], tiles_b[2][of_b::ELEMENTS];
    const int tile_m = static_cast<int>(blockIdx.x) / p.tiles_n * BATCHED_SIDE,
              tile_n = static_cast<int>(blockIdx.x) % p.tiles_n * BATCHED_SIDE;
    const scalar_t *a = p.a, *b = p.b;
    take_product(a, b, p.matrix_a, p.matrix_b);
    of_a next_a(a, tile_m, p.m, p.k, p.row_a);
    of_b next_b(b, tile_n, p.n, p.k, p.row_b);
    batched_sums<of_a, of_b> out;
    next_a.load();
    next_b.load();
    for (int k0 = 0, stage = 0; k0 < p.k; k0 += BATCHED_K, stage ^= 1) {
        next_a.store(tiles_a[stage]); // nobody has read this stage since the barrier before
        next_b.store(tiles_b[stage]);
        __syncthreads();
        next_a.load(); // in the last step only zeros, which no one multiplies
        next_b.load();
        out.multiply(tiles_a[stage], tiles_b[stage]);
    }
    out.for_each_pair([&](int row, int column, float left, float right) {
        const int i = tile_m + row, j = tile_n + column;
        scalar_t *to = product_of(p.c, p.m, p.n) + (static_cast<int64_t>(i) * p.n + j);
        const assay::vec<scalar_t, 2> pair = {
            {assay::from_float<scalar_t>(left), assay::from_float<scalar_t>(right)}};
        if (i < p.m && j < p.n && p.n % 2 == 0) {
            assay::store_vec(to, pair);
        } else if (i < p.m && j < p.n) {
            to[0] = pair[0];
            if (j + 1 < p.n)
                to[1] = pair[1];
        }
    });
}

static inline assay_status batched_launch(const matmul_args *args, assay_stream stream)
{
    const int64_t limit = INT32_MAX - 512; // indices inside a kernel, a tile beyond the edge included
    const int64_t tiles_m = (args->m + BATCHED_SIDE - 1) / BATCHED_SIDE,
                  tiles_n = (args->n + BATCHED_SIDE - 1) / BATCHED_SIDE;
    if (args->m > limit || args->n > limit || args->k > limit || matmul_row_a(args) > limit ||
        matmul_row_b(args) > limit || tiles_n > INT32_MAX / tiles_m)
        return ASSAY_ERR_UNSUPPORTED;
    const batched_gemm p = {static_cast<const scalar_t *>(args->a),
                            static_cast<const scalar_t *>(args->b),
                            static_cast<scalar_t *>(args->c),
                            static_cast<int>(args->m),
                            static_cast<int>(args->n),
                            static_cast<int>(args->k),
                            static_cast<int>(tiles_n),
                            static_cast<int>(matmul_row_a(args)),
                            static_cast<int>(matmul_row_b(args)),
                            matmul_matrix_a(args),
                            matmul_matrix_b(args)};
    const bool aligned = (args->transpose_a ? args->m : args->k) % BATCHED_VECTOR == 0 &&
                         matmul_stored_b(args).length % BATCHED_VECTOR == 0 &&
                         args->padding_a % BATCHED_VECTOR == 0 && args->padding_b % BATCHED_VECTOR == 0;
    return with_transpositions(args->transpose_a, args->transpose_b, [&](auto a, auto b) {
        return assay::launch(
            aligned ? matmul_batched<BATCHED_VECTOR, a.VALUE, b.VALUE> : matmul_batched<1, a.VALUE, b.VALUE>,
            dim3(static_cast<unsigned>(tiles_m * tiles_n), 1, static_cast<unsigned>(args->batch)),
            dim3(BATCHED_THREADS), 0, stream, p);
    });
}

// Whether products are better launched one by one: each fills half of the card, or all together are few and long. Every
// product then has to begin at a multiple of 16 bytes.
static inline bool batched_one_by_one(const matmul_args *args)
{
    const int64_t room = assay::multiprocessor_count();
    const int64_t large = (args->m + 127) / 128 * ((args->n + 127) / 128),
                  small = (args->m + 63) / 64 * ((args->n + 63) / 64);
    const bool aligned =
        args->batch == 1 || ((args->padding_a != 0 || args->m * args->k % BATCHED_VECTOR == 0) &&
                             (args->padding_b != 0 || args->k * args->n % BATCHED_VECTOR == 0) &&
                             args->m * args->n % BATCHED_VECTOR == 0);
    return aligned && (2 * large >= room || (args->k >= 2048 && small * args->batch < room));
}

// A row for each block, and then every gridDim.x-th.
static __global__ void __launch_bounds__(256)
    matmul_copy_rows(const scalar_t *from, scalar_t *to, int64_t rows, int64_t length, int64_t stride)
{
    for (int64_t row = blockIdx.x; row < rows; row += gridDim.x)
        for (int64_t i = threadIdx.x; i < length; i += blockDim.x)
            to[row * length + i] = from[row * stride + i];
}

// *operand, of `rows` rows of `length` elements, without the padding behind them, at the beginning of the workspace;
// what is left of that is args'.
static inline assay_status drop_padding(const void **operand, int64_t *padding, int64_t rows, int64_t length,
                                        matmul_args *args, assay_stream stream)
{
    const int64_t bytes = (rows * length * static_cast<int64_t>(sizeof(scalar_t)) + 255) / 256 * 256,
                  stride = length + *padding;
    if (*padding == 0 || bytes == 0)
        return ASSAY_OK;
    if (args->workspace == nullptr || args->workspace_bytes < bytes)
        return ASSAY_ERR_INVALID;
    scalar_t *dense = static_cast<scalar_t *>(args->workspace);
    const scalar_t *from = static_cast<const scalar_t *>(*operand);
    const int64_t most = 16 * static_cast<int64_t>(assay::multiprocessor_count());
    *operand = dense, *padding = 0;
    args->workspace = static_cast<char *>(args->workspace) + bytes;
    args->workspace_bytes -= bytes;
    return assay::launch(matmul_copy_rows, dim3(static_cast<unsigned>(rows < most ? rows : most)), dim3(256),
                         0, stream, from, dense, rows, length, stride);
}

static inline assay_status dense_run(const matmul_args *product, assay_stream stream)
{
    matmul_args dense = *product;
    const matmul_stored b = matmul_stored_b(product);
    const int64_t rows_a = product->transpose_a ? product->k : product->m,
                  length_a = product->transpose_a ? product->m : product->k;
    assay_status status = drop_padding(&dense.a, &dense.padding_a, rows_a, length_a, &dense, stream);
    if (status == ASSAY_OK)
        status = drop_padding(&dense.b, &dense.padding_b, b.rows, b.length, &dense, stream);
    return status == ASSAY_OK ? matmul_choose_and_run(&dense, keep_sums{}, stream) : status;
}

static inline assay_status batched_run(const matmul_args *args, assay_stream stream)
{
    if (args->m == 0 || args->n == 0)
        return ASSAY_OK;
    if (batched_one_by_one(args))
        return for_each_part(args, 1, [=](const matmul_args *product) { return dense_run(product, stream); });
    return for_each_part(args, kMostPlanes,
                         [=](const matmul_args *part) { return batched_launch(part, stream); });
}

#endif
