// Chooses the form and the tile for f32 convolutions by split products (split.cuh), and whether they pay.
#ifndef ASSAY_OPS_CONV2D_V4_SPLIT_CHOOSE_CUH
#define ASSAY_OPS_CONV2D_V4_SPLIT_CHOOSE_CUH

#include "plain.cuh"
#include "split.cuh"

// Microseconds: of three launches that do next to nothing, of 64 terms of a tile, and of its end. Fitted to an
// H200, as what follows (docs/notes).
struct split_candidate {
    bool (*plan)(const conv2d_args &, const conv_shape &, int, split_plan *);
    assay_status (*launch)(const split_plan &, const split_pack_plan &, const conv_shape &, assay_stream);
    double start_us, stage_us, end_us;
};
template <class C>
static constexpr split_candidate splits(double start_us, double stage_us, double end_us)
{
    return {split_plan_of<C>, split_launch<C>, start_us, stage_us, end_us};
}
static constexpr split_candidate kSplits[] = {
    //                   N   stages
    splits<split_config<128, 3>>(15.9, 0.94, 1.1),
    splits<split_config<112, 3>>(14.8, 0.85, 1.05),
    splits<split_config<64, 4>>(12.6, 0.565, 0.73),
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

// The copies are bound by memory, and slow where they gather one element in a line of x. The first stages of a
// block wait for what was copied just before.
static double split_us(const split_candidate &c, const split_plan &plan, const split_pack_plan &pack)
{
    const int64_t room = assay::multiprocessor_count(), rounds = (plan.tiles.tiles + room - 1) / room;
    const int steps = plan.tiles.steps;
    const double rate = pack.gathered && pack.along_positions ? 0.8e6 : plan.channels_last ? 5e6 : 2.3e6;
    const double waiting = (plan.channels_last ? 0.6 : 2.0) * (steps < 4 ? steps : 4);
    return c.start_us + (double)rounds * (steps * c.stage_us + c.end_us) + waiting +
           10 * (double)pack.part_x / rate;
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
