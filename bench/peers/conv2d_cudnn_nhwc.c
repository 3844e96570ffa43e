/* Peer of `conv2d`: cuDNN with channels last, the layout its tensor-core kernels are made for (conv2d_cudnn.h).
 *
 * The op's tensors are NCHW. This peer keeps copies of x and weight with channels last, made once for each set of arguments
 * before anything is timed, and computes into an output of its own; the output is brought into NCHW when it is compared, which
 * is not timed either (conv2d_adopt and conv2d_deliver, see include/assay/module.h). So it is shown what the library needs when
 * a whole model is kept in its layout, as torch does with memory_format=channels_last. Layouts are changed on the host. */
#define CONV_CHANNELS_LAST 1
#include "conv2d_cudnn.h"
#include <stdlib.h>

PEER_DECLARE(conv2d);
ASSAY_EXPORT assay_status conv2d_adopt(const conv2d_args *args, assay_stream stream);
ASSAY_EXPORT assay_status conv2d_deliver(const conv2d_args *args, assay_stream stream);

enum { MOST_SETS = 1024 };

static struct {
    const void *key; /* the op's output of this set */
    void *x, *weight, *out;
} sets[MOST_SETS];
static int set_count;

static int find_set(const conv2d_args *args)
{
    for (int i = 0; i < set_count; i++)
        if (sets[i].key == args->out)
            return i;
    return -1;
}

/* [outer][rows][columns] becomes [outer][columns][rows]: with rows = channels, NCHW becomes NHWC; with rows = places the other
 * way. */
static void turn_around(char *to, const char *from, int64_t outer, int64_t rows, int64_t columns)
{
    for (int64_t o = 0; o < outer;
         o++, to += rows * columns * PEER_ELEMENT_BYTES, from += rows * columns * PEER_ELEMENT_BYTES)
        for (int64_t c = 0; c < columns; c++)
            for (int64_t r = 0; r < rows; r++)
                memcpy(to + (c * rows + r) * PEER_ELEMENT_BYTES,
                       from + (r * columns + c) * PEER_ELEMENT_BYTES, PEER_ELEMENT_BYTES);
}

/* turn_around() of device memory by way of the host. */
static assay_status turn_on_device(void *to, const void *from, int64_t outer, int64_t rows, int64_t columns)
{
    const size_t bytes = (size_t)(outer * rows * columns) * PEER_ELEMENT_BYTES;
    char *before = malloc(2 * bytes + 1);
    if (!before)
        return peer_fail(ASSAY_ERR_NO_MEMORY, "layout", "no host memory");
    assay_status status =
        peer_check_cuda(cudaMemcpy(before, from, bytes, cudaMemcpyDeviceToHost), "copy to the host");
    if (status == ASSAY_OK) {
        turn_around(before + bytes, before, outer, rows, columns);
        status = peer_check_cuda(cudaMemcpy(to, before + bytes, bytes, cudaMemcpyHostToDevice),
                                 "copy from the host");
    }
    free(before);
    return status;
}

static assay_status allocate(void **pointer, int64_t elements)
{
    return peer_check_cuda(cudaMalloc(pointer, (size_t)elements * PEER_ELEMENT_BYTES), "channels-last copy");
}

static assay_status add_set(const conv2d_args *a)
{
    if (set_count == MOST_SETS)
        return peer_fail(ASSAY_ERR_UNSUPPORTED, "buffers", "too many sets of arguments");
    const int i = set_count++;
    sets[i].key = a->out;
    assay_status status = allocate(&sets[i].x, a->n * a->c * a->h * a->w);
    if (status == ASSAY_OK)
        status = allocate(&sets[i].weight, a->k * (a->c / a->groups) * a->r * a->s);
    if (status == ASSAY_OK)
        status = allocate(&sets[i].out, a->n * a->k * a->p * a->q);
    return status;
}

assay_status conv2d_adopt(const conv2d_args *a, assay_stream stream)
{
    if (!conv_has_output(a))
        return ASSAY_OK;
    assay_status status = peer_check_cuda(cudaStreamSynchronize(stream), "inputs");
    if (status == ASSAY_OK && find_set(a) < 0)
        status = add_set(a);
    if (status != ASSAY_OK)
        return status;
    const int i = find_set(a);
    status = turn_on_device(sets[i].x, a->x, a->n, a->c, a->h * a->w);
    return status == ASSAY_OK ? turn_on_device(sets[i].weight, a->weight, a->k, a->c / a->groups, a->r * a->s)
                              : status;
}

assay_status conv2d_deliver(const conv2d_args *a, assay_stream stream)
{
    const int i = find_set(a);
    if (i < 0)
        return conv_has_output(a) ? peer_fail(ASSAY_ERR_INVALID, "output", "unknown arguments") : ASSAY_OK;
    const assay_status status = peer_check_cuda(cudaStreamSynchronize(stream), "output");
    return status == ASSAY_OK ? turn_on_device(a->out, sets[i].out, a->n, a->p * a->q, a->k) : status;
}

void conv2d_release(void)
{
    for (int i = 0; i < set_count; i++) {
        cudaFree(sets[i].x);
        cudaFree(sets[i].weight);
        cudaFree(sets[i].out);
    }
    memset(sets, 0, sizeof sets);
    set_count = 0;
    conv_release();
}

static conv_buffers as_buffers(const conv2d_args *args, int i)
{
    const conv_buffers buffers = {sets[i].x, sets[i].weight, args->bias, sets[i].out};
    return buffers;
}

assay_status conv2d_prepare(const conv2d_args *args, assay_stream stream)
{
    conv2d_release();
    memset(&peer_notes, 0, sizeof peer_notes);
    assay_status status = conv_open(args, stream);
    if (status == ASSAY_OK)
        status = conv2d_adopt(args, stream);
    if (status == ASSAY_OK && conv_has_output(args)) {
        conv_buffers buffers = as_buffers(args, 0);
        status = conv_prepare(args, &buffers, stream);
    }
    if (status != ASSAY_OK) {
        conv2d_release();
        return status;
    }
    conv_keep_shape(args);
    conv.ready = 1;
    return ASSAY_OK;
}

assay_status conv2d_run(const conv2d_args *args, assay_stream stream)
{
    if (!conv.ready || !conv_is_same_shape(args))
        return peer_fail(ASSAY_ERR_INVALID, "run", "not prepared for this shape");
    if (!conv_has_output(args))
        return ASSAY_OK;
    const int i = find_set(args);
    if (i < 0)
        return peer_fail(ASSAY_ERR_INVALID, "run", "these arguments were not adopted");
    const conv_buffers buffers = as_buffers(args, i);
    return conv_run(&buffers, stream);
}
