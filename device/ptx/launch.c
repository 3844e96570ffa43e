/* A launch: checks of its configuration, host threads, the report. */
#include "device/ptx/counters.h"
#include "device/ptx/exec.h"
#include "device/ptx/races.h"
#include "device/ptx/report.h"
#include "device/ptx/scheduler.h"
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t nanoseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t product(const uint32_t d[3])
{
    return (uint64_t)d[0] * d[1] * d[2];
}

/* ---- limits ---- */

static bool refuse(ptx_report *r, ptx_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool refuse(ptx_report *r, ptx_status status, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(r->text, sizeof r->text, format, list);
    va_end(list);
    r->status = status;
    return false;
}

static bool check_dimensions(const ptx_launch *l, const ptx_limits *limits, ptx_report *r)
{
    const ptx_function_info *f = &l->function->info;
    for (int d = 0; d < 3; d++) {
        if (l->block[d] < 1 || l->block[d] > limits->block[d])
            return refuse(r, PTX_REFUSED, "%s: block dimension %d is %u; 1 to %u are possible", f->name, d,
                          l->block[d], limits->block[d]);
        if (l->grid[d] < 1 || l->grid[d] > limits->grid[d])
            return refuse(r, PTX_REFUSED, "%s: grid dimension %d is %u; 1 to %u are possible", f->name, d,
                          l->grid[d], limits->grid[d]);
        if (f->required_block[0] && l->block[d] != f->required_block[d])
            return refuse(r, PTX_REFUSED, "%s: block dimension %d is %u and must be %u", f->name, d,
                          l->block[d], f->required_block[d]);
    }
    const uint64_t threads = product(l->block), most = f->max_threads;
    if (threads > limits->threads_per_block || threads > most)
        return refuse(r, PTX_REFUSED, "%s: a block of %llu threads; at most %u are possible", f->name,
                      (unsigned long long)threads,
                      most < limits->threads_per_block ? (uint32_t)most : limits->threads_per_block);
    return true;
}

static bool check_shared_bytes(const ptx_launch *l, const ptx_limits *limits, ptx_report *r)
{
    const ptx_function_info *f = &l->function->info;
    const uint32_t allowed = l->max_dynamic_shared ? l->max_dynamic_shared
                             : limits->shared_per_block > f->static_shared
                                 ? limits->shared_per_block - f->static_shared
                                 : 0;
    if (f->static_shared > limits->shared_per_block) /* ptxas does not compile such a kernel at all */
        return refuse(
            r, PTX_REFUSED,
            "%s: %u bytes of static shared memory; %u are possible, and more only as dynamic shared memory",
            f->name, f->static_shared, limits->shared_per_block);
    if (l->dynamic_shared > allowed)
        return refuse(r, PTX_REFUSED, "%s: %u bytes of dynamic shared memory; %u are allowed%s", f->name,
                      l->dynamic_shared, allowed,
                      l->max_dynamic_shared ? "" : " without cudaFuncAttributeMaxDynamicSharedMemorySize");
    if ((uint64_t)f->static_shared + l->dynamic_shared > limits->shared_per_block_optin)
        return refuse(r, PTX_REFUSED, "%s: %u bytes of shared memory; a block has at most %u", f->name,
                      f->static_shared + l->dynamic_shared, limits->shared_per_block_optin);
    return true;
}

static bool check_cluster(const ptx_launch *l, const ptx_limits *limits, uint32_t cluster[3], ptx_report *r)
{
    const ptx_function_info *f = &l->function->info;
    memcpy(cluster, l->cluster, sizeof l->cluster);
    const bool required = f->required_cluster[0] != 0;
    if (!cluster[0] && required)
        memcpy(cluster, f->required_cluster, sizeof f->required_cluster);
    if (!cluster[0] && f->explicit_cluster)
        return refuse(r, PTX_REFUSED, "%s: must be launched with the dimensions of a cluster", f->name);
    for (int d = 0; d < 3; d++) {
        cluster[d] = cluster[d] ? cluster[d] : 1;
        if (required && cluster[d] != f->required_cluster[d])
            return refuse(r, PTX_REFUSED, "%s: cluster dimension %d is %u and must be %u", f->name, d,
                          cluster[d], f->required_cluster[d]);
        if (l->grid[d] % cluster[d])
            return refuse(r, PTX_REFUSED, "%s: grid dimension %d is %u, not a multiple of the cluster's %u",
                          f->name, d, l->grid[d], cluster[d]);
    }
    const uint64_t blocks = product(cluster), most = limits->cluster == 0     ? 1
                                                     : l->nonportable_cluster ? 16
                                                                              : limits->cluster;
    if (blocks > most)
        return refuse(r, PTX_REFUSED, "%s: a cluster of %llu blocks; at most %llu are possible", f->name,
                      (unsigned long long)blocks, (unsigned long long)most);
    return true;
}

static bool check_launch(const ptx_launch *l, uint32_t cluster[3], ptx_report *r)
{
    const ptx_function *f = l->function;
    if (!f)
        return refuse(r, PTX_WRONG_USE, "a launch without a function");
    const ptx_limits *limits = &f->module->device->limits;
    if (f->unsupported[0])
        return refuse(r, PTX_UNSUPPORTED, "unsupported instruction in kernel %s: %s", f->info.name,
                      f->unsupported);
    if (f->info.target > limits->major * 10 + limits->minor)
        return refuse(r, PTX_REFUSED, "%s: compiled for sm_%d, the device is %d.%d", f->info.name,
                      f->info.target, limits->major, limits->minor);
    if (!check_dimensions(l, limits, r) || !check_shared_bytes(l, limits, r) ||
        !check_cluster(l, limits, cluster, r))
        return false;
    if (l->cooperative) {
        const uint64_t fit =
            (uint64_t)ptx_function_blocks_per_sm(f, (uint32_t)product(l->block), l->dynamic_shared) *
            limits->multiprocessors;
        if (product(l->grid) > fit)
            return refuse(r, PTX_REFUSED,
                          "%s: a cooperative launch of %llu blocks; %llu fit the device at once",
                          f->info.name, (unsigned long long)product(l->grid), (unsigned long long)fit);
    }
    if (f->info.param_bytes && !l->params)
        return refuse(r, PTX_WRONG_USE, "%s: a launch without parameters", f->info.name);
    return true;
}

/* ---- running ---- */

static uint32_t core_count(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? (uint32_t)CPU_COUNT(&set) : 1;
}

static void prepare(launch_state *s, const ptx_launch *l, ptx_report *r, const uint32_t cluster[3])
{
    static atomic_uint_fast64_t grids;
    const ptx_function *f = l->function;
    s->launch = l;
    s->function = f;
    s->device = f->module->device;
    s->report = r;
    memcpy(s->grid, l->grid, sizeof s->grid);
    memcpy(s->block, l->block, sizeof s->block);
    memcpy(s->cluster, cluster, sizeof s->cluster);
    s->threads = (uint32_t)product(l->block);
    s->warps = (s->threads + 31) / 32;
    s->cluster_blocks = (uint32_t)product(cluster);
    s->blocks = product(l->grid);
    s->gangs = s->blocks / s->cluster_blocks;
    s->shared_end =
        f->uses_dynamic || l->dynamic_shared ? f->shared_dynamic_start + l->dynamic_shared : f->shared_static;
    s->local_bytes = (f->local_start + f->local_bytes + 15) / 16 * 16;
    s->register_bytes = (f->register_bytes + 127) / 64 * 64;
    s->checks = l->checks;
    s->grid_id = atomic_fetch_add(&grids, 1) + 1;
    s->window_shared = device_shared_window(s->device);
    s->window_local = device_local_window(s->device);
    s->window_param = device_param_window(s->device);
    s->start_ns = nanoseconds();
    pthread_mutex_init(&s->lock, NULL);
}

static void run(launch_state *s, ptx_report *r)
{
    enum { MOST_THREADS = 64 };
    worker_start starts[MOST_THREADS] = {{0}};
    pthread_t threads[MOST_THREADS];
    line_counter *counters[MOST_THREADS] = {0};
    uint64_t n = s->launch->threads ? s->launch->threads : core_count();
    n = n > MOST_THREADS ? MOST_THREADS : n;
    n = n > s->gangs ? s->gangs : n;
    const uint64_t share = s->launch->cooperative ? (s->gangs + n - 1) / n : 1;
    for (uint32_t k = 0; k < n; k++) {
        if (s->checks & PTX_CHECK_COUNTERS && !(counters[k] = counters_new(s->function->module)))
            abort();
        starts[k] = (worker_start){s, counters[k], (uint32_t)share};
    }
    uint32_t started = 1;
    for (; started < n; started++)
        if (pthread_create(&threads[started], NULL, worker_run, &starts[started]) != 0)
            break;
    worker_run(&starts[0]);
    for (uint32_t k = 1; k < started; k++)
        pthread_join(threads[k], NULL);
    if (s->checks & PTX_CHECK_COUNTERS)
        counters_report(s->function->module, counters, (uint32_t)n, r);
    for (uint32_t k = 0; k < n; k++)
        free(counters[k]);
}

/* Two words for cooperative_groups' barrier of the grid: their size and its count, zero before the first block arrives. */
static bool make_grid_workspace(launch_state *s)
{
    static const uint32_t words[2] = {sizeof words, 0};
    ptx_error error;
    return ptx_alloc(s->device, sizeof words, "the grid's barrier", &s->grid_workspace, &error) == PTX_OK &&
           ptx_copy_in(s->device, s->grid_workspace, words, sizeof words, &error) == PTX_OK;
}

ptx_status ptx_launch_run(const ptx_launch *l, ptx_report **report)
{
    ptx_report *r = report_new();
    *report = r;
    launch_state s = {0};
    uint32_t cluster[3];
    if (r->status == PTX_NO_MEMORY || !check_launch(l, cluster, r))
        return r->status;
    prepare(&s, l, r, cluster);
    const uint32_t bytes = l->function->info.param_bytes;
    s.params = calloc(1, bytes + 64);
    s.kept = report_kept(r);
    if (!s.params || (l->cooperative && !make_grid_workspace(&s))) {
        free(s.params);
        refuse(r, PTX_NO_MEMORY, "no memory for a launch");
        return r->status;
    }
    if (bytes)
        memcpy(s.params, l->params, bytes);
    if (l->checks & PTX_CHECK_RACES)
        races_new_launch(&s);
    run(&s, r);
    races_free_launch(&s);
    r->instructions = atomic_load(&s.executed);
    r->lane_instructions = atomic_load(&s.lanes);
    r->seconds = (double)(nanoseconds() - s.start_ns) * 1e-9;
    report_finish(r);
    free(s.params);
    if (s.grid_workspace)
        ptx_free(s.device, s.grid_workspace, &(ptx_error){0});
    pthread_mutex_destroy(&s.lock);
    return r->status;
}
