/* Arguments of conv2d: out[n,k,p,q] = bias[k] + sum over c, r, s of x[n, c, h, w] * weight[k, c, r, s],
 * h = p * stride - padding + r * dilation and w = q * stride_w - padding_w + s * dilation_w, c running over the
 * channels of k's group.
 *
 * All tensors are contiguous, in one of two layouts: channels first (NCHW) or channels last (NHWC), torch's
 * memory format channels_last. Outside the image x is zero, and that zero takes part: times an infinite
 * weight it gives NaN, as in torch. */
#ifndef ASSAY_OPS_CONV2D_H
#define ASSAY_OPS_CONV2D_H

#include <assay/module.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct conv2d_args {
    const void *x;                     /* [n, c, h, w], the module's dtype, device memory, 16-byte aligned */
    const void *weight;                /* [k, c / groups, r, s], likewise */
    const void *bias;                  /* [k] */
    void *out;                         /* [n, k, p, q], likewise; overlaps nothing */
    int64_t n, c, h, w, k, r, s, p, q; /* n, c and k may be 0 */
    int64_t stride, padding, dilation, groups; /* along h; groups divides c and k */
    void *workspace;                           /* device memory, content undefined */
    int64_t workspace_bytes;                   /* at least conv2d_workspace_bytes() */
    int64_t channels_last; /* 1: x is [n, h, w, c], weight [k, r, s, c / groups], out [n, p, q, k]; or 0 */
    int64_t stride_w, padding_w, dilation_w; /* along w */
    int64_t by_direction;                    /* 1: one of the three differs from its value along h; or 0 */
} conv2d_args;

/* Where a kernel copies tensors to the workspace, channels of a group are padded to whole 16-byte vectors of
 * a 2-byte type. */
enum { CONV2D_PAD = 8 };

static inline int64_t conv2d_padded(int64_t channels)
{
    return (channels + CONV2D_PAD - 1) / CONV2D_PAD * CONV2D_PAD;
}

/* Room for the weights in another order, with the input or the output channels of every group padded; whole
 * 256 bytes. */
static inline int64_t conv2d_packed_weight_bytes(const conv2d_args *args, int64_t element_bytes)
{
    const int64_t of_inputs = args->k * args->r * args->s * conv2d_padded(args->c / args->groups);
    const int64_t of_outputs = args->c * args->r * args->s * conv2d_padded(args->k / args->groups);
    const int64_t bytes = (of_inputs > of_outputs ? of_inputs : of_outputs) * element_bytes;
    return (bytes + 255) / 256 * 256;
}

/* The largest stride at which TMA picks pixels. Beyond it kernels that use TMA copy x by phases, see
 * stride_phases.cuh: as many along a direction as taps or as the stride, each of so many pixels. */
enum { CONV2D_TMA_STRIDE = 8 };

static inline int conv2d_needs_phases(int64_t stride, int64_t stride_w)
{
    return stride > CONV2D_TMA_STRIDE || stride_w > CONV2D_TMA_STRIDE;
}

static inline int64_t conv2d_phases(int64_t taps, int64_t stride)
{
    return taps < stride ? taps : stride;
}

static inline int64_t conv2d_phase_pixels(int64_t pixels, int64_t stride)
{
    return (pixels + stride - 1) / stride;
}

/* Room for x with its channels last and padded, or its phases: only 2-byte types, whose tensor cores want it
 * so. */
static inline int64_t conv2d_packed_image_bytes(const conv2d_args *args, int64_t element_bytes)
{
    const int64_t channels = args->groups * conv2d_padded(args->c / args->groups);
    const int64_t phases = conv2d_phases(args->r, args->stride) * conv2d_phases(args->s, args->stride_w);
    const int64_t in_phases =
        phases * conv2d_phase_pixels(args->h, args->stride) * conv2d_phase_pixels(args->w, args->stride_w);
    const int64_t as_it_is = args->h * args->w;
    const int is_in_phases = conv2d_needs_phases(args->stride, args->stride_w);
    const int64_t pixels = is_in_phases && in_phases > as_it_is ? in_phases : as_it_is;
    return element_bytes == 2 ? args->n * pixels * channels * element_bytes : 0;
}

/* Room for out with its channels last and padded, where rows of out do not start on 16-byte boundaries and TMA cannot
 * write them: only 2-byte types without groups. */
