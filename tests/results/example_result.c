/* A result with a value in every field: see example_result.h. */
#include "example_result.h"
#include <stdio.h>
#include <string.h>

static assay_device_health health(double mhz)
{
    return (assay_device_health){
        .sm_mhz = mhz, .memory_mhz = 2619, .power_w = 640.5, .temperature_c = 51, .reasons = 4};
}

static void fill_repetition(result *r, result_repetition *out, double mean_us, int position)
{
    out->mean_us = mean_us;
    out->median_us = mean_us - 0.125;
    out->position = position;
    out->launches_per_sample = 20;
    out->sample_count = 3;
    out->samples_us = result_alloc(r, 3 * sizeof *out->samples_us);
    for (int i = 0; i < 3; i++)
        out->samples_us[i] = mean_us + (i - 1) * 0.5;
    out->before = health(1965);
    out->after = health(1710);
    out->quality = (result_sample_quality){
        .drift_z = 0.5, .drift_change = 0.25, .lag1 = -0.125, .effective_samples = 3, .outliers = 1};
}

void example_times(result *r, timing_mode mode, double mean_us)
{
    result_times *t = &r->times[mode];
    r->method.modes |= timing_mode_bit(mode);
    t->present = 1;
    t->method_version = timing_mode_get(mode)->version;
    t->mean_us = mean_us;
    t->median_us = mean_us - 0.25;
    t->min_us = mean_us - 1;
    t->p95_us = mean_us + 2;
    t->stddev_us = 0.5;
    t->low_us = mean_us - 0.5;
    t->high_us = mean_us + 0.5;
    t->median_low_us = mean_us - 0.75;
    t->median_high_us = mean_us + 0.75;
    t->gbs = 1e6 / mean_us;
    t->tflops = 1e3 / mean_us;
    t->percent_of_roofline = 75;
    t->sample_count = 6;
    t->blocked = 1;
    t->repeated = 2;
    t->stopped = RESULT_STOP_TIME;
    t->graph_nodes = timing_mode_get(mode)->launch == TIMING_GRAPH ? 40 : 0;
    t->programmatic = t->graph_nodes ? 39 : 0;
    t->during.samples = 3;
    for (int v = 0; v < RESULT_HEALTH_VALUES; v++) {
        t->during.low[v] = 10 + v;
        t->during.median[v] = 20 + v;
        t->during.high[v] = 30 + v;
    }
    t->during.reason_share[2] = 0.5;
    t->quality = (result_quality){.flaws = RESULT_FLAW_DRIFT | RESULT_FLAW_BIMODAL,
                                  .outliers = 1,
                                  .warming_repetitions = 1,
                                  .effective_samples = 5,
                                  .lag1 = 0.25,
                                  .between_repetitions = {.drift_z = 1.5, .effective_samples = 2},
                                  .dip = 0.125,
                                  .dip_critical = 0.0625,
                                  .low_us = mean_us - 1,
                                  .high_us = mean_us + 1,
                                  .share_high = 0.5};
    t->repetition_count = 2;
    t->repetitions = result_alloc(r, 2 * sizeof *t->repetitions);
    fill_repetition(r, &t->repetitions[0], mean_us - 0.5, 1);
    fill_repetition(r, &t->repetitions[1], mean_us + 0.5, 4);
}

static void fill_machine(result *r)
{
    r->device = (result_device){.kind = "cuda",
                                .name = "NVIDIA H100 80GB HBM3",
                                .slug = "nvidia-h100-80gb-hbm3",
                                .uuid = "GPU-1",
                                .driver = "580.1",
                                .runtime = "13.0",
                                .sm_count = 132,
                                .compute_major = 9,
                                .memory_bytes = 85017493504,
                                .l2_bytes = 52428800,
                                .peak_gbs = 3352.5};
    r->host = (result_host){.name = "node7", .cpu = "Xeon", .cpus = 16, .load = 0.25};
}

