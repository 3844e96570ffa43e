// mha, step 4: everything together, chosen by the shape.
//
//   v4/hopper.cuh        f16, bf16 on Hopper: step 3d with persistent blocks, one maximum a row and tiles by
//                        the shape
//   v4/flash.cuh         f16, bf16 elsewhere, and for few queries: step 3b with more tiles
//   v4/split_hopper.cuh  f32 on Hopper: tensor cores at f32's accuracy, three products for one
//   v4/fma.cuh           f32 elsewhere: step 3a with cp.async
//   v4/rows.cuh          f32, up to eight queries: from memory to registers
//   v4/parts.cuh         few queries with many keys: keys split over blocks, for flash, fma and rows.cuh
// This file only chooses the kernel and its tile. A tile of many queries reads each key least often. Where
// such tiles leave multiprocessors idle, smaller ones are taken, and several groups of warps share the keys
// of a block.
// Expected effect: on Hopper 60 to 80% of the tensor cores' rate with rows of 128 elements. Rows of 64 are
// limited by the work on a score beside its exponential. mma.sync reaches two thirds of Hopper's rate; f32
// without splitting is limited by FFMA issue.
// Tunables: KEY_PARTS (0: the number of parts by its rule, 1: keys are not split, else so many parts),
// PARTS_EARLY (1: their results are combined by a launch that begins early on Hopper, 0: when the first is done),
// PARTS_TILES (f16, bf16; 0: keys are not split for more than 32 queries),
// FEW_WHOLE (0: few queries whose keys are not split go by the tiles of many), HOPPER_LEAST (keys, and in f32
// queries, from which on Hopper's own kernels are taken),
// FEW_ROWS (f32; 0: up to eight queries go by tiles, too),
// PADDED_KEYS (0: the choice of Hopper's tile does not count keys past the end of a tile),
// SPLIT_WIDE (f32 on Hopper; 0: no tiles of tensor cores for rows of 96 and 256 elements),
// CAUSAL_SECTION (f16, bf16 on Hopper; 0: by its rule, else so many heads).
#include <assay/kernel.h>

#ifndef KEY_PARTS
#define KEY_PARTS 0
#endif
#ifndef PARTS_EARLY
#define PARTS_EARLY 1
#endif
#ifndef PARTS_TILES
#define PARTS_TILES 1
#endif
#ifndef FEW_WHOLE
#define FEW_WHOLE 1
#endif
#ifndef FEW_ROWS
#define FEW_ROWS 1
#endif
#ifndef PADDED_KEYS
#define PADDED_KEYS 1
#endif
#ifndef HOPPER_LEAST
#define HOPPER_LEAST 17
#endif
#ifndef SPLIT_WIDE
#define SPLIT_WIDE 1
#endif
#ifndef CAUSAL_SECTION
#define CAUSAL_SECTION 0
#endif

#if ASSAY_DTYPE_F32
#include "v4/fma.cuh"
#include "v4/rows.cuh"
#include "v4/split_hopper.cuh"
#else
#include "v4/flash.cuh"
#include "v4/hopper.cuh"
#endif

// Inside a kernel, positions in a sequence, a tile beyond the edge included, and numbers of blocks are 32-bit.
static constexpr int64_t kMostPositions = INT32_MAX - 512;
static constexpr int kFewQueries = 16;        // a tile of mma.sync
static constexpr int kFewQueriesOfGroup = 64; // of heads that share keys, together: not timed