static inline int64_t conv2d_padded_out_bytes(const conv2d_args *args, int64_t element_bytes)
{
    if (element_bytes != 2 || !args->channels_last || args->groups != 1 || args->k % CONV2D_PAD == 0)
        return 0;
    return args->n * args->p * args->q * conv2d_padded(args->k) * element_bytes;
}

/* Room for x and weight of an f32 convolution in three bfloat16 parts each, v4/split_pack.cuh: x as it is, or
 * gathered for each position. Room is kept where that form is of use, and no more than the limit. */
enum { CONV2D_SPLIT_FLAGS = 1024, CONV2D_SPLIT_CHANNELS = 24 };
#define CONV2D_SPLIT_LIMIT ((int64_t)1 << 31)

/* Rows of terms are whole lines of 128 bytes, or 64: what TMA brings begins at a line then. */
static inline int64_t conv2d_split_padded(int64_t terms)
{
    return terms <= 32 ? 32 : (terms + 63) / 64 * 64;
}

static inline int64_t conv2d_split_bytes(const conv2d_args *args, int gathered)
{
    const int64_t channels = conv2d_split_padded(args->c / args->groups),
                  terms = conv2d_split_padded(args->r * args->s * args->c);
    const int64_t elements =
        gathered ? (args->n * args->p * args->q + args->k) * terms
                 : (args->n * args->h * args->w * args->groups + args->k * args->r * args->s) * channels;
    return 4 * CONV2D_SPLIT_FLAGS + 6 * elements + 128;
}

/* Below 24 channels most of a stage of 64 would be empty; and gathering pays where windows hardly overlap. */
static inline int conv2d_split_fits(const conv2d_args *args, int64_t element_bytes, int gathered)
{
    const int64_t seen = args->n * args->p * args->q * conv2d_padded(args->r * args->s * args->c),
                  all = args->n * args->h * args->w * conv2d_padded(args->c);
    const int of_use =
        gathered ? args->groups == 1 && seen <= 3 * all : args->c / args->groups >= CONV2D_SPLIT_CHANNELS;
    return element_bytes == 4 && args->c > 0 && of_use &&
           conv2d_split_bytes(args, gathered) <= CONV2D_SPLIT_LIMIT;
}

static inline int64_t conv2d_split_room(const conv2d_args *args, int64_t element_bytes)
{
    int64_t room = 0;
    for (int gathered = 0; gathered < 2; gathered++) {
        const int64_t bytes = conv2d_split_bytes(args, gathered);
        if (conv2d_split_fits(args, element_bytes, gathered) && bytes > room)
            room = bytes;
    }
    return room;
}

/* Room for the sums of blocks that share a sum's terms out, v4/parts.cuh, where outputs are few: of few channels
 * of a group, or 2-byte types. Blocks are limited so that the bytes suffice. */
enum {
    CONV2D_FEW_CHANNELS = 32,
    CONV2D_PARTS = 32,
    CONV2D_PART_OUTPUTS = 1 << 20,
    CONV2D_PART_BYTES = 9 << 20
};

static inline int64_t conv2d_part_bytes(const conv2d_args *args, int64_t element_bytes)
{
    const int64_t outputs = args->n * args->p * args->q * args->k, most = CONV2D_PARTS * outputs * 4;
    if (outputs > CONV2D_PART_OUTPUTS || (element_bytes != 2 && args->k / args->groups > CONV2D_FEW_CHANNELS))
        return 0;
    return most < CONV2D_PART_BYTES ? most : CONV2D_PART_BYTES;
}

/* Parts and padded out lie behind packed tensors; no kernel needs both, nor one of them beside split ones. */
static inline int64_t conv2d_workspace_bytes(const conv2d_args *args, int64_t element_bytes)
{
    const int64_t packed = conv2d_packed_weight_bytes(args, element_bytes) +
                           conv2d_packed_image_bytes(args, element_bytes),
                  part = conv2d_part_bytes(args, element_bytes),
                  out = conv2d_padded_out_bytes(args, element_bytes),
                  split = conv2d_split_room(args, element_bytes), most = packed + (part > out ? part : out);
    return split > most ? split : most;
}

ASSAY_EXPORT assay_status conv2d_run(const conv2d_args *args, assay_stream stream);

#ifdef __cplusplus
}
#endif
#endif
