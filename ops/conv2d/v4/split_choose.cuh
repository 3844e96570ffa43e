// Chooses the form and the tile for f32 convolutions by split products (split.cuh), and whether they pay.
#ifndef ASSAY_OPS_CONV2D_V4_SPLIT_CHOOSE_CUH
#define ASSAY_OPS_CONV2D_V4_SPLIT_CHOOSE_CUH

#include "split.cuh"
#include "split_plain.cuh"

struct split_candidate {
    bool (*plan)(const conv2d_args &, const conv_shape &, int, split_plan *);
    assay_status (*launch)(const split_plan &, const split_pack_plan &, const conv_shape &, assay_stream);
    int n, warpgroups;
};
template <class C>
static constexpr split_candidate splits = {split_plan_of<C>, split_launch<C>, C::N, C::WARPGROUPS};
static constexpr split_candidate kSplits[] = {
    //                  N   warpgroups stages
    splits<split_config<128, 2, 2>>, splits<split_config<112, 2, 2>>, splits<split_config<128, 1, 3>>,
    splits<split_config<112, 1, 3>>, splits<split_config<64, 1, 4>>,
};

struct split_choice {
    const split_candidate *candidate; // NULL: none
    bool gathered;
    conv_shape seen; // the shape that the products have
    split_pack_plan pack;
    split_plan plan;
    double us; // as expected
};

// The convolution by 1x1 filters of the copied operands, where these are gathered or were 1x1 filters before:
// all positions are one row.
static conv_shape split_shape(const conv_shape &s, bool gathered)
{
    const bool flat = s.r * s.s == 1 && s.stride == 1 && s.padding == 0;
    conv_shape seen = s;
    if (gathered || flat) {
        seen.n = seen.h = seen.p = seen.r = seen.s = 1;
        seen.w = seen.q = s.positions;
        seen.stride = seen.dilation = 1, seen.padding = 0;
    }
    return seen;
}

// A wgmma of N positions takes N / 2 cycles, a stage 24 of them for each warpgroup. `us`, all told: of the
// busiest multiprocessor, and of the copies, which are bound by memory. Rates are fitted to an H200.
constexpr double SPLIT_CYCLES_US = 1700, SPLIT_RATE = 0.8, SPLIT_START_US = 7, SPLIT_COPY_BYTES_US = 2.4e6;

static double split_us(const split_candidate &c, const split_plan &plan, const split_pack_plan &pack)
{
    const int64_t room = assay::multiprocessor_count(), rounds = (plan.tiles.tiles + room - 1) / room;
    const double stage = 12.0 * c.n * c.warpgroups / SPLIT_RATE, ending = 20.0 * c.n + 1500;
    const double copied = 10.0 * (double)(pack.part_x + pack.part_w);
    return (double)rounds * (plan.tiles.steps * stage + ending) / SPLIT_CYCLES_US +
           copied / SPLIT_COPY_BYTES_US + SPLIT_START_US;
}

// The fastest form and tile, of tile number `tile` only unless it is negative.
static split_choice choose_split(const conv2d_args &args, const conv_shape &s, int tile)
{
    split_choice best = {};
    if (!assay::hopper_available() || args.workspace == nullptr)
        return best;
    for (int gathered = 0; gathered < 2; gathered++) {
        if (!conv2d_split_fits(&args, 4, gathered) ||
            args.workspace_bytes < conv2d_split_bytes(&args, gathered))
            continue;
        split_choice next = {};
        next.gathered = gathered != 0;
        next.seen = split_shape(s, next.gathered);
        next.pack = split_pack_plan_of(args, s, next.gathered);
        if (next.gathered)
            next.seen.c = next.seen.group_c = next.pack.chunks * 8;
        for (const split_candidate &candidate : kSplits) {
            next.candidate = &candidate;
            if ((tile >= 0 && &candidate != &kSplits[tile]) ||
                !candidate.plan(args, next.seen, next.pack.chunks, &next.plan))
                continue;
            next.us = split_us(candidate, next.plan, next.pack);
            if (!best.candidate || next.us < best.us)
                best = next;
        }
    }
    return best;
}

static assay_status split_run(const split_choice &choice, const conv2d_args &args, const conv_shape &s,
                              assay_stream stream)
{
    const int blocks = split_pack_blocks(choice.pack);
    assay_status status = assay::launch(conv2d_split_pack, dim3((unsigned)blocks), dim3(SPLIT_PACK_THREADS),
                                        0, stream, choice.pack, s);
    if (status == ASSAY_OK)
        status = choice.candidate->launch(choice.plan, choice.pack, choice.seen, stream);
    if (status == ASSAY_OK)
        status = split_plain_launch(args, s, choice.pack.flags, blocks, stream);
    return status;
}

#endif
