/* Dispatch of include/assay/device.h to the backends, with the argument checks they all share. No device knowledge of its own. */
#include "device/backend.h"
#include <string.h>

static assay_status need(const void *handle, const char *function, assay_error *error)
{
    return handle ? ASSAY_OK : assay_error_set(error, ASSAY_ERR_INVALID, "%s: the handle is NULL", function);
}

/* A pointer may be NULL only if nothing is read or written through it. */
static assay_status check_transfer(const assay_device *device, const char *function, const void *to,
                                   const void *from, int64_t bytes, assay_error *error)
{
    if (!device)
        return need(device, function, error);
    if (bytes < 0)
        return assay_error_set(error, ASSAY_ERR_INVALID, "%s: %lld bytes", function, (long long)bytes);
    if (bytes > 0 && (!to || !from))
        return assay_error_set(error, ASSAY_ERR_INVALID, "%s: a pointer is NULL", function);
    return ASSAY_OK;
}

assay_status assay_device_open(const char *kind, int ordinal, assay_device **device, assay_error *error)
{
    if (!device)
        return assay_error_set(error, ASSAY_ERR_INVALID, "assay_device_open: no place for the handle");
    *device = NULL;
    if (ordinal < 0)
        return assay_error_set(error, ASSAY_ERR_INVALID, "device number %d: must be 0 or more", ordinal);
    if (kind && strcmp(kind, "cpu") == 0)
        return device_cpu_open(ordinal, device, error);
    if (kind && strcmp(kind, "ptx") == 0)
        return device_ptx_open(ordinal, device, error);
    if (kind && strcmp(kind, "cuda") == 0) {
#ifdef ASSAY_WITH_CUDA
        return device_cuda_open(ordinal, device, error);
#else
        return assay_error_set(
            error, ASSAY_ERR_ENVIRONMENT,
            "device cuda: this build has no CUDA; configure with a CUDA toolkit or use the device cpu");
#endif
    }
    return assay_error_set(error, ASSAY_ERR_INVALID, "unknown device \"%s\": choose cpu, ptx or cuda",
                           kind ? kind : "(null)");
}

void assay_device_close(assay_device *device)
{
    if (device)
        device->backend->close(device);
}

const assay_device_info *assay_device_get_info(const assay_device *device)
{
    return device ? &device->info : NULL;
}

assay_stream assay_device_stream(const assay_device *device)
{
    return device ? device->stream : NULL;
}

assay_status assay_device_free_bytes(assay_device *device, int64_t *free_bytes, assay_error *error)
{
    if (!device || !free_bytes)
        return need(NULL, "assay_device_free_bytes", error);
    return device->backend->free_bytes(device, free_bytes, error);
}

assay_status assay_device_alloc(assay_device *device, int64_t bytes, void **pointer, assay_error *error)
{
    if (!device || !pointer)
        return need(NULL, "assay_device_alloc", error);
    *pointer = NULL;
    if (bytes < 0)
        return assay_error_set(error, ASSAY_ERR_INVALID, "assay_device_alloc: %lld bytes", (long long)bytes);
    return device->backend->alloc(device, bytes, pointer, error);
}

void assay_device_free(assay_device *device, void *pointer)
{
    if (device && pointer)
        device->backend->free(device, pointer);
}

void assay_device_set_tensor(assay_device *device, void *pointer, int64_t offset, int64_t bytes,
                             int read_only)
{
    if (device && pointer && offset >= 0 && bytes >= 0 && device->backend->set_tensor)
        device->backend->set_tensor(device, pointer, offset, bytes, read_only);
}

assay_status assay_device_call(assay_device *device, assay_run_fn run, const void *args,
                               assay_status *returned, assay_error *error)
{
    if (!device || !run || !returned)
        return need(NULL, "assay_device_call", error);
    *returned = device->backend->call ? device->backend->call(device, run, args) : run(args, device->stream);
    return ASSAY_OK;
}

/* What a capture of the call holds. */
static assay_status list_captured(assay_device *device, assay_run_fn run, const void *args,
                                  assay_launch_shape *shapes, int most, int *count, assay_error *error)
{
    assay_graph *graph = NULL;
    assay_status status = device->backend->graph_begin(device, error);
    if (status != ASSAY_OK)
        return status;
    const assay_status returned = run(args, device->stream);
    status = device->backend->graph_end(device, &graph, error);
    if (status == ASSAY_OK && returned != ASSAY_OK)
        status = assay_error_set(error, returned, "the launch failed: %s", assay_status_describe(returned));
    if (status == ASSAY_OK) {
        *count = graph->launches;
        for (int i = 0; i < most && i < graph->launches && i < GRAPH_LAUNCHES; i++)
            shapes[i] = graph->shapes[i];
    }
    assay_graph_destroy(graph);
    return status;
}

assay_status assay_device_list_launches(assay_device *device, assay_run_fn run, const void *args,
                                        assay_launch_shape *shapes, int most, int *count, assay_error *error)
{
    if (!device || !run || !shapes || !count)
        return need(NULL, "assay_device_list_launches", error);
    *count = 0;
    return (device->backend->list_launches ? device->backend->list_launches
                                           : list_captured)(device, run, args, shapes, most, count, error);
}

assay_status assay_device_upload(assay_device *device, void *to, const void *from_host, int64_t bytes,
                                 assay_error *error)
{
    const assay_status status = check_transfer(device, "assay_device_upload", to, from_host, bytes, error);
    return status || bytes == 0 ? status : device->backend->upload(device, to, from_host, bytes, error);
}

