/* The reference that a group's timed outputs are held against: done before anything is timed, computed once, and nothing passes without it. */
#include "scratch_test.h"
#include "bench/timing/clock.h"
#include "group_calls.h"
#include <stdatomic.h>

/* Linked with --wrap: a reference that a test puts in place of the op's, and what is timed before it is done, if a test wants to know. */
assay_status __real_assay_device_read_health(assay_device *device, assay_device_health *health);
assay_status __wrap_assay_device_read_health(assay_device *device, assay_device_health *health);
assay_status __real_workspace_load_impl(const workspace_op *op, const assay_op_impl **impl,
                                        assay_error *error);
assay_status __wrap_workspace_load_impl(const workspace_op *op, const assay_op_impl **impl,
                                        assay_error *error);
assay_status __real_assay_device_launch_empty(assay_device *device, assay_error *error);
assay_status __wrap_assay_device_launch_empty(assay_device *device, assay_error *error);
static assay_status (*invented_reference)(const assay_problem *problem, double *scale); /* NULL: the op's */
static const assay_op_impl *real_impl;
static atomic_int awaits_reference, reference_calls; /* a thread of the group's computes it */
static int timed_too_early;

assay_status __wrap_workspace_load_impl(const workspace_op *op, const assay_op_impl **impl,
                                        assay_error *error)
{
    static assay_op_impl invented;
    const assay_status status = __real_workspace_load_impl(op, impl, error);
    if (status != ASSAY_OK || !invented_reference)
        return status;
    real_impl = *impl;
    invented = *real_impl;
    invented.reference = invented_reference;
    *impl = &invented;
    return ASSAY_OK;
}

assay_status __wrap_assay_device_launch_empty(assay_device *device, assay_error *error)
{
    timed_too_early += awaits_reference;
    return __real_assay_device_launch_empty(device, error);
}

/* Read before each repetition. */
assay_status __wrap_assay_device_read_health(assay_device *device, assay_device_health *health)
{
    timed_too_early += awaits_reference;
    return __real_assay_device_read_health(device, health);
}

/* v1_fast and v2_slow beside the copy, with a reference of the test's own. */
static assay_status run_with_reference(assay_status (*reference)(const assay_problem *problem, double *scale),
                                       group_outcome *outcome)
{
    open_with((const made_variant[]){
        {"v1_fast", "plain_spin_400", "pass"}, {"v2_slow", "plain_spin_420", "pass"}, {0}});
    invented_reference = reference;
    const assay_status status = run_group(&s, "v1_fast,v2_slow", "copy", short_method("cold"), outcome, NULL);
    invented_reference = NULL;
    return status;
}

static assay_status slow_reference(const assay_problem *problem, double *scale)
{
    reference_calls++;
    clock_sleep_ms(400.0);
    const assay_status status = real_impl->reference(problem, scale);
    awaits_reference = 0;
    return status;
}

/* Neither the launch overhead nor a repetition: the reference would keep a host thread busy meanwhile. */
static void times_nothing_before_the_reference_is_done(void **state)
{
    group_outcome outcome;
    awaits_reference = 1;
    reference_calls = timed_too_early = 0;
    assert_int_equal(run_with_reference(slow_reference, &outcome), ASSAY_OK);
    assert_int_equal(timed_too_early, 0);
    assert_int_equal(awaits_reference, 0);
    assert_int_equal(reference_calls, 2); /* once a group, for each of the contents whose result is known */
    assert_int_equal(outcome.timed, 3);
    assert_string_equal(said_of("v1_fast", "output_check"), "pass");
    assert_string_equal(said_of("v2_slow", "output_check"), "pass");
}

static assay_status reference_failure;

static assay_status failing_reference(const assay_problem *problem, double *scale)
{
    return reference_failure;
}

/* There is nothing to compare with, which is neither a pass nor the kernel's fault. */
static void nothing_passes_without_a_reference(void **state)
{
    static const struct {
        assay_status failure;
        const char *says;
    } rows[] = {{ASSAY_ERR_NO_MEMORY, "the reference of add failed"},
                {ASSAY_ERR_CHECK, "the reference of add failed"},
                {ASSAY_ERR_UNSUPPORTED, "the reference of add is not written yet"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        group_outcome outcome;
        reference_failure = rows[i].failure;
        assert_int_equal(run_with_reference(failing_reference, &outcome), ASSAY_OK);
        static const char *const names[] = {"v1_fast", "v2_slow"};
        for (int v = 0; v < 2; v++) {
            assert_string_equal(said_of(names[v], "output_check"), "");
            assert_string_equal(said_of(names[v], "status"), "not timed");
            if (!strstr(said_of(names[v], "reason"), rows[i].says))
                fail_msg("%s", said_of(names[v], "reason"));
            assert_near(metric_of(names[v], "cold", "mean_us"), -1.0, 0.0);
        }
        assert_int_equal(outcome.wrong, 0);
        assert_int_equal(outcome.timed, 1); /* the copy, which computes nothing */
        scratch_close(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(times_nothing_before_the_reference_is_done, close_scratch),
        cmocka_unit_test(nothing_passes_without_a_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
