// mha, step 3b: tensor cores by mma.sync, fed by cp.async. f16 and bf16.
//
// After FlashAttention-2 (Dao, 2023). A block owns BM queries of one head, each warp 16 * MI of them; all
// walk along the keys in tiles of BN. A warp multiplies its q with the tile's k by mma.sync m16n8k16 with
// fp32 sums.
//   - mma leaves the scores in the registers in which it takes a left operand. Probabilities are rounded
//     there and multiplied with v; they never touch shared memory.
//   - cp.async copies the next tile of k and v while the present one is used.
//   - Tiles are rows of 16-byte chunks, permuted by exclusive-or with the row number modulo 8 against bank
//     conflicts; ldmatrix reads them.
//   - Rows that are not aligned to 16 bytes are copied element by element: right, but slow.
// A masked key inside a tile has probability 0; if its value is infinite or NaN, 0 times that is NaN in
// queries that do not see it.
// Expected effect: several times step 3a. mma.sync reaches about two thirds of Hopper's tensor-core rate, and
// a warp that takes exponentials multiplies nothing.
// Next: Hopper's warpgroup products read shared memory themselves, and TMA copies without threads.
// Tunables: none.
#include <cstring>
#include "../common/exp2_fast.h"
#include "attention.cuh"

static constexpr int WARPS = 4, THREADS = 32 * WARPS, STAGES = 2;

// DP: row length in shared memory; shorter rows are padded with zeros. BN: keys of a tile. MI: 16-row pieces
// of a warp.
template <int DP_, int BN_, int MI_>
struct tile_config {
    static constexpr int DP = DP_, BN = BN_, MI = MI_, BM = 16 * MI * WARPS;
    static constexpr int CHUNKS = DP / 8, NI = BN / 8, DI = DP / 8; // 16-byte chunks; mma pieces of 8 columns
    static constexpr int TILE = BN * DP, SHARED_BYTES = 2 * (BM * DP + STAGES * 2 * TILE);
};

// Element offset of a 16-byte chunk in a tile.
template <class C>
static __device__ __forceinline__ int swizzled(int row, int chunk)
{
    return (row * C::CHUNKS + (chunk ^ row % 8)) * 8;
}

// Start copying rows [first, first + ROWS) of a matrix with `count` rows, zeros beside it.
template <class C, int ROWS>
static __device__ __forceinline__ void copy_tile(scalar_t *to, const scalar_t *from, int first, int count,
                                                 const attention_shape &s)
{
    const int chunk = static_cast<int>(threadIdx.x) % C::CHUNKS, column = chunk * 8;
#pragma unroll 4
    for (int row = static_cast<int>(threadIdx.x) / C::CHUNKS; row < ROWS; row += THREADS / C::CHUNKS) {
        const bool inside = first + row < count && column < s.dim;
        const scalar_t *source = from + (inside ? static_cast<int64_t>(first + row) * s.dim + column : 0);
        if (s.aligned) { // the address of a copy that reads nothing must still be valid
            assay::cp_async_16(to + swizzled<C>(row, chunk), source, inside ? 16 : 0);
            continue;
        }
        assay::vec<scalar_t, 8> piece = {};
#pragma unroll
        for (int e = 0; e < 8; e++)
            if (inside && column + e < s.dim)
                piece[e] = source[e];
        assay::store_vec(to + swizzled<C>(row, chunk), piece);
    }
}

// A warp's sums, and an online softmax for each of a thread's rows: lane / 4 and lane / 4 + 8 of every 16.
template <class C>
struct warp_state {
    float out[C::MI][C::DI][4], max[C::MI][2], sum[C::MI][2];
};

// scores = q * k^T. `row`: the warp's first in tile_q.
template <class C>
static __device__ __forceinline__ void multiply_keys(float (&scores)[C::MI][C::NI][4], const scalar_t *tile_q,
                                                     const scalar_t *tile_k, int row, int lane)
{
    const int q_at = swizzled<C>(row + lane % 16, lane / 16),
              k_at = swizzled<C>(lane % 8 + lane / 16 * 8, lane / 8 % 2);
#pragma unroll
    for (int d = 0; d < C::DP / 16; d++) { // on along a row by exclusive-or, as the permutation is one
        uint32_t q[C::MI][4];
#pragma unroll
        for (int i = 0; i < C::MI; i++)
            assay::ldmatrix_x4(q[i], tile_q + (q_at ^ d * 16) + i * 16 * C::DP);
#pragma unroll
        for (int j = 0; j < C::NI; j += 2) {
            uint32_t k[4];
            assay::ldmatrix_x4(k, tile_k + (k_at ^ d * 16) + j * 8 * C::DP);
#pragma unroll
            for (int i = 0; i < C::MI; i++) {
                assay::mma_m16n8k16<scalar_t>(scores[i][j], q[i], k, scores[i][j]);
                assay::mma_m16n8k16<scalar_t>(scores[i][j + 1], q[i], k + 2, scores[i][j + 1]);
            }
        }
    }
}

