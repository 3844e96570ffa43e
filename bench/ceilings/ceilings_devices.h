/* Measuring the ceilings of a kind of device: ceilings_cpu.c and the ceilings_*.cu files. Only bench/ceilings/ includes this header. */
#ifndef ASSAY_BENCH_CEILINGS_DEVICES_H
#define ASSAY_BENCH_CEILINGS_DEVICES_H

#include "bench/ceilings/ceilings_list.h"

#ifdef __cplusplus
extern "C" {
#endif

assay_status ceilings_measure_cpu(assay_device *device, ceiling_list *list, assay_error *error);

/* Present only where Assay is built with CUDA. */
assay_status ceilings_measure_cuda_memory(assay_device *device, ceiling_list *list, assay_error *error);
assay_status ceilings_measure_cuda_shared(assay_device *device, ceiling_list *list, assay_error *error);
assay_status ceilings_measure_cuda_fma(assay_device *device, ceiling_list *list, assay_error *error);
assay_status ceilings_measure_cuda_tensor(assay_device *device, ceiling_list *list, assay_error *error);

#ifdef __cplusplus
}
#endif
#endif
