// Heads in sections: which heads the persistent blocks of a causal call share at a time.
//
// Longest tiles first means that all heads' tiles run together. With more heads than half of the
// multiprocessors, hardly two blocks read the same keys at a time, and where the keys and values of all heads
// exceed what L2 holds (50 MB on an H100, of which 32 are counted on) every tile reads its own from memory: 4 x
// 32 heads of 2048 keys are 1.1 GB, 0.35 ms at 3.1 TB/s, where the products take 0.2. In sections of about a
// quarter as many heads as multiprocessors four blocks share them. Heads that share keys count as one.
//
// Every section begins with a turn of its own for all blocks, and goes from its longest tiles to its shortest.
// Blocks that find no tile in its last turn would otherwise begin with the longest of the next one in the
// same turn, and then be first there again: with 32 heads of 8 tiles in 4 sections, block 0 would get the
// longest tile in every turn, 64 tiles of keys where the mean is 35. An odd number of turns changes the
// direction from section to section.
#ifndef ASSAY_OPS_MHA_V4_SECTIONS_CUH
#define ASSAY_OPS_MHA_V4_SECTIONS_CUH

#include <assay/hopper.h>
#include "common.cuh"

namespace hopper
{

static constexpr int64_t kHeldByCache = 32 << 20;

static constexpr int64_t ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

// The number of heads in a section whose turns leave the fewest blocks without a tile. An odd number of turns
// counts 1/32 more: within it a block's long tiles and short ones do not make up for each other. `tiles`: of
// queries of a head. In a model of the schedule over 3000 drawn calls blocks are busy 96.5% of the time, nine
// calls of ten above 91%.
static constexpr int64_t heads_of_section(int64_t heads, int64_t head_bytes, int64_t tiles, int64_t blocks)
{
    if (heads <= blocks / 2 || heads * head_bytes <= kHeldByCache || blocks < 8)
        return heads;
    const int64_t fewest = blocks * 3 / 20, two_turns = 2 * blocks / tiles;
    const int64_t most = two_turns > 2 * fewest ? two_turns : 2 * fewest;
    int64_t best = heads, least = INT64_MAX;
    for (int64_t sections = ceil_div(heads, most); sections <= heads / fewest; sections++) {
        const int64_t size = ceil_div(heads, sections), whole = (heads - 1) / size;
        const int64_t turns = ceil_div(size * tiles, blocks),
                      of_all = whole * turns + ceil_div((heads - whole * size) * tiles, blocks);
        const int64_t cost = of_all * (turns % 2 ? 33 : 32);
        if (cost < least)
            best = size, least = cost;
    }
    return best;
}
static_assert(heads_of_section(96, 4 * 1024 * 64, 8, 132) == 96, "gpt2_causal stays in L2");
static_assert(heads_of_section(32, 4 * 8192 * 128, 64, 132) == 32,
              "llama3_8b: four blocks share a head already");
static_assert(heads_of_section(128, 4 * 2048 * 128, 16, 132) == 32,
              "many heads: four sections of four turns");

// Sets s->section and s->section_turns for as many blocks as multiprocessors. CAUSAL_SECTION forces a number
// of heads.
static inline void choose_section(mha_shape *s)
{
    const int64_t blocks = assay::multiprocessor_count();
    int64_t section = s->heads;
    if (s->causal && CAUSAL_SECTION != 0)
        section = CAUSAL_SECTION < s->heads ? CAUSAL_SECTION : s->heads;
    else if (s->causal)
        section = s->group * heads_of_section(s->heads / s->group, static_cast<int64_t>(4) * s->keys * s->dim,
                                              static_cast<int64_t>(s->group) * s->query_tiles, blocks);
    s->section = static_cast<int>(section);
    if (section < s->heads)
        s->section_turns = static_cast<int>(ceil_div(section * s->query_tiles, blocks));
}

} // namespace hopper

#endif
