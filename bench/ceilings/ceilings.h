/* The roofline's ceilings, measured on the device at hand: memory and cache bandwidth, arithmetic rates, launch latency. */
#ifndef ASSAY_BENCH_CEILINGS_H
#define ASSAY_BENCH_CEILINGS_H

#include <assay/device.h>
#include <jansson.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of how ceilings are measured: raised when a ceiling is added or a method changes, so that files of an older one are measured again.
 * 2: `shared` and `fma_bf16` added; `fma_f16` uses both of its pipes. 3: `shared` does every load that it counts. */
enum { CEILINGS_REVISION = 3 };

/* Measure and return the object of ceilings.json (docs/formats.md) as a new reference. Takes a few seconds; uses at most a
 * quarter of the free device memory, and never more than 1 GiB. ASSAY_ERR_NO_MEMORY with need and have if less than
 * 64 MiB a buffer is free; ASSAY_ERR_DEVICE if a kernel fails. */
assay_status ceilings_measure(assay_device *device, json_t **out, assay_error *error);

#ifdef __cplusplus
}
#endif
#endif