static void fill_problem(result *r)
{
    result_problem *p = &r->problem;
    p->dim_count = 2;
    p->dims[0] = (opspec_dim){"M", 1024};
    p->dims[1] = (opspec_dim){"N", 256};
    p->param_count = 4;
    p->params[0] = (assay_param){.name = "dim", .type = ASSAY_PARAM_INTEGER, .integer = -1};
    p->params[1] = (assay_param){.name = "alpha", .type = ASSAY_PARAM_REAL, .real = 0.5};
    p->params[2] = (assay_param){.name = "causal", .type = ASSAY_PARAM_BOOLEAN, .integer = 1};
    p->params[3] = (assay_param){.name = "act", .type = ASSAY_PARAM_TEXT, .text = "gelu"};
    p->distribution = "normal";
    p->seed = 20260;
}

static void fill_method(result *r)
{
    result_method *m = &r->method;
    *m = (result_method){.version = RESULT_METHOD_VERSION,
                         .repetitions = 10,
                         .min_samples = 3,
                         .max_samples = 400,
                         .warmup_ms = 2,
                         .sample_ms = 9,
                         .bound_s = 0.75,
                         .flush = "memset",
                         .seed = 20260,
                         .locked_mhz = 1500,
                         .other_count = 2};
    m->others = result_alloc(r, 2 * sizeof *m->others);
    m->others[0] = result_text(r, "v1_baseline");
    m->others[1] = result_text(r, "torch_eager");
}

static result *common(void)
{
    result *r = result_new();
    snprintf(r->id.op, sizeof r->id.op, "softmax");
    snprintf(r->id.size, sizeof r->id.size, "small");
    r->id.dtype = ASSAY_BF16;
    fill_problem(r);
    fill_machine(r);
    fill_method(r);
    r->status = RESULT_OK;
    r->reason = result_text(r, "a reason");
    r->math_mode = "ieee";
    r->hashes.reference = "bb22000000000000000000000000000000000000000000000000000000000000";
    r->hashes.op_json = "cc33000000000000000000000000000000000000000000000000000000000000";
    r->overhead_us[TIMING_COLD] = 3.125;
    r->overhead_us[TIMING_HOT] = 0.75;
    r->flops = 1048576;
    r->bytes = 1048577;
    r->output_check = "pass";
    r->time = result_time_parse("2026-11-28T21:37:49Z");
    r->rerun = "assay bench --op softmax";
    snprintf(r->commit, sizeof r->commit, "b8f682b89c13b808af66443ddd7be678aa06a931");
    r->dirty = 1;
    example_times(r, TIMING_COLD, 12.5);
    example_times(r, TIMING_HOT, 8.25);
    return r;
}

result *example_result(void)
{
    result *r = common();
    result_split_name("v4_optimized", 0, &r->id);
    r->tunable_count = 2;
    r->tunables[0] = (result_tunable){"BLOCK", 256};
    r->tunables[1] = (result_tunable){"ROWS", 4};
    r->toolchain = (result_toolchain){"nvcc 13.0.88, host GNU 12.2.0", "-O3 -lineinfo", "sm_80 sm_90a"};
    r->hashes.kernel = "aa11000000000000000000000000000000000000000000000000000000000000";
    r->hashes.code = "dd44000000000000000000000000000000000000000000000000000000000000";
    r->verdict = (result_verdict){"pass", result_time_parse("2026-11-28T21:36:48Z"), 2};
    result_add_fact(r, &r->resources, "registers", 64, NULL);
    result_add_fact(r, &r->resources, "arch", 0, "sm_90a");
    result_add_fact(r, &r->counters, "dram_bytes", 2097152, NULL);
    return r;
}

result *example_baseline(const char *name, int unranked)
{
    result *r = common();
    snprintf(r->id.name, sizeof r->id.name, "%s", name);
    r->id.kind = unranked ? RESULT_UNRANKED_BASELINE : RESULT_BASELINE;
    r->library_version = "2.9.1";
    r->choice = "algorithm 7 of 12";
    r->launches = "grid 8x1x1, block 256x1x1, 1024 B";
    return r;
}
