// Chooses the tile of tensor.cuh, and by how many blocks its terms are shared out; copies the operands that
// do not lie as wanted.
#ifndef ASSAY_OPS_CONV2D_V4_TENSOR_CHOOSE_CUH
#define ASSAY_OPS_CONV2D_V4_TENSOR_CHOOSE_CUH

#include "pack.cuh"
#include "row.cuh"
#include "tensor.cuh"

//                           BM   BN  warps stages
using large = tensor_config<128, 128, 2, 4, 3>;
using medium = tensor_config<64, 128, 2, 2, 4>;
using small = tensor_config<32, 32, 2, 2, 4>;

// Whether tiles of BM x BN are not mostly empty and keep most multiprocessors busy.
template <class C>
static bool fits(const conv_shape &s)
{
    const int64_t tiles_m = (s.group_k + C::BM - 1) / C::BM, tiles_n = (s.positions + C::BN - 1) / C::BN;
    return s.group_k > C::BM / 2 && tiles_m * tiles_n * s.groups >= assay::multiprocessor_count();
}

static int64_t tensor_steps(const conv_shape &s)
{
    return (s.r * s.s * (conv2d_padded(s.group_c) / 8) + 7) / 8;
}

// 1x1 filters whose x is the second matrix as it lies.
static bool tensor_pointwise(const conv_shape &s)
{
    return !s.channels_last && s.r * s.s == 1 && s.stride == 1 && s.padding == 0 && !s.by_direction &&
           s.p * s.q % 8 == 0 && s.group_c % 8 == 0;
}

// Whether x and weight lie as tensor cores want them.
static bool tensor_as_it_lies(const conv_shape &s)
{
    return s.channels_last ? s.group_c % 8 == 0 : tensor_pointwise(s);
}

// Microseconds of tiles that hold all output channels, fitted to an H200: stages of 64 terms follow each
// other, and elements of x are copied before, slowly where planes are odd.
static double tiles_us(const conv_shape &s)
{
    const bool as_it_lies = tensor_as_it_lies(s);
    const int64_t room = assay::multiprocessor_count(), steps = tensor_steps(s),
                  rounds = ((int64_t)((s.positions + 127) / 128) * s.groups + room - 1) / room;
    const double elements = as_it_lies ? 0 : (double)s.n * s.c * s.h * s.w,
                 rate = s.channels_last || s.h * s.w % 4 != 0 ? 0.3e6 : 0.6e6;
    return (as_it_lies ? 10.5 : 12) + elements / rate + (double)(rounds * steps) * (as_it_lies ? 0.26 : 0.39);
}

// What gathers positions counts the pixels of all images in 32 bits; products of x as it lies do not.
static bool tensor_fits(const conv_shape &s)
{
    return tensor_pointwise(s) || (int64_t)s.n * s.h * s.w <= INT32_MAX;
}

// How many blocks share the terms of a tile out, and microseconds as expected.
struct tensor_split {
    int splits; // 1: tiles of whole sums are expected to take no longer
    double us;
};

// Fitted to an H200. Whole sums: a stage takes 0.26 us in windows of about 14000 outputs, of which each
// multiprocessor has one at a time, and 0.39 from copied tensors. Shared out: a multiprocessor takes 0.7 for
// a stage, and the launches take longer.
static tensor_split choose_tensor_split(const conv2d_args &args, const conv_shape &s)
{
    const tensor_split whole = {1, INFINITY};
    const int64_t room = assay::multiprocessor_count(), outputs = (int64_t)s.positions * s.k,
                  steps = tensor_steps(s),
                  tiles = (int64_t)((s.group_k + medium::BM - 1) / medium::BM) *
                          ((s.positions + medium::BN - 1) / medium::BN) * s.groups;
    if (outputs > CONV2D_PART_OUTPUTS || !tensor_fits(s) ||
        args.workspace_bytes < conv2d_workspace_bytes(&args, sizeof(scalar_t)))
        return whole;
    const int64_t limits[] = {2 * room / tiles, steps / 4, CONV2D_PART_BYTES / 4 / outputs};
    int64_t splits = CONV2D_PARTS;
    for (const int64_t limit : limits)
        splits = limit < splits ? limit : splits;
    if (splits < 2)
        return whole;
    const bool as_it_lies = tensor_as_it_lies(s);
    const double us = (as_it_lies ? 13 : 25.5) + 0.7 * (double)(tiles * steps) / (double)room,
                 of_whole = (as_it_lies ? 8 + 0.26 * (double)((outputs / 14000 + room) / room * steps)
                                        : 13 + 0.39 * (double)((outputs / 14000 + room) / room * steps));
    return 1.1 * us < of_whole ? tensor_split{(int)splits, us} : whole;
}

static assay_status tensor_run(const conv2d_args &args, const conv_shape &s, int splits, assay_stream stream)
{
    const bool pointwise = tensor_pointwise(s);
    tensor_operands operands = {};
    operands.x = static_cast<const scalar_t *>(args.x);
    operands.weight = static_cast<const scalar_t *>(args.weight);
    operands.bias = static_cast<const scalar_t *>(args.bias);
    operands.out = static_cast<scalar_t *>(args.out);
    operands.chunks = (int)(conv2d_padded(s.group_c) / 8);
    const bool packed = !tensor_as_it_lies(s);
    if (packed) {
        const assay_status status = pack_operands(args, s, &operands.x, &operands.weight, stream);
        if (status != ASSAY_OK)
            return status;
    }
    if (splits == 1)
        return fits<large>(s)    ? tensor_launch<large>(operands, s, pointwise, packed, 1, stream)
               : fits<medium>(s) ? tensor_launch<medium>(operands, s, pointwise, packed, 1, stream)
                                 : tensor_launch<small>(operands, s, pointwise, packed, 1, stream);
    operands.parts = reinterpret_cast<float *>(static_cast<char *>(args.workspace) +
                                               conv2d_packed_weight_bytes(&args, sizeof(scalar_t)) +
                                               conv2d_packed_image_bytes(&args, sizeof(scalar_t)));
    const assay_status status = tensor_launch<medium>(operands, s, pointwise, packed, splits, stream);
    return status == ASSAY_OK ? add_parts(operands.parts, splits, args, s, stream) : status;
}

#endif
