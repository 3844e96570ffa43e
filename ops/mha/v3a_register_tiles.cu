// mha, step 3a: register tiles on the multiply-add units.
//
// The walk along the keys of step 2 with a tile of sums in registers. The 32 lanes of a warp form 4 rows of
// 8. A thread holds TR queries, 4 apart, and either every eighth key of the tile (scores) or an eighth of the
// columns (output). A step of 4 columns costs TR + BN / 8 16-byte reads of shared memory for TR * BN / 2
// multiply-adds; step 2 pays two reads for nearly every one.
//   - Probabilities change owners between the two products; they pass through shared memory of the warp
//     alone.
//   - Rows in shared memory are fp32 for every dtype, padded by 16 bytes (probabilities by 32) against bank
//     conflicts.
//   - Global reads are 16 bytes wide where rows are aligned to that, and single elements elsewhere.
// A masked key inside a tile has probability 0; if its value is infinite or NaN, 0 times that is NaN in
// queries that do not see it.
// Expected effect: three times step 2, limited by FFMA issue; the same time for every dtype.
// Next: tensor cores for the 2-byte types, and copies that run beside the arithmetic.
// Tunables: none.
#include "attention.cuh"

static constexpr int WARPS = 4, THREADS = 32 * WARPS;

// DP: row length in shared memory; shorter rows are padded with zeros. BN: keys of a tile. TR: queries of a
// thread.
template <int DP_, int BN_, int TR_>
struct tile_config {
    static constexpr int DP = DP_, BN = BN_, TR = TR_, TN = BN / 8, TD = DP / 8;
    static constexpr int WARP_ROWS = 4 * TR, BM = WARP_ROWS * WARPS;
    static constexpr int LD = DP + 4, LDP = BN + 8; // row strides in shared memory
    static constexpr int SHARED_BYTES = 4 * ((BM + 2 * BN) * LD + BM * LDP);
};

// Rows [first, first + ROWS) of a matrix with `count` rows, zeros beside it, times `factor`.
template <class C, int ROWS>
static __device__ __forceinline__ void load_tile(float *to, const scalar_t *from, int first, int count,
                                                 const attention_shape &s, float factor)
{
    constexpr int V = 16 / sizeof(scalar_t), PIECES = C::DP / V;
    for (int i = static_cast<int>(threadIdx.x); i < ROWS * PIECES; i += THREADS) {
        const int row = i / PIECES, column = i % PIECES * V;
        const scalar_t *source = from + static_cast<int64_t>(first + row) * s.dim + column;
        float piece[V] = {};
        if (first + row < count && column < s.dim) {
            if (s.aligned) {
                const assay::vec<scalar_t, V> loaded = assay::load_vec<V>(source);
#pragma unroll
                for (int e = 0; e < V; e++)
                    piece[e] = factor * assay::to_float(loaded[e]);
            } else {
#pragma unroll
                for (int e = 0; e < V; e++)
                    if (column + e < s.dim)
                        piece[e] = factor * assay::to_float(source[e]);
            }
        }
#pragma unroll
        for (int e = 0; e < V; e += 4)
            assay::store_vec(to + row * C::LD + column + e,
                             assay::vec<float, 4>{{piece[e], piece[e + 1], piece[e + 2], piece[e + 3]}});
    }
}

static __device__ __forceinline__ void read_four(float (&to)[4], const float *from)
{
    const assay::vec<float, 4> v = assay::load_vec<4>(from);
#pragma unroll
    for (int l = 0; l < 4; l++)
        to[l] = v[l];
}

// scores[i][j]: query i * 4 + lane / 8 of the warp, key j * 8 + lane % 8 of the tile.
template <class C>
static __device__ __forceinline__ void multiply_keys(float (&scores)[C::TR][C::TN], const float *tile_q,
                                                     const float *tile_k, int lane)
{
    tile_q += lane / 8 * C::LD, tile_k += lane % 8 * C::LD;
#pragma unroll 2
    for (int d = 0; d < C::DP; d += 4) {
        float q[C::TR][4], k[C::TN][4];
#pragma unroll
        for (int i = 0; i < C::TR; i++)
            read_four(q[i], tile_q + i * 4 * C::LD + d);
#pragma unroll
        for (int j = 0; j < C::TN; j++)
            read_four(k[j], tile_k + j * 8 * C::LD + d);
#pragma unroll
        for (int l = 0; l < 4; l++)
#pragma unroll
            for (int i = 0; i < C::TR; i++)
#pragma unroll
                for (int j = 0; j < C::TN; j++)
                    scores[i][j] += q[i][l] * k[j][l];
    }
}

// out[i][d]: columns d % 4 + 4 * (lane % 8) + 32 * (d / 4).
template <class C>
static __device__ __forceinline__ void multiply_values(float (&out)[C::TR][C::TD], const float *p,
                                                       const float *tile_v, int lane)
{
    p += lane / 8 * C::LDP, tile_v += lane % 8 * 4;
#pragma unroll 2
    for (int j = 0; j < C::BN; j += 4) {
        float left[C::TR][4];
#pragma unroll
        for (int i = 0; i < C::TR; i++)
            read_four(left[i], p + i * 4 * C::LDP + j);
#pragma unroll
        for (int l = 0; l < 4; l++)
#pragma unroll
            for (int d = 0; d < C::TD; d += 4) {
                float v[4];
                read_four(v, tile_v + (j + l) * C::LD + d * 8);
#pragma unroll
                for (int i = 0; i < C::TR; i++)
#pragma unroll
                    for (int e = 0; e < 4; e++)
                        out[i][d + e] += left[i][l] * v[e];
            }
    }
}

