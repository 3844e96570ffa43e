/* Counts as JSON, and as a result without times: see counts.h. */
#include "core/json_file.h"
#include "counts/counts.h"
#include "results/describe_case.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* Of most lines most counters are 0: these are left out where `all` is not asked for. */
static void put_counters(json_t *out, const ptx_line *line, int all)
{
    uint64_t value;
    const char *name;
    for (int i = 0; (name = counts_counter(line, i, &value)) != NULL; i++)
        if (value > 0 || all)
            json_object_set_new(out, name, json_integer((json_int_t)value));
}

static json_t *line_json(const ptx_line *line)
{
    json_t *out = json_pack("{s:s, s:i}", "file", line->file, "line", (int)line->line);
    put_counters(out, line, 0);
    return out;
}

static json_t *kernel_json(const counts_kernel *k)
{
    json_t *lines = json_array(), *total = json_object();
    for (size_t i = 0; i < k->of.line_count; i++)
        json_array_append_new(lines, line_json(&k->lines[i]));
    put_counters(total, &k->total, 1);
    return json_pack("{s:s, s:I, s:I, s:I, s:[i, i, i], s:[i, i, i], s:I, s:o, s:o}", "name", k->of.name,
                     "launches", (json_int_t)k->of.launches, "blocks", (json_int_t)k->of.blocks, "warps",
                     (json_int_t)k->of.warps, "grid", (int)k->of.grid[0], (int)k->of.grid[1],
                     (int)k->of.grid[2], "block", (int)k->of.block[0], (int)k->of.block[1],
                     (int)k->of.block[2], "dynamic_shared_bytes", (json_int_t)k->of.dynamic_shared, "total",
                     total, "lines", lines);
}

json_t *counts_json(const case_counts *counts)
{
    json_t *dims = json_object(), *figures = json_object(), *total = json_object(), *kernels = json_array();
    for (int f = 0; f < COUNTS_FIGURES; f++)
        json_object_set_new(figures, counts_figure_names[f],
                            json_number(counts_figure_of(counts, (counts_figure)f)));
    for (int i = 0; counts->dims && i < counts->dims->count; i++)
        json_object_set_new(dims, counts->dims->dim[i].name, json_integer(counts->dims->dim[i].value));
    put_counters(total, &counts->total, 1);
    for (int i = 0; i < counts->count; i++)
        json_array_append_new(kernels, kernel_json(&counts->kernels[i]));
    return json_pack("{s:o, s:I, s:I, s:I, s:I, s:o, s:o, s:o}", "dims", dims, "seed",
                     (json_int_t)counts->seed, "elements", (json_int_t)counts->elements, "blocks",
                     (json_int_t)counts->blocks, "warps", (json_int_t)counts->warps, "figures", figures,
                     "total", total, "kernels", kernels);
}

/* The device is the architecture that was compiled for, and no machine: counts of two machines are of one device. */
static void fill_device(result *r, const assay_device_info *info)
{
    r->device.kind = result_text(r, "ptx");
    r->device.name = r->device.slug = result_text(r, info->slug);
    r->device.runtime = result_text(r, info->runtime);
    r->device.compute_major = info->compute_major;
    r->device.compute_minor = info->compute_minor;
    r->device.sm_count = info->sm_count;
}

static void fill_warp(result *r, const case_counts *counts)
{
    const counts_warp w = counts_warp_of(counts);
    result_add_fact(r, &r->counters, "warp_instructions", w.instructions, NULL);
    result_add_fact(r, &r->counters, "warp_requests", w.requests, NULL);
    result_add_fact(r, &r->counters, "warp_barriers", w.barriers, NULL);
}

/* Of the kernel that executes the most instructions, which stands for the launch where one number must: its blocks bound how many
 * warps a multiprocessor holds. */
static void fill_shape(result *r, const case_counts *counts)
{
    const counts_kernel *main_kernel = &counts->kernels[0];
    uint64_t launches = 0;
    for (int i = 0; i < counts->count; i++) {
        launches += counts->kernels[i].of.launches;
        if (counts->kernels[i].total.instructions > main_kernel->total.instructions)
            main_kernel = &counts->kernels[i];
    }
    const uint32_t *block = main_kernel->of.block;
    result_add_fact(r, &r->counters, "launches", (double)launches, NULL);
    result_add_fact(r, &r->counters, "block_threads", (double)block[0] * block[1] * block[2], NULL);
    result_add_fact(r, &r->counters, "dynamic_shared_bytes", (double)main_kernel->of.dynamic_shared, NULL);
}

static void fill_counters(result *r, const case_counts *counts)
{
    uint64_t value;
    const char *name;
    for (int i = 0; (name = counts_counter(&counts->total, i, &value)) != NULL; i++)
        result_add_fact(r, &r->counters, name, (double)value, NULL);
    result_add_fact(r, &r->counters, counts_figure_names[COUNTS_SHARED_CONFLICTS],
                    counts_figure_of(counts, COUNTS_SHARED_CONFLICTS), NULL);
    result_add_fact(r, &r->counters, "blocks", (double)counts->blocks, NULL);
    result_add_fact(r, &r->counters, "warps", (double)counts->warps, NULL);
    fill_warp(r, counts);
    fill_shape(r, counts);
    result_add_fact(r, &r->counters, "source", NAN, "counted on the device ptx");
}

assay_status counts_result(const case_counts *counts, const workspace *ws, const workspace_op *op,
                           const module_record *module, const char *size, const assay_device_info *info,
                           result **out, assay_error *error)
{
    char rerun[400];
    const char *variant = json_get_text(module->json, "variant", ""),
               *dtype = json_get_text(module->json, "dtype", "");
    assay_dtype parsed = ASSAY_F32;
    result *r = *out = result_new();
    if (!r || !assay_dtype_parse(dtype, &parsed))
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for a result");
    const assay_status status = describe_case(r, op, variant, 0, parsed, size, counts->dims_of, error);
    describe_module(r, module);
    fill_device(r, info);
    fill_counters(r, counts);
    workspace_commit(ws, r->commit, &r->dirty);
    r->problem.seed = counts->seed;
    r->status = RESULT_NOT_TIMED;
    r->reason = result_text(r, "counted on the device ptx, which is not timed");
    r->math_mode = result_text(r, parsed == ASSAY_TF32 ? "tf32" : "ieee");
    r->method.version = RESULT_METHOD_VERSION;
    r->flops = counts->flops;
    r->bytes = counts->bytes;
    r->time = (int64_t)time(NULL);
    snprintf(rerun, sizeof rerun, "assay count %s --variant %s --dtype %s --size %s%s", op->spec->name,
             variant, dtype, size, strcmp(counts->dims_of, "cuda") == 0 ? " --card-sizes" : "");
    r->rerun = result_text(r, rerun);
    return status;
}
