/* One C interface over the devices Assay runs kernels on: "cuda", "cpu" (the SIMT device) and "ptx" (which executes what nvcc compiles).
 *
 * A handle is used from one thread. Pointers returned by assay_device_alloc() are device memory: on the CPU device the
 * host can read them outside of assay_device_call(), but no caller may rely on that. All work goes to one stream, assay_device_stream(), which on CUDA
 * is a non-blocking stream, so that work a kernel puts on another stream is not ordered with it and shows up as wrong. */
#ifndef ASSAY_DEVICE_H
#define ASSAY_DEVICE_H

#include <assay/module.h>
#include <assay/status.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct assay_device assay_device;
typedef struct assay_event assay_event; /* a point in stream order with a time */
typedef struct assay_graph assay_graph; /* a captured sequence of launches */

typedef struct assay_device_info {
    char kind[8];                     /* "cuda", "cpu" or "ptx" */
    char name[128];                   /* "NVIDIA H100 80GB HBM3", or the host processor's name */
    char slug[128];                   /* file-name form: "nvidia-h100-80gb-hbm3", "cpu-simt" */
    char uuid[64];                    /* "GPU-..." or "" */
    int sm_count;                     /* multiprocessors, or worker threads on the CPU device */
    int compute_major, compute_minor; /* 9, 0; 0, 0 on the CPU device */
    int64_t memory_bytes, l2_bytes, shared_bytes_per_block;
    char driver[32], runtime[32];
    double peak_gbs; /* theoretical memory bandwidth in GB/s from the device's own properties; 0 unknown */
    int has_graphs;  /* 1 if assay_graph_* work */
} assay_device_info;

/* Clock, power and temperature at one moment (NVML). Unknown values are negative; `reasons` is NVML's clock event mask. */
typedef struct assay_device_health {
    double sm_mhz, memory_mhz, power_w, temperature_c;
    int64_t
        reasons; /* -1 unknown; 0x4 software power cap, 0x8 hardware slowdown, 0x20/0x40 thermal, 0x80 power brake */
} assay_device_health;

/* Open device number `ordinal` of `kind` ("cuda", "cpu" or "ptx"). ASSAY_ERR_INVALID: unknown kind; ASSAY_ERR_ENVIRONMENT:
 * none there (no driver, no GPU, built without CUDA), and the message says which. Close with assay_device_close(NULL is fine). */
assay_status assay_device_open(const char *kind, int ordinal, assay_device **device, assay_error *error);
void assay_device_close(assay_device *device);

const assay_device_info *assay_device_get_info(const assay_device *device);
assay_stream assay_device_stream(const assay_device *device);
assay_status assay_device_free_bytes(assay_device *device, int64_t *free_bytes, assay_error *error);

/* `bytes` of device memory, 256-byte aligned; 0 bytes gives a valid pointer that must not be read or written.
 * The CPU device places a guard page right behind the last byte (rounded up to 16), so an overrun faults; there the alignment is 256
 * where `bytes` is a multiple of 256, and 16 otherwise. */
assay_status assay_device_alloc(assay_device *device, int64_t bytes, void **pointer, assay_error *error);
void assay_device_free(assay_device *device, void *pointer);

/* Of the allocation at `pointer` only the `bytes` at `offset` are a tensor; kernels only read it if `read_only`. The CPU device holds
 * kernels to it as far as pages go, and reports distances from it; CUDA ignores it. */
void assay_device_set_tensor(assay_device *device, void *pointer, int64_t offset, int64_t bytes,
                             int read_only);

/* Blocking copies, ordered after all earlier work of the stream. */
assay_status assay_device_upload(assay_device *device, void *to, const void *from_host, int64_t bytes,
                                 assay_error *error);
assay_status assay_device_download(assay_device *device, void *to_host, const void *from, int64_t bytes,
                                   assay_error *error);
/* Asynchronous on the stream: set bytes; copy device to device. */
assay_status assay_device_fill(assay_device *device, void *to, int byte, int64_t bytes, assay_error *error);
assay_status assay_device_copy(assay_device *device, void *to, const void *from, int64_t bytes,
                               assay_error *error);

