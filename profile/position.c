/* See position.h. */
#include "profile/position.h"
#include "core/json_file.h"
#include "profile/thresholds.h"
#include "resources/resources.h"
#include "results/results_folder.h"
#include "results/roofline_units.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct wanted {
    const assay_case *c;
    result *found;
} wanted;

static assay_status take_result(void *context, results_item *item, assay_error *error)
{
    wanted *w = context;
    (void)error;
    if (item->kind != RESULTS_RESULT)
        return ASSAY_OK;
    const result_case *id = &item->result->id;
    const int same = id->kind == RESULT_VARIANT && strcmp(id->op, w->c->op->spec->name) == 0 &&
                     strcmp(id->name, w->c->variant) == 0 && id->dtype == w->c->dtype &&
                     strcmp(id->size, w->c->size) == 0 && result_is_timed(item->result);
    result_free(same ? w->found : item->result);
    if (same)
        w->found = item->result; /* the last that is visited was measured last: results_folder.h */
    return ASSAY_OK;
}

static double find_ceiling(const json_t *file, const char *name)
{
    size_t index;
    json_t *entry;
    json_array_foreach(json_object_get(file, "ceilings"), index, entry)
    {
        if (strcmp(json_get_text(entry, "name", ""), name) == 0)
            return json_get_number(entry, "median", NAN);
    }
    return NAN;
}

static void read_ceilings(const char *results, const assay_case *c, position *out)
{
    char path[4200];
    roofline_unit units[ROOFLINE_MOST_UNITS];
    json_t *file = NULL;
    snprintf(path, sizeof path, "%s/ceilings.json", results);
    if (json_file_read(path, &file, NULL) != ASSAY_OK)
        return;
    out->peak_gbs = fmax(find_ceiling(file, "copy"), find_ceiling(file, "read"));
    const int count =
        roofline_units(c->op->spec, c->dtype, strcmp(out->result->math_mode, "tf32") == 0, units);
    for (int i = 0; i < count; i++) {
        const double rate = find_ceiling(file, units[i].ceiling) / units[i].cost;
        if (rate > out->peak_tflops || (isnan(out->peak_tflops) && !isnan(rate))) {
            out->peak_tflops = rate;
            out->unit = units[i].label;
        }
    }
    json_decref(file);
}

static void take_times(const char *results, const assay_case *c, position *out)
{
    const result_times *cold = result_get(out->result, TIMING_COLD);
    snprintf(out->device, sizeof out->device, "%s", out->result->device.name);
    if (cold == NULL)
        return;
    out->mean_us = cold->mean_us;
    out->overhead_us = out->result->overhead_us[TIMING_COLD];
    out->gbs = out->result->bytes / cold->mean_us * 1e-3;
    out->tflops = out->result->flops / cold->mean_us * 1e-6;
    read_ceilings(results, c, out);
    out->memory_percent = 100.0 * out->gbs / out->peak_gbs;
    out->compute_percent = 100.0 * out->tflops / out->peak_tflops;
}

/* The record of the case's module, and the architecture of it that the card of the result runs; else the first. */
static void take_resources(const workspace *ws, const assay_case *c, position *out)
{
    char path[4400], compute[16];
    const char *arch;
    json_t *unused;
    module_record record;
    case_module_path(ws, c, path, sizeof path);
    if (module_record_read(path, &record, NULL) != ASSAY_OK)
        return;
    out->resources = json_incref(json_object_get(record.json, "resources"));
    module_record_release(&record);
    if (out->result) {
        snprintf(compute, sizeof compute, "%d.%d", out->result->device.compute_major,
                 out->result->device.compute_minor);
        arch = resources_arch_for(out->resources, compute);
        snprintf(out->arch, sizeof out->arch, "%s", arch ? arch : "");
    }
    json_object_foreach(json_object_get(out->resources, "architectures"), arch, unused)
    {
        if (!out->arch[0])
            snprintf(out->arch, sizeof out->arch, "%s", arch);
    }
}

assay_status position_read(const workspace *ws, const assay_case *c, const char *results, position *out,
                           assay_error *error)
{
    wanted w = {.c = c};
    assay_status status = ASSAY_OK;
    *out = (position){.mean_us = NAN,
                      .overhead_us = NAN,
                      .gbs = NAN,
                      .tflops = NAN,
                      .peak_gbs = NAN,
                      .peak_tflops = NAN,
                      .memory_percent = NAN,
                      .compute_percent = NAN,
                      .unit = ""};
    if (results)
        status = results_each(results, RESULTS_WITH_RESULTS, RESULT_LOAD_SUMMARY, take_result, &w, error);
    out->result = w.found;
    if (status == ASSAY_OK && w.found)
        take_times(results, c, out);
    if (status == ASSAY_OK)
        take_resources(ws, c, out);
    return status;
}

void position_release(position *p)
{
    result_free((result *)p->result);
    json_decref(p->resources);
    *p = (position){0};
}

static void put_from(metric_set *set, const json_t *object, const char *key, metric_id id)
{
    metric_put(set, id, json_get_number(object, key, NAN), METRIC_COMPILED);
}

/* The counted kernel of that name, NULL if there is none; where nothing was counted, a kernel is added. */
static profiled_kernel *kernel_named(launch_profile *out, const char *name, int counted)
{
    for (int i = 0; i < counted; i++)
        if (strcmp(out->kernels[i].name, name) == 0)
            return &out->kernels[i];
    return counted > 0 ? NULL : launch_profile_kernel(out, out->count, name);
}

