// Dispatch: the kernel and its tile, by device and shape, for every op that ends in a matmul. Every kernel takes rows with
// padding behind them, and a batch of products in one launch.
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
#include "hopper_few_tiles.cuh"
#include "hopper_launch.cuh"
#include "short_k.cuh"
#include "tensor.cuh"
#endif
#include <assay/hopper.h>
#include <assay/tuned.h>

#include "tile_times.h"

// 0: the tile that tile_model.h predicts to be fastest; else the one of this number, of tile_times.h.
#ifndef TILE
#define TILE 0
#endif
// Blocks of a cluster that share what they load of b: 0: as tile_model.h says; 1: none share; 2.
#ifndef CLUSTER
#define CLUSTER 0
#endif
#ifndef WGMMA
#define WGMMA 1 // 0: the kernels of cards before Hopper; a test sets it
#endif

// A kernel for a tile.
template <class Epilogue>
struct tile_choice {
    int tile_m, tile_n;
    assay_status (*launch)(const matmul_args *, const matmul_shape &, tile_plan, const Epilogue &,
                           assay_stream);
};
// clang-format off
#if ASSAY_DTYPE_TF32
template <class C, class E>
constexpr tile_choice<E> choice = {C::TILE_M, C::TILE_N, tf32_launch<C, E>};
template <class E>
constexpr tile_choice<E> kTiles[] = {
    //                  M    N  warps  stages
    choice<tf32_config<128, 128, 2, 4, 4>, E>,
    choice<tf32_config< 64,  64, 2, 2, 4>, E>,
    choice<tf32_config< 32,  32, 2, 2, 4>, E>,
};
template <class C, class E>
constexpr tile_choice<E> hopper = {C::TILE_M, C::TILE_N, tf32_hopper_launch<C, E>};
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
constexpr tile_choice<E> choice = {C::TILE_M, C::TILE_N, sgemm_launch<C, E>};
template <class C, class Fallback, class E>
constexpr tile_choice<E> hopper = {C::TILE_M, C::TILE_N, split_launch<C, Fallback, E>};
// In the order of MODEL_F32.
template <class E>
constexpr tile_choice<E> kTiles[] = {
    //           stages raster
    hopper<split_config<3, 2 * RASTER_ROWS>, medium, E>, // 64 x 128
    choice<large, E>, choice<medium, E>, choice<lesser, E>, choice<small, E>,
};
#else
template <class C, class E>
constexpr tile_choice<E> choice = {C::TILE_M, C::TILE_N, tensor_launch<C, E>};
template <class C, class E>
constexpr tile_choice<E> hopper = {C::TILE_M, C::TILE_N, hopper_launch<C, E>};
// hopper_few_tiles.cuh where blocks share nothing and the epilogue reads nothing by column.
template <class C, class E>
static assay_status few_or_hopper_launch(const matmul_args *args, const matmul_shape &shape, tile_plan plan,
                                         const E &epilogue, assay_stream stream)
{
    if constexpr (std::is_empty_v<typename E::columns>)
        if (plan.splits == 1 && plan.cluster == 1 && args->batch == 1)
            return few_launch<few_config<C::TILE_N, C::STAGES, C::RASTER>, E>(args, shape, epilogue, stream);
    return hopper_launch<C, E>(args, shape, plan, epilogue, stream);
}
template <class C, class E>
constexpr tile_choice<E> few = {C::TILE_M, C::TILE_N, few_or_hopper_launch<C, E>};
// In the order of MODEL_16BIT.
template <class E>
constexpr tile_choice<E> kTiles[] = {
    //                     M    N  stages raster
    hopper<hopper_config<128, 256,   3,   RASTER_ROWS>, E>,
    hopper<hopper_config<192, 192,   3,   RASTER_ROWS>, E>,
    hopper<hopper_config<128, 192,   4,   RASTER_ROWS>, E>,
    hopper<hopper_config<192, 128,   4,   RASTER_ROWS>, E>,
    hopper<hopper_config<128, 128,   5,   RASTER_ROWS>, E>,
    hopper<hopper_config< 64, 256,   4,   RASTER_ROWS>, E>,
    hopper<hopper_config< 64, 192,   5,   RASTER_ROWS>, E>,
    few   <hopper_config< 64, 128,   8,   RASTER_ROWS>, E>,
    few   <hopper_config< 64,  64,   8,   RASTER_ROWS>, E>,
    //                     M    N    K  warps  slices stages blocks
    choice<tensor_config<256, 128,  64,  4, 2,    1,     3,     1>, E>,
    choice<tensor_config< 64, 128,  64,  2, 2,    1,     6,     1>, E>,
    choice<tensor_config< 32,  32, 128,  1, 1,    4,     3,     1>, E>,
};
#endif
// clang-format on
#if !ASSAY_DTYPE_F32 || ASSAY_DTYPE_TF32
using direct = direct_config<8>; // 16 x 32 tile, k split over 8 warps
#endif

