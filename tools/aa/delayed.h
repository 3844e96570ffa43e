/* The delay of a delayed slowdown, one file a device. */
#ifndef ASSAY_HISTORY_AA_DELAYED_H
#define ASSAY_HISTORY_AA_DELAYED_H

#include <assay/module.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Keep the stream busy for `ns` after what was enqueued on it; asynchronous where launches are. */
assay_status delayed_delay(double ns, assay_stream stream);

#ifdef __cplusplus
}
#endif
#endif
