// Chooses the form and the tile for f32 convolutions by split products (split.cuh), and whether they pay.
#ifndef ASSAY_OPS_CONV2D_V4_SPLIT_CHOOSE_CUH
#define ASSAY_OPS_CONV2D_V4_SPLIT_CHOOSE_CUH

#include "plain.cuh"
#include "split.cuh"

// `stage_us`, `store_us`: of 64 terms of a tile, and of its end; measured on an H200 (docs/notes).
struct split_candidate {
    bool (*plan)(const conv2d_args &, const conv_shape &, int, split_plan *);
    assay_status (*launch)(const split_plan &, const split_pack_plan &, const conv_shape &, assay_stream);
    double stage_us, store_us;
};
template <class C>
static constexpr split_candidate splits(double stage_us, double store_us)
{
    return {split_plan_of<C>, split_launch<C>, stage_us, store_us};
}
static constexpr split_candidate kSplits[] = {
    //                   N   stages
    splits<split_config<128, 3>>(0.97, 3.0),
    splits<split_config<112, 3>>(0.90, 2.6),
    splits<split_config<64, 4>>(0.63, 1.5),
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
    const bool flat = s.r * s.s == 1 && s.stride * s.stride_w == 1 && s.padding + s.padding_w == 0;
    conv_shape seen = s;
    if (gathered || flat) {
        seen.n = seen.h = seen.p = seen.r = seen.s = 1;
        seen.w = seen.q = s.positions;
        seen.stride = seen.stride_w = seen.dilation = seen.dilation_w = 1, seen.padding = seen.padding_w = 0;
    }
    return seen;
}

// Three launches; and bytes that splitting moves in a microsecond, fewer where it gathers one element in a line of x.
constexpr double SPLIT_START_US = 11, SPLIT_COPY = 2.3e6, SPLIT_GATHER = 0.8e6;

// All told: a tile is stored while the next is multiplied.
static double split_us(const split_candidate &c, const split_plan &plan, const split_pack_plan &pack)
{
    const int64_t room = assay::multiprocessor_count(), rounds = (plan.tiles.tiles + room - 1) / room;
    const double products = plan.tiles.steps * c.stage_us;
    const double rate = pack.gathered && pack.along_positions ? SPLIT_GATHER : SPLIT_COPY;
    return SPLIT_START_US + (double)rounds * ((products > c.store_us ? products : c.store_us) + 0.3) +
           c.store_us + 10 * ((double)pack.part_x / rate + (double)pack.part_w / SPLIT_COPY);
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
        status = plain_run(args, s, choice.pack.flags, blocks, stream);
    return status;
}

#endif
