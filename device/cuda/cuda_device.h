/* Internal to device/cuda: the handle, and what its files give each other. Nothing outside this folder
 * includes it. */
#ifndef ASSAY_DEVICE_CUDA_DEVICE_H
#define ASSAY_DEVICE_CUDA_DEVICE_H

#include "device/backend.h"
#include "device/cuda/nvml.h"
#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The spinning kernel and the host talk through this record in mapped host memory. Blocks are numbered from
 * 1, so that a new block never has to reset a flag that the previous kernel may still be reading. */
typedef struct cuda_gate {
    volatile unsigned long long released; /* the host: every block up to this number may end */
    volatile unsigned long long gave_up;  /* the kernel: the last block that ended by its own time limit */
} cuda_gate;

typedef struct cuda_device {
    assay_device base;
    cudaStream_t stream;      /* the device's one stream, non-blocking */
    cudaStream_t peek_stream; /* ordered with nothing */
    void *peek_staging;       /* pinned; pageable copies may synchronise with other streams */
    cuda_gate *gate;          /* pinned and mapped */
    cuda_gate *gate_on_device;
    unsigned long long gate_number;
    void *flush_write, *flush_read; /* NULL until first used */
    size_t flush_bytes;
    unsigned *flush_sink; /* keeps the reads of the flush alive */
    nvml_session nvml;
} cuda_device;

enum { CUDA_PEEK_STAGING_BYTES = 1 << 20 };

/* cuda_check.c: ASSAY_OK for cudaSuccess, else the error record gets "WHAT: cudaErrorName (text)". Out of memory is
 * ASSAY_ERR_NO_MEMORY, everything else ASSAY_ERR_DEVICE. Clears CUDA's sticky last-error where it can be
 * cleared. */
assay_status cuda_check(cudaError_t code, const char *what, assay_error *error);

/* cuda_kernels.cu: launches on `stream`, asynchronous. */
cudaError_t cuda_launch_empty(cudaStream_t stream);
cudaError_t cuda_launch_gate(cuda_gate *gate_on_device, unsigned long long number,
                             unsigned long long limit_ns, cudaStream_t stream);
cudaError_t cuda_launch_read(const void *buffer, size_t bytes, int sm_count, unsigned *sink,
                             cudaStream_t stream);

/* cuda_info.c */
assay_status cuda_read_info(int ordinal, const nvml_session *nvml, assay_device_info *info,
                            assay_error *error);
void cuda_read_uuid(const struct cudaDeviceProp *properties, char *out, size_t out_bytes);

/* cuda_timing.c: the members of the backend that exist for measuring. */
assay_status cuda_block(assay_device *device, assay_error *error);
assay_status cuda_unblock(assay_device *device, assay_error *error);
assay_status cuda_flush_cache(assay_device *device, const char *mode, assay_error *error);
assay_status cuda_event_create(assay_device *device, assay_event **event, assay_error *error);
void cuda_event_destroy(assay_event *event);
assay_status cuda_event_record(assay_event *event, assay_error *error);
assay_status cuda_event_elapsed_us(assay_event *from, assay_event *to, double *us, assay_error *error);
assay_status cuda_graph_begin(assay_device *device, assay_error *error);
assay_status cuda_graph_end(assay_device *device, assay_graph **graph, assay_error *error);
assay_status cuda_graph_launch(assay_graph *graph, assay_error *error);
void cuda_graph_destroy(assay_graph *graph);
assay_status cuda_empty(assay_device *device, assay_error *error);

#ifdef __cplusplus
}
#endif
#endif
