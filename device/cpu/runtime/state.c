/* What outlives a launch: options, streams, deferred launches and the first launch error. */
#include "device/cpu/runtime/simt.h"
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct CUstream_st { /* the handle behind assay_stream; only its address means anything */
    struct CUstream_st *next;
};

typedef struct deferred_launch {
    struct deferred_launch *next;
    assay_simt_launch_config config;
    void (*run)(const void *);
    size_t call_bytes;
    _Alignas(16) char call[];
} deferred_launch;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static assay_simt_options options;
static struct CUstream_st *streams;
static deferred_launch *deferred, **deferred_end = &deferred;
static char error_message[512];

void assay_simt_set_options(const assay_simt_options *given)
{
    pthread_mutex_lock(&lock);
    options = *given;
    pthread_mutex_unlock(&lock);
}

assay_simt_options simt_options(void)
{
    pthread_mutex_lock(&lock);
    const assay_simt_options copy = options;
    pthread_mutex_unlock(&lock);
    return copy;
}

int assay_simt_worker_count(void)
{
    return simt_pool_size(simt_options().workers);
}

assay_stream assay_simt_stream_create(void)
{
    struct CUstream_st *stream = malloc(sizeof *stream);
    if (!stream)
        return NULL;
    pthread_mutex_lock(&lock);
    stream->next = streams;
    streams = stream;
    pthread_mutex_unlock(&lock);
    return stream;
}

void assay_simt_stream_destroy(assay_stream stream)
{
    pthread_mutex_lock(&lock);
    struct CUstream_st **link = &streams;
    while (*link && *link != stream)
        link = &(*link)->next;
    if (*link)
        *link = stream->next;
    else
        stream = NULL;
    pthread_mutex_unlock(&lock);
    free(stream);
}

bool simt_stream_known(assay_stream stream)
{
    pthread_mutex_lock(&lock);
    const struct CUstream_st *s = streams;
    while (s && s != stream)
        s = s->next;
    pthread_mutex_unlock(&lock);
    return s != NULL;
}

assay_status simt_launch_error(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    pthread_mutex_lock(&lock);
    if (!error_message[0])
        vsnprintf(error_message, sizeof error_message, format, list);
    pthread_mutex_unlock(&lock);
    va_end(list);
    return ASSAY_ERR_DEVICE;
}

assay_status assay_simt_take_error(char *message, size_t message_bytes)
{
    pthread_mutex_lock(&lock);
    const assay_status status = error_message[0] ? ASSAY_ERR_DEVICE : ASSAY_OK;
    if (message_bytes)
        snprintf(message, message_bytes, "%s", error_message);
    error_message[0] = '\0';
    pthread_mutex_unlock(&lock);
    return status;
}

/* ---- launches ---- */

/* What CUDA refuses, on compute capability 9.0. */
static const char *refused(const assay_simt_launch_config *c)
{
    const uint64_t threads = (uint64_t)c->block.x * c->block.y * c->block.z;
    if (threads == 0 || c->grid.x == 0 || c->grid.y == 0 || c->grid.z == 0)
        return "a dimension is 0";
    if (c->block.x > 1024 || c->block.y > 1024 || c->block.z > 64 || threads > SIMT_MAX_THREADS)
        return "a block has at most 1024 threads and 64 in z";
    if (c->grid.x > 0x7fffffffu || c->grid.y > 65535 || c->grid.z > 65535)
        return "a grid has at most 2^31 - 1 blocks in x and 65535 in y and z";
    if (c->shared_bytes > SIMT_MAX_SHARED)
        return "a block has at most 227 KiB of shared memory";
    if (c->cluster > 1 && (c->grid.x % c->cluster != 0 || c->cluster > SIMT_MAX_CLUSTER))
        return "a grid is whole clusters of at most 8 blocks";
    if (c->cluster > 1 && (threads % 32 != 0 || threads * c->cluster > SIMT_MAX_THREADS ||
                           c->cluster * ((c->shared_bytes + 1023) / 1024 * 1024) > 2 * SIMT_MAX_SHARED))
        return "the CPU device runs clusters of whole warps, 1024 threads and 454 KiB of shared memory in "
               "all";
    return NULL;
}

static uint64_t greatest_common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static void run(const assay_simt_launch_config *config, void (*run_threads)(const void *), const void *call,
                size_t call_bytes)
{
    const assay_simt_options now = simt_options();
    simt_job job = {.config = *config,
                    .run = run_threads,
                    .call = call,
                    .call_bytes = call_bytes,
                    .order = now.order,
                    .seed = now.seed};
    job.blocks =
        (uint64_t)config->grid.x * config->grid.y * config->grid.z / (config->cluster ? config->cluster : 1);
    job.block_stride = job.blocks - 1; /* reversed: (blocks - 1) - i, modulo blocks */
    job.block_offset = job.blocks - 1;
    if (job.order ==
        ASSAY_SIMT_RANDOM) { /* i * stride + offset visits every block once if the stride shares no factor */
        job.block_offset = simt_mix(now.seed) % job.blocks;
        job.block_stride = simt_mix(now.seed + 1) % job.blocks;
        while (greatest_common_divisor(job.blocks, job.block_stride) != 1)
            job.block_stride++;
    }
    job.poison_shared = now.poison_shared != 0;
    if (job.poison_shared || config->checked)
        simt_shared_find_static(&job);
    simt_pool_run(&job);
}

static assay_status defer(const assay_simt_launch_config *config, void (*run_threads)(const void *),
                          const void *call, size_t call_bytes)
{
    deferred_launch *launch = calloc(1, sizeof *launch + call_bytes);
    if (!launch)
        return simt_launch_error("out of memory for a launch");
    launch->config = *config;
    launch->run = run_threads;
    launch->call_bytes = call_bytes;
    memcpy(launch->call, call, call_bytes);
    pthread_mutex_lock(&lock);
    *deferred_end = launch;
    deferred_end = &launch->next;
    pthread_mutex_unlock(&lock);
    return ASSAY_OK;
}

assay_status assay_simt_launch(const assay_simt_launch_config *config, void (*run_threads)(const void *),
                               const void *call, size_t call_bytes)
{
    const char *reason = refused(config);
    if (reason) {
        char name[256];
        simt_config_name(config, name, sizeof name);
        return simt_launch_error(
            "launch of %s with grid (%u,%u,%u), block (%u,%u,%u), %zu bytes of shared memory: %s", name,
            config->grid.x, config->grid.y, config->grid.z, config->block.x, config->block.y, config->block.z,
            config->shared_bytes, reason);
    }
    if (!simt_stream_known(config->stream))
        return defer(config, run_threads, call, call_bytes);
    run(config, run_threads, call, call_bytes);
    return ASSAY_OK;
}

void assay_simt_run_deferred(void)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        deferred_launch *launch = deferred;
        if (launch && !(deferred = launch->next))
            deferred_end = &deferred;
        pthread_mutex_unlock(&lock);
        if (!launch)
            return;
        run(&launch->config, launch->run, launch->call, launch->call_bytes);
        free(launch);
    }
}