// Scale and mask the scores, turn them into probabilities, and bring maxima, sums and output up to date.
// `key`: the tile's first; `query`: the warp's first. A score is scaled, and rounded, before its maximum is
// taken from it, so that the largest exponent is 0.
template <class C>
static __device__ __forceinline__ void softmax_tile(float (&scores)[C::MI][C::NI][4], warp_state<C> &state,
                                                    const attention_shape &s, int key, int query, int lane)
{
#pragma unroll
    for (int i = 0; i < C::MI; i++)
#pragma unroll
        for (int h = 0; h < 2; h++) {
            const int visible = visible_keys(s, query + i * 16 + h * 8 + lane / 4, key) - lane % 4 * 2;
            float max = state.max[i][h];
#pragma unroll
            for (int n = 0; n < C::BN / 4; n++)
                scores[i][n / 2][2 * h + n % 2] = __fmul_rn(scores[i][n / 2][2 * h + n % 2], s.scale);
            if (visible < C::BN)
#pragma unroll
                for (int n = 0; n < C::BN / 4; n++)
                    if (n / 2 * 8 + n % 2 >= visible)
                        scores[i][n / 2][2 * h + n % 2] = -INFINITY;
#pragma unroll
            for (int n = 0; n < C::BN / 4; n++)
                max = fmaxf(max, scores[i][n / 2][2 * h + n % 2]);
            max = fmaxf(max, __shfl_xor_sync(0xffffffff, max, 1));
            max = fmaxf(max, __shfl_xor_sync(0xffffffff, max, 2));
            const float rescale = exp2_fast(state.max[i][h] - max);
            state.max[i][h] = max;
            state.sum[i][h] *= rescale;
#pragma unroll
            for (int d = 0; d < C::DI; d++)
                state.out[i][d][2 * h] *= rescale, state.out[i][d][2 * h + 1] *= rescale;
#pragma unroll
            for (int n = 0; n < C::BN / 4; n++) {
                float &score = scores[i][n / 2][2 * h + n % 2];
                score = exp2_fast(score - max);
                state.sum[i][h] += score; // before it is rounded to the module's type
            }
        }
}

static __device__ __forceinline__ uint32_t pack(float low, float high)
{
    const assay::vec<scalar_t, 2> pair = {
        {assay::from_float<scalar_t>(low), assay::from_float<scalar_t>(high)}};
    uint32_t bits;
    memcpy(&bits, &pair, sizeof bits);
    return bits;
}

// out += p * v, 16 keys at a time. A left operand: the rows lane / 4 and 8 below it of keys 0 to 7, then of
// keys 8 to 15.
template <class C>
static __device__ __forceinline__ void
multiply_values(warp_state<C> &state, const float (&p)[C::MI][C::NI][4], const scalar_t *tile_v, int lane)
{
    const int v_at = swizzled<C>(lane % 16, lane / 16);
#pragma unroll
    for (int j = 0; j < C::NI; j += 2) {
        uint32_t left[C::MI][4];
#pragma unroll
        for (int i = 0; i < C::MI; i++)
#pragma unroll
            for (int part = 0; part < 4; part++)
                left[i][part] = pack(p[i][j + part / 2][part % 2 * 2], p[i][j + part / 2][part % 2 * 2 + 1]);
#pragma unroll
        for (int d = 0; d < C::DI; d += 2) {
            uint32_t v[4];
            assay::ldmatrix_x4_trans(v, tile_v + (v_at ^ d * 8) + j * 8 * C::DP);
#pragma unroll
            for (int i = 0; i < C::MI; i++) {
                assay::mma_m16n8k16<scalar_t>(state.out[i][d], left[i], v, state.out[i][d]);
                assay::mma_m16n8k16<scalar_t>(state.out[i][d + 1], left[i], v + 2, state.out[i][d + 1]);
            }
        }
    }
}

