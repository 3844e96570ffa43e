// What a persistent block of hopper.cuh and split.cuh does: tiles, or parts of the k of tiles.
#ifndef ASSAY_OPS_MATMUL_V4_HOPPER_ITEMS_CUH
#define ASSAY_OPS_MATMUL_V4_HOPPER_ITEMS_CUH

#include "partial_sums.cuh"
#include "pipeline.cuh"

// How a launch divides the work (tile_plan in order.cuh).
struct hopper_work {
    static constexpr bool ALONE = false;
    int cluster, splits; // 1 or 2 blocks; blocks that share a k
    int batch;           // products; 1 for a cluster
    float *partial;      // their sums, TILE_M x TILE_N for each tile and part
};

// The same for blocks that share nothing of one product, known when a kernel is compiled.
struct hopper_alone {
    static constexpr bool ALONE = true;
    static constexpr int cluster = 1, splits = 1, batch = 1;
};

// A block's part of a tile: `count` stages of k, from stage `begin` on. `part`: the number of its sums.
struct hopper_item {
    matmul_tile tile;
    int product, begin, count;
    int64_t part;
};

// A block's nth item (from 0). False when there is none. Blocks of a cluster take tiles one above the other, of which
// the lower one may lie beyond the last row.
template <class C, class Work>
__device__ __forceinline__ bool find_item(const matmul_shape &s, const Work &work, int nth, hopper_item &item)
{
    const unsigned tile_rows = C::TILE_M * work.cluster;
    const unsigned tiles_m = (s.m + tile_rows - 1) / tile_rows, tiles_n = (s.n + C::TILE_N - 1) / C::TILE_N;
    const unsigned above = work.cluster - 1; // also the logarithm of the cluster's size
    unsigned index = nth * (gridDim.x >> above) + (blockIdx.x >> above), part = 0;
    if (index >= tiles_m * tiles_n * work.splits * work.batch)
        return false;
    item.product = 0, item.begin = 0, item.count = (s.k + C::TILE_K - 1) / C::TILE_K;
    if (work.splits > 1) {
        part = index % work.splits, index /= work.splits;
        const int each = (item.count + work.splits - 1) / work.splits;
        item.begin = static_cast<int>(part) * each;
        item.count = item.count - item.begin < each ? item.count - item.begin : each;
    }
    if (work.batch > 1) {
        item.product = static_cast<int>(index / (tiles_m * tiles_n));
        index -= item.product * (tiles_m * tiles_n);
    }
    place_tile<C>(tiles_m, tiles_n, index, item.tile);
    if (work.cluster > 1)
        item.tile.m = 2 * item.tile.m + assay::cluster_rank() * C::TILE_M;
    const int64_t tile = static_cast<int64_t>(item.product) * (tiles_m * tiles_n) +
                         (item.tile.m / C::TILE_M * tiles_n + item.tile.n / C::TILE_N);
    item.part = tile * work.splits + part;
    return true;
}

// Write a consumer's sums of a part of k, rows of TILE_N floats. `part`: of this consumer.
template <class C>
__device__ __forceinline__ void store_part(float *part, const float (&sums)[C::TILE_N / 2])
{
    const int t = static_cast<int>(threadIdx.x) % 128;
    float *to = part + (t / 32 * 16 + t % 32 / 4) * C::TILE_N + 2 * (t % 4);
#pragma unroll
    for (int i = 0; i < C::TILE_N / 2;
         i += 2) // float2: vec would make words of all sums, also in the loop before
        *reinterpret_cast<float2 *>(to + i / 2 % 2 * 8 * C::TILE_N + i / 4 * 8) =
            make_float2(sums[i], sums[i + 1]);
}

#endif
