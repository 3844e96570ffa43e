/* Launches: what a card's driver refuses before a kernel runs, the parameters, and what becomes of a kernel's faults. */
#include "device/ptx/runtime/runtime.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- attributes of a launch ---- */

typedef struct launch_attributes {
    dim3 cluster;
    int cooperative;
} launch_attributes;

static launch_attributes read_attributes(const cudaLaunchConfig_t *config)
{
    launch_attributes a = {.cluster = {0, 0, 0}};
    for (unsigned i = 0; i < config->numAttrs; i++) {
        const cudaLaunchAttribute *attribute = &config->attrs[i];
        if (attribute->id == cudaLaunchAttributeClusterDimension)
            a.cluster =
                (dim3){attribute->val.clusterDim.x, attribute->val.clusterDim.y, attribute->val.clusterDim.z};
        if (attribute->id == cudaLaunchAttributeCooperative)
            a.cooperative = attribute->val.cooperative;
    }
    return a; /* the others (priorities, cache windows, programmatic dependence) only change when and where a card runs things */
}

/* ---- limits ---- */

static cudaError_t check_shape(const rt_launch *l, const ptx_function_info *f)
{
    const ptx_limits *m = rt_limits();
    const unsigned grid[3] = {l->grid.x, l->grid.y, l->grid.z},
                   block[3] = {l->block.x, l->block.y, l->block.z};
    for (int i = 0; i < 3; i++) {
        if (grid[i] == 0 || grid[i] > m->grid[i])
            return rt_refuse(cudaErrorInvalidConfiguration,
                             "launch of %s: grid.%c is %u, allowed are 1 to %u", f->name, "xyz"[i], grid[i],
                             m -> grid[i]);
        if (block[i] == 0 || block[i] > m->block[i])
            return rt_refuse(cudaErrorInvalidConfiguration,
                             "launch of %s: block.%c is %u, allowed are 1 to %u", f->name, "xyz"[i], block[i],
                             m -> block[i]);
    }
    const uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
    if (threads > m->threads_per_block)
        return rt_refuse(cudaErrorInvalidConfiguration,
                         "launch of %s: %llu threads in a block, allowed are %u", f->name,
                         (unsigned long long)threads, m->threads_per_block);
    if (threads > f->max_threads)
        return rt_refuse(cudaErrorLaunchOutOfResources,
                         "launch of %s: %llu threads in a block, its __launch_bounds__ allow %u", f->name,
                         (unsigned long long)threads, f->max_threads);
    return cudaSuccess;
}

static uint32_t most_dynamic(const rt_kernel *k, const ptx_function_info *f)
{
    const uint32_t usual = rt_limits()->shared_per_block;
    return k->max_dynamic ? k->max_dynamic : f->static_shared < usual ? usual - f->static_shared : 0;
}

static cudaError_t check_shared(const rt_launch *l, const ptx_function_info *f)
{
    const uint32_t most = most_dynamic(l->kernel, f);
    if (l->shared > most)
        return rt_refuse(
            cudaErrorInvalidValue,
            "launch of %s: %zu bytes of dynamic shared memory, allowed are %u; more than %u needs "
            "cudaFuncSetAttribute(cudaFuncAttributeMaxDynamicSharedMemorySize), up to %u",
            f->name, l->shared, most, rt_limits()->shared_per_block, rt_limits()->shared_per_block_optin);
    return cudaSuccess;
}

