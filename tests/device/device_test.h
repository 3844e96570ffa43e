/* What the device tests share: an open CPU device, a probe on it, and the launch of a test kernel with both. */
#ifndef ASSAY_TESTS_DEVICE_TEST_H
#define ASSAY_TESTS_DEVICE_TEST_H

#include "tests/unit.h"
#include "kernels/probe.h"
#include <assay/device.h>

typedef struct fixture {
    assay_device *device;
    probe_args args; /* result and data are device memory */
} fixture;

static inline void fixture_open(fixture *f, int64_t data_bytes)
{
    assay_error error = {0};
    void *result = NULL, *data = NULL;
    memset(f, 0, sizeof *f);
    if (assay_device_open("cpu", 0, &f->device, &error) ||
        assay_device_alloc(f->device, sizeof(probe), &result, &error) ||
        assay_device_alloc(f->device, data_bytes, &data, &error))
        fail_msg("%s", error.message);
    f->args.result = result;
    f->args.data = data;
    f->args.bytes = data_bytes;
}

static inline void fixture_close(fixture *f)
{
    assay_device_free(f->device, f->args.result);
    assay_device_free(f->device, f->args.data);
    assay_device_close(f->device);
}

static inline void fixture_shape(fixture *f, uint32_t gx, uint32_t gy, uint32_t gz, uint32_t bx, uint32_t by,
                                 uint32_t bz, size_t shared_bytes)
{
    f->args.grid[0] = gx, f->args.grid[1] = gy, f->args.grid[2] = gz;
    f->args.block[0] = bx, f->args.block[1] = by, f->args.block[2] = bz;
    f->args.shared_bytes = shared_bytes;
}

static inline void fixture_clear(fixture *f)
{
    assert_int_equal(assay_device_fill(f->device, f->args.result, 0, sizeof(probe), NULL), ASSAY_OK);
    assert_int_equal(assay_device_fill(f->device, f->args.data, 0, f->args.bytes, NULL), ASSAY_OK);
}

/* Launch and wait; the probe must have been told of checks and of no failure. */
static inline void fixture_run(fixture *f, const char *name, probe_run run)
{
    assay_error error = {0};
    probe result;
    fixture_clear(f);
    const assay_status status = run(&f->args, assay_device_stream(f->device));
    if (assay_device_sync_all(f->device, &error) || status)
        fail_msg("%s: launch failed: %s", name, error.message);
    assert_int_equal(assay_device_download(f->device, &result, f->args.result, sizeof result, &error),
                     ASSAY_OK);
    if (result.checks == 0)
        fail_msg("%s: the kernel checked nothing", name);
    if (result.failures)
        fail_msg("%s: %d of %d checks failed, one at line %d", name, result.failures, result.checks,
                 result.first_line);
}

static inline void fixture_options(fixture *f, int workers, const char *order, uint64_t seed, int poison)
{
    const assay_cpu_options options = {workers, order, seed, poison};
    assert_int_equal(assay_device_set_cpu_options(f->device, &options, NULL), ASSAY_OK);
}

#endif