/* Wait for the stream, or for everything on the device; report any error since the last call, launches included. */
assay_status assay_device_sync_stream(assay_device *device, assay_error *error);
assay_status assay_device_sync_all(assay_device *device, assay_error *error);

/* Call a kernel's entry point with the device's stream. *returned: what it returned. On the CPU device its host code finds device memory
 * inaccessible, as on a card: an access ends the process with a report. What it leaves behind (allocations with every call, a changed
 * floating-point environment) is an error at the next wait. */
assay_status assay_device_call(assay_device *device, assay_run_fn run, const void *args,
                               assay_status *returned, assay_error *error);

/* Dimensions of a kernel's launch, and bytes of dynamic shared memory a block. */
typedef struct assay_launch_shape {
    uint32_t grid[3], block[3];
    int64_t shared_bytes;
} assay_launch_shape;

/* Which kernels one call of `run` launches, in their order: at most `most` go to `shapes`, *count is how many there are. 0: the device
 * does not know. CUDA captures the call and does not execute it, so `run` must not wait for the device; the CPU device executes it. */
assay_status assay_device_list_launches(assay_device *device, assay_run_fn run, const void *args,
                                        assay_launch_shape *shapes, int most, int *count, assay_error *error);

/* Hold back the stream: work enqueued after assay_device_block() starts when assay_device_unblock() is called (a kernel
 * that spins on a host flag; it gives up by itself after a few seconds, and unblock then returns ASSAY_ERR_DEVICE).
 * The enqueued work must fit the launch queue: stay under 500 operations. On the CPU device both are no-ops. */
assay_status assay_device_block(assay_device *device, assay_error *error);
assay_status assay_device_unblock(assay_device *device, assay_error *error);

/* Download `bytes` without waiting for (or being ordered with) the stream: used while the stream is blocked, to see
 * whether a kernel ran on another stream. */
assay_status assay_device_peek(assay_device *device, void *to_host, const void *from, int64_t bytes,
                               assay_error *error);

/* Flush the last-level cache on the stream. `mode` "memset" leaves dirty lines, "read" leaves clean ones
 * (docs/measurement.md says what each does to a figure). */
assay_status assay_device_flush_cache(assay_device *device, const char *mode, assay_error *error);

assay_status assay_event_create(assay_device *device, assay_event **event, assay_error *error);
void assay_event_destroy(assay_event *event);
assay_status assay_event_record(assay_event *event, assay_error *error);
/* Microseconds between two recorded events; waits for both. */
assay_status assay_event_elapsed_us(assay_event *from, assay_event *to, double *us, assay_error *error);

/* Capture what is enqueued on the stream between begin and end, then launch it as often as wanted (asynchronous). */
assay_status assay_graph_begin(assay_device *device, assay_error *error);
assay_status assay_graph_end(assay_device *device, assay_graph **graph, assay_error *error);
assay_status assay_graph_launch(assay_graph *graph, assay_error *error);
void assay_graph_destroy(assay_graph *graph);
/* How many nodes (kernels, copies, fills) were captured, and how many of the dependencies between them are programmatic: a kernel that
 * may start before the one ahead of it has ended (PDL). */
void assay_graph_describe(const assay_graph *graph, int *nodes, int *programmatic);

/* An empty kernel on the stream: the floor of a timing method. */
assay_status assay_device_launch_empty(assay_device *device, assay_error *error);

/* The one function that another thread than the handle's may call meanwhile. */
assay_status assay_device_read_health(assay_device *device, assay_device_health *health);

/* How the CPU device runs a case's threads; ignored on CUDA. */
typedef struct assay_cpu_options {
    int workers;       /* 0: all cores */
    const char *order; /* "forward", "reversed" or "random": the order in which a block's threads start */
    uint64_t order_seed;
    int poison_shared; /* 1: fill shared memory with NaN patterns before every block */
} assay_cpu_options;
assay_status assay_device_set_cpu_options(assay_device *device, const assay_cpu_options *options,
                                          assay_error *error);
/* 1 if kernels that ended since the last call used atomics whose results show the order of threads (sums of floats, exchanges, tickets):
 * their results may differ in rounding from one order to the next. 0 on CUDA, where it is not known. */
int assay_device_took_order(assay_device *device);

#ifdef __cplusplus
}
#endif
#endif
