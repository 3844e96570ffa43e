/* See counted.h. */
#include "profile/counted.h"
#include <stdio.h>

static void add(counted_line *total, const counted_line *line)
{
    total->instructions += line->instructions;
    total->lanes += line->lanes;
    total->tensor += line->tensor;
    total->barriers += line->barriers;
    total->atomics += line->atomics;
    total->branches += line->branches;
    total->divergent += line->divergent;
    total->global_requests += line->global_requests;
    total->global_sectors += line->global_sectors;
    total->global_ideal += /* lanes that read one place need less than a place each */
        line->global_ideal < line->global_sectors ? line->global_ideal : line->global_sectors;
    total->shared_requests += line->shared_requests;
    total->shared_wavefronts += line->shared_wavefronts;
    total->shared_ideal += line->shared_ideal;
}

static double excess(uint64_t all, uint64_t ideal)
{
    return all > ideal ? (double)(all - ideal) : 0.0;
}

static int put_line(profiled_kernel *kernel, const counted_line *from)
{
    profile_line *line = profiled_kernel_line(kernel, from->file, from->line, from->text ? from->text : "");
    if (!line)
        return 0;
    line->origin = METRIC_COUNTED;
    line->instructions += (double)from->instructions;
    line->sectors += (double)from->global_sectors;
    line->excess_sectors += excess(from->global_sectors, from->global_ideal);
    line->excess_wavefronts += excess(from->shared_wavefronts, from->shared_ideal);
    line->divergent += (double)from->divergent;
    return 1;
}

static void put(profiled_kernel *kernel, metric_id id, double value)
{
    metric_put(&kernel->metrics, id, value, METRIC_COUNTED);
}

static void put_metrics(profiled_kernel *kernel, const counted_line *total)
{
    put(kernel, METRIC_INSTRUCTIONS, (double)total->instructions);
    put(kernel, METRIC_ACTIVE_THREADS,
        (double)total->lanes / (double)total->instructions); /* NAN of nothing */
    put(kernel, METRIC_TENSOR_INSTRUCTIONS, (double)total->tensor);
    put(kernel, METRIC_BARRIERS, (double)total->barriers);
    put(kernel, METRIC_ATOMIC_REQUESTS, (double)total->atomics);
    put(kernel, METRIC_GLOBAL_REQUESTS, (double)total->global_requests);
    put(kernel, METRIC_GLOBAL_SECTORS, (double)total->global_sectors);
    put(kernel, METRIC_GLOBAL_IDEAL_SECTORS, (double)total->global_ideal);
    put(kernel, METRIC_SHARED_WAVEFRONTS, (double)total->shared_wavefronts);
    put(kernel, METRIC_SHARED_CONFLICTS, excess(total->shared_wavefronts, total->shared_ideal));
    put(kernel, METRIC_BRANCH_EFFICIENCY, 100.0 - 100.0 * (double)total->divergent / (double)total->branches);
}

assay_status counted_add_kernel(launch_profile *out, const char *name, const uint32_t grid[3],
                                const uint32_t block[3], const counted_line *lines, int line_count,
                                assay_error *error)
{
    counted_line total = {0};
    profiled_kernel *kernel = launch_profile_kernel(out, out->count, name);
    int right = kernel != NULL;
    if (kernel) {
        snprintf(kernel->grid, sizeof kernel->grid, "(%u, %u, %u)", grid[0], grid[1], grid[2]);
        snprintf(kernel->block, sizeof kernel->block, "(%u, %u, %u)", block[0], block[1], block[2]);
        put(kernel, METRIC_GRID_BLOCKS, (double)grid[0] * grid[1] * grid[2]);
        put(kernel, METRIC_BLOCK_THREADS, (double)block[0] * block[1] * block[2]);
    }
    for (int i = 0; i < line_count && right; i++) {
        add(&total, &lines[i]);
        right = put_line(kernel, &lines[i]);
    }
    if (right)
        put_metrics(kernel, &total);
    return right ? ASSAY_OK
                 : assay_error_set(error, ASSAY_ERR_NO_MEMORY,
                                   "no memory for what was counted of %s, or more than %d lines", name,
                                   PROFILE_MOST_LINES);
}