// Tiles for rows of up to DP elements, from the most queries a block to the fewest. The first that gives at
// least `fill` blocks is taken; the last always does. Rows that are not aligned to 16 bytes have one tile for
// each DP, at the end: they are copied element by element, which limits them.
using launch_fn = assay_status (*)(const mha_args *, assay_stream);
struct tile_choice {
    int dp, bm, fill;
    bool aligned;
    launch_fn launch;
};
static constexpr int kAlways = 1;
// Tiles for parts of the keys: 32 KB of keys and values or more in a stage. Two such blocks lie on a
// multiprocessor where their rows have up to 128 elements.
struct parts_choice {
    int dp, most; // elements of a row, queries
    bool (*launch)(const mha_args *, int, assay_stream, assay_status *);
    launch_fn whole; // without parts
};
// rates: TFLOP/s of a tile for many keys on an H100, without and with a causal mask.
struct hopper_choice {
    int dp, bm, bn, rates[2];
    launch_fn launch;
};
// clang-format off
#if ASSAY_DTYPE_F32
template <class C, int FILL> constexpr tile_choice choice = {C::DP, C::BM, FILL, true, fma_launch<C, true>};
template <class C> constexpr tile_choice unaligned = {C::DP, C::BM, kAlways, false, fma_launch<C, false>};
static constexpr tile_choice kTiles[] = {
    //                 DP   BN  warps TR slices stages blocks  fill
    choice<fma_config< 64,  32, 4,    8, 1,     2,     2>,     200>,
    choice<fma_config< 64,  32, 2,    8, 2,     2,     2>,     96>,
    choice<fma_config< 64,  32, 2,    4, 4,     2,     1>,     kAlways>,
    choice<fma_config<128,  32, 4,    4, 1,     2,     2>,     96>,
    choice<fma_config<128,  32, 2,    4, 2,     2,     1>,     kAlways>,
    choice<fma_config<256,  16, 4,    4, 1,     2,     1>,     kAlways>,
    unaligned<fma_config< 64, 32, 2,  8, 2,     2,     2>>,
    unaligned<fma_config<128, 32, 4,  4, 1,     2,     2>>,
    unaligned<fma_config<256, 16, 4,  4, 1,     2,     1>>,
};
template <class C> constexpr parts_choice parts_of = {C::DP, INT32_MAX, fma_parts<C>, fma_launch<C, true>};
template <class C> constexpr parts_choice rows_of = {C::DP, C::BM, rows_parts<C>, rows_launch<C>};
static constexpr parts_choice kParts[] = {
#if FEW_ROWS
    //                  DP   BM ahead blocks
    rows_of<rows_config< 64, 1, 8,    2>>,
    rows_of<rows_config< 64, 8, 8,    1>>,
    rows_of<rows_config<128, 1, 8,    2>>,
    rows_of<rows_config<128, 8, 8,    1>>,
    rows_of<rows_config<256, 1, 4,    2>>,
    rows_of<rows_config<256, 4, 4,    1>>,
#endif
    //                   DP   BN  warps TR slices stages blocks
    parts_of<fma_config< 64,  16, 1,    2, 4,     3,     2>>,
    parts_of<fma_config<128,   8, 1,    2, 4,     3,     2>>,
    parts_of<fma_config<256,   8, 1,    2, 4,     2,     1>>,
};
template <class C, int FULL, int CAUSAL>
constexpr hopper_choice warpgroups = {C::DP, C::BM, C::BN, {FULL, CAUSAL}, split::launch<C>};
static constexpr hopper_choice kHopperTiles[] = {
    //                       DP   BN  consumers stages ping-pong rates
    warpgroups<split::config< 64, 128, 2,        3,     true>,  222, 200>,
    warpgroups<split::config< 64,  64, 1,        4,     false>, 128, 122>,
    warpgroups<split::config<128,  64, 2,        2,     true>,  229, 207>,
    warpgroups<split::config<128,  64, 1,        3,     false>, 165, 154>,
#if SPLIT_WIDE // estimated, and compared with none
    warpgroups<split::config< 96,  64, 2,        2,     true>,  225, 203>,
    warpgroups<split::config<256,  64, 2,        1,     true>,  150, 135>,
#endif
};
#else
template <class C, int FILL> constexpr tile_choice choice = {C::DP, C::BM, FILL, true, flash_launch<C, true>};
template <class C> constexpr tile_choice unaligned = {C::DP, C::BM, kAlways, false, flash_launch<C, false>};
static constexpr tile_choice kTiles[] = {
    //                   DP   BN  warps MI slices stages q in registers blocks  fill
    choice<flash_config< 64,  96, 4,    2, 1,     2,     false,         2>,     200>,
    choice<flash_config< 64,  64, 4,    2, 2,     2,     true,          1>,     96>,
    choice<flash_config< 64,  64, 2,    2, 4,     2,     true,          1>,     96>,
    choice<flash_config< 64,  64, 2,    1, 4,     2,     true,          1>,     kAlways>,
    choice<flash_config<128,  64, 4,    2, 1,     2,     false,         2>,     200>,
    choice<flash_config<128,  64, 4,    1, 2,     2,     false,         1>,     96>,
    choice<flash_config<128,  32, 2,    1, 4,     2,     false,         1>,     kAlways>,
    choice<flash_config<256,  16, 8,    1, 1,     2,     false,         1>,     kAlways>,
    unaligned<flash_config< 64, 64, 4,  1, 1,     2,     false,         1>>,
    unaligned<flash_config<128, 64, 4,  1, 1,     2,     false,         1>>,
    unaligned<flash_config<256, 16, 8,  1, 1,     2,     false,         1>>,
};
template <class C, int MOST>
constexpr parts_choice parts_of = {C::DP, MOST, flash_parts<C>, flash_launch<C, true>};
static constexpr parts_choice kParts[] = {
    //                     DP   BN  warps MI slices stages q in registers blocks
    parts_of<flash_config< 64,  32, 1,    1, 4,     3,     false,         2>, PARTS_TILES ? 32 : INT32_MAX>,
    parts_of<flash_config<128,  16, 1,    1, 4,     3,     false,         2>, PARTS_TILES ? 32 : INT32_MAX>,
#if PARTS_TILES
    parts_of<flash_config< 64,  64, 4,    1, 1,     3,     false,         2>, INT32_MAX>,
    parts_of<flash_config<128,  64, 4,    1, 1,     2,     false,         2>, INT32_MAX>,
#endif
    parts_of<flash_config<256,  16, 2,    1, 4,     2,     false,         1>, INT32_MAX>,
};
template <class C, int FULL, int CAUSAL>
constexpr hopper_choice warpgroups = {C::DP, C::BM, C::BN, {FULL, CAUSAL}, hopper::launch<C>};
static constexpr hopper_choice kHopperTiles[] = {
    //                        DP   BN  consumers stages ping-pong rates
    // Rows of 96 by interpolation, of 256 as those of 128: not measured, nor compared with others.
    warpgroups<hopper::config< 96, 128, 2,        2,     false>, 670, 632>,
    warpgroups<hopper::config<256,  64, 2,        2,     false>, 777, 721>,
    warpgroups<hopper::config< 64,  96, 3,        2,     false>, 563, 544>,
    warpgroups<hopper::config< 64, 128, 2,        3,     false>, 525, 507>,
    warpgroups<hopper::config< 64, 128, 1,        2,     false>, 355, 345>,
    warpgroups<hopper::config<128, 128, 2,        2,     true>,  777, 661>,
    warpgroups<hopper::config<128,  96, 2,        3,     false>, 770, 721>,
    warpgroups<hopper::config<128, 128, 1,        2,     false>, 500, 381>,
};
#endif
// clang-format on

