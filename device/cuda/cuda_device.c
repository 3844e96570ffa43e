/* The CUDA backend of device/backend.h: opening, memory, copies and synchronisation. Card settings are read,
 * never changed; the one limit set here belongs to this process alone. */
#include "device/cuda/cuda_device.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cuda_device *self(assay_device *device)
{
    return (cuda_device *)device;
}

static assay_status free_bytes(assay_device *device, int64_t *bytes, assay_error *error)
{
    (void)device;
    size_t available = 0, total = 0;
    const assay_status status =
        cuda_check(cudaMemGetInfo(&available, &total), "asking for free memory", error);
    *bytes = (int64_t)available;
    return status;
}

static assay_status allocate(assay_device *device, int64_t bytes, void **pointer, assay_error *error)
{
    (void)device;
    *pointer = NULL;
    if (bytes < 0)
        return assay_error_set(error, ASSAY_ERR_INVALID, "cannot allocate %lld bytes", (long long)bytes);
    const cudaError_t code = cudaMalloc(pointer, bytes > 0 ? (size_t)bytes : 1);
    char what[96];
    snprintf(what, sizeof what, "allocating %lld bytes on the device", (long long)bytes);
    return cuda_check(code, what, error);
}

static void release(assay_device *device, void *pointer)
{
    (void)device;
    (void)cudaFree(pointer);
}

static assay_status copy_and_wait(assay_device *device, void *to, const void *from, int64_t bytes,
                                  enum cudaMemcpyKind kind, const char *what, assay_error *error)
{
    if (bytes == 0)
        return ASSAY_OK;
    assay_status status =
        cuda_check(cudaMemcpyAsync(to, from, (size_t)bytes, kind, self(device)->stream), what, error);
    if (status == ASSAY_OK)
        status = cuda_check(cudaStreamSynchronize(self(device)->stream), what, error);
    return status;
}

static assay_status upload(assay_device *device, void *to, const void *from_host, int64_t bytes,
                           assay_error *error)
{
    return copy_and_wait(device, to, from_host, bytes, cudaMemcpyHostToDevice, "uploading", error);
}

static assay_status download(assay_device *device, void *to_host, const void *from, int64_t bytes,
                             assay_error *error)
{
    return copy_and_wait(device, to_host, from, bytes, cudaMemcpyDeviceToHost, "downloading", error);
}

static assay_status fill(assay_device *device, void *to, int byte, int64_t bytes, assay_error *error)
{
    if (bytes == 0)
        return ASSAY_OK;
    return cuda_check(cudaMemsetAsync(to, byte, (size_t)bytes, self(device)->stream), "filling device memory",
                      error);
}

static assay_status copy(assay_device *device, void *to, const void *from, int64_t bytes, assay_error *error)
{
    if (bytes == 0)
        return ASSAY_OK;
    return cuda_check(
        cudaMemcpyAsync(to, from, (size_t)bytes, cudaMemcpyDeviceToDevice, self(device)->stream),
        "copying on the device", error);
}

/* A launch error that nobody asked about is reported before the wait's own result: it is the earlier one. */
static assay_status report(cudaError_t waited, const char *what, assay_error *error)
{
    const assay_status status = cuda_check(cudaGetLastError(), "an earlier launch", error);
    const assay_status wait_status = cuda_check(waited, what, error);
    return status != ASSAY_OK ? status : wait_status;
}

static assay_status sync_stream(assay_device *device, assay_error *error)
{
    const cudaError_t pending = cudaPeekAtLastError();
    const cudaError_t waited = cudaStreamSynchronize(self(device)->stream);
    return report(pending == waited ? cudaSuccess : waited, "waiting for the stream", error);
}

/* Lines that a kernel asked to persist in L2 would make the next kernel look slower and this one faster. With
 * a limit of 0 nothing can persist; a kernel that raised the limit is found by asking, which is cheap, so
 * that the host's time of a wait stays comparable with the device's. Devices without the feature refuse,
 * which is as good. */
static void forbid_persisting_cache(void)
{
    size_t limit = 0;
    if (cudaDeviceGetLimit(&limit, cudaLimitPersistingL2CacheSize) == cudaSuccess && limit > 0) {
        (void)cudaCtxResetPersistingL2Cache();
        (void)cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 0);
    }
    (void)cudaGetLastError();
}

static assay_status sync_all(assay_device *device, assay_error *error)
{
    (void)device;
    const cudaError_t pending = cudaPeekAtLastError();
    const cudaError_t waited = cudaDeviceSynchronize();
    const assay_status status =
        report(pending == waited ? cudaSuccess : waited, "waiting for the device", error);
    if (status == ASSAY_OK)
        forbid_persisting_cache();
    return status;
}

static assay_status peek(assay_device *device, void *to_host, const void *from, int64_t bytes,
                         assay_error *error)
{
    cuda_device *cuda = self(device);
    for (int64_t done = 0; done < bytes;) {
        const int64_t left = bytes - done;
        const size_t piece = (size_t)(left < CUDA_PEEK_STAGING_BYTES ? left : CUDA_PEEK_STAGING_BYTES);
        assay_status status = cuda_check(cudaMemcpyAsync(cuda->peek_staging, (const char *)from + done, piece,
                                                         cudaMemcpyDeviceToHost, cuda->peek_stream),
                                         "peeking at device memory", error);
        if (status == ASSAY_OK)
            status = cuda_check(cudaStreamSynchronize(cuda->peek_stream), "peeking at device memory", error);
        if (status != ASSAY_OK)
            return status;
        memcpy((char *)to_host + done, cuda->peek_staging, piece);
        done += (int64_t)piece;
    }
    return ASSAY_OK;
}

