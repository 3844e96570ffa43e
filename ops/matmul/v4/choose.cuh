// Dispatch: the kernel and its tile, by device and shape, for every op that ends in a matmul.
//
// `Epilogue`: what is done to the sums before they are stored (epilogue.cuh).
#ifndef ASSAY_OPS_MATMUL_V4_CHOOSE_CUH
#define ASSAY_OPS_MATMUL_V4_CHOOSE_CUH

#include <assay/kernel.h>
#include "few_columns.cuh"
#include "few_rows.cuh"
#include "transpose_a.cuh"
#if ASSAY_DTYPE_TF32
#include "direct.cuh"
#include "tf32_hopper.cuh"
#elif ASSAY_DTYPE_F32
#include "sgemm.cuh"
#include "split.cuh"
#else
#include "direct.cuh"
#include "hopper.cuh"
#include "hopper_few_tiles.cuh"
#include "hopper_stream.cuh"
#include "tensor.cuh"
#endif
#include <assay/hopper.h>

// 0: what tile_model.h predicts to be faster; 1: no stream; 2 to 4: kStreamTiles in their order.
#ifndef STREAM_TILE
#define STREAM_TILE 0
#endif

// Tiles from the largest to the smallest, as measured on an H100 (docs/notes). The first tile is taken that
// is not mostly beyond an edge and gives enough blocks for `quarters` / 4 of the multiprocessors; if there is
// none, the last tile.
template <class Epilogue>
struct tile_choice {
    int tile_m, tile_n, quarters;
    assay_status (*launch)(const matmul_args *, const matmul_shape &, const Epilogue &, assay_stream);
    int bytes_under_way = 0; // that a block loads at the same time
    // The same with k split over blocks; not every kernel can.
    assay_status (*launch_split)(const matmul_args *, const matmul_shape &, int, const Epilogue &,
                                 assay_stream) = nullptr;
};
// clang-format off
#if ASSAY_DTYPE_TF32
template <class C, class E>
constexpr tile_choice<E> choice = {C::TILE_M, C::TILE_N, 3, tf32_launch<C, E>};
template <class E>
constexpr tile_choice<E> kTiles[] = {
    //                  M    N  warps  stages
    choice<tf32_config<128, 128, 2, 4, 4>, E>,
    choice<tf32_config< 64,  64, 2, 2, 4>, E>,
    choice<tf32_config< 32,  32, 2, 2, 4>, E>,
};
template <class C, class E>
constexpr tile_choice<E> hopper = {C::TILE_M, C::TILE_N, 3, tf32_hopper_launch<C, E>};
template <class E>
constexpr tile_choice<E> kHopperTiles[] = {
    //                        M  consumers (64 columns each), stages, raster
    hopper<tf32_hopper_config<256, 2, 4, RASTER_ROWS>, E>,
    hopper<tf32_hopper_config<128, 2, 6, RASTER_ROWS>, E>,
    hopper<tf32_hopper_config<128, 1, 8, RASTER_ROWS>, E>,
    hopper<tf32_hopper_config< 64, 2, 8, RASTER_ROWS>, E>, // small M
};
#elif ASSAY_DTYPE_F32
//                         M    N   K  warps slices stages blocks
using large = sgemm_config<128, 128, 16,  4, 2,    1,     4,     1>;
using medium = sgemm_config<64, 128, 16,  2, 2,    2,     4,     1>;
using lesser = sgemm_config<32,  64, 32,  1, 2,    4,     4,     1>;
using small = sgemm_config< 16,  32, 64,  1, 1,    4,     4,     1>;
template <class C, class E>
constexpr tile_choice<E> choice = {C::TILE_M, C::TILE_N, 3, sgemm_launch<C, E>, 0, sgemm_launch_split<C, E>};
template <class E>
constexpr tile_choice<E> kTiles[] = {
    choice<large, E>, choice<medium, E>, choice<lesser, E>, choice<small, E>,
};
template <class C, class Fallback, class E>
constexpr tile_choice<E> hopper = {C::TILE_M, C::TILE_N, 3, split_launch<C, Fallback, E>};
template <class E>
constexpr tile_choice<E> kHopperTiles[] = {
    //               stages raster
    hopper<split_config<3, 2 * RASTER_ROWS>, medium, E>, // 64 x 128
};
#else
template <class C, class E>
constexpr tile_choice<E> choice = {C::TILE_M, C::TILE_N, 3, tensor_launch<C, E>,
                                   (C::STAGES - 1) * C::STAGE_ELEMENTS * 2, tensor_launch_split<C, E>};
template <class E>
constexpr tile_choice<E> kTiles[] = {
    //                     M    N    K  warps  slices stages blocks
    choice<tensor_config<256, 128,  64,  4, 2,    1,     3,     1>, E>,
    choice<tensor_config< 64, 128,  64,  2, 2,    1,     6,     1>, E>,
    choice<tensor_config< 32,  32, 128,  1, 1,    4,     3,     1>, E>,
};
template <int QUARTERS, class C, class E>
constexpr tile_choice<E> hopper = {C::TILE_M, C::TILE_N, QUARTERS, hopper_launch<C, E>,
                                   (C::STAGES - 1) * C::STAGE_ELEMENTS * 2};
