/* The "ptx" device: kernels compiled by nvcc, executed by the stand-in CUDA runtime (runtime/), all through the calls of ptx_runtime.h. The
 * backend needs no CUDA header, and where the build has no such library, opening the device says so. */
#include "device/ptx/backend_ptx.h"
#include "device/backend.h"
#include "device/cpu/backend_cpu.h"
#include "device/host_event.h"
#include "device/ptx/ptx_runtime.h"
#include <assay_simt/runtime.h>
#include <dlfcn.h>
#include <fenv.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* cudaMemcpyDefault and cudaStreamNonBlocking of CUDA's headers. */
enum { COPY_DEFAULT = 4, STREAM_NON_BLOCKING = 1, MOST_WORDS = 900 };

typedef struct ptx_graph {
    assay_graph base;
    void *executable;
} ptx_graph;

/* ---- what a kernel's host code leaves behind: device memory with every call, or another floating-point environment ---- */

enum { LEAKING_CALLS = 3 }; /* after a first one, which may set things up once and for all */

static struct {
    const char *mistake; /* for the next wait, or NULL */
    uint64_t used;
    int calls, leaks; /* since the harness last allocated */
} host;

static int same_environment(const fenv_t *a, const fenv_t *b)
{
#if defined(__x86_64__)
    const unsigned raised = 0x3f; /* which exceptions were raised is no one's business */
    return (a->__mxcsr & ~raised) == (b->__mxcsr & ~raised) && a->__control_word == b->__control_word;
#else
    return memcmp(a, b, sizeof *a) == 0;
#endif
}

static assay_status call(assay_device *device, assay_run_fn run, const void *args)
{
    fenv_t before, after;
    fegetenv(&before);
    ptx_rt.judge_host(1);
    const assay_status returned = run(args, device->stream);
    ptx_rt.judge_host(0);
    fegetenv(&after);
    fesetenv(&before);
    if (!same_environment(&before, &after))
        host.mistake = "the kernel's host code leaves the floating-point environment changed: rounding, or "
                       "denormals taken for zero";
    const uint64_t used = ptx_rt.used();
    if (host.calls++ > 0 && used > host.used && ++host.leaks == LEAKING_CALLS)
        host.mistake = "calls leave more and more device memory allocated";
    host.used = used;
    return returned;
}

/* ---- errors: what a kernel did wrong says more than CUDA's name for it ---- */

static assay_status check(int code, const char *what, assay_error *error)
{
    char report[MOST_WORDS];
    ptx_rt.take_report(report, sizeof report);
    const char *mistake = host.mistake;
    if (code == 0 && report[0] == '\0' && !mistake)
        return ASSAY_OK;
    host.mistake = NULL;
    (void)ptx_rt.last_error();
    const assay_status status = code == 2 ? ASSAY_ERR_NO_MEMORY : ASSAY_ERR_DEVICE;
    if (report[0] != '\0')
        return assay_error_set(error, status, "ptx: %s", report);
    if (code == 0)
        return assay_error_set(error, status, "ptx: %s", mistake);
    return assay_error_set(error, status, "ptx: %s: %s (%s)", what, ptx_rt.error_name(code),
                           ptx_rt.error_text(code));
}

/* ---- memory ---- */

static assay_status free_bytes(assay_device *device, int64_t *bytes, assay_error *error)
{
    (void)device, (void)error;
    *bytes = cpu_available_bytes(); /* device memory is the host's */
    return ASSAY_OK;
}

static assay_status allocate(assay_device *device, int64_t bytes, void **pointer, assay_error *error)
{
    (void)device;
    host.calls = host.leaks = 0;
    return check(ptx_rt.malloc(pointer, bytes > 0 ? (size_t)bytes : 1), "allocating", error);
}

static void release(assay_device *device, void *pointer)
{
    (void)device;
    (void)ptx_rt.free(pointer);
}

static void set_tensor(assay_device *device, void *pointer, int64_t offset, int64_t bytes, int read_only)
{
    (void)device;
    ptx_rt.set_tensor(pointer, (size_t)offset, (size_t)bytes, read_only);
}

