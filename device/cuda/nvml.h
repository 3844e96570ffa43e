/* Clock, power, temperature and driver version through NVML, loaded at run time.
 *
 * NVML's header ships with the toolkit's extras only and its library with the driver only, so the few
 * functions used are declared here (the ABI is NVIDIA's public one) and nothing fails when the library is
 * missing: values are -1. */
#ifndef ASSAY_DEVICE_CUDA_NVML_H
#define ASSAY_DEVICE_CUDA_NVML_H

#include <assay/device.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nvml_session {
    void *library; /* NULL: not there */
    void *device;  /* nvmlDevice_t of the card; NULL: not found */
    int (*shutdown)(void);
    int (*get_clock)(void *device, int type, unsigned *mhz);
    int (*get_power)(void *device, unsigned *milliwatts);
    int (*get_temperature)(void *device, int sensor, unsigned *celsius);
    int (*get_reasons)(void *device, unsigned long long *mask);
    char driver[32]; /* "580.95.05", or "" */
} nvml_session;

/* File name of NVML's library: $ASSAY_NVML_LIBRARY (a stand-in, for tests), else the driver's. */
const char *nvml_library(void);

/* Open NVML and find the card by its "GPU-..." UUID (a position would be another card under
 * CUDA_VISIBLE_DEVICES). */
void nvml_open(nvml_session *session, const char *uuid);
void nvml_close(nvml_session *session);
void nvml_read(const nvml_session *session, assay_device_health *health);

#ifdef __cplusplus
}
#endif

#endif