static cudaError_t check_cluster(const rt_launch *l, const ptx_function_info *f)
{
    const ptx_limits *m = rt_limits();
    const uint32_t *own = f->required_cluster; /* __cluster_dims__ */
    const dim3 given = l->cluster, c = given.x == 0 && own[0] ? (dim3){own[0], own[1], own[2]} : given;
    const uint64_t size = (uint64_t)c.x * c.y * c.z;
    if (c.x == 0 && c.y == 0 && c.z == 0)
        return f->explicit_cluster ? rt_refuse(cudaErrorInvalidClusterSize,
                                               "launch of %s: it needs cluster dimensions", f->name)
                                   : cudaSuccess;
    if (m->major < 9)
        return size > 1 ? rt_refuse(cudaErrorInvalidClusterSize, "launch of %s: sm_%d0 has no clusters",
                                    f->name, m->major)
                        : cudaSuccess;
    if (size == 0 || size > (l->kernel->nonportable_cluster ? 16 : m->cluster))
        return rt_refuse(cudaErrorInvalidClusterSize, "launch of %s: a cluster of %ux%ux%u blocks", f->name,
                         c.x, c.y, c.z);
    if (l->grid.x % c.x || l->grid.y % c.y || l->grid.z % c.z)
        return rt_refuse(cudaErrorInvalidClusterSize,
                         "launch of %s: the grid of %ux%ux%u is no multiple of the cluster of %ux%ux%u",
                         f->name, l->grid.x, l->grid.y, l->grid.z, c.x, c.y, c.z);
    return cudaSuccess;
}

static cudaError_t check_cooperative(const rt_launch *l, const ptx_function_info *f)
{
    const uint32_t threads = l->block.x * l->block.y * l->block.z;
    const uint64_t blocks = (uint64_t)l->grid.x * l->grid.y * l->grid.z;
    const uint64_t fit =
        (uint64_t)ptx_function_blocks_per_sm(l->kernel->function, threads, (uint32_t)l->shared) *
        rt_limits()->multiprocessors;
    if (l->cooperative && blocks > fit)
        return rt_refuse(cudaErrorCooperativeLaunchTooLarge,
                         "cooperative launch of %s: %llu blocks, %llu are resident at once", f->name,
                         (unsigned long long)blocks, (unsigned long long)fit);
    return cudaSuccess;
}

static cudaError_t check_launch(const rt_launch *l, const ptx_function_info *f)
{
    cudaError_t error = check_shape(l, f);
    if (error == cudaSuccess)
        error = check_shared(l, f);
    if (error == cudaSuccess)
        error = check_cluster(l, f);
    if (error == cudaSuccess)
        error = check_cooperative(l, f);
    if (error == cudaSuccess && f->unsupported) {
        char text[1200];
        snprintf(text, sizeof text, "kernel %s cannot run on this device: %s", f->name, f->unsupported);
        rt_report(text);
        error = cudaErrorNotSupported;
    }
    return error;
}

/* ---- parameters ---- */

static void *gather(const ptx_function_info *f, void **args, const void *packed, size_t packed_bytes)
{
    char *block = calloc(1, f->param_bytes ? f->param_bytes : 1);
    if (!block)
        return NULL;
    if (packed) {
        memcpy(block, packed, packed_bytes < f->param_bytes ? packed_bytes : f->param_bytes);
        return block;
    }
    for (uint32_t i = 0; i < f->param_count; i++)
        memcpy(block + f->params[i].offset, args[i], f->params[i].bytes);
    return block;
}

cudaError_t rt_launch_make(rt_kernel *kernel, const cudaLaunchConfig_t *config, void **args,
                           const void *packed, size_t packed_bytes, rt_work *work)
{
    const ptx_function_info *f = ptx_function_describe(kernel->function);
    const launch_attributes attributes = read_attributes(config);
    rt_launch launch = {.kernel = kernel,
                        .grid = config->gridDim,
                        .block = config->blockDim,
                        .cluster = attributes.cluster,
                        .shared = config->dynamicSmemBytes,
                        .cooperative = attributes.cooperative};
    const cudaError_t error = check_launch(&launch, f);
    if (error != cudaSuccess)
        return error;
    if (f->param_count > 0 && !args && !packed)
        return cudaErrorInvalidValue;
    launch.params = gather(f, args, packed, packed_bytes);
    if (!launch.params)
        return cudaErrorMemoryAllocation;
    *work = (rt_work){.kind = RT_LAUNCH, .as.launch = launch};
    return cudaSuccess;
}

/* ---- running ---- */