#if ASSAY_DTYPE_TF32

// The first tile, from the largest on, that is not mostly beyond an edge and gives blocks for three quarters of the
// multiprocessors, with `batch` products; if there is none, the last.
static int64_t tiles_to_fill()
{
    return (assay::multiprocessor_count() * int64_t{3} + 3) / 4;
}

template <class Epilogue, size_t Count>
static const tile_choice<Epilogue> &choose(const tile_choice<Epilogue> (&tiles)[Count], int64_t batch,
                                           int64_t m, int64_t n)
{
    size_t i = 0;
    while (i + 1 < Count && !(tiles[i].tile_m < 2 * m && tiles[i].tile_n < 2 * n &&
                              batch * count_tiles(m, n, tiles[i].tile_m, tiles[i].tile_n) >= tiles_to_fill()))
        i++;
    return tiles[i];
}

// wgmma where rows are such that TMA can read them and tiles are not mostly empty: few small ones are done before
// TMA has started. It takes the products of a batch one by one.
template <class Epilogue>
static assay_status run_tiles(const matmul_args *args, const matmul_shape &shape, const Epilogue &epilogue,
                              assay_stream stream)
{
    const bool on_hopper = assay::hopper_available() && args->m >= 64 && args->n >= 64 && args->k >= 64 &&
                           args->k % 4 == 0 && args->n % 4 == 0 && shape.lda % 4 == 0 && shape.ldb % 4 == 0 &&
                           count_tiles(args->m, args->n, 64, 128) >= tiles_to_fill();
    const tile_choice<Epilogue> &tile = on_hopper ? choose(kHopperTiles<Epilogue>, 1, args->m, args->n)
                                                  : choose(kTiles<Epilogue>, args->batch, args->m, args->n);
    if (count_tiles(args->m, args->n, tile.tile_m, tile.tile_n) == 0)
        return ASSAY_ERR_UNSUPPORTED;
    return for_each_part(args, on_hopper ? 1 : args->batch, [&](const matmul_args *part) {
        return tile.launch(part, shape, {1, 1}, epilogue, stream);
    });
}

#else

// The tile, in how many parts its k is split and whether clusters share b, that tile_model.h predicts to be fastest.
template <class Epilogue>
static assay_status run_tiles(const matmul_args *args, const matmul_shape &shape, const Epilogue &epilogue,
                              assay_stream stream)
{
    constexpr const model_tiles &tiles = ASSAY_DTYPE_F32 ? MODEL_F32 : MODEL_16BIT;
    constexpr int count = sizeof kTiles<Epilogue> / sizeof *kTiles<Epilogue>;
    static_assert(count == (ASSAY_DTYPE_F32 ? MODEL_F32_COUNT : MODEL_16BIT_COUNT), "a time for each tile");
    const bool on_hopper =
        WGMMA && assay::hopper_available() && args->k > 8; // below, a stage would be nearly empty
    const model_problem problem = model_problem_of(args, sizeof(scalar_t), assay::multiprocessor_count());
    const model_choice asked = {ASSAY_TUNED(TILE, args->m, args->n, args->k) - 1, K_SPLITS,
                                ASSAY_TUNED(CLUSTER, args->m, args->n, args->k)};
    const model_choice chosen =
        model_choose(&problem, &tiles, on_hopper, partial_sums_of(args).floats, asked);
    const tile_choice<Epilogue> &tile = kTiles<Epilogue>[chosen.tile];
    if (count_tiles(args->m, args->n, tile.tile_m, tile.tile_n) == 0)
        return ASSAY_ERR_UNSUPPORTED;
    return tile.launch(args, shape, {chosen.splits, chosen.cluster}, epilogue, stream);
}