template <int TILE_N, class E>
constexpr tile_choice<E> few()
{
    if constexpr (std::is_empty_v<typename E::columns>)
        return {64, TILE_N, 3, few_launch<few_config<TILE_N, 8, RASTER_ROWS>, E>, 7 * 64 * (64 + TILE_N) * 2};
    else
        return hopper<3, hopper_config<64, TILE_N, 8, RASTER_ROWS>, E>;
}
template <class E>
constexpr tile_choice<E> kHopperTiles[] = {
    //                        M    N  stages raster
    hopper<8, hopper_config<128, 256,   3,   RASTER_ROWS>, E>,
    hopper<3, hopper_config<128, 128,   5,   RASTER_ROWS>, E>,
    few<128, E>(), // 64 x 128, 8 stages
    few<64, E>(),
};
// The same with the last round divided by k.
template <class E>
struct stream_choice {
    int tile_m, tile_n, bytes_under_way;
    assay_status (*launch)(const matmul_args *, const matmul_shape &, const stream_plan &, const E &, assay_stream);
};
template <class C, class E>
constexpr stream_choice<E> stream = {C::TILE_M, C::TILE_N, (C::STAGES - 1) * C::STAGE_ELEMENTS * 2,
                                     stream_launch<C, E>};
template <class E>
constexpr stream_choice<E> kStreamTiles[] = {
    stream<hopper_config<128, 256, 3, RASTER_ROWS>, E>,
    stream<hopper_config<128, 128, 5, RASTER_ROWS>, E>,
    stream<hopper_config< 64, 128, 8, RASTER_ROWS>, E>,
};
#endif
// clang-format on
#if !ASSAY_DTYPE_F32 || ASSAY_DTYPE_TF32
using direct = direct_config<8>; // 16 x 32 tile, k split over 8 warps
#endif

static int64_t tiles_to_fill(int quarters)
{
    return (assay::multiprocessor_count() * int64_t{quarters} + 3) / 4;
}

template <class Epilogue>
static bool fits(const tile_choice<Epilogue> &tile, int64_t m, int64_t n)
{
    return tile.tile_m < 2 * m && tile.tile_n < 2 * n &&
           count_tiles(m, n, tile.tile_m, tile.tile_n) >= tiles_to_fill(tile.quarters);
}

template <class Epilogue, size_t Count>
static const tile_choice<Epilogue> &choose(const tile_choice<Epilogue> (&tiles)[Count], int64_t m, int64_t n)
{
    size_t i = 0;
    while (i + 1 < Count && !fits(tiles[i], m, n))
        i++;
    return tiles[i];
}

// Whether wgmma pays. Small-M and small-N products waste most of a warpgroup's 64 rows; a few small tiles are
// done before TMA has started, or before the operands of an f32 matmul are split.
#if ASSAY_DTYPE_F32
static int64_t tiles_worth_hopper(const matmul_args *args)
{
    if (ASSAY_DTYPE_TF32 && (args->k % 4 != 0 || args->n % 4 != 0)) // rows that TMA cannot read
        return 0;
    return count_tiles(args->m, args->n, 64, 128);
}
#else
static int64_t tiles_worth_hopper(const matmul_args *args)
{
    return 2 * count_tiles(args->m, args->n, 64, 64);
}
#endif

static bool hopper_pays(const matmul_args *args)
{
    return assay::hopper_available() && args->m >= 64 && args->n >= 64 && args->k >= 64 &&
           tiles_worth_hopper(args) >= tiles_to_fill(3);
}

template <class Epilogue>
static const tile_choice<Epilogue> &choose_tile(const matmul_args *args)
{
    if (hopper_pays(args))
        return choose(kHopperTiles<Epilogue>, args->m, args->n);
    return choose(kTiles<Epilogue>, args->m, args->n);
}

#if !ASSAY_DTYPE_F32
// Run as a stream if the model says that this pays against `tile`. Returns whether it was run.
//
// M of 16 and less stays with mma.sync: such products are bound by memory, and op.json's was measured so.
template <class Epilogue>
static bool stream_if_faster(const matmul_args *args, const matmul_shape &shape,
                             const tile_choice<Epilogue> &tile, bool on_hopper, const Epilogue &epilogue,
                             assay_stream stream, assay_status *status)
{
    if (STREAM_TILE == 1 || !assay::hopper_available() || args->m <= 16 || args->n < 64 || args->k < 64)
        return false;
    const model_problem problem = {args->m, args->n, args->k, assay::multiprocessor_count()};
    const model_tile present = {tile.tile_m, tile.tile_n, tile.bytes_under_way, on_hopper ? 1.0 : 0.57};
    const stream_choice<Epilogue>(&choices)[3] = kStreamTiles<Epilogue>;
    model_tile tiles[3];
    for (int i = 0; i < 3; i++)
        tiles[i] = {choices[i].tile_m, choices[i].tile_n, choices[i].bytes_under_way, 1.0};
    stream_plan plan;
    const int chosen = model_choose_stream(&problem, &present, tiles, 3, STREAM_TILE - 2,
                                           partial_sums_of(args).floats, &plan);
    if (chosen < 0)
        return false;
    *status = choices[chosen].launch(args, shape, plan, epilogue, stream);
    return true;
}
#endif