static assay_status sync_stream(assay_device *device, assay_error *error)
{
    return check(ptx_rt.sync_stream(device->stream), "waiting for the stream", error);
}

static assay_status sync_all(assay_device *device, assay_error *error)
{
    (void)device;
    return check(ptx_rt.sync_device(), "waiting for the device", error);
}

static assay_status copy(assay_device *device, void *to, const void *from, int64_t bytes, assay_error *error)
{
    return bytes == 0
               ? ASSAY_OK
               : check(ptx_rt.copy(to, from, (size_t)bytes, COPY_DEFAULT, device->stream), "copying", error);
}

static assay_status copy_and_wait(assay_device *device, void *to, const void *from, int64_t bytes,
                                  assay_error *error)
{
    const assay_status status = copy(device, to, from, bytes, error);
    return status == ASSAY_OK ? sync_stream(device, error) : status;
}

static assay_status fill(assay_device *device, void *to, int byte, int64_t bytes, assay_error *error)
{
    return bytes == 0 ? ASSAY_OK
                      : check(ptx_rt.fill(to, byte, (size_t)bytes, device->stream), "filling", error);
}

/* ---- order ---- */

static assay_status do_nothing(assay_device *device, assay_error *error)
{
    (void)device, (void)error;
    return ASSAY_OK;
}

static assay_status flush_cache(assay_device *device, const char *mode, assay_error *error)
{
    (void)mode;
    return do_nothing(device, error); /* times of this device are not compared, and it has no cache */
}

static assay_status set_order(assay_device *device, const assay_cpu_options *options, assay_error *error)
{
    (void)device, (void)error;
    const char *order = options->order ? options->order : "forward";
    ptx_rt.set_order(order[0] == 'f' ? 0 : order[1] == 'e' ? 1 : options->order_seed | 2, options->workers);
    return ASSAY_OK;
}

static int took_order(assay_device *device)
{
    (void)device;
    return ptx_rt.took_order();
}

/* ---- events: work is done when it is waited for ---- */

static assay_status event_record(assay_event *event, assay_error *error)
{
    const assay_status status = sync_stream(event->device, error);
    host_event_stamp(event);
    return status;
}

/* ---- graphs ---- */

static assay_status graph_begin(assay_device *device, assay_error *error)
{
    return check(ptx_rt.begin_capture(device->stream, 0), "beginning a capture", error);
}

static assay_status graph_end(assay_device *device, assay_graph **graph, assay_error *error)
{
    void *captured = NULL;
    size_t nodes = 0;
    ptx_graph *made = calloc(1, sizeof *made);
    assay_status status =
        made ? check(ptx_rt.end_capture(device->stream, &captured), "ending a capture", error)
             : assay_error_set(error, ASSAY_ERR_NO_MEMORY, "ptx: no memory for a graph");
    if (status == ASSAY_OK)
        status = check(ptx_rt.count_nodes(captured, NULL, &nodes), "counting nodes", error);
    if (status == ASSAY_OK)
        status = check(ptx_rt.instantiate(&made->executable, captured, 0), "instantiating a graph", error);
    if (captured)
        (void)ptx_rt.destroy_graph(captured);
    if (status != ASSAY_OK) {
        free(made);
        return status;
    }
    made->base = (assay_graph){.device = device, .nodes = (int)nodes};
    *graph = &made->base;
    return ASSAY_OK;
}

static assay_status graph_launch(assay_graph *graph, assay_error *error)
{
    return check(ptx_rt.launch_graph(((ptx_graph *)graph)->executable, graph->device->stream),
                 "launching a graph", error);
}

static void graph_destroy(assay_graph *graph)
{
    (void)ptx_rt.destroy_executable(((ptx_graph *)graph)->executable);
    free(graph);
}

static assay_status no_empty_kernel(assay_device *device, assay_error *error)
{
    (void)device;
    return assay_error_set(error, ASSAY_ERR_UNSUPPORTED, "ptx: this device is not timed");
}

