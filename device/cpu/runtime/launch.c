/* From the configuration of a launch to the job that the pool runs: in which order its blocks come, and what is checked. */
#include "device/cpu/runtime/simt.h"

static atomic_bool checked_process;

void assay_simt_check_process(void)
{
    atomic_store(&checked_process, true);
}

static void (*launch_watcher)(void *context, const assay_simt_launch_config *config);
static void *watcher_context;

void simt_watch_launches(void (*launched)(void *context, const assay_simt_launch_config *config),
                         void *context)
{
    launch_watcher = launched;
    watcher_context = context;
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

void simt_run_now(const assay_simt_launch_config *config, void (*run_threads)(const void *), const void *call,
                  size_t call_bytes)
{
    const assay_simt_options now = simt_options();
    if (launch_watcher)
        launch_watcher(watcher_context, config);
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
