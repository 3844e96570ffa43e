/* Locking a card's clock: the only code of Assay that changes a card's setting. Called by assay-clock-guard alone, which is started only
 * when a user asks for it. */
#ifndef ASSAY_DEVICE_CUDA_NVML_CLOCKS_H
#define ASSAY_DEVICE_CUDA_NVML_CLOCKS_H

#include "device/cuda/nvml.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ASSAY_ERR_ENVIRONMENT: no NVML, no such card, not supported, or no permission; ASSAY_ERR_INVALID: more than the card's highest clock. The
 * message says which. */
assay_status nvml_lock_clocks(const nvml_session *session, unsigned mhz, assay_error *error);
/* Back to the driver's own choice of clocks. A lock that somebody else had set before is gone, too: NVML cannot tell of it. */
assay_status nvml_restore_clocks(const nvml_session *session, assay_error *error);

#ifdef __cplusplus
}
#endif
#endif