static void close_device(assay_device *device)
{
    (void)ptx_rt.destroy_stream(device->stream);
    free(device);
}

static const device_backend backend = {
    .close = close_device,
    .free_bytes = free_bytes,
    .alloc = allocate,
    .free = release,
    .set_tensor = set_tensor,
    .call = call,
    .upload = copy_and_wait,
    .download = copy_and_wait,
    .fill = fill,
    .copy = copy,
    .sync_stream = sync_stream,
    .sync_all = sync_all,
    .block = do_nothing,
    .unblock = do_nothing,
    .peek = copy_and_wait,
    .flush_cache = flush_cache,
    .event_create = host_event_create,
    .event_destroy = host_event_destroy,
    .event_record = event_record,
    .event_elapsed_us = host_event_elapsed_us,
    .graph_begin = graph_begin,
    .graph_end = graph_end,
    .graph_launch = graph_launch,
    .graph_destroy = graph_destroy,
    .launch_empty = no_empty_kernel,
    .read_health = cpu_read_health,
    .set_cpu_options = set_order,
    .took_order = took_order,
};

/* ---- opening ---- */

/* The folder ptx/ beside the CPU device's runtime. */
assay_status device_ptx_runtime(char *path, size_t bytes, assay_error *error)
{
    Dl_info own;
    const char *slash =
        dladdr((void *)(uintptr_t)assay_simt_memory_alloc, &own) ? strrchr(own.dli_fname, '/') : NULL;
    if (ASSAY_PTX_RUNTIME[0] == '\0' || !slash)
        return assay_error_set(error, ASSAY_ERR_ENVIRONMENT,
                               "device ptx: this build has none, for it found no nvcc with its headers; "
                               "install a CUDA toolkit and "
                               "configure again");
    snprintf(path, bytes, "%.*s/ptx/%s", (int)(slash - own.dli_fname), own.dli_fname, ASSAY_PTX_RUNTIME);
    return ASSAY_OK;
}

/* Attribute numbers of CUDA's headers. */
static int attribute(int number)
{
    int value = 0;
    (void)ptx_rt.attribute(&value, number, 0);
    return value;
}

static void fill_info(assay_device_info *info)
{
    cpu_fill_info(info);
    snprintf(info->kind, sizeof info->kind, "ptx");
    info->compute_major = attribute(75);
    info->compute_minor = attribute(76);
    info->sm_count = attribute(16);
    info->shared_bytes_per_block = attribute(97);
    info->has_graphs = 1;
    snprintf(info->slug, sizeof info->slug, "ptx-sm-%d%d", info->compute_major, info->compute_minor);
    snprintf(info->runtime, sizeof info->runtime, "assay-ptx");
}

assay_status device_ptx_open(int ordinal, assay_device **device, assay_error *error)
{
    if (ordinal != 0)
        return assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "ptx: there is only device 0, not %d", ordinal);
    char path[PATH_MAX];
    assay_status status = device_ptx_runtime(path, sizeof path, error);
    if (status == ASSAY_OK)
        status = ptx_runtime_load(path, error);
    if (status != ASSAY_OK)
        return status;
    assay_device *opened = calloc(1, sizeof *opened);
    if (!opened)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "ptx: no memory for a device handle");
    ptx_rt.judge();
    status = check(ptx_rt.create_stream(&opened->stream, STREAM_NON_BLOCKING), "creating a stream", error);
    if (status != ASSAY_OK) {
        free(opened);
        return status;
    }
    opened->backend = &backend;
    fill_info(&opened->info);
    *device = opened;
    return ASSAY_OK;
}

void device_ptx_count(void)
{
    ptx_rt.count();
}

void device_ptx_take_counts(device_ptx_take *take, void *context)
{
    ptx_rt.take_counts(take, context);
}

void device_ptx_print_kernel(const ptx_counted_kernel *kernel)
{
    ptx_rt.print_kernel(kernel);
}