struct row_state {  // a row's online softmax
    float max, sum; // sum: of this thread's keys
};

// Mask the tile's scores, bring the rows up to date and leave the probabilities in p. `key`: the tile's
// first; `query`: the warp's first.
template <class C>
static __device__ __forceinline__ void softmax_tile(float (&scores)[C::TR][C::TN], row_state (&rows)[C::TR],
                                                    float (&out)[C::TR][C::TD], float *p,
                                                    const attention_shape &s, int key, int query, int lane)
{
#pragma unroll
    for (int i = 0; i < C::TR; i++) {
        const int visible = visible_keys(s, query + i * 4 + lane / 8, key) - lane % 8;
        float max = rows[i].max;
#pragma unroll
        for (int j = 0; j < C::TN; j++) {
            if (j * 8 >= visible)
                scores[i][j] = -INFINITY;
            max = fmaxf(max, scores[i][j]);
        }
#pragma unroll
        for (int step = 4; step > 0; step /= 2) // the 8 lanes of a query
            max = fmaxf(max, __shfl_xor_sync(0xffffffff, max, step));
        const float rescale = exp2f(rows[i].max - max);
        rows[i] = {max, rows[i].sum * rescale};
#pragma unroll
        for (int d = 0; d < C::TD; d++)
            out[i][d] *= rescale;
#pragma unroll
        for (int j = 0; j < C::TN; j++) {
            const float probability = exp2f(scores[i][j] - max);
            rows[i].sum += probability;
            p[(i * 4 + lane / 8) * C::LDP + j * 8 + lane % 8] = probability;
        }
    }
}

// Divide by the sums and write the warp's rows.
template <class C>
static __device__ __forceinline__ void store_rows(const float (&out)[C::TR][C::TD],
                                                  const row_state (&rows)[C::TR], scalar_t *to,
                                                  const attention_shape &s, int query, int lane)
{
#pragma unroll
    for (int i = 0; i < C::TR; i++) {
        float sum = rows[i].sum;
#pragma unroll
        for (int step = 4; step > 0; step /= 2)
            sum += __shfl_xor_sync(0xffffffff, sum, step);
        const int row = query + i * 4 + lane / 8;
        const float inverse = inverse_of(s, row, sum);
#pragma unroll
        for (int d = 0; d < C::TD; d += 4) {
            const int column = d * 8 + lane % 8 * 4;
            scalar_t *place = to + static_cast<int64_t>(row) * s.dim + column;
            assay::vec<scalar_t, 4> piece;
#pragma unroll
            for (int l = 0; l < 4; l++)
                piece[l] = assay::from_float<scalar_t>(out[i][d + l] * inverse);
            if (s.aligned && row < s.queries && column < s.dim)
                assay::store_vec(place, piece);
#pragma unroll
            for (int l = 0; l < 4; l++)
                if (!s.aligned && row < s.queries && column + l < s.dim)
                    place[l] = piece[l];
        }
    }
}

template <class C>
static __global__ void __launch_bounds__(THREADS) mha_v3a(const attention_shape s)
{
    ASSAY_DYNAMIC_SHARED(float, tile_q);
    float *tile_k = tile_q + C::BM * C::LD, *tile_v = tile_k + C::BN * C::LD;
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    float *p = tile_v + C::BN * C::LD + warp * C::WARP_ROWS * C::LDP;
    const attention_tile at = attention_tile_of<C::BM>(s);
    const int64_t of_head = at.key_head * s.key_rows * s.dim;
    const int query = at.first + warp * C::WARP_ROWS; // the warp's first
    load_tile<C, C::BM>(tile_q, s.q + at.head * s.queries * s.dim, at.first, s.queries, s, s.scale);

    float out[C::TR][C::TD] = {};
    row_state rows[C::TR];
#pragma unroll
    for (int i = 0; i < C::TR; i++)
        rows[i] = {kNoKeys, 0.0f};
    for (int key = 0; key < at.limit; key += C::BN) {
        __syncthreads(); // everyone is through with the last tile
        load_tile<C, C::BN>(tile_k, s.k + of_head, key, s.keys, s, 1.0f);
        load_tile<C, C::BN>(tile_v, s.v + of_head, key, s.keys, s, 1.0f);
        __syncthreads();
        if (visible_keys(s, query + C::WARP_ROWS - 1, key) <= 0)
            continue; // no query of this warp sees these keys
        float scores[C::TR][C::TN] = {};
        multiply_keys<C>(scores, tile_q + warp * C::WARP_ROWS * C::LD, tile_k, lane);
        softmax_tile<C>(scores, rows, out, p, s, key, query, lane);
        __syncwarp();
        multiply_values<C>(out, p, tile_v, lane);
    }
    store_rows<C>(out, rows, s.out + at.head * s.queries * s.dim, s, query, lane);
}

template <class C>
static assay_status run(const mha_args *args, assay_stream stream)
{
    return attention_run(args, C::BM, [=](const attention_shape &s, dim3 blocks) {
        return assay::launch(mha_v3a<C>, blocks, dim3(THREADS), C::SHARED_BYTES, stream, s);
    });
}

extern "C" assay_status mha_run(const mha_args *args, assay_stream stream)
{
    return args->dim <= 64    ? run<tile_config<64, 32, 8>>(args, stream)
           : args->dim <= 128 ? run<tile_config<128, 32, 4>>(args, stream)
                              : run<tile_config<256, 16, 4>>(args, stream);
}
