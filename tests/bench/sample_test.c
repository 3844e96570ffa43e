/* The sampling loop with an invented source and clock: what is counted, what is discarded, when it stops. */
#include "tests/unit.h"
#include "bench/timing/sample.h"
#include <math.h>

typedef struct fake {
    double now_ms, gap_ms; /* of wall time around each sample */
    double us;             /* of each sample */
    int taken, largest_batch, fail_at, nan_at;
} fake;

static double fake_now(void *context)
{
    return ((fake *)context)->now_ms;
}

static assay_status fake_take(void *context, int count, double *us, assay_error *error)
{
    fake *f = context;
    f->largest_batch = count > f->largest_batch ? count : f->largest_batch;
    for (int i = 0; i < count; i++) {
        f->taken++;
        if (f->fail_at && f->taken >= f->fail_at)
            return assay_error_set(error, ASSAY_ERR_DEVICE, "invented failure");
        us[i] =
            f->nan_at && f->taken >= f->nan_at ? NAN : f->us + f->taken; /* every sample is another value */
        f->now_ms += f->gap_ms + f->us * 1e-3;
    }
    return ASSAY_OK;
}

static assay_status run(fake *f, const sample_plan *plan, sample_set *set, assay_error *error)
{
    const sample_source source = {.context = f, .take = fake_take, .now_ms = fake_now, .max_batch = 40};
    return sample_run(&source, plan, set, error);
}

static void fills_the_time(void **state)
{
    fake f = {.us = 100.0, .gap_ms = 0.1};
    sample_set set = {0};
    const sample_plan plan = {.warmup_ms = 25.0, .sample_ms = 100.0, .min_samples = 3};
    assert_int_equal(run(&f, &plan, &set, NULL), ASSAY_OK);
    assert_in_range(set.count, 500, 505);           /* 0.2 ms of wall time each */
    assert_in_range(f.taken - set.count, 125, 170); /* warmed up for 25 ms, and not kept */
    assert_true(set.us[0] > 100.0 + 124.0);         /* the first kept one comes after the warm-up */
    assert_true(f.largest_batch <= 40);
    for (int i = 1; i < set.count; i++) /* in order, none lost */
        assert_near(set.us[i] - set.us[i - 1], 1.0, 1e-9);
    sample_set_release(&set);
}

static void respects_the_limit(void **state)
{
    fake f = {.us = 100.0};
    sample_set set = {0};
    const sample_plan plan = {.warmup_ms = 1.0, .sample_ms = 100.0, .min_samples = 3, .max_samples = 50};
    assert_int_equal(run(&f, &plan, &set, NULL), ASSAY_OK);
    assert_int_equal(set.count, 50);
    sample_set_release(&set);
}

static void takes_at_least_three(void **state)
{
    fake f = {.us = 300e3};
    sample_set set = {0};
    const sample_plan plan = {.warmup_ms = 25.0, .sample_ms = 100.0, .min_samples = 3, .long_ms = 1000.0};
    assert_int_equal(run(&f, &plan, &set, NULL), ASSAY_OK);
    assert_int_equal(set.count, 3);
    assert_int_equal(f.taken, 4);
    sample_set_release(&set);
}

static void takes_very_long_ones_once(void **state)
{
    fake f = {.us = 3e6};
    sample_set set = {0};
    sample_plan plan = {.warmup_ms = 25.0, .sample_ms = 100.0, .min_samples = 3, .long_ms = 1000.0};
    assert_int_equal(run(&f, &plan, &set, NULL), ASSAY_OK);
    assert_int_equal(set.count, 1);
    plan.warmup_ms = 0.0; /* as the group asks for after the first repetition */
    assert_int_equal(run(&f, &plan, &set, NULL), ASSAY_OK);
    assert_int_equal(set.count, 2);
    assert_int_equal(f.taken, 3);
    sample_set_release(&set);
}

static void keeps_the_set_on_failure(void **state)
{
    fake f = {.us = 100.0};
    sample_set set = {0};
    assay_error error = {0};
    const sample_plan plan = {.sample_ms = 10.0, .min_samples = 3};
    assert_int_equal(run(&f, &plan, &set, NULL), ASSAY_OK);
    const int before = set.count;
    f.fail_at = f.taken + 20;
    assert_int_equal(run(&f, &plan, &set, &error), ASSAY_ERR_DEVICE);
    assert_int_equal(set.count, before);
    assert_string_equal(error.message, "invented failure");
    sample_set_release(&set);
}

static void rejects_impossible_times(void **state)
{
    fake f = {.us = 100.0, .nan_at = 4};
    sample_set set = {0};
    const sample_plan plan = {.sample_ms = 10.0, .min_samples = 3};
    assert_int_equal(run(&f, &plan, &set, NULL), ASSAY_ERR_DEVICE);
    f = (fake){.us = -500.0};
    assert_int_equal(run(&f, &plan, &set, NULL), ASSAY_ERR_DEVICE);
    assert_int_equal(set.count, 0);
    sample_set_release(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fills_the_time),           cmocka_unit_test(respects_the_limit),
        cmocka_unit_test(takes_at_least_three),     cmocka_unit_test(takes_very_long_ones_once),
        cmocka_unit_test(keeps_the_set_on_failure), cmocka_unit_test(rejects_impossible_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