// What decides about a tile of Hopper's kernels.
struct hopper_problem {
    int64_t dim, heads, queries, keys;
    bool causal;
    int64_t causal_shift, multiprocessors;
};

// Keys that a tile of queries takes in the mean, whole tiles of them; of up to 32 tiles of queries.
static constexpr double keys_taken(const hopper_choice &tile, const hopper_problem &p)
{
    const int64_t tiles = (p.queries + tile.bm - 1) / tile.bm, step = (tiles + 31) / 32;
    int64_t taken = 0, counted = 0;
    for (int64_t i = tiles; i > 0; i -= step, counted++) {
        const int64_t seen = i * tile.bm + p.causal_shift, limit = p.causal && seen < p.keys ? seen : p.keys;
        taken += limit > tile.bn ? (limit + tile.bn - 1) / tile.bn * tile.bn : tile.bn;
    }
    return static_cast<double>(taken) / static_cast<double>(counted);
}

// The Hopper tile with the shortest expected time: rounds of tiles a multiprocessor, times a tile's work at
// its rate. Queries and keys past the end and padded columns count as work.
static constexpr const hopper_choice *pick_hopper(const hopper_problem &p)
{
    const hopper_choice *best = nullptr;
    double least = 0;
    for (const hopper_choice &tile : kHopperTiles) {
        if (p.dim > tile.dp)
            continue;
        const int64_t tiles = p.heads * ((p.queries + tile.bm - 1) / tile.bm);
        const int64_t rounds = (tiles + p.multiprocessors - 1) / p.multiprocessors;
        const double keys = PADDED_KEYS ? keys_taken(tile, p) : 1.0;
        const double time = static_cast<double>(rounds) * tile.bm * tile.dp * keys / tile.rates[p.causal];
        if (!best || time < least)
            best = &tile, least = time;
    }
    return best;
}
// Rows of 64 elements must not be taken for half of rows of 128, whose rate is higher.
static_assert(pick_hopper({64, 16, 4096, 4096, false, 0, 132})->dp == 64, "padding is work");
static_assert(pick_hopper({64, 16, 16384, 16384, true, 0, 132})->dp == 64, "padding is work");
static_assert(pick_hopper({128, 32, 8192, 8192, true, 0, 132})->dp == 128, "padding is work");
static_assert(pick_hopper({65, 16, 4096, 4096, false, 0, 132})->dp ==
                  (ASSAY_DTYPE_F32 && !SPLIT_WIDE ? 128 : 96),
              "a row has to fit");