/* What the program is told. What checks alone find does not stop a card, nor the program here. */
static cudaError_t consequence(const ptx_report *report)
{
    cudaError_t error = cudaSuccess;
    for (uint32_t i = 0; i < report->finding_count; i++) {
        cudaError_t one = cudaSuccess;
        switch (report->findings[i].kind) {
        case PTX_FOUND_OUT_OF_BOUNDS:
        case PTX_FOUND_FREED:
        case PTX_FOUND_HOST_MEMORY:
        case PTX_FOUND_SHARED_BOUNDS:
        case PTX_FOUND_LOCAL_BOUNDS:
            one = cudaErrorIllegalAddress;
            break;
        case PTX_FOUND_MISALIGNED:
            one = cudaErrorMisalignedAddress;
            break;
        case PTX_FOUND_ASSERT:
            one = cudaErrorAssert;
            break;
        case PTX_FOUND_ILLEGAL:
            one = cudaErrorIllegalInstruction;
            break;
        case PTX_FOUND_DEADLOCK:
        case PTX_FOUND_TIMEOUT:
            one = cudaErrorLaunchTimeout;
            break;
        case PTX_FOUND_TRAP:
        case PTX_FOUND_BARRIER:
            one = cudaErrorLaunchFailure;
            break;
        case PTX_FOUND_UNSUPPORTED:
            one = cudaErrorNotSupported;
            break;
        default:
            break;
        }
        if (error == cudaSuccess)
            error = one;
    }
    return error;
}

/* One finding of a kind says enough of a line. */
static bool is_first_there(const ptx_report *report, uint32_t number)
{
    const ptx_finding *f = &report->findings[number];
    for (uint32_t i = 0; i < number; i++)
        if (report->findings[i].kind == f->kind && report->findings[i].ptx_line == f->ptx_line)
            return false;
    return true;
}

static cudaError_t tell(const ptx_report *report)
{
    if (report->status == PTX_OK)
        return cudaSuccess;
    if (report->finding_count == 0) {
        rt_report(report->text);
        return rt_from_ptx(report->status);
    }
    uint32_t shown = 1;
    rt_report(report->text);
    for (uint32_t i = 1; i < report->finding_count; i++)
        if (is_first_there(report, i)) {
            rt_report(report->findings[i].text);
            shown++;
        }
    if (report->finding_total > shown)
        rt_say("%llu more of the same at these lines, or not kept",
               (unsigned long long)(report->finding_total - shown));
    return consequence(report);
}

cudaError_t rt_launch_run(const rt_launch *l)
{
    const rt_options *options = rt_get_options();
    const ptx_launch launch = {
        .function = l->kernel->function,
        .grid = {l->grid.x, l->grid.y, l->grid.z},
        .block = {l->block.x, l->block.y, l->block.z},
        .cluster = {l->cluster.x, l->cluster.y, l->cluster.z},
        .dynamic_shared = (uint32_t)l->shared,
        .max_dynamic_shared = l->kernel->max_dynamic,
        .nonportable_cluster = l->kernel->nonportable_cluster,
        .cooperative = l->cooperative,
        .params = l->params,
        .threads = options->threads,
        .checks = options->checks ? options->checks | PTX_CHECK_CONTINUE : 0,
        .order_seed = options->order_seed,
        .limit_seconds = options->limit_s,
    };
    ptx_report *report;
    rt_note_launch(l->kernel);
    ptx_launch_run(&launch, &report);
    if (options->verbose)
        rt_say("%s <<<(%u,%u,%u), (%u,%u,%u), %zu>>> took %.3f ms, %llu warp instructions", l->kernel->name,
               l->grid.x, l->grid.y, l->grid.z, l->block.x, l->block.y, l->block.z, l->shared,
               report->seconds * 1e3, (unsigned long long)report->instructions);
    const cudaError_t error = tell(report);
    if (options->checks & PTX_CHECK_COUNTERS)
        rt_count(l, report);
    ptx_report_free(report);
    return error;
}
