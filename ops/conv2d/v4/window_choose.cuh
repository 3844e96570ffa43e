// Chooses the tile for f16 and bf16 convolutions from windows (window.cuh) on Hopper, and copies tensors with
// their channels first.
#ifndef ASSAY_OPS_CONV2D_V4_WINDOW_CHOOSE_CUH
#define ASSAY_OPS_CONV2D_V4_WINDOW_CHOOSE_CUH

#include "crop.cuh"
#include "pack_last.cuh"
#include "window.cuh"

struct window_candidate {
    bool (*plan)(const conv2d_args &, const conv_shape &, const window_form &, window_plan *);
    assay_status (*launch)(const window_plan &, const scalar_t *, const scalar_t *, const conv_shape &,
                           assay_stream);
    int n, wm, pairs, out;
};
template <class C>
static constexpr window_candidate windows = {
    window_plan_of<C>, window_launch<C>, C::N, C::WM, C::PAIRS, C::OUT};
static constexpr window_candidate kWindows[] = {
    //                    N   WM pairs buffers
    windows<window_config<256, 2, 1, 1>>, // many channels, rows that divide 256 positions
    windows<window_config<112, 2, 1, 1>>, windows<window_config<232, 1, 2, 1>>, // few channels
    windows<window_config<224, 1, 2, 1>>, windows<window_config<136, 1, 2, 1>>, // few positions
    windows<window_config<128, 4, 1, 2>>, // 1x1 filters to many channels
};

static constexpr window_candidate kWindowsFirst[] = {
    //                    N   WM pairs buffers
    windows<window_config<256, 2, 1, 1, WINDOW_FIRST>>,
    windows<window_config<224, 1, 2, 1, WINDOW_FIRST>>,
    windows<window_config<128, 1, 2, 1, WINDOW_FIRST>>,
};
static constexpr window_candidate kWindowsFirstOdd[] = {
    windows<window_config<256, 2, 1, 1, WINDOW_FIRST_ODD>>,
    windows<window_config<232, 1, 2, 1, WINDOW_FIRST_ODD>>,
    windows<window_config<224, 1, 2, 1, WINDOW_FIRST_ODD>>,
    windows<window_config<136, 1, 2, 1, WINDOW_FIRST_ODD>>,
};

struct window_choice {
    const window_candidate *candidate;
    window_plan plan;
    int64_t cycles; // of the busiest multiprocessor, as expected
};

// Products take N / 2 cycles for 64 channels and 16 terms; the second-level cache gives a multiprocessor
// about 40 bytes a cycle. The rest, what does not overlap, is fitted to what the candidates took on an H100
// and an H200 (README.md).
static int64_t window_cycles(const window_candidate &c, const window_plan &plan)
{
    const int64_t room = assay::multiprocessor_count(), turns = (plan.tiles + room - 1) / room,
                  window = window_pixels(plan.form) * 128;
    const int64_t weights = (int64_t)plan.steps_c * plan.taps_r * plan.taps_s,
                  products = weights * 4 * c.wm * (c.n / 2),
                  brought = plan.steps * window + (plan.resident ? 0 : weights * c.wm * 8192),
                  copies = (brought + (int64_t)c.wm * 128 * c.n) / 40;
    const int64_t together = products > copies ? products + copies / 8 : copies + products / 8,
                  ending = (c.pairs == 2 ? 700 : 4 * c.n) + (c.out == WINDOW_FIRST_ODD ? 8 * c.n : 0);
    return turns * (together + ending + (int64_t)100 * plan.steps) + 2000 + window / 40;
}

// A 1x1 filter without stride and padding sees no image: all positions are one row.
static conv_shape without_rows(const conv_shape &s)
{
    conv_shape flat = s;
    if (s.r * s.s == 1 && s.stride * s.stride_w == 1 && s.padding + s.padding_w == 0) {
        flat.n = flat.h = flat.p = 1;
        flat.w = flat.q = s.positions;
    }
    return flat;
}

template <size_t Count>
static window_choice choose_window(const window_candidate (&candidates)[Count], const conv2d_args &args,
                                   const conv_shape &s)
{
    window_choice best = {};
    for (const window_candidate &candidate : candidates)
        for (int shared = 0; shared < 4; shared++) {
            window_choice next = {&candidate, {}, 0};
            const window_form form = window_form_of(s, candidate.n, shared & 1, shared & 2);
            if (!candidate.plan(args, s, form, &next.plan))
                continue;
            next.cycles = window_cycles(candidate, next.plan);
            if (!best.candidate || next.cycles < best.cycles)
                best = next;
        }
    return best;
}

// False if no kernel for Hopper fits the shape or the device; otherwise *status is what the launch returned.
// Channels that are no multiple of 8 are copied first, if there are tiles enough to copy x for.
static bool run_last_on_hopper(const conv2d_args &args, const conv_shape &shape, assay_stream stream,
                               assay_status *status)
{
    const bool packed = shape.groups == 1 && shape.c % 8 != 0;
    conv_shape s = without_rows(shape);
    if (packed)
        s.c = s.group_c = (int)conv2d_padded(shape.c);
    if (!assay::hopper_available() || !window_fits(args, s))
        return false;
    window_choice choice = choose_window(kWindows, args, s);
    if (!choice.candidate || (packed && 2 * choice.plan.tiles < assay::multiprocessor_count()) ||
        args.workspace_bytes < conv2d_workspace_bytes(&args, sizeof(scalar_t)))
        return false;
    const scalar_t *x = static_cast<const scalar_t *>(args.x),
                   *weight = static_cast<const scalar_t *>(args.weight);
    if (packed) {
        *status = pack_operands(args, shape, &x, &weight, stream);
        if (*status != ASSAY_OK)
            return true;
    }
    const int padded = (int)conv2d_padded(s.k);
    if (padded != s.k) {
        choice.plan.k = padded;
        choice.plan.out = reinterpret_cast<scalar_t *>(static_cast<char *>(args.workspace) +
                                                       conv2d_packed_weight_bytes(&args, sizeof(scalar_t)) +
                                                       conv2d_packed_image_bytes(&args, sizeof(scalar_t)));
    }
    *status = choice.candidate->launch(choice.plan, x, weight, s, stream);
    if (*status == ASSAY_OK && padded != s.k)
        *status = crop_channels(choice.plan.out, static_cast<scalar_t *>(args.out), s.positions, s.k, padded,
                                stream);
    return true;
}

// The same for tensors with their channels first, which are copied beforehand.
template <size_t Count>
static bool run_first_on_hopper(const window_candidate (&candidates)[Count], const conv2d_args &args,
                                const conv_shape &s, assay_stream stream, assay_status *status)
{
    if (!assay::hopper_available() || !window_fits_first(args, s))
        return false;
    const window_choice choice = choose_window(candidates, args, s);
    if (!choice.candidate || 2 * choice.plan.tiles < assay::multiprocessor_count()) // too few to copy x for
        return false;
    const scalar_t *x, *weight;
    *status = turn_operands(args, s, &x, &weight, stream);
    if (*status == ASSAY_OK)
        *status = choice.candidate->launch(choice.plan, x, weight, s, stream);
    return true;
}

#endif
