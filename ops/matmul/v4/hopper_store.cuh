// How a consumer warpgroup of hopper.cuh writes its part of a finished tile: rounded to shared memory, then to c.
// A configuration C has TILE_N.
#ifndef ASSAY_OPS_MATMUL_V4_HOPPER_STORE_CUH
#define ASSAY_OPS_MATMUL_V4_HOPPER_STORE_CUH

#include <assay/kernel.h>
#include <assay/hopper.h>
#include "order.cuh"
#include "unaligned.cuh"

// Apply the epilogue, round, and store to shared memory as boxes of 64 x 64 with TMA's 128-byte swizzle.
template <class C, class Epilogue>
__device__ __forceinline__ void hopper_round_to_shared(scalar_t *out, const float (&sums)[C::TILE_N / 2],
                                                       const typename Epilogue::columns *columns,
                                                       const Epilogue &epilogue)
{
    const int t = threadIdx.x % 128, lane = t % 32, row = t / 32 * 16 + lane % 16;
#pragma unroll
    for (int chunk = 0; chunk < C::TILE_N / 8; chunk += 2) {
        uint32_t r[4];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            float x = sums[chunk * 4 + i * 2], y = sums[chunk * 4 + i * 2 + 1];
            epilogue(x, y, columns[(chunk + i / 2) * 4 + lane % 4]);
            const assay::vec<scalar_t, 2> pair = {
                {assay::from_float<scalar_t>(x), assay::from_float<scalar_t>(y)}};
            memcpy(&r[i], &pair, 4);
        }
        const int column = chunk % 8 + lane / 16;
        assay::stmatrix_x4(out + chunk / 8 * 4096 + row * 64 + (column ^ row % 8) * 8, r);
    }
}

// The columns of a tile from FROM on, of a c whose rows TMA cannot write; each warp writes 16 rows. `out`: as boxes.
template <class C, int FROM = 0>
__device__ __forceinline__ void hopper_store_unaligned(scalar_t *c, const scalar_t *out,
                                                       const matmul_shape &s, matmul_tile at)
{
    constexpr int LEFT = C::TILE_N - FROM,
                  WIDTH = LEFT >= 256   ? 256
                          : LEFT >= 128 ? 128
                          : LEFT >= 64  ? 64
                                        : 32; // a power of two
    const int warp = static_cast<int>(threadIdx.x) % 128 / 32;
    const scalar_t *rows = out + warp * 16 * 64;
    if (FROM > 0 && at.n + FROM >= s.n)
        return;
    write_unaligned_rows<16, WIDTH>(c, s, at.m + warp * 16, at.n + FROM, [=](unsigned row, unsigned i) {
        const unsigned chunk = i + FROM / 8;
        return rows + chunk / 8 * 4096 + row * 64 + (chunk % 8 ^ row % 8) * 8;
    });
    if constexpr (LEFT > WIDTH)
        hopper_store_unaligned<C, FROM + WIDTH>(c, out, s, at);
}

// Write the 64 x TILE_N elements in `out` to c, at `at`: boxes by TMA, in the product's plane unless the launch has but
// one, whose map is that of a matrix (ALONE).
template <class C, bool ALONE>
__device__ __forceinline__ void hopper_store(const assay::tensor_map *map_c, scalar_t *c, const scalar_t *out,
                                             const matmul_shape &s, matmul_tile at, int product)
{
    if (s.n % 8 != 0) {
        matmul_shape stack = s;
        if constexpr (!ALONE)
            stack_rows(stack, at, product);
        hopper_store_unaligned<C>(c, out, stack, at);
        return;
    }
    if (threadIdx.x % 128 == 0) {
#pragma unroll
        for (int box = 0; box < C::TILE_N / 64; box++)
            if constexpr (ALONE)
                assay::tma_store_2d(map_c, out + box * 4096, at.n + box * 64, at.m);
            else
                assay::tma_store_3d(map_c, out + box * 4096, at.n + box * 64, at.m, product);
        assay::tma_store_commit();
    }
}

#endif
