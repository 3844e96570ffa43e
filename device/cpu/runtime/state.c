/* What outlives a launch: options, the first launch error, and the one who may set and take them. */
#include "device/cpu/runtime/simt.h"
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static assay_simt_options options;
static char error_message[512];

static atomic_bool order_shown, checked_process;

static void set_options(const assay_simt_options *given)
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

static assay_status take_error(char *message, size_t message_bytes)
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

static uint64_t greatest_common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

void simt_run_now(const assay_simt_launch_config *config, void (*run_threads)(const void *), const void *call,
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
    job.checked = config->checked | (atomic_load(&checked_process) ? ASSAY_SIMT_CHECK_ACCESSES : 0);
    if (job.checked)
        job.race_clock = simt_race_start_launch();
    if (job.poison_shared || job.checked)
        simt_shared_find_static(&job);
    simt_pool_run(&job);
}

assay_status assay_simt_launch(const assay_simt_launch_config *config, void (*run_threads)(const void *),
                               const void *call, size_t call_bytes)
{
    const char *reason = simt_limits_refuse(config);
    if (reason) {
        char name[256];
        simt_config_name(config, name, sizeof name);
        return simt_launch_error(
            "launch of %s with grid (%u,%u,%u), block (%u,%u,%u), %zu bytes of shared memory: %s", name,
            config->grid.x, config->grid.y, config->grid.z, config->block.x, config->block.y, config->block.z,
            config->shared_bytes, reason);
    }
    return simt_stream_launch(config, run_threads, call, call_bytes);
}

/* ---- atomics and checks ---- */

void simt_note_order_shown(void)
{
    atomic_store(&order_shown, true);
}

static int take_order_shown(void)
{
    return atomic_exchange(&order_shown, false);
}

void assay_simt_check_process(void)
{
    atomic_store(&checked_process, true);
}

/* ---- control ---- */

const simt_control *simt_take_control(void)
{
    static atomic_flag taken = ATOMIC_FLAG_INIT;
    static const simt_control control = {
        .set_options = set_options,
        .take_error = take_error,
        .take_order_shown = take_order_shown,
        .open_stream = simt_stream_open_own,
        .close_stream = simt_stream_close_own,
        .finish_stream = simt_stream_finish,
        .finish_all = simt_stream_finish_all,
    };
    return atomic_flag_test_and_set(&taken) ? NULL : &control;
}
