/* Peer of `conv2d`: cuDNN on the op's own layout, NCHW (conv2d_cudnn.h). cuDNN is looked for when the peer is prepared. */
#define CONV_CHANNELS_LAST 0
#include "conv2d_cudnn.h"

PEER_DECLARE(conv2d);

static conv_buffers as_buffers(const conv2d_args *args)
{
    const conv_buffers buffers = {args->x, args->weight, args->bias, args->out};
    return buffers;
}

void conv2d_release(void)
{
    conv_release();
}

assay_status conv2d_prepare(const conv2d_args *args, assay_stream stream)
{
    conv2d_release();
    memset(&peer_notes, 0, sizeof peer_notes);
    assay_status status = conv_open(args, stream);
    if (status == ASSAY_OK && conv_has_output(args)) {
        conv_buffers buffers = as_buffers(args);
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
    const conv_buffers buffers = as_buffers(args);
    return conv_has_output(args) ? conv_run(&buffers, stream) : ASSAY_OK;
}