static void put_kernel(const json_t *from, int counted, launch_profile *out)
{
    profiled_kernel *kernel = kernel_named(out, json_get_text(from, "name", "?"), counted);
    const json_t *fits = json_object_get(from, "occupancy");
    if (!kernel)
        return;
    put_from(&kernel->metrics, from, "registers", METRIC_REGISTERS);
    put_from(&kernel->metrics, from, "static_shared_bytes", METRIC_STATIC_SHARED);
    put_from(&kernel->metrics, from, "stack_bytes", METRIC_STACK_BYTES);
    if (counted == 0)
        put_from(&kernel->metrics, from, "block_threads", METRIC_BLOCK_THREADS);
    put_from(&kernel->metrics, fits, "percent", METRIC_THEORETICAL_OCCUPANCY);
    metric_put(&kernel->metrics, METRIC_SPILL_BYTES,
               json_get_number(from, "spill_store_bytes", NAN) +
                   json_get_number(from, "spill_load_bytes", NAN),
               METRIC_COMPILED);
}

/* What a result kept of its module, which is all there is where the module is not here. */
static void put_facts(const result_facts *facts, const char *name, launch_profile *out)
{
    profiled_kernel *kernel = facts->count == 0 ? NULL
                              : out->count > 0  ? (profiled_kernel *)launch_profile_longest(out)
                                                : launch_profile_kernel(out, 0, name);
    static const struct {
        const char *fact;
        metric_id id;
    } known[] = {{"registers", METRIC_REGISTERS},
                 {"spill_bytes", METRIC_SPILL_BYTES},
                 {"stack_bytes", METRIC_STACK_BYTES},
                 {"shared_bytes", METRIC_STATIC_SHARED},
                 {"occupancy_percent", METRIC_THEORETICAL_OCCUPANCY}};
    for (size_t i = 0; kernel && i < sizeof known / sizeof *known; i++)
        metric_put(&kernel->metrics, known[i].id, result_fact_number(facts, known[i].fact, NAN),
                   METRIC_COMPILED);
}

void position_put_compiled(const position *p, launch_profile *out)
{
    size_t index;
    json_t *kernel;
    const int counted = out->count;
    json_t *kernels = json_object_get(resources_of_arch(p->resources, p->arch), "kernels");
    json_array_foreach(kernels, index, kernel)
    {
        if (json_is_true(json_object_get(kernel, "entry")))
            put_kernel(kernel, counted, out);
    }
    if (json_array_size(kernels) == 0 && p->result)
        put_facts(&p->result->resources, p->result->id.name, out);
}

static const bottleneck_rule rules[] = {
    {"measured_launch", BOTTLENECK_LAUNCH, "less than twice the time of an empty kernel",
     "measured launch overhead"},
    {"measured_memory", BOTTLENECK_MEMORY,
     "at 60% or more of the measured bandwidth, and 10 points above arithmetic",
     "roofline model (Williams et al. 2009)"},
    {"measured_compute", BOTTLENECK_COMPUTE,
     "at 60% or more of the measured rate, and 10 points above bandwidth",
     "roofline model (Williams et al. 2009)"},
    {"measured_balanced", BOTTLENECK_BALANCED, "one at 60% or more, and less than 10 points apart",
     "roofline model (Williams et al. 2009)"},
    {"measured_occupancy", BOTTLENECK_OCCUPANCY,
     "below 60% of its roofline, and less than half of the warps fit", "compiler report"},
    {"measured_latency", BOTTLENECK_LATENCY, "below 60% of its roofline",
     "roofline model (Williams et al. 2009)"},
    {"not_measured", BOTTLENECK_UNKNOWN, "no time was measured", ""},
};

static int choose_rule(const position *p, const metric_set *set, bottleneck *out)
{
    const double most = fmax(p->memory_percent, p->compute_percent);
    const double apart = p->memory_percent - p->compute_percent;
    snprintf(out->numbers, sizeof out->numbers,
             "%.1f us; %.0f%% of the bandwidth, %.0f%% of the arithmetic rate", p->mean_us, p->memory_percent,
             p->compute_percent);
    if (p->mean_us < 2.0 * p->overhead_us && !(most >= SOL_BUSY)) {
        snprintf(out->numbers, sizeof out->numbers, "%.2f us, an empty kernel takes %.2f us", p->mean_us,
                 p->overhead_us);
        return 0;
    }
    if (isnan(most)) {
        snprintf(out->numbers, sizeof out->numbers, "no result of this case, or no ceilings of its card");
        return 6;
    }
    if (most >= SOL_BUSY)
        return apart >= SOL_APART ? 1 : apart <= -SOL_APART ? 2 : 3;
    return metric_value(set, METRIC_THEORETICAL_OCCUPANCY) < OCCUPANCY_LOW ? 4 : 5;
}

void position_classify(const position *p, const profiled_kernel *kernel, bottleneck *out)
{
    static const double confidence[] = {0.7, 0.7, 0.6, 0.5, 0.3, 0.3, 0.0};
    const evidence given = {kernel, p->result ? p->result->bytes : NAN, p->memory_percent};
    *out = (bottleneck){.part = ""};
    const int rule = choose_rule(p, &kernel->metrics, out);
    out->rule = &rules[rule];
    out->kind = rules[rule].kind;
    out->part = out->kind == BOTTLENECK_COMPUTE  ? p->unit
                : out->kind == BOTTLENECK_MEMORY ? "level not known without counters"
                                                 : "";
    out->confidence = confidence[rule];
    const int counted = kernel->metrics.origin[METRIC_INSTRUCTIONS] == METRIC_COUNTED;
    snprintf(out->why, sizeof out->why, "no counters: from the measured time and %s alone",
             counted ? "what a device counted" : "the compiler's report");
    bottleneck_explain(&given, out);
}
