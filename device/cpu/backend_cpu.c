/* The "cpu" device. Work on its stream is complete when the call that enqueues it returns, so waiting for the stream is only asking
 * for errors; launches on other streams wait for assay_device_sync_all(). */
#include "device/cpu/backend_cpu.h"
#include "device/cpu/runtime/control.h"
#include "device/host_event.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static cpu_device *own(assay_device *device)
{
    return (cpu_device *)device;
}

/* The device's owner in this process, before any kernel is loaded. */
static const simt_control *control;

static void take_control(void)
{
    control = simt_take_control();
}

static void close_device(assay_device *device)
{
    control->finish_all(); /* a module may be unloaded next: none of its launches may be left */
    control->close_stream(device->stream);
    free(own(device)->flush);
    free(device);
}

static assay_status free_bytes(assay_device *device, int64_t *bytes, assay_error *error)
{
    (void)device, (void)error;
    *bytes = cpu_available_bytes();
    return ASSAY_OK;
}

/* ---- memory ---- */

static assay_status allocate(assay_device *device, int64_t bytes, void **pointer, assay_error *error)
{
    (void)device;
    *pointer = assay_simt_memory_alloc((size_t)bytes);
    return *pointer ? ASSAY_OK
                    : assay_error_set(error, ASSAY_ERR_NO_MEMORY, "cpu: no memory for %lld bytes",
                                      (long long)bytes);
}

static void release(assay_device *device, void *pointer)
{
    (void)device;
    assay_simt_memory_free(pointer);
}

static void set_tensor(assay_device *device, void *pointer, int64_t offset, int64_t bytes, int read_only)
{
    (void)device;
    assay_simt_memory_set_tensor(pointer, (size_t)offset, (size_t)bytes, read_only);
}

static assay_status call(assay_device *device, assay_run_fn run, const void *args)
{
    char
        room[2 * 4096]; /* between this program's frames and those of the host code, which share no page so */
    __asm__ volatile("" ::"r"(room) : "memory");
    assay_simt_host_begin();
    const assay_status returned = run(args, device->stream);
    assay_simt_host_end();
    return returned;
}

static assay_status take_error(assay_error *error)
{
    char message[512];
    const assay_status status = control->take_error(message, sizeof message);
    return status ? assay_error_set(error, status, "cpu: %s", message) : ASSAY_OK;
}

static assay_status upload(assay_device *device, void *to, const void *from, int64_t bytes,
                           assay_error *error)
{
    control->finish_stream(device->stream);
    memcpy(to, from, (size_t)bytes);
    return take_error(error);
}

static assay_status download(assay_device *device, void *to, const void *from, int64_t bytes,
                             assay_error *error)
{
    control->finish_stream(device->stream);
    if (bytes)
        memcpy(to, from, (size_t)bytes);
    return take_error(error);
}

static assay_status peek(assay_device *device, void *to, const void *from, int64_t bytes, assay_error *error)
{
    (void)device, (void)error;
    memcpy(to, from, (size_t)bytes);
    return ASSAY_OK;
}

static assay_status fill(assay_device *device, void *to, int byte, int64_t bytes, assay_error *error)
{
    (void)error;
    control->finish_stream(device->stream);
    memset(to, byte, (size_t)bytes);
    return ASSAY_OK;
}

static assay_status copy(assay_device *device, void *to, const void *from, int64_t bytes, assay_error *error)
{
    (void)error;
    control->finish_stream(device->stream);
    memmove(to, from, (size_t)bytes);
    return ASSAY_OK;
}

/* ---- order ---- */

static assay_status sync_stream(assay_device *device, assay_error *error)
{
    control->finish_stream(device->stream);
    return take_error(error);
}

static assay_status sync_all(assay_device *device, assay_error *error)
{
    (void)device;
    control->finish_all();
    return take_error(error);
}

static assay_status do_nothing(assay_device *device, assay_error *error)
{
    (void)device, (void)error;
    return ASSAY_OK;
}

/* Go over more than the last-level cache holds, one access a cache line. */
static assay_status flush_cache(assay_device *device, const char *mode, assay_error *error)
{
    cpu_device *cpu = own(device);
    if (!cpu->flush) {
        const int64_t last_level = device->info.l2_bytes > 0 ? device->info.l2_bytes : 32 << 20;
        cpu->flush_bytes = 2 * last_level;
        cpu->flush = calloc((size_t)cpu->flush_bytes, 1);
        if (!cpu->flush)
            return assay_error_set(error, ASSAY_ERR_NO_MEMORY,
                                   "cpu: no memory for %lld bytes to flush the cache with",
                                   (long long)cpu->flush_bytes);
        memset(cpu->flush, 1,
               (size_t)cpu->flush_bytes); /* pages never written to are all the same page of zeros */
    }
    if (strcmp(mode, "memset") == 0) {
        memset(cpu->flush, 0, (size_t)cpu->flush_bytes);
        __asm__ volatile("" ::"r"(cpu->flush) : "memory"); /* the stores must happen */
        return ASSAY_OK;
    }
    unsigned sum = 0;
    for (int64_t i = 0; i < cpu->flush_bytes; i += 64)
        sum += ((volatile unsigned char *)cpu->flush)[i];
    (void)sum;
    return ASSAY_OK;
}