assay_status assay_device_download(assay_device *device, void *to_host, const void *from, int64_t bytes,
                                   assay_error *error)
{
    const assay_status status = check_transfer(device, "assay_device_download", to_host, from, bytes, error);
    return status ? status : device->backend->download(device, to_host, from, bytes, error);
}

assay_status assay_device_fill(assay_device *device, void *to, int byte, int64_t bytes, assay_error *error)
{
    const assay_status status = check_transfer(device, "assay_device_fill", to, to, bytes, error);
    return status || bytes == 0 ? status : device->backend->fill(device, to, byte, bytes, error);
}

assay_status assay_device_copy(assay_device *device, void *to, const void *from, int64_t bytes,
                               assay_error *error)
{
    const assay_status status = check_transfer(device, "assay_device_copy", to, from, bytes, error);
    return status || bytes == 0 ? status : device->backend->copy(device, to, from, bytes, error);
}

assay_status assay_device_sync_stream(assay_device *device, assay_error *error)
{
    const assay_status status = need(device, "assay_device_sync_stream", error);
    return status ? status : device->backend->sync_stream(device, error);
}

assay_status assay_device_sync_all(assay_device *device, assay_error *error)
{
    const assay_status status = need(device, "assay_device_sync_all", error);
    return status ? status : device->backend->sync_all(device, error);
}

assay_status assay_device_block(assay_device *device, assay_error *error)
{
    const assay_status status = need(device, "assay_device_block", error);
    return status ? status : device->backend->block(device, error);
}

assay_status assay_device_unblock(assay_device *device, assay_error *error)
{
    const assay_status status = need(device, "assay_device_unblock", error);
    return status ? status : device->backend->unblock(device, error);
}

assay_status assay_device_peek(assay_device *device, void *to_host, const void *from, int64_t bytes,
                               assay_error *error)
{
    const assay_status status = check_transfer(device, "assay_device_peek", to_host, from, bytes, error);
    return status || bytes == 0 ? status : device->backend->peek(device, to_host, from, bytes, error);
}

assay_status assay_device_flush_cache(assay_device *device, const char *mode, assay_error *error)
{
    const assay_status status = need(device, "assay_device_flush_cache", error);
    if (status)
        return status;
    if (!mode || (strcmp(mode, "memset") != 0 && strcmp(mode, "read") != 0))
        return assay_error_set(error, ASSAY_ERR_INVALID, "flush mode \"%s\": choose memset or read",
                               mode ? mode : "(null)");
    return device->backend->flush_cache(device, mode, error);
}

assay_status assay_event_create(assay_device *device, assay_event **event, assay_error *error)
{
    if (!device || !event)
        return need(NULL, "assay_event_create", error);
    *event = NULL;
    return device->backend->event_create(device, event, error);
}

void assay_event_destroy(assay_event *event)
{
    if (event)
        event->device->backend->event_destroy(event);
}

assay_status assay_event_record(assay_event *event, assay_error *error)
{
    const assay_status status = need(event, "assay_event_record", error);
    return status ? status : event->device->backend->event_record(event, error);
}

assay_status assay_event_elapsed_us(assay_event *from, assay_event *to, double *us, assay_error *error)
{
    if (!from || !to || !us)
        return need(NULL, "assay_event_elapsed_us", error);
    if (from->device != to->device)
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "assay_event_elapsed_us: the events belong to different devices");
    return from->device->backend->event_elapsed_us(from, to, us, error);
}

assay_status assay_graph_begin(assay_device *device, assay_error *error)
{
    const assay_status status = need(device, "assay_graph_begin", error);
    return status ? status : device->backend->graph_begin(device, error);
}

assay_status assay_graph_end(assay_device *device, assay_graph **graph, assay_error *error)
{
    if (!device || !graph)
        return need(NULL, "assay_graph_end", error);
    *graph = NULL;
    return device->backend->graph_end(device, graph, error);
}

assay_status assay_graph_launch(assay_graph *graph, assay_error *error)
{
    const assay_status status = need(graph, "assay_graph_launch", error);
    return status ? status : graph->device->backend->graph_launch(graph, error);
}

void assay_graph_destroy(assay_graph *graph)
{
    if (graph)
        graph->device->backend->graph_destroy(graph);
}

void assay_graph_describe(const assay_graph *graph, int *nodes, int *programmatic)
{
    *nodes = graph ? graph->nodes : 0;
    *programmatic = graph ? graph->programmatic : 0;
}

assay_status assay_device_launch_empty(assay_device *device, assay_error *error)
{
    const assay_status status = need(device, "assay_device_launch_empty", error);
    return status ? status : device->backend->launch_empty(device, error);
}

assay_status assay_device_read_health(assay_device *device, assay_device_health *health)
{
    if (!device || !health)
        return ASSAY_ERR_INVALID;
    return device->backend->read_health(device, health);
}

assay_status assay_device_set_cpu_options(assay_device *device, const assay_cpu_options *options,
                                          assay_error *error)
{
    if (!device || !options)
        return need(NULL, "assay_device_set_cpu_options", error);
    const char *order = options->order ? options->order : "forward";
    if (strcmp(order, "forward") != 0 && strcmp(order, "reversed") != 0 && strcmp(order, "random") != 0)
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "thread order \"%s\": choose forward, reversed or random", order);
    if (options->workers < 0)
        return assay_error_set(error, ASSAY_ERR_INVALID, "%d workers: must be 0 (all cores) or more",
                               options->workers);
    return device->backend->set_cpu_options(device, options, error);
}

int assay_device_took_order(assay_device *device)
{
    return device && device->backend->took_order && device->backend->took_order(device);
}