// Divide by the sums and write the warp's rows, through its own rows of q's tile so that 16-byte chunks are
// written. `row`: the warp's first in the tile; `query`: the same in the head.
template <class C>
static __device__ __forceinline__ void store_rows(const warp_state<C> &state, scalar_t *to, scalar_t *tile,
                                                  const attention_shape &s, int row, int query, int lane)
{
    __syncwarp(); // all lanes have read q
#pragma unroll
    for (int i = 0; i < C::MI; i++)
#pragma unroll
        for (int h = 0; h < 2; h++) {
            float sum = state.sum[i][h]; // of this thread's columns; four threads share a row
            sum += __shfl_xor_sync(0xffffffff, sum, 1);
            sum += __shfl_xor_sync(0xffffffff, sum, 2);
            const float inverse = inverse_of(s, query + i * 16 + h * 8 + lane / 4, sum);
#pragma unroll
            for (int d = 0; d < C::DI; d++) {
                const uint32_t bits =
                    pack(state.out[i][d][2 * h] * inverse, state.out[i][d][2 * h + 1] * inverse);
                memcpy(tile + swizzled<C>(row + i * 16 + h * 8 + lane / 4, d) + lane % 4 * 2, &bits, 4);
            }
        }
    __syncwarp();
    for (int i = lane; i < 16 * C::MI * C::CHUNKS; i += 32) {
        const int down = i / C::CHUNKS, column = i % C::CHUNKS * 8;
        const scalar_t *from = tile + swizzled<C>(row + down, i % C::CHUNKS);
        scalar_t *place = to + static_cast<int64_t>(query + down) * s.dim + column;
        if (query + down >= s.queries || column >= s.dim)
            continue;
        if (s.aligned)
            assay::store_vec(place, assay::load_vec<8>(from));
        else
            for (int e = 0; e < 8 && column + e < s.dim; e++)
                place[e] = from[e];
    }
}

template <class C>
static __global__ void __launch_bounds__(THREADS) mha_v3b(const attention_shape s)
{
    ASSAY_DYNAMIC_SHARED(scalar_t, tile_q);
    scalar_t *stages = tile_q + C::BM * C::DP;
    const int lane = static_cast<int>(threadIdx.x) % 32,
              row = static_cast<int>(threadIdx.x) / 32 * 16 * C::MI;
    const attention_tile at = attention_tile_of<C::BM>(s);
    const int64_t of_queries = at.head * s.queries * s.dim, of_keys = at.key_head * s.key_rows * s.dim;
    const int tiles = (at.limit + C::BN - 1) / C::BN, query = at.first + row; // the warp's first
    const auto copy_keys = [&](int tile) {
        scalar_t *stage = stages + tile % STAGES * 2 * C::TILE;
        if (tile < tiles) {
            copy_tile<C, C::BN>(stage, s.k + of_keys, tile * C::BN, s.keys, s);
            copy_tile<C, C::BN>(stage + C::TILE, s.v + of_keys, tile * C::BN, s.keys, s);
        }
        assay::cp_async_commit();
    };
    copy_tile<C, C::BM>(tile_q, s.q + of_queries, at.first, s.queries, s);
    copy_keys(0);

    warp_state<C> state = {};
#pragma unroll
    for (int i = 0; i < C::MI; i++)
        state.max[i][0] = state.max[i][1] = kNoKeys;
    for (int tile = 0; tile < tiles; tile++) {
        assay::cp_async_wait<0>();
        __syncthreads(); // this tile has landed, and everyone is through with the one that the next replaces
        copy_keys(tile + 1);
        const int key = tile * C::BN;
        if (visible_keys(s, query + 16 * C::MI - 1, key) <= 0)
            continue; // no query of this warp sees these keys
        const scalar_t *stage = stages + tile % STAGES * 2 * C::TILE;
        float scores[C::MI][C::NI][4] = {};
        multiply_keys<C>(scores, tile_q, stage, row, lane);
        softmax_tile<C>(scores, state, s, key, query, lane);
        multiply_values<C>(state, scores, stage + C::TILE, lane);
    }
    assay::cp_async_wait<0>();
    __syncthreads(); // without keys q was still under way
    store_rows<C>(state, s.out + of_queries, tile_q, s, row, query, lane);
}

template <class C>
static assay_status run(const mha_args *args, assay_stream stream)
{
    return attention_run(args, C::BM, [=](const attention_shape &s, dim3 blocks) {
        return assay::launch(mha_v3b<C>, blocks, dim3(THREADS), C::SHARED_BYTES, stream, s);
    });
}

extern "C" assay_status mha_run(const mha_args *args, assay_stream stream)
{
    return args->dim <= 64    ? run<tile_config<64, 64, 2>>(args, stream)
           : args->dim <= 128 ? run<tile_config<128, 32, 2>>(args, stream)
                              : run<tile_config<256, 16, 1>>(args, stream);
}
