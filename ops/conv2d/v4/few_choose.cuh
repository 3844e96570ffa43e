// Chooses how the terms of few output channels are shared out (few.cuh), and whether that pays.
#ifndef ASSAY_OPS_CONV2D_V4_FEW_CHOOSE_CUH
#define ASSAY_OPS_CONV2D_V4_FEW_CHOOSE_CUH

#include "few.cuh"

// Microseconds for a thread's instruction, where all schedulers of an H200 start 0.6 a cycle.
constexpr double FEW_INSTRUCTION_US = 5.6e-8;

struct few_choice {
    few_plan plan;
    int channels, blocks; // of a warp; along positions
    double us;            // as expected
};

// Blocks share a sum's terms out until there are four for each multiprocessor, but each keeps some for all of
// its warps.
static int few_splits(const conv_shape &s, const few_plan &plan, int64_t blocks, int64_t least)
{
    const int64_t wanted = (4LL * assay::multiprocessor_count() + blocks - 1) / blocks,
                  most = plan.terms / least;
    const int64_t room = CONV2D_PART_BYTES / 4 / ((int64_t)s.positions * s.k);
    int64_t splits = wanted < most ? wanted : most;
    splits = splits < room ? splits : room;
    if ((int64_t)s.positions * s.k > CONV2D_PART_OUTPUTS || blocks >= 2LL * assay::multiprocessor_count())
        splits = 1;
    return (int)(splits > CONV2D_PARTS ? CONV2D_PARTS : splits < 1 ? 1 : splits);
}

// False where channels are many or the table's numbers would not hold what they should.
static bool choose_few(const conv2d_args &args, const conv_shape &s, few_choice *choice)
{
    const int64_t terms = (int64_t)s.r * s.s * s.group_c, reach = (int64_t)(s.r - 1) * s.dilation,
                  reach_w = (int64_t)(s.s - 1) * s.dilation_w,
                  spans = s.channels_last ? (reach * s.w + reach_w + 1) * s.c
                                          : ((int64_t)s.group_c * s.h + reach) * s.w;
    if (s.group_k > CONV2D_FEW_CHANNELS || terms < 1 || reach > INT16_MAX || reach_w > INT16_MAX ||
        s.h > INT16_MAX || spans + reach_w > INT32_MAX || (int64_t)s.n * s.h * s.w > INT32_MAX)
        return false;
    *choice = {};
    few_plan &plan = choice->plan;
    choice->channels = s.group_k == 1 ? 1 : s.group_k <= 4 ? 4 : 8;
    plan.x = static_cast<const scalar_t *>(args.x);
    plan.weight = static_cast<const scalar_t *>(args.weight);
    plan.bias = static_cast<const scalar_t *>(args.bias);
    plan.out = static_cast<scalar_t *>(args.out);
    plan.tiles_k = (s.group_k + choice->channels - 1) / choice->channels;
    plan.terms = (int)terms;
    const int step = s.channels_last ? 32 : 8, positions = s.channels_last ? FEW_POSITIONS : 32;
    for (plan.slices = FEW_WARPS; plan.slices > 1 && terms < plan.slices * step;)
        plan.slices /= 2;
    const int64_t rows = (int64_t)s.groups * plan.tiles_k,
                  of_block = (int64_t)positions * (FEW_WARPS / plan.slices);
    choice->blocks = (int)((s.positions + of_block - 1) / of_block);
    plan.splits = few_splits(s, plan, choice->blocks * rows, 2LL * step * plan.slices);
    plan.per_split = (int)((terms + plan.splits - 1) / plan.splits);
    plan.splits = (int)((terms + plan.per_split - 1) / plan.per_split);
    if (plan.splits > 1)
        plan.partial = static_cast<float *>(args.workspace);
    // Instructions of a warp: for a step's terms, and before and behind them.
    const double of_step = s.channels_last ? 30 + FEW_POSITIONS * (9 + choice->channels)
                                           : step * (12 + choice->channels),
                 around = s.channels_last ? 300 + 32 * choice->channels : 150,
                 steps = (double)((plan.per_split + plan.slices * step - 1) / (plan.slices * step)),
                 warps = (double)choice->blocks * rows * plan.splits * FEW_WARPS;
    const double slower = s.channels_last ? 2.1 : 1.5, // as measured
        issue = slower * warps * 32 * (steps * of_step + around) * FEW_INSTRUCTION_US, waiting = 0.5 * steps;
    choice->us = 7.5 + (plan.splits > 1 ? 2.5 : 0) + (issue > waiting ? issue : waiting);
    return rows <= 65535 &&
           (plan.splits == 1 ||
            (args.workspace && args.workspace_bytes >= (int64_t)plan.splits * s.positions * s.k * 4));
}

// Microseconds of one thread a position (direct.cuh), fitted to an H200. What slows it down is that few loads
// are under way, and with channels last that each thread reads lines of its own.
static double direct_us(const conv_shape &s)
{
    const double terms = (double)s.r * s.s * s.group_c,
                 channels = s.group_k <= 1   ? 1
                            : s.group_k <= 2 ? 2
                            : s.group_k <= 4 ? 4
                                             : 8,
                 rows = s.groups * ((s.group_k + channels - 1) / channels),
                 slower = s.channels_last ? (s.group_c >= 32 ? 7 : 2) : (s.r * s.s > 9 ? 1.3 : 3.5);
    const double waiting = 0.1 * terms,
                 issue = slower * s.positions * rows * terms * (8 + channels) * FEW_INSTRUCTION_US;
    return 7 + (issue > waiting ? issue : waiting);
}

template <int KT>
static assay_status few_launch(const few_choice &choice, const conv_shape &s, assay_stream stream)
{
    const few_plan &plan = choice.plan;
    const dim3 grid((unsigned)choice.blocks, (unsigned)(s.groups * plan.tiles_k), (unsigned)plan.splits);
    return assay::launch(s.channels_last ? conv2d_few<KT, few_last<KT>> : conv2d_few<KT, few_first<KT>>, grid,
                         dim3(FEW_THREADS), 0, stream, plan, s);
}

static assay_status few_run(const few_choice &choice, const conv2d_args &args, const conv_shape &s,
                            assay_stream stream)
{
    const few_plan &plan = choice.plan;
    const assay_status status = choice.channels == 1   ? few_launch<1>(choice, s, stream)
                                : choice.channels == 4 ? few_launch<4>(choice, s, stream)
                                                       : few_launch<8>(choice, s, stream);
    return status != ASSAY_OK || plan.splits == 1 ? status
                                                  : add_parts(plan.partial, plan.splits, args, s, stream);
}

#endif