static_assert(!pick_hopper({256, 16, 4096, 4096, false, 0, 132}) == (ASSAY_DTYPE_F32 && !SPLIT_WIDE),
              "the longest rows");

// Hopper's tiles of 64 queries, and keys, are worth it for fewer of them, too: of keys in 16-bit types, and in f32,
// where the alternative is multiply-adds, of both if there is enough to do for a second launch. The f32 kernel also
// takes a negative scale, and needs a workspace.
static constexpr int64_t kWorthSplitting =
    1 << 18; // multiply-adds of each product for a multiprocessor; estimated
static bool fits_hopper(const mha_args *args)
{
    if (!assay::hopper_available() || args->queries < HOPPER_LEAST || args->keys < HOPPER_LEAST)
        return false;
    const double products = static_cast<double>(args->batch * args->heads) *
                            static_cast<double>(args->queries) * static_cast<double>(args->keys) *
                            static_cast<double>(args->dim);
    if (!ASSAY_DTYPE_F32)
        return args->queries >= 64;
    return (args->queries >= 64 && args->keys >= 64) ||
           products >= static_cast<double>(kWorthSplitting) * assay::multiprocessor_count();
}

static const hopper_choice *choose_hopper(const mha_args *args)
{
    if (!fits_hopper(args))
        return nullptr;
#if ASSAY_DTYPE_F32
    const int64_t needed = mha_split_bytes(args->batch * args->heads / args->group, args->keys, args->dim);
    if (needed == 0 || args->workspace == nullptr || args->workspace_bytes < needed)
        return nullptr;
#else
    if (args->scale < 0)
        return nullptr;
#endif
    return pick_hopper({args->dim, args->batch * args->heads, args->queries, args->keys, args->causal != 0,
                        args->causal_shift, assay::multiprocessor_count()});
}

