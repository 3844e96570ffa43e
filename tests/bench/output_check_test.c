/* What baselines are held to (bench/run/output_check.h). */
#include "tests/unit.h"
#include "bench/run/output_check.h"

/* A sum of magnitude 8 that is rounded to bfloat16 before a bias of -8 is added leaves an error of 2^-8 * 8 beside an output near 0. */
static void test_a_rounded_intermediate_is_within_a_baselines_bound(void **state)
{
    const opspec_tolerance own = {.atol = 1e-33, .rtol = 1e-5, .stol = 4e-6};
    const opspec_tolerance wider = output_check_baseline_tolerance(own, ASSAY_BF16);
    const double scale = 8.0, error = 8.0 / 256.0;
    assert_true(error > own.atol + own.stol * scale);
    assert_true(error <= wider.atol + wider.stol * scale);
    assert_true(4.0 * error > wider.atol + wider.stol * scale); /* four of them are not */
    assert_true(wider.rtol == own.rtol && wider.atol == own.atol);
}

static void test_f32_and_ops_without_a_scale_are_held_to_the_kernels_bound(void **state)
{
    const opspec_tolerance own = {.atol = 0, .rtol = 1e-5, .stol = 1e-6}, no_scale = {.rtol = 1e-3};
    assert_true(output_check_baseline_tolerance(own, ASSAY_F32).stol == own.stol);
    assert_true(output_check_baseline_tolerance(own, ASSAY_TF32).stol == own.stol);
    assert_true(output_check_baseline_tolerance(no_scale, ASSAY_F16).stol == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_rounded_intermediate_is_within_a_baselines_bound),
        cmocka_unit_test(test_f32_and_ops_without_a_scale_are_held_to_the_kernels_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