#ifndef FEW_LINES
#define FEW_LINES 8 // rows of a, or columns of b, up to which the other matrix is streamed; 0: never
#endif
static constexpr int64_t kFewLinesLongest = 1 << 30; // k, so that a step beyond it has 32 bits
static_assert(FEW_LINES >= 0 && FEW_LINES <= 8, "sums that a thread has");

// Into how many parts to split k for a tile of kTiles: parts of 512 of k at least, so that their sums (1 of 512
// operations, or 8 of its 256 bytes of operands for a 64 x 128 tile of 2-byte elements) cost little.
template <class Epilogue>
static int splits_of(const matmul_args *args, const tile_choice<Epilogue> &tile)
{
    const int64_t tiles = count_tiles(args->m, args->n, tile.tile_m, tile.tile_n);
    if (tiles == 0 || tile.launch_split == nullptr)
        return 1;
    const int64_t room = partial_sums_of(args).floats / (tiles * tile.tile_m * tile.tile_n),
                  most = args->k / 512;
    return count_splits(tiles, assay::multiprocessor_count(), room < most ? room : most);
}

// Where at least half of the multiprocessors have no tile and k is long: the largest tile, not mostly beyond an
// edge, whose parts fill three quarters of them, or else the last. nullptr: k is not split.
template <class Epilogue>
static const tile_choice<Epilogue> *choose_split(const matmul_args *args,
                                                 const tile_choice<Epilogue> &present)
{
    if (2 * count_tiles(args->m, args->n, present.tile_m, present.tile_n) > assay::multiprocessor_count() ||
        splits_of(args, present) < 2)
        return nullptr;
    for (const tile_choice<Epilogue> &tile : kTiles<Epilogue>) {
        const int64_t tiles = count_tiles(args->m, args->n, tile.tile_m, tile.tile_n);
        const int splits = splits_of(args, tile);
        if (tile.tile_m < 2 * args->m && tile.tile_n < 2 * args->n && splits > 1 &&
            tiles * splits >= tiles_to_fill(3))
            return &tile;
    }
    return &present;
}

template <class Epilogue>
static assay_status matmul_choose_and_run(const matmul_args *args, const Epilogue &epilogue,
                                          assay_stream stream)
{
    if (args->m == 0 || args->n == 0)
        return ASSAY_OK;
    const int64_t limit =
        INT32_MAX - 512; // indices inside a kernel, a tile beyond the edge included, are 32-bit
    if (args->m > limit || args->n > limit || args->k > limit)
        return ASSAY_ERR_UNSUPPORTED;
    if (args->transpose_a && args->k > 0) {
        matmul_args plain;
        const assay_status status = transpose_a(args, &plain, stream);
        return status == ASSAY_OK ? matmul_choose_and_run(&plain, epilogue, stream) : status;
    }
    const matmul_shape shape = {static_cast<int>(args->m), static_cast<int>(args->n),
                                static_cast<int>(args->k), args->k, matmul_stored_b(args).length};
#if !ASSAY_DTYPE_F32 || ASSAY_DTYPE_TF32
    if (direct_fits<direct>(args))
        return direct_launch<direct>(args, shape, epilogue, stream);
#endif
    if (args->n <= FEW_LINES && args->k < kFewLinesLongest)
        return few_columns_run(args, shape, epilogue, stream);
    if (args->m <= FEW_LINES && args->k < kFewLinesLongest)
        return args->transpose_b ? few_rows_by_columns_run(args, shape, epilogue, stream)
                                 : few_rows_run(args, shape, epilogue, stream);
    const tile_choice<Epilogue> &tile = choose_tile<Epilogue>(args);
#if !ASSAY_DTYPE_F32
    assay_status status = ASSAY_OK;
    if (stream_if_faster(args, shape, tile, hopper_pays(args), epilogue, stream, &status))
        return status;
#endif
    if (const tile_choice<Epilogue> *split = choose_split(args, tile))
        return split->launch_split(args, shape, splits_of(args, *split), epilogue, stream);
    if (count_tiles(args->m, args->n, tile.tile_m, tile.tile_n) == 0)
        return ASSAY_ERR_UNSUPPORTED;
    return tile.launch(args, shape, epilogue, stream);
}

#endif
