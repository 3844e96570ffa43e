#include "tests/unit.h"
#include "group_calls.h"

assay_status run_group(scratch *s, const char *variants, const char *baselines, bench_method method,
                       group_outcome *outcome, assay_error *error)
{
    assay_device *device = NULL;
    assert_int_equal(assay_device_open("cpu", 0, &device, NULL), ASSAY_OK);
    const group_plan plan = {.op = "add",
                             .dtype = "f32",
                             .size = "small",
                             .variants = variants,
                             .baselines = baselines,
                             .method = method,
                             .quiet = 1};
    const assay_status status = group_run(s->ws, device, &plan, outcome, error);
    assay_device_close(device);
    return status;
}

bench_method short_method(const char *modes)
{
    bench_method method = {.repetitions = 5,
                           .warmup_ms = 1.0,
                           .sample_ms = 15.0,
                           .min_samples = 3,
                           .max_samples = 400,
                           .bound_s = 20.0,
                           .seed = 1};
    snprintf(method.flush, sizeof method.flush, "memset");
    assert_int_equal(timing_modes_parse(modes, &method.modes, NULL), ASSAY_OK);
    return method;
}
