// Chooses the kernel and the tile for f16 and bf16 convolutions with channels first on Hopper: 1x1 filters by
// pointwise.cuh, rows of a multiple of 8 positions by windows of a copy with channels last (window.cuh),
// other rows by bands (band.cuh), strides by windows again.
#ifndef ASSAY_OPS_CONV2D_V4_HOPPER_CUH
#define ASSAY_OPS_CONV2D_V4_HOPPER_CUH

#include "band.cuh"
#include "pack.cuh"
#include "pointwise.cuh"
#include "window_choose.cuh"

constexpr int BAND_CHANNELS = 32; // of a group: bands bring 64 at a time

struct band_candidate {
    bool (*plan)(const conv2d_args &, const conv_shape &, band_plan *);
    assay_status (*launch)(const band_plan &, const scalar_t *, const scalar_t *, const conv_shape &,
                           assay_stream);
    int n; // positions of the warpgroups that have a tile together
};
template <class C>
static constexpr band_candidate bands = {band_plan_of<C>, band_launch<C>, C::N *C::HALVES};
static constexpr band_candidate kBands[] = {
    //                N    pairs halves
    bands<band_config<72, 2, 2>>,
    bands<band_config<224, 2, 1>>,
    bands<band_config<232, 2, 1>>,
    bands<band_config<136, 1, 2>>,
};

// Whether that many tiles, which are large, are worthwhile: they should occupy half of the multiprocessors at
// least.
static bool enough_tiles(int64_t tiles)
{
    return 2 * tiles >= assay::multiprocessor_count();
}

// The one whose blocks have the least to compute, with what they drop; NULL if no band fits on chip or bands
// are too few.
static const band_candidate *choose_band(const conv2d_args &args, const conv_shape &s)
{
    const band_candidate *best = nullptr;
    int64_t least = INT64_MAX;
    band_plan plan;
    for (const band_candidate &candidate : kBands) {
        if (!candidate.plan(args, s, &plan) || !enough_tiles(plan.tiles))
            continue;
        const int room = assay::multiprocessor_count();
        const int64_t turns = (plan.tiles + room - 1) / room, work = turns * (candidate.n + 32);
        if (work < least)
            best = &candidate, least = work;
    }
    return best;
}

static assay_status band_run(const band_candidate &band, const conv2d_args &args, const conv_shape &s,
                             assay_stream stream)
{
    band_plan plan;
    const scalar_t *x, *weight;
    if (!band.plan(args, s, &plan))
        return ASSAY_ERR_UNSUPPORTED;
    const assay_status status = pack_into_planes(args, s, &x, &weight, stream);
    return status == ASSAY_OK ? band.launch(plan, x, weight, s, stream) : status;
}

// The tile whose channels are not mostly past the last one.
static assay_status pointwise_run(const conv2d_args &args, const conv_shape &s, assay_stream stream)
{
    return s.k > 128  ? pointwise_launch<pointwise_config<4, 1>>(args, s, stream)
           : s.k > 64 ? pointwise_launch<pointwise_config<2, 2>>(args, s, stream)
                      : pointwise_launch<pointwise_config<1, 4>>(args, s, stream);
}

// False if no kernel for Hopper fits the shape or the device; otherwise *status is what the launch returned.
static bool run_on_hopper(const conv2d_args &args, const conv_shape &s, assay_stream stream,
                          assay_status *status)
{
    if (!assay::hopper_available() || s.c == 0)
        return false;
    const int64_t boxes = (int64_t)s.n * ((s.h * s.w + 63) / 64) * ((s.k + 63) / 64);
    if (pointwise_fits(args, s) && enough_tiles(boxes / 4)) {
        *status = pointwise_run(args, s, stream);
        return true;
    }
    if (run_first_on_hopper(kWindowsFirst, args, s, stream, status))
        return true;
    const band_candidate *band = s.group_c >= BAND_CHANNELS ? choose_band(args, s) : nullptr;
    if (!band)
        return run_first_on_hopper(kWindowsFirstOdd, args, s, stream, status);
    *status = band_run(*band, args, s, stream);
    return true;
}

#endif