static assay_status read_health(assay_device *device, assay_device_health *health)
{
    nvml_read(&self(device)->nvml, health);
    return ASSAY_OK;
}

static assay_status ignore_cpu_options(assay_device *device, const assay_cpu_options *options,
                                       assay_error *error)
{
    (void)device;
    (void)options;
    (void)error;
    return ASSAY_OK;
}

static void close_device(assay_device *device)
{
    cuda_device *cuda = self(device);
    if (cuda->stream)
        (void)cudaStreamDestroy(cuda->stream);
    if (cuda->peek_stream)
        (void)cudaStreamDestroy(cuda->peek_stream);
    (void)cudaFree(cuda->flush_write);
    (void)cudaFree(cuda->flush_read);
    (void)cudaFree(cuda->flush_sink);
    (void)cudaFreeHost(cuda->peek_staging);
    (void)cudaFreeHost(cuda->gate);
    nvml_close(&cuda->nvml);
    free(cuda);
}

static const device_backend backend = {
    .close = close_device,
    .free_bytes = free_bytes,
    .alloc = allocate,
    .free = release,
    .upload = upload,
    .download = download,
    .fill = fill,
    .copy = copy,
    .sync_stream = sync_stream,
    .sync_all = sync_all,
    .block = cuda_block,
    .unblock = cuda_unblock,
    .peek = peek,
    .flush_cache = cuda_flush_cache,
    .event_create = cuda_event_create,
    .event_destroy = cuda_event_destroy,
    .event_record = cuda_event_record,
    .event_elapsed_us = cuda_event_elapsed_us,
    .graph_begin = cuda_graph_begin,
    .graph_end = cuda_graph_end,
    .graph_launch = cuda_graph_launch,
    .graph_destroy = cuda_graph_destroy,
    .launch_empty = cuda_empty,
    .read_health = read_health,
    .set_cpu_options = ignore_cpu_options,
};

/* "No GPU" has several causes with different cures; say which it is. */
static assay_status find_device(int ordinal, assay_error *error)
{
    int count = 0;
    const cudaError_t code = cudaGetDeviceCount(&count);
    (void)cudaGetLastError();
    if (code == cudaErrorInsufficientDriver)
        return assay_error_set(
            error, ASSAY_ERR_ENVIRONMENT,
            "no usable NVIDIA driver: none is installed, or it is older than this build's CUDA %d.%d",
            CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
    if (code == cudaErrorNoDevice || (code == cudaSuccess && count == 0))
        return assay_error_set(
            error, ASSAY_ERR_ENVIRONMENT,
            "no CUDA device: the driver is there and shows no GPU (see CUDA_VISIBLE_DEVICES and nvidia-smi)");
    if (code != cudaSuccess)
        return assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "no CUDA device: %s (%s)",
                               cudaGetErrorName(code), cudaGetErrorString(code));
    if (ordinal < 0 || ordinal >= count)
        return assay_error_set(error, ASSAY_ERR_ENVIRONMENT,
                               "no CUDA device %d: there %s %d, numbered from 0", ordinal,
                               count == 1 ? "is" : "are", count);
    return ASSAY_OK;
}

static assay_status make_streams(cuda_device *cuda, assay_error *error)
{
    assay_status status = cuda_check(cudaStreamCreateWithFlags(&cuda->stream, cudaStreamNonBlocking),
                                     "creating a stream", error);
    if (status == ASSAY_OK)
        status = cuda_check(cudaStreamCreateWithFlags(&cuda->peek_stream, cudaStreamNonBlocking),
                            "creating a stream", error);
    if (status == ASSAY_OK)
        status = cuda_check(cudaHostAlloc(&cuda->peek_staging, CUDA_PEEK_STAGING_BYTES, cudaHostAllocDefault),
                            "allocating pinned memory", error);
    if (status == ASSAY_OK)
        status = cuda_check(cudaHostAlloc((void **)&cuda->gate, sizeof *cuda->gate, cudaHostAllocMapped),
                            "allocating mapped memory", error);
    if (status != ASSAY_OK)
        return status;
    cuda->gate->released = 0;
    cuda->gate->gave_up = 0;
    return cuda_check(cudaHostGetDevicePointer((void **)&cuda->gate_on_device, cuda->gate, 0),
                      "mapping host memory", error);
}

assay_status device_cuda_open(int ordinal, assay_device **device, assay_error *error)
{
    /* Lazy loading may synchronise with a blocked stream. Read by the driver when the first context is made.
     */
    setenv("CUDA_MODULE_LOADING", "EAGER", 0);
    assay_status status = find_device(ordinal, error);
    if (status != ASSAY_OK)
        return status;
    cuda_device *cuda = calloc(1, sizeof *cuda);
    if (!cuda)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for a device handle");
    struct cudaDeviceProp properties;
    char uuid[64] = "";
    status = cuda_check(cudaSetDevice(ordinal), "selecting the device", error);
    if (status == ASSAY_OK)
        status = cuda_check(cudaGetDeviceProperties(&properties, ordinal), "reading the device's properties",
                            error);
    if (status == ASSAY_OK) {
        cuda_read_uuid(&properties, uuid, sizeof uuid);
        nvml_open(&cuda->nvml, uuid);
        status = cuda_read_info(ordinal, &cuda->nvml, &cuda->base.info, error);
    }
    if (status == ASSAY_OK)
        status = make_streams(cuda, error);
    if (status != ASSAY_OK) {
        close_device(&cuda->base);
        return status;
    }
    forbid_persisting_cache();
    cuda->base.backend = &backend;
    cuda->base.stream = cuda->stream;
    *device = &cuda->base;
    return ASSAY_OK;
}
