// conv2d, step 3: weights side by side, eight output channels a thread.
//
// Coalescing alone. What step 1 reads badly is weight: the weights of neighbouring output channels lie c * r
// * s elements apart.
// A first launch copies them to the workspace with the output channels last. A thread then computes
// CHANNELS_PER_THREAD output channels at one position: an element of x is loaded once and used for all of
// them, and their weights arrive by 16-byte loads that a whole warp shares. Terms go through the taps first
// and the channels inside, so that a tap's position in the image is looked up once for all channels. Loads of
// x and stores are coalesced along the columns, as before. No shared memory.
// With channels last, neighbouring threads take neighbouring groups of channels of a position instead:
// weights and out are coalesced along channels, 16 bytes a thread, and a load of x brings 16 bytes of
// channels, which all threads of the position share.
// Expected effect: an eighth of step 1's loads of x and, for 2-byte types, of weight; three to five times its
// speed. The weights of eight channels come from L1 for every FMA group, which is the next limit.
// Tunables: CHANNELS_PER_THREAD.
#include <assay/kernel.h>
#include "conv2d.h"
#include "direct.cuh"

#ifndef CHANNELS_PER_THREAD
#define CHANNELS_PER_THREAD 8
#endif

extern "C" assay_status conv2d_run(const conv2d_args *args, assay_stream stream)
{
    conv_shape shape;
    const assay_status status = conv_shape_of(*args, &shape);
    if (status != ASSAY_OK || shape.positions == 0 || shape.k == 0)
        return status;
    return direct_run<CHANNELS_PER_THREAD>(*args, shape, stream);
}