#endif

#ifndef FEW_LINES
#define FEW_LINES 8 // rows of a, or columns of b, up to which the other matrix is streamed; 0: never
#endif
static constexpr int64_t kFewLinesLongest = 1 << 30; // k, so that a step beyond it has 32 bits
static_assert(FEW_LINES >= 0 && FEW_LINES <= 8, "sums that a thread has");

#ifndef SHORT_K
#define SHORT_K 7 // k up to which short_k.cuh takes a matmul; 0: never
#endif

static constexpr int64_t kFewLinesShort = 2048; // k that blocks would share only to be many
// Elements of a b that takes long to pack, for each multiprocessor.
static constexpr int64_t kFewLinesPacked = 1 << 16;

// Whether the other matrix is streamed past few rows of a; otherwise tiles bring b faster (docs/notes). One row always
// streams. More rows do in f32, but past a transposed b that is loaded by single elements; in f16 and bf16 past a b with
// unaligned rows, and past one of long columns while all its blocks run at the same time. Four times as many rows stream
// past a large b that tiles would have to pack.
static bool few_rows_pay(const matmul_args *args, int few_lines)
{
    if (args->k >= kFewLinesLongest)
        return false;
    if (args->m > few_lines)
        return !ASSAY_DTYPE_F32 && args->m <= 4 * few_lines && !args->transpose_b &&
               matmul_row_b(args) % 8 != 0 &&
               args->k * args->n >= kFewLinesPacked * assay::multiprocessor_count();
    const bool in_one_round = (args->n + 63) / 64 * args->batch <= 2 * assay::multiprocessor_count();
    constexpr int VECTOR = 16 / sizeof(scalar_t);
    const bool unaligned_b = matmul_row_b(args) % VECTOR != 0,
               unaligned = args->k % VECTOR != 0 || unaligned_b || matmul_row_a(args) % VECTOR != 0;
    if (args->m == 1 || ASSAY_DTYPE_F32)
        return args->m == 1 || !args->transpose_b || !unaligned;
    return args->k % VECTOR != 0 || unaligned_b ||
           (!args->transpose_b && in_one_round && args->k > kFewLinesShort);
}

// args->batch: matmul_products_at_once() at most.
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
                                static_cast<int>(args->k), matmul_row_a(args), matmul_row_b(args)};
#if !ASSAY_DTYPE_F32 || ASSAY_DTYPE_TF32
    if (direct_fits<direct>(args))
        return direct_launch<direct>(args, shape, epilogue, stream);
#endif
    const int few_lines = ASSAY_TUNED(FEW_LINES, args->m, args->n, args->k);
    if (args->n <= few_lines && args->k < kFewLinesLongest)
        return few_columns_run(args, shape, epilogue, stream);
    if (few_rows_pay(args, few_lines))
        return args->transpose_b ? few_rows_by_columns_run(args, shape, epilogue, stream)
                                 : few_rows_run(args, shape, epilogue, stream);
#if !ASSAY_DTYPE_F32
    static_assert(SHORT_K >= 0 && SHORT_K <= short_k_config::K, "rows of b that a lane has");
    if (args->k > 0 && args->k <= ASSAY_TUNED(SHORT_K, args->m, args->n, args->k))
        return short_k_run(args, shape, epilogue, stream);
#endif
    return run_tiles(args, shape, epilogue, stream);
}

#endif