// More than few queries are worth parts where whole tiles of 64 would leave three quarters of the
// multiprocessors idle (half of them below 64 queries, where Hopper's own kernel is not to be had), and keys are
// many. Estimated.
static constexpr int kPartsTile = 64, kFewKeys = 1024;
static constexpr bool kLargeParts = PARTS_TILES && !ASSAY_DTYPE_F32; // and rows of up to 128 elements
static bool worth_parts(const mha_args *args)
{
    const int64_t blocks = args->batch * args->heads * ((args->queries + kPartsTile - 1) / kPartsTile);
    return kLargeParts && args->dim <= 128 && args->keys >= kFewKeys &&
           blocks * (args->queries < 64 ? 2 : 4) <= assay::multiprocessor_count();
}

// Under a causal mask few queries see few keys, unless they are the last ones. `few`: queries that take parts of
// the keys however many blocks there are. A tile's worth of queries is taken whole where parts would gain
// nothing: a tile of more queries would copy, and multiply, mostly zeros. False if another kernel is to be taken.
static bool run_few(const mha_args *args, int few, assay_stream stream, assay_status *status)
{
    const bool sees_all = !args->causal || args->causal_shift > 0;
    if (args->queries > few && !(sees_all && worth_parts(args)))
        return false;
    for (const parts_choice &choice : kParts) {
        if (args->dim > choice.dp || args->queries > choice.most)
            continue;
        if (KEY_PARTS != 1 && sees_all && choice.launch(args, KEY_PARTS, stream, status))
            return true;
        if (!FEW_WHOLE || args->queries > kFewQueries)
            return false;
        *status = choice.whole(args, stream);
        return true;
    }
    return false;
}

// The same problem with less to do. One query that sees all keys needs no mask. Without a mask the queries of
// the heads that share keys lie behind one another like those of one head: taken so, tiles of queries are
// fuller and each key is read once for all these heads.
static mha_args simplified(const mha_args *args)
{
    mha_args simple = *args;
    if (args->queries == 1 && args->causal_shift == args->keys - 1)
        simple.causal = 0;
    if (!simple.causal && args->queries <= kMostPositions / args->group) {
        simple.heads = args->heads / args->group;
        simple.queries = args->queries * args->group;
        simple.group = 1;
    }
    return simple;
}

extern "C" assay_status mha_run(const mha_args *given, assay_stream stream)
{
    const mha_args simple = simplified(given), *args = &simple;
    const int64_t heads = args->batch * args->heads;
    if (heads == 0 || args->queries == 0 || args->dim == 0)
        return ASSAY_OK;
    if (args->dim > MHA_MAX_DIM || args->queries > kMostPositions ||
        args->keys + args->key_padding > kMostPositions || heads > kMostPositions)
        return ASSAY_ERR_UNSUPPORTED;
    constexpr int chunk = 16 / sizeof(scalar_t);
    const uintptr_t addresses =
        (uintptr_t)args->q | (uintptr_t)args->k | (uintptr_t)args->v | (uintptr_t)args->out;
    const bool aligned = args->dim % chunk == 0 && addresses % 16 == 0;
    assay_status status;
    const int few = args->heads < given->heads ? kFewQueriesOfGroup : kFewQueries;
    if (aligned && args->keys > 0 && run_few(args, few, stream, &status))
        return status;
    const hopper_choice *chosen = aligned ? choose_hopper(args) : nullptr;
    if (chosen && heads <= INT32_MAX / ((args->queries + chosen->bm - 1) / chosen->bm))
        return chosen->launch(args, stream);
    for (const tile_choice &tile : kTiles) {
        const int64_t query_tiles = (args->queries + tile.bm - 1) / tile.bm;
        if (args->dim > tile.dp || tile.aligned != aligned || heads * query_tiles < tile.fill)
            continue;
        return heads > INT32_MAX / query_tiles ? ASSAY_ERR_UNSUPPORTED : tile.launch(args, stream);
    }
    return ASSAY_ERR_UNSUPPORTED;
}