/* ---- events ---- */

static assay_status event_record(assay_event *event, assay_error *error)
{
    (void)error;
    control->finish_stream(event->device->stream);
    host_event_stamp(event);
    return ASSAY_OK;
}

/* ---- graphs: has_graphs is 0 ---- */

static assay_status graph_begin(assay_device *device, assay_error *error)
{
    (void)device;
    return assay_error_set(error, ASSAY_ERR_UNSUPPORTED, "cpu: this device has no graphs");
}

static assay_status graph_end(assay_device *device, assay_graph **graph, assay_error *error)
{
    (void)graph;
    return graph_begin(device, error);
}

static assay_status graph_launch(assay_graph *graph, assay_error *error)
{
    return graph_begin(graph->device, error);
}

static void graph_destroy(assay_graph *graph)
{
    (void)graph;
} /* none can exist */

/* ---- launches and options ---- */

static void run_no_kernel(const void *call) /* claims its one thread, as a kernel's trampoline does */
{
    (void)call;
    assay_simt_current.started = assay_simt_current.count;
}

static assay_status launch_empty(assay_device *device, assay_error *error)
{
    const assay_simt_launch_config config = {.kernel = (const void *)run_no_kernel,
                                             .grid = {1, 1, 1},
                                             .block = {1, 1, 1},
                                             .stream = device->stream};
    const assay_status status = assay_simt_launch(&config, run_no_kernel, NULL, 0);
    return status ? take_error(error) : ASSAY_OK;
}

static assay_status set_cpu_options(assay_device *device, const assay_cpu_options *options,
                                    assay_error *error)
{
    (void)error;
    const char *order = options->order ? options->order : "forward";
    const assay_simt_options simt = {
        .workers = options->workers,
        .order = order[0] == 'f'                  ? ASSAY_SIMT_FORWARD
                 : strcmp(order, "reversed") == 0 ? ASSAY_SIMT_REVERSED
                                                  : ASSAY_SIMT_RANDOM,
        .seed = options->order_seed,
        .poison_shared = options->poison_shared,
    };
    control->set_options(&simt);
    device->info.sm_count = assay_simt_worker_count();
    return ASSAY_OK;
}

static int took_order(assay_device *device)
{
    (void)device;
    return control->take_order_shown();
}

typedef struct launch_list {
    assay_launch_shape *shapes;
    int most, count;
} launch_list;

static void add_launch(void *context, const assay_simt_launch_config *c)
{
    launch_list *list = context;
    if (list->count < list->most)
        list->shapes[list->count] = (assay_launch_shape){.grid = {c->grid.x, c->grid.y, c->grid.z},
                                                         .block = {c->block.x, c->block.y, c->block.z},
                                                         .shared_bytes = (int64_t)c->shared_bytes};
    list->count++;
}

static assay_status list_launches(assay_device *device, assay_run_fn run, const void *args,
                                  assay_launch_shape *shapes, int most, int *count, assay_error *error)
{
    launch_list list = {shapes, most, 0};
    control->finish_all();
    control->watch_launches(add_launch, &list);
    const assay_status returned = run(args, device->stream); /* as it is timed; verify watches host code */
    const assay_status status = sync_all(device, error);
    control->watch_launches(NULL, NULL);
    *count = list.count;
    return status == ASSAY_OK && returned != ASSAY_OK
               ? assay_error_set(error, returned, "the launch failed: %s", assay_status_describe(returned))
               : status;
}

static const device_backend backend = {
    .close = close_device,
    .free_bytes = free_bytes,
    .alloc = allocate,
    .free = release,
    .set_tensor = set_tensor,
    .call = call,
    .upload = upload,
    .download = download,
    .fill = fill,
    .copy = copy,
    .sync_stream = sync_stream,
    .sync_all = sync_all,
    .block = do_nothing,
    .unblock = do_nothing,
    .peek = peek,
    .flush_cache = flush_cache,
    .event_create = host_event_create,
    .event_destroy = host_event_destroy,
    .event_record = event_record,
    .event_elapsed_us = host_event_elapsed_us,
    .graph_begin = graph_begin,
    .graph_end = graph_end,
    .graph_launch = graph_launch,
    .graph_destroy = graph_destroy,
    .launch_empty = launch_empty,
    .read_health = cpu_read_health,
    .set_cpu_options = set_cpu_options,
    .took_order = took_order,
    .list_launches = list_launches,
};

assay_status device_cpu_open(int ordinal, assay_device **device, assay_error *error)
{
    if (ordinal != 0)
        return assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "cpu: there is only device 0, not %d", ordinal);
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, take_control);
    if (!control)
        return assay_error_set(error, ASSAY_ERR_ENVIRONMENT,
                               "cpu: another part of the process owns the device");
    cpu_device *cpu = calloc(1, sizeof *cpu);
    if (cpu)
        cpu->base.stream = control->open_stream();
    if (!cpu || !cpu->base.stream) {
        free(cpu);
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "cpu: no memory for a device handle");
    }
    cpu->base.backend = &backend;
    cpu_fill_info(&cpu->base.info);
    cpu->base.info.sm_count = assay_simt_worker_count();
    *device = &cpu->base;
    return ASSAY_OK;
}
